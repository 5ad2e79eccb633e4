"""A request as the call of a tool's command: which argument is the input, and what comes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from palmette.cli.progress import Progress
from palmette.cli.run import Run
from palmette.cli.tools.sequence.prediction import target_for
from palmette.formats.files import Content
from palmette.formats.reading import Reading
from palmette.serve import options
from palmette.serve.inputs import Tokens, lines_of, pairs_of, text_of
from palmette.serve.limits import Limits, RequestError
from palmette.serve.models import Served

TAGGERS = ("tag", "induce", "spans")
TOKENS = (*TAGGERS, "depparse", "pipeline", "parse", "rerank")
LINES = ("classify", "lm", "translate", "sentiment", "semantics", "senses")
WORDS = ("thesaurus", "rules")
# The arguments of commands: the input of predict, the input of explain, and the number of what is explained.
_PREDICT = {"align": "file", "translate": "file", "thesaurus": "words", "rules": "paths"}
_EXPLAIN = {"rerank": "source"}
_NUMBER = {
    "classify": "example",
    "lm": "line",
    "align": "number",
    "translate": "number",
    "sentiment": "document",
    "rerank": "number",
}
_ONE_TEXT = {"senses": "sentence", "semantics": "question"}
_INPUT = ("text", "sentences", "pairs", "words")
_OF_VERB = {"predict": "stream", "explain": "sentence"}  # what a verb reads beside inputs and options


class Notes(Progress):
    """Keeps warnings for the answer."""

    def __init__(self) -> None:
        super().__init__(quiet=True)

    def told(self) -> list[str]:
        """The warnings so far, each once."""
        return [text if where is None else f"{where}: {text}" for text, (where, _) in self._warnings.items()]

    def has_places(self) -> bool:
        """Whether a warning is about a place in the input."""
        return any(where is not None for where, _ in self._warnings.values())

    def take(self, other: Notes) -> None:
        """Take the warnings of others too."""
        self._warnings |= other._warnings


class Prepared(NamedTuple):
    """The call of a command: its input, which is its argument `name`, and its options."""

    function: Any
    name: str
    input: Any
    options: dict[str, Any]
    body: Mapping[str, Any]


@dataclass
class Asked:
    """What a request asks of a model. body: the fields of the request, checked to be an object."""

    served: Served
    body: Mapping[str, Any]
    limits: Limits
    notes: Notes = field(default_factory=Notes)

    @property
    def tool(self) -> str:
        """The name of the model's tool."""
        return self.served.tool.name

    def predict(self, **more: Any) -> Iterator[bytes]:
        """The JSON lines of `palmette predict --jsonl`. more: options that the verb sets."""
        call = self.prepared(**more)
        return iter(
            call.function(self.served.file, self.run(self.notes), **{call.name: call.input}, **call.options)
        )

    def prepared(self, **more: Any) -> Prepared:
        """What `predict` will call."""
        function = self._command("predict")
        given = {**self._options("predict", function, options.PREDICT), **more}
        known = options.checked(function, options.PREDICT, given, self.limits)
        content = self._input(known, function)
        return Prepared(function, _PREDICT.get(self.tool, "source"), content, known, self.body)

    def explain(self) -> Any:
        """The explanation of `palmette explain --json`, as an object with `to_dict`."""
        function = self._command("explain")
        given = self._options("explain", function, options.EXPLAIN)
        known = options.checked(function, options.EXPLAIN, given, self.limits)
        number = self.body.get("sentence", 1)
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise RequestError(400, "sentence must be a number from 1")
        named = _NUMBER.get(self.tool, "sentence")
        numbered = named in options.parameters(function) and self.tool not in _ONE_TEXT
        if "sentence" in self.body and not numbered:
            raise RequestError(400, f"a {self.served.file.kind} explains one input: leave sentence out")
        if self.tool in WORDS:
            return function(self.served.file, self.run(self.notes), **self._two_words(), **known)
        if self.tool in _ONE_TEXT:
            text = text_of(self.body) if "text" in self.body else ""
            if not text.strip():
                raise RequestError(400, "expected a text to explain")
            return function(self.served.file, self.run(self.notes), **{_ONE_TEXT[self.tool]: text}, **known)
        place = {_EXPLAIN.get(self.tool, "file"): self._input(known, function)}
        if numbered:
            place[named] = number
        return function(self.served.file, self.run(self.notes), **place, **known)

    def read(self) -> tuple[Content, dict[str, Any]]:
        """The input alone, and the options that say how it is read; RequestError for others."""
        function = self._command("predict")
        given = self._options("predict", function, options.READ)
        known = options.checked(function, options.READ, given, self.limits)
        return self._input(known, function), known

    def reader(self) -> tuple[Content, str]:
        """The input of a tool that reads tokens, and its format; RequestError for options beside that."""
        content, known = self.read()
        chosen = next((value for name, value in known.items() if name in ("format", "from_")), None)
        return content, "text" if chosen is None else str(chosen.value)

    def run(self, notes: Notes) -> Run:
        """What a command is told about a request."""
        return Run(progress=notes, reading=Reading(longest=self.limits.words), jsonl=True)

    def _command(self, verb: str) -> Any:
        function = self.served.tool.command(verb)
        if function is None:
            raise RequestError(400, f"a {self.served.file.kind} does not {verb}")
        return function

    def _options(self, verb: str, function: Any, names: frozenset[str]) -> dict[str, Any]:
        """The fields of the request that are options; RequestError for more than one input."""
        also = options.offered(function, names).keys() if self.tool == "lm" else ()  # its option words
        inputs = [one for one in _INPUT if one not in also]
        given = [one for one in inputs if one in self.body]
        if len(given) > 1:
            raise RequestError(400, f"give either {' or '.join(given)}, not both")
        own = {"model", *inputs, _OF_VERB[verb]}
        return {name: value for name, value in self.body.items() if name not in own}

    def _input(self, known: dict[str, Any], function: Any) -> Any:
        """The input as bytes. known: the options, to which the format and what to keep are added."""
        if self.tool in WORDS:
            return [lines_of(self.body, "words")]
        if self.tool in LINES:
            return lines_of(self.body)
        if self.tool == "align":
            return pairs_of(self.body)
        formats = options.offered(function, options.PREDICT | options.EXPLAIN).get("format")
        if formats is None:
            return lines_of(self.body)
        kind, _ = options.kind_of(formats)
        if "text" in self.body:
            if known.get(formats.name) is None:
                known[formats.name] = kind("text")
            return Content(text_of(self.body).encode("utf-8", "replace"))
        return self._tokens(known, function, formats.name, kind)

    def _tokens(self, known: dict[str, Any], function: Any, name: str, kind: Any) -> Content:
        label, key = "misc", "Tag"
        if self.tool in TAGGERS:
            target = target_for(self.served.object, None, False)
            label, key = target.conllu_column(), target.key
        tokens = Tokens(self.body, label, key)
        known[name] = kind("conllu")
        if function == self.served.tool.command("predict"):
            _keep(known, tokens.given, self.tool, options.offered(function, options.PREDICT))
        return tokens.content

    def _two_words(self) -> dict[str, str]:
        words = self.body.get("words")
        if not isinstance(words, list) or not 1 <= len(words) <= 2 or not all(type(w) is str for w in words):
            raise RequestError(400, "expected one or two words")
        return dict(zip(("one", "two"), words))


def _keep(known: dict[str, Any], given: set[str], tool: str, offered: Mapping[str, Any]) -> None:
    """What tokens say of themselves is a constraint: set the options that keep it."""
    if tool == "pipeline":
        kept = sorted(given - {"form", "misc", "label"})
        if kept and "keep" not in known:
            known["keep"] = ",".join(kept)
        return
    for option, column in (("keep_heads", "head"), ("keep_tags", "xpos"), ("keep_labels", "label")):
        if column in given and option in offered and option not in known:
            known[option] = True

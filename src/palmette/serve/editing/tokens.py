"""Values of tokens under constraints: labels, tags, lemmas, heads and relations, in CoNLL-U and columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from palmette.cli.tools.sequence.prediction import target_for
from palmette.formats.columns import parse_columns
from palmette.formats.conllu import parse_conllu
from palmette.serve.asking import Asked
from palmette.serve.editing.documents import FIELDS, Lines, token_of
from palmette.serve.editing.editor import Editor, State
from palmette.serve.limits import Limits, RequestError
from palmette.serve.models import Served

_ORDER = ("upos", "xpos", "feats", "lemma", "head", "deprel")
_FREE = ("lemma", "feats")  # columns with too many values to choose from
_NOT_VALUES = ("token", "accept", "keep", "sentence", "file")


class TokenEditor(Editor):
    """Tokens of a file. Fixed are values by the number of the token, from 0, and the column."""

    keeps = True

    def __init__(self, document: Lines, served: Callable[[], Served], limits: Limits) -> None:
        super().__init__(served, limits)
        self.document, self._filled = document, document.filled()

    def words(self, n: int) -> list[str]:
        place = FIELDS["form"] if self.document.format == "conllu" else 0
        return [row[place] for row in self.document.fields(n)]

    def fix(self, fixed: State, n: int, given: Mapping[str, Any]) -> None:
        token, n_words = given.get("token"), len(self.words(n))
        if not isinstance(token, int) or isinstance(token, bool) or not 1 <= token <= n_words:
            raise RequestError(400, f"token must be a number from 1 to {n_words}")
        own = fixed.setdefault(str(token - 1), {})
        for name, value in given.items():
            if name in _NOT_VALUES:
                continue
            if name not in self.columns():
                raise RequestError(400, f"expected one of {', '.join(self.columns())} to fix")
            if value is None:
                own.pop(name, None)
            else:
                own[name] = self._checked(name, value, token, n_words)
        if not own:
            del fixed[str(token - 1)]

    def all_of(self, n: int) -> State:
        shown = self.shown(n, {}, self.decoded(n, {}))
        return {
            str(i): {name: token[name] for name in self.columns() if token.get(name) is not None}
            for i, token in enumerate(shown["tokens"])
        }

    def decoded(self, n: int, fixed: State) -> Any:
        try:
            return self._asked(self._blanked(n, fixed), self._kept(fixed))[0]
        except RequestError:
            raise
        except ValueError:  # a model without probabilities
            return self._asked(self._blanked(n, fixed), self._kept(fixed), probabilities=False)[0]

    def values(self, n: int, fixed: State, found: Any) -> Any:
        rows, values = self.document.fields(n), []
        for i, row in enumerate(rows):
            own = fixed.get(str(i), {})
            said = None if found is None else _said(found["tokens"][i])
            value = {}
            for name in self.columns():
                there = row[self._place(name, row)]
                new = there if said is None else said.get(name)
                value[name] = str(own[name]) if name in own else "_" if new is None else str(new)
            values.append(value)
        return values

    def changed(self, one: Any, two: Any) -> int:
        """How many words of the second lost a value that they had in the first."""
        return sum(
            any(value not in ("_", b[name]) for name, value in a.items())
            for a, b in zip(one, two, strict=True)
        )

    def put(self, n: int, values: Any) -> None:
        for i, (value, row) in enumerate(zip(values, self.document.fields(n))):
            for name, text in value.items():
                self.document.set(n, i, self._place(name, row), text)

    def shown(self, n: int, fixed: State, found: Any) -> dict[str, Any]:
        """A sentence without any values shows those that the model finds."""
        columns, tokens = self.columns(), []
        for i, (row, token) in enumerate(zip(self.document.fields(n), found["tokens"])):
            there, said = self._there(row), _said(token)
            merged = {name: said.get(name) for name in columns} | there
            first = "head" if "head" in columns else columns[0]
            merged["differs"] = str(said.get(first)) != str(merged.get(first))
            if merged["differs"]:
                merged["model"] = said.get(first)
            merged["probability"] = None if merged["differs"] else _probability(token, first)
            tokens.append({"number": i + 1, **merged})
        if any("head" in own for own in fixed.values()):
            for one in tokens:  # a parser's probabilities are not those given the fixed heads
                one["probability"] = None
        return {"tokens": tokens}

    def given(self, some: Sequence[int]) -> Any:
        blocks = "".join(self._blanked(n, {}) for n in some).encode()
        return (parse_conllu if self.document.format == "conllu" else parse_columns)(blocks)

    def columns(self) -> list[str]:
        """The columns that the model predicts."""
        tool, made = self.served.tool.name, self.served.object
        if tool == "pipeline":
            fills = {name for step in made.steps_ for name in step.fills}
            return [n for n in _ORDER if n in fills and (n in ("head", "deprel") or self._used(n))]
        if tool != "depparse":
            return ["label"]
        tags = {name for name in made.taggers_ if self._used(name)}
        return [name for name in _ORDER if name in {"head", "deprel", *tags}]

    def labels(self) -> dict[str, list[str]]:
        made = self.served.object
        if self.served.tool.name == "pipeline":
            chosen = [name for name in self.columns() if name not in (*_FREE, "head")]
            known = {name: self._seen(name) for name in chosen}
            for step in made.steps_:
                if "deprel" in step.fills:
                    known["deprel"] |= set(step.tool.model_.labels)
            return {name: sorted(values) for name, values in known.items()}
        if self.served.tool.name != "depparse":
            return {"label": sorted(map(str, made.classes_))}
        tags = {name: sorted(map(str, one.classes_)) for name, one in made.taggers_.items()}
        return {"deprel": sorted(made.model_.labels), **tags}

    def _used(self, name: str) -> bool:
        return name == "upos" or name in self._filled

    def _seen(self, name: str) -> set[str]:
        """The values of a column in the file."""
        place = FIELDS[name]
        rows = (row for n in range(len(self.document)) for row in self.document.fields(n))
        return {row[place] for row in rows} - {"_"}

    def _checked(self, name: str, value: Any, token: int, n_words: int) -> Any:
        """A value that is to be fixed; RequestError if it cannot be."""
        if name == "head":
            number = isinstance(value, int) and not isinstance(value, bool)
            if not number or not 0 <= value <= n_words or value == token:
                raise RequestError(400, f"a head is a number from 0 to {n_words}, and another word")
            return value
        between = "\t\n\r" if self.document.format == "conllu" else "\t\n\r "
        if not isinstance(value, str) or not value or any(c in value for c in between):
            raise RequestError(400, f"the value of {name} must be text without spaces")
        return value

    def _there(self, row: Sequence[str]) -> dict[str, Any]:
        """The values that the file has for a token."""
        if self.document.format != "conllu":
            return {"form": row[0]} | ({} if row[-1] in ("_", "") else {"label": row[-1]})
        found = dict(token_of(row))
        if "label" in self.columns():
            value = row[self._place("label", row)]
            found |= {} if value == "_" else {"label": value}
        return found

    def _kept(self, fixed: State) -> dict[str, Any]:
        """The options that keep what is fixed."""
        tool = self.served.tool.name
        if tool != "pipeline":
            return {"keep_heads" if tool == "depparse" else "keep_labels": True}
        names = {name for own in fixed.values() for name in own}
        return {"keep": ",".join(sorted(names))} if names else {}

    def _asked(
        self, text: str, kept: Mapping[str, Any], *, probabilities: bool = True
    ) -> list[dict[str, Any]]:
        body = {"text": text, "format": self.document.format, "probabilities": probabilities, **kept}
        return [json.loads(line) for line in Asked(self.served, body, self.limits).predict()]

    def _blanked(self, n: int, fixed: State) -> str:
        """The sentence without the values that the model is to find."""
        rows = self.document.fields(n)
        for i, row in enumerate(rows):
            own = fixed.get(str(i), {})
            for name in self.columns():
                row[self._place(name, row)] = str(own.get(name, "_"))
        return self.document.text(rows)

    def _place(self, name: str, row: Sequence[str]) -> int:
        if name != "label":
            return FIELDS[name]
        if self.document.format == "columns":
            return len(row) - 1
        column = target_for(self.served.object, None, False).conllu_column()
        return FIELDS.get(column, FIELDS["misc"])


def _said(token: Mapping[str, Any]) -> dict[str, Any]:
    """A token of an answer, with the names of CoNLL-U."""
    return {**token, "deprel": token.get("relation", token.get("deprel"))}


def _probability(token: Mapping[str, Any], first: str) -> float | None:
    own = token.get("probabilities")
    if isinstance(own, dict):
        return own.get("arc" if first == "head" and "arc" in own else first, own.get("upos"))
    return token.get("probability")

"""The state of files that are corrected: what is fixed, what the model makes of it, and steps to undo."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from palmette.cli.tools.sequence.prediction import target_for
from palmette.serve.asking import Asked
from palmette.serve.editing.documents import FIELDS, Document, Lines, Trees, opened, token_of
from palmette.serve.editing.journal import Journal
from palmette.serve.editing.trees import decoded_tree, fixed_brackets
from palmette.serve.limits import Limits, RequestError
from palmette.serve.models import Models, Served

_FITTING = {"conllu": ("depparse", "tag", "spans"), "columns": ("spans", "tag"), "brackets": ("parse",)}
_AT_ONCE = 200  # sentences, when confidences are computed

State = dict[str, Any]


class Session:
    """One file. A state of a sentence has `values`, fields of tokens or a tree, and `fixed`, what a person set."""

    def __init__(self, path: str, models: Models, limits: Limits) -> None:
        self.path, self.name = Path(path), Path(path).name
        data = self.path.read_bytes()
        self.document: Document = opened(data, path)
        if not len(self.document):
            raise ValueError(f"{path}: expected sentences to edit; the file has none")
        self.limits, self._models = limits, models
        self._model = self._fitting().name
        self._filled = self.document.filled() if isinstance(self.document, Lines) else set()
        self.lock = threading.RLock()
        self.states: dict[int, State] = {}
        self._undo: list[tuple[int, State | None, State | None]] = []
        self._redo: list[tuple[int, State | None, State | None]] = []
        self._confidence: list[float | None] = []
        self.unsaved = False
        self.journal = Journal(self.path, data)
        for step in self.journal.steps:
            before = self.states.get(step["sentence"])
            self._put(step["sentence"], step["state"], saved=step["saved"])
            if not step["saved"]:
                self._undo.append((step["sentence"], before, step["state"]))

    @property
    def served(self) -> Served:
        """The model, as it is now."""
        return self._models.find(self._model)

    def about(self) -> dict[str, Any]:
        """What the page says of the file."""
        return {
            "name": self.name,
            "format": self.document.format,
            "sentences": len(self.document),
            "model": self._model,
            "tool": self.served.tool.name,
            "unsaved": self.unsaved,
            "corrected": sorted(n + 1 for n, state in self.states.items() if state["fixed"]),
            "undo": len(self._undo),
            "redo": len(self._redo),
            "labels": self._labels(),
        }

    def sentence(self, n: int) -> dict[str, Any]:
        """A sentence with its values, those that are fixed, and the probabilities of the model given these."""
        self._check(n)
        with self.lock:
            state = self.states.get(n)
            fixed = {} if state is None else state["fixed"]
            found = self._decoded(n, fixed)
            shown = self._shown(n, found)
            if any(isinstance(own, dict) and "head" in own for own in fixed.values()):
                for token in shown["tokens"]:  # a parser's probabilities are not those given the fixed heads
                    token["probability"] = None
            return {"sentence": n + 1, **shown, "fixed": fixed, "words_fixed": len(fixed)}

    def correct(self, n: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Fix values of a sentence, or free them, and let the model decide the rest.

        given: token and fields, null to free one; or bracket, "LABEL:first-last", with must: true, false or null;
        or "accept": fix everything as it is. "keep": leave all other values as they are.
        """
        self._check(n)
        with self.lock:
            before = self.states.get(n)
            fixed = json.loads(json.dumps({} if before is None else before["fixed"]))
            if given.get("accept") is True:
                fixed = self._all_of(n)
            elif isinstance(self.document, Trees):
                fixed_brackets(fixed, given, len(self._words(n)))
            else:
                self._fix(fixed, n, given)
            keep = given.get("keep") is True and isinstance(self.document, Lines)
            found = None if keep else self._decoded(n, fixed)
            after = {"fixed": fixed, "values": self._values(n, fixed, found)}
            self._step(n, before, after)
            self._undo.append((n, before, after))
            self._redo.clear()
        return self.sentence(n)

    def move(self, back: bool) -> dict[str, Any]:
        """Undo the last step, or do it again."""
        with self.lock:
            taken, put = (self._undo, self._redo) if back else (self._redo, self._undo)
            if not taken:
                raise RequestError(409, f"there is nothing to {'undo' if back else 'redo'}")
            n, before, after = taken.pop()
            put.append((n, before, after))
            self._step(n, after if back else before, before if back else after)
        return self.sentence(n)

    def save(self) -> dict[str, Any]:
        """Write the file in one step."""
        with self.lock:
            kept = [{"sentence": n, "state": state} for n, state in self.states.items() if state["fixed"]]
            self.journal.save(self.path, self.document.data(), kept)
            self.unsaved = False
            self._undo.clear()
            self._redo.clear()
        return self.about()

    def confidences(self) -> list[float | None]:
        """How sure the model is of each sentence: the mean probability of its tokens, or that of its tree."""
        if not self._confidence:
            found: list[float | None] = []
            for at in range(0, len(self.document), _AT_ONCE):
                some = range(at, min(at + _AT_ONCE, len(self.document)))
                found += self._sure(some)
            self._confidence = found
        return self._confidence

    # Decoding

    def _sure(self, some: Sequence[int]) -> list[float | None]:
        if isinstance(self.document, Trees):
            parses = self.served.object.parse([self._words(n) for n in some])
            return [
                None if one is None or one.log_probability is None else math.exp(one.log_probability)
                for one in parses
            ]
        blocks = "".join(self._blanked(n, {}) for n in some)
        try:
            rows = self._asked(blocks, keep=False)
        except ValueError:
            return [None] * len(some)  # a model without probabilities
        return [_mean([token.get("probability") for token in row["tokens"]]) for row in rows]

    def _decoded(self, n: int, fixed: State) -> Any:
        """What the model says, given what is fixed."""
        if isinstance(self.document, Trees):
            return decoded_tree(self.served.object, self._words(n), fixed)
        try:
            return self._asked(self._blanked(n, fixed), keep=True)[0]
        except RequestError:
            raise
        except ValueError:
            return self._asked(self._blanked(n, fixed), keep=True, probabilities=False)[0]

    def _asked(self, text: str, *, keep: bool, probabilities: bool = True) -> list[dict[str, Any]]:
        option = "keep_heads" if self.served.tool.name == "depparse" else "keep_labels"
        body = {"text": text, "format": self.document.format, "probabilities": probabilities}
        lines = Asked(self.served, {**body, option: True} if keep else body, self.limits).predict()
        return [json.loads(line) for line in lines]

    def _blanked(self, n: int, fixed: State) -> str:
        """The sentence without the values that the model is to find."""
        assert isinstance(self.document, Lines)
        rows = self.document.fields(n)
        for i, row in enumerate(rows):
            own = fixed.get(str(i), {})
            for name in self._columns():
                place = self._place(name, row)
                row[place] = str(own.get(name, "_"))
        return self.document.text(rows)

    def _columns(self) -> list[str]:
        """The columns that the model predicts."""
        if self.served.tool.name != "depparse":
            return ["label"]
        tags = [name for name in self.served.object.taggers_ if name == "upos" or name in self._filled]
        return ["head", "deprel", *tags]

    def _place(self, name: str, row: Sequence[str]) -> int:
        if name != "label":
            return FIELDS[name]
        if self.document.format == "columns":
            return len(row) - 1
        column = target_for(self.served.object, None, False).conllu_column()
        return FIELDS.get(column, FIELDS["misc"])

    def _values(self, n: int, fixed: State, found: Any) -> Any:
        """The values of a sentence: those that are fixed, and for the others what was found, or what is there."""
        if isinstance(self.document, Trees):
            return self.document.block(n) if found is None else found["tree"]
        assert isinstance(self.document, Lines)
        rows, values = self.document.fields(n), []
        for i, row in enumerate(rows):
            own = fixed.get(str(i), {})
            token = {} if found is None else found["tokens"][i]
            said = {**token, "deprel": token.get("relation")}
            value = {}
            for name in self._columns():
                there = row[self._place(name, row)]
                value[name] = (
                    str(own[name]) if name in own else there if found is None else str(said.get(name) or "_")
                )
                if name == "head" and found is not None and name not in own:
                    value[name] = str(said["head"])
            values.append(value)
        return values

    # States

    def _fix(self, fixed: State, n: int, given: Mapping[str, Any]) -> None:
        token, n_words = given.get("token"), len(self._words(n))
        if not isinstance(token, int) or isinstance(token, bool) or not 1 <= token <= n_words:
            raise RequestError(400, f"token must be a number from 1 to {n_words}")
        own = fixed.setdefault(str(token - 1), {})
        for name, value in given.items():
            if name in ("token", "keep", "sentence", "file"):
                continue
            if name not in self._columns():
                raise RequestError(400, f"expected one of {', '.join(self._columns())} to fix")
            if value is None:
                own.pop(name, None)
            elif name == "head":
                if (
                    not isinstance(value, int)
                    or isinstance(value, bool)
                    or not 0 <= value <= n_words
                    or value == token
                ):
                    raise RequestError(400, f"a head is a number from 0 to {n_words}, and another word")
                own[name] = value
            else:
                between = "\t\n\r" if self.document.format == "conllu" else "\t\n\r "
                if not isinstance(value, str) or not value or any(c in value for c in between):
                    raise RequestError(400, f"the value of {name} must be text without spaces")
                own[name] = value
        if not own:
            del fixed[str(token - 1)]

    def _all_of(self, n: int) -> State:
        """Everything that is there now, as fixed."""
        shown = self.sentence(n)
        if isinstance(self.document, Trees):
            return {"tree": shown["tree"]}
        return {
            str(i): {
                name: value for name, value in token.items() if name in self._columns() and value is not None
            }
            for i, token in enumerate(_named(shown["tokens"]))
        }

    def _step(self, n: int, before: State | None, after: State | None) -> None:
        """Go to a state. None is how the file was: its values are in the first state that replaced it."""
        if after is None:
            assert before is not None
            after = {"fixed": {}, "values": before["original"]}
        elif before is None or "original" not in after:
            after["original"] = before["original"] if before is not None else self._values(n, {}, None)
        self.journal.add({"sentence": n, "state": after})
        self._put(n, after)

    def _put(self, n: int, state: State, saved: bool = False) -> None:
        self.states[n] = state
        if isinstance(self.document, Trees):
            self.document.set(n, state["values"])
        elif isinstance(self.document, Lines):
            for i, (value, row) in enumerate(zip(state["values"], self.document.fields(n))):
                for name, text in value.items():
                    self.document.set(n, i, self._place(name, row), text)
        self.unsaved = self.unsaved or not saved

    def _shown(self, n: int, found: Any) -> dict[str, Any]:
        """The values as the file would have them now; of a sentence without any, those that the model finds."""
        if isinstance(self.document, Trees):
            return {"tree": self.document.block(n), "tokens": found["tokens"], "model_tree": found["tree"]}
        assert isinstance(self.document, Lines)
        tokens = []
        for i, (row, token) in enumerate(zip(self.document.fields(n), found["tokens"])):
            if self.document.format == "conllu":
                there = dict(token_of(row))
            else:
                there = {"form": row[0]} | ({} if row[-1] in ("_", "") else {"label": row[-1]})
            if self.served.tool.name != "depparse" and self.document.format == "conllu":
                value = row[self._place("label", row)]
                there |= {} if value == "_" else {"label": value}
            said = {**token, "deprel": token.get("relation")}
            merged = {name: said.get(name) for name in self._columns()} | there
            same = all(str(said.get(name)) == str(merged.get(name)) for name in self._columns()[:1])
            merged["probability"] = token.get("probability") if same else None
            merged["differs"] = not same
            tokens.append({"number": i + 1, **merged})
        return {"tokens": tokens}

    def _words(self, n: int) -> list[str]:
        if isinstance(self.document, Trees):
            from palmette.trees.tree import Tree

            return list(Tree.parse(self.document.block(n)).words)
        assert isinstance(self.document, Lines)
        place = FIELDS["form"] if self.document.format == "conllu" else 0
        return [row[place] for row in self.document.fields(n)]

    def _labels(self) -> dict[str, list[str]]:
        """What may be chosen, by column."""
        made = self.served.object
        if isinstance(self.document, Trees):
            return {}
        if self.served.tool.name != "depparse":
            return {"label": sorted(map(str, made.classes_))}
        return {
            "deprel": sorted(made.model_.labels),
            **{k: sorted(map(str, t.classes_)) for k, t in made.taggers_.items()},
        }

    def _check(self, n: int) -> None:
        if not 0 <= n < len(self.document):
            raise RequestError(404, f"{self.name} has {len(self.document)} sentences")

    def _fitting(self) -> Served:
        tools = _FITTING[self.document.format]
        found = [one for one in self._models if one.tool.name in tools]
        if not found:
            raise ValueError(
                f"{self.path}: to edit {self.document.format}, serve a model of {' or '.join(tools)}"
            )
        first: Served = min(found, key=lambda one: tools.index(one.tool.name))
        return first


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _named(tokens: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [dict(token) for token in tokens]

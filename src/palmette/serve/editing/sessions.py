"""The state of files that are corrected: what is fixed, what the model makes of it, and steps to undo."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from palmette.formats.files import check_writable
from palmette.serve.editing.documents import Document, Lines, Pairs, Trees, links_beside, opened
from palmette.serve.editing.editor import Editor, State
from palmette.serve.editing.journal import Journal, sum_of
from palmette.serve.editing.links import LinkEditor
from palmette.serve.editing.tokens import TokenEditor
from palmette.serve.editing.trees import TreeEditor
from palmette.serve.limits import Limits, RequestError
from palmette.serve.models import Models, Served

_FITTING = {
    "conllu": ("pipeline", "depparse", "tag", "spans"),
    "columns": ("spans", "tag"),
    "brackets": ("parse",),
    "pairs": ("align",),
}
_AT_ONCE = 50  # sentences, when confidences are computed


class Session:
    """One file. A state of a sentence has `values`, fields of tokens or a tree, and `fixed`, what a person set."""

    def __init__(self, path: str, models: Models, limits: Limits) -> None:
        data = Path(path).read_bytes()
        self.document: Document = opened(data, path)
        if not len(self.document):
            raise ValueError(f"{path}: expected sentences to edit; the file has none")
        self.path = Path(path)
        if isinstance(self.document, Pairs):
            self.path = links_beside(path)
            data = self.path.read_bytes() if self.path.exists() else b""
        check_writable(self.path)
        self.name = self.path.name
        self._models = models
        self.model = self._fitting().name
        self.editor = _editor(self.document, lambda: self.served, limits)
        self.lock, self._counting = threading.RLock(), threading.Lock()
        self.states: dict[int, State] = {}
        self._undo: list[tuple[int, State | None, State | None]] = []
        self._redo: list[tuple[int, State | None, State | None]] = []
        self._confidence: tuple[Served, list[float | None]] | None = None
        self._known: tuple[Served, dict[str, list[str]]] | None = None
        self.unsaved = isinstance(self.document, Pairs) and self.document.empty
        self.journal, self._sum = Journal(self.path, data), sum_of(data)
        for step in self.journal.steps:
            before = self.states.get(step["sentence"])
            self._put(step["sentence"], step["state"], saved=step["saved"])
            if not step["saved"]:
                self._undo.append((step["sentence"], before, step["state"]))

    @property
    def served(self) -> Served:
        """The model, as it is now."""
        return self._models.find(self.model)

    def about(self) -> dict[str, Any]:
        """What the page says of the file."""
        with self.lock:  # another request may correct meanwhile
            return {
                "name": self.name,
                "format": self.document.format,
                "sentences": len(self.document),
                "model": self.model,
                "tool": self.served.tool.name,
                "unsaved": self.unsaved,
                "corrected": sorted(n + 1 for n, state in self.states.items() if state["fixed"]),
                "undo": len(self._undo),
                "redo": len(self._redo),
                "keeps": self.editor.keeps,
                "columns": self.editor.columns(),
                "labels": self._labels(),
            }

    def sentence(self, n: int) -> dict[str, Any]:
        """A sentence with its values, those that are fixed, and the probabilities of the model given these."""
        self._check(n)
        with self.lock:
            state = self.states.get(n)
            fixed = {} if state is None else state["fixed"]
            shown = self.editor.shown(n, fixed, self.editor.decoded(n, fixed))
            return {"sentence": n + 1, **shown, "fixed": fixed, "words_fixed": len(fixed)}

    def correct(self, n: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """Fix values of a sentence, or free them, and let the model decide the rest.

        given: token and fields, null to free one; bracket, "LABEL:first-last", or link, "0-1", with must: true,
        false or null; bracket with to, another label; or "accept": fix everything as it is. "keep": leave all
        other values as they are.
        """
        self._check(n)
        with self.lock:
            before = self.states.get(n)
            fixed = json.loads(json.dumps({} if before is None else before["fixed"]))
            if given.get("accept") is True:
                fixed = self.editor.all_of(n)
            else:
                self.editor.fix(fixed, n, given)
            keep = given.get("keep") is True and self.editor.keeps
            found = None if keep else self.editor.decoded(n, fixed)
            alone = self.editor.values(n, fixed, None)
            after = {"fixed": fixed, "values": self.editor.values(n, fixed, found)}
            if before is not None and all(before[name] == after[name] for name in after):
                return {**self.sentence(n), "changed": 0}  # the same again: not a step to undo
            self._step(n, before, after)
            self._undo.append((n, before, after))
            self._redo.clear()
            return {**self.sentence(n), "changed": self.editor.changed(alone, after["values"])}

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

    def save(self) -> None:
        """Write the file in one step; RequestError if another program wrote it in between."""
        with self.lock:
            if self.path.exists() and sum_of(self.path.read_bytes()) != self._sum:
                raise RequestError(
                    409,
                    f"another program changed {self.name}, and saving would undo that: move that file away and "
                    "save again; your corrections are in the journal",
                )
            kept = [{"sentence": n, "state": state} for n, state in self.states.items() if state["fixed"]]
            data = self.document.data()
            self.journal.save(self.path, data, kept)
            self._sum = sum_of(data)
            self.unsaved = False
            self._undo.clear()
            self._redo.clear()

    def confidences(self, seconds: float = math.inf) -> list[float | None]:
        """How sure the model is of each sentence, by the mean probability of what it decides.

        After this time it returns those that are known, and the next call goes on.
        """
        served, ends = self.served, time.monotonic() + seconds
        if self._confidence is None or self._confidence[0] is not served:
            self._confidence = served, []
        found = self._confidence[1]
        with self._counting:
            while len(found) < len(self.document):
                at = len(found)
                found += self.editor.sure(range(at, min(at + _AT_ONCE, len(self.document))))
                if time.monotonic() > ends:
                    break
        return list(found)

    def _labels(self) -> dict[str, list[str]]:
        served = self.served
        if self._known is None or self._known[0] is not served:
            self._known = served, self.editor.labels()
        return self._known[1]

    def _step(self, n: int, before: State | None, after: State | None) -> None:
        """Go to a state. None is how the file was: its values are in the first state that replaced it."""
        if after is None:
            assert before is not None
            after = {"fixed": {}, "values": before["original"], "original": before["original"]}
        elif before is None:
            after["original"] = self.editor.values(n, {}, None)
        elif (
            "original" not in after
        ):  # nor have it states that journals of older versions undid to the first one
            after["original"] = before.get("original", before["values"])
        self.journal.add({"sentence": n, "state": after})
        self._put(n, after)

    def _put(self, n: int, state: State, saved: bool = False) -> None:
        self.states[n] = state
        self.editor.put(n, state["values"])
        self.unsaved = self.unsaved or not saved

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


def _editor(document: Document, served: Callable[[], Served], limits: Limits) -> Editor:
    if isinstance(document, Trees):
        return TreeEditor(document, served, limits)
    if isinstance(document, Pairs):
        return LinkEditor(document, served, limits)
    assert isinstance(document, Lines)
    return TokenEditor(document, served, limits)

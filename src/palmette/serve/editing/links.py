"""Links of sentence pairs under constraints: those that a person draws, and those that must not be there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from palmette.formats.pharaoh import Link, format_pharaoh
from palmette.serve.editing.documents import Pairs
from palmette.serve.editing.editor import Editor, State
from palmette.serve.limits import Limits, RequestError
from palmette.serve.models import Served

_NAME = re.compile(r"(\d{1,6})-(\d{1,6})")


class LinkEditor(Editor):
    """Links of a file. Fixed are links by name, "0-1", with true or false; or `links`, all of them as a line."""

    def __init__(self, document: Pairs, served: Callable[[], Served], limits: Limits) -> None:
        super().__init__(served, limits)
        self.document = document
        if document.empty:
            found = self.served.object.align(document.pairs, probabilities=False)
            for n, links in enumerate(found):
                document.set(n, format_pharaoh(links))

    def words(self, n: int) -> list[str]:
        return self.document.pairs[n][0]

    def fix(self, fixed: State, n: int, given: Mapping[str, Any]) -> None:
        found, (source, target) = _NAME.fullmatch(str(given.get("link"))), self.document.pairs[n]
        if found is None or int(found[1]) >= len(source) or int(found[2]) >= len(target):
            raise RequestError(
                400,
                f"link must be SOURCE-TARGET, numbers of words from 0: there are {len(source)} and {len(target)}",
            )
        name, must = f"{int(found[1])}-{int(found[2])}", given.get("must")
        if must is not None and not isinstance(must, bool):
            raise RequestError(400, "must is true, false or null")
        whole = fixed.pop("links", None)
        if whole is not None:  # a pair that was accepted as a whole stays so, but for this link
            links = (set(whole.split()) | {name}) if must else (set(whole.split()) - {name})
            fixed["links"] = " ".join(sorted(links, key=_link))
        elif must is None:
            fixed.pop(name, None)
        else:
            fixed[name] = must

    def all_of(self, n: int) -> State:
        return {"links": format_pharaoh(sorted(self.document.links(n)))}

    def decoded(self, n: int, fixed: State) -> dict[Link, float]:
        """The links that the aligner chooses, with their probabilities."""
        if "links" in fixed:
            return {_link(name): 1.0 for name in fixed["links"].split()}
        known = [_link(name) for name, must in fixed.items() if must]
        forbidden = [_link(name) for name, must in fixed.items() if not must]
        found = self.served.object.align([self.document.pairs[n]], known=[known], forbidden=[forbidden])
        return dict(zip(next(iter(found)), found.probability.tolist()))

    def values(self, n: int, fixed: State, found: Any) -> str:
        return self.document.block(n) if found is None else format_pharaoh(sorted(found))

    def put(self, n: int, values: str) -> None:
        self.document.set(n, values)

    def shown(self, n: int, fixed: State, found: Any) -> dict[str, Any]:
        source, target = self.document.pairs[n]
        likely = self.served.object.marginals([self.document.pairs[n]])[0] | found
        links = [
            {"source": i, "target": j, "probability": round(likely.get((i, j), 0.0), 6)}
            for i, j in sorted(self.document.links(n))
        ]
        return {"source": source, "target": target, "links": links}

    def given(self, some: Sequence[int]) -> Any:
        return [self.document.pairs[n] for n in some]


def _link(name: str) -> Link:
    source, _, target = name.partition("-")
    return int(source), int(target)

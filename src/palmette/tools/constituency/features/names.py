"""The features of anchored rules in words: what each looks at, and what it sees there.

`NP → DT @NP| [first word=the, length=3]`: a rule, and what is seen at both ends of its span, around it, and beside
its split. Nothing is kept for this but the words: names are rendered when asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from palmette._native import anchored_templates
from palmette.features.attributes import TypeAttributes
from palmette.features.spans import SpanViews
from palmette.features.token_views import TYPE_ATTRIBUTES
from palmette.structures.anchored_rules import AnchoredRules

_SYMBOL, _RULE, _CHAIN = range(3)
_ROOT_FAMILY = 5
_BINS = (1, 2, 3, 4, 5, 6, 8, 11, 16, 21, 31)  # the lengths that are told apart, each up to the next
_NAMES = {"known": "word", "end3": "ending", "end2": "ending", "start3": "beginning"}


class FeatureNames:
    """The names of the features of one sentence. tags: None if features see none."""

    width = 9  # numbers that say which feature it is

    def __init__(
        self, rules: AnchoredRules, views: SpanViews, words: Sequence[str], tags: Sequence[str] | None
    ) -> None:
        self.rules = rules
        self.views = views
        self.words = list(words)
        self.tags = None if tags is None else list(tags)
        types = TypeAttributes(self.words)
        self._attributes = {view: types.values_of(name).values() for view, name in TYPE_ATTRIBUTES.items()}

    def name(
        self,
        family: int,
        number: int,
        start: int,
        end: int,
        split: int,
        kind: int,
        name: int,
        coarse: int,
        place: int = -1,
    ) -> str:
        """A feature of the native `contributions`, in words; where its weight lies is of no interest."""
        seen = ", ".join(
            f"{place} {_NAMES.get(what, what)}={self._value(place, what, start, end, split)}"
            if place != "span"
            else f"{what}={self._value(place, what, start, end, split)}"
            for place, what in _templates()[family][number]
        )
        subject = self._subject(kind, name, bool(coarse))
        if family == _ROOT_FAMILY:
            subject = f"{self.rules.symbols[self.rules.root]} → {subject}"
        return f"{subject} [{seen}]" if seen else subject

    def _subject(self, kind: int, name: int, coarse: bool) -> str:
        names = self.rules.labels if coarse else self.rules.symbols
        if kind == _SYMBOL:
            return names[name]
        if kind == _CHAIN:
            return " → ".join(names[symbol] for symbol in self.rules.chain(name))
        parent, left, right = (names[s] for s in self.rules.binary[3 * name : 3 * name + 3].tolist())
        return f"{parent} → {left} {right}"

    def _value(self, place: str, what: str, start: int, end: int, split: int) -> str:
        if place == "span":
            return self._of_span(what, start, end, split)
        at = {
            "first": start,
            "last": end - 1,
            "second": start + 1,
            "last but one": end - 2,
            "before": start - 1,
            "after": end,
            "2 before": start - 2,
            "2 after": end + 1,
            "left of split": split - 1,
            "right of split": split,
            "2 left of split": split - 2,
            "2 right of split": split + 1,
        }[place]
        if not 0 <= at < len(self.words):
            return "(none)"
        if what == "known":
            return self.views.known(self.words[at], at)
        if what in ("tag", "coarse"):
            tag = self.tags[at] if self.tags is not None else ""
            return tag if what == "tag" else self.views.inside(tag)
        return self._attributes[what][at] or ""

    def _of_span(self, what: str, start: int, end: int, split: int) -> str:
        if what.endswith("length"):
            length = {"length": end - start, "left length": split - start, "right length": end - split}[what]
            return _binned(length)
        if what == "shape":
            shapes = [self._attributes["shape"][k] or "" for k in range(start, end)]
            return " ".join(shape for k, shape in enumerate(shapes) if not k or shapes[k - 1] != shape)
        tags = (self.tags or [])[start:end]
        if what == "tags":
            return " ".join(tags)
        return " ".join(sorted({self.views.inside(tag) for tag in tags} - {"_"})) or "(nothing)"


def _binned(length: int) -> str:
    low = max(bound for bound in _BINS if bound <= max(length, 1))
    following = [bound for bound in _BINS if bound > low]
    high = following[0] - 1 if following else None
    return f"{low}+" if high is None else str(low) if high == low else f"{low}–{high}"


@cache
def _templates() -> list[list[list[tuple[str, str]]]]:
    return anchored_templates()

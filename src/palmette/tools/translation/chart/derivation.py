"""Derivations by synchronous rules, as trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

COPIED, GIVEN, GLUE, END = 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFC, 0xFFFFFFFB
_KINDS = {COPIED: "unknown", GIVEN: "given", GLUE: "glue", END: "end"}
START = "S"


@dataclass(frozen=True)
class RuleNode:
    """A rule of a derivation, with those of its nonterminals in source order.

    label: its left side. Source words begin … end − 1 are its span. target: words, and the number of a child for
    each nonterminal. rule: its number in the rule table, −1 if it is not from there. kind: "table", "unknown" (a
    copied word), "given" with the sentence, or "glue".
    """

    label: str
    begin: int
    end: int
    target: tuple[str | int, ...]
    children: tuple[RuleNode, ...] = ()
    rule: int = -1
    kind: str = "table"

    def source(self, words: Sequence[str]) -> tuple[str | int, ...]:
        """Return the source side, given the words of the sentence: words, and the numbers of children."""
        found: list[str | int] = []
        at, child = self.begin, 0
        while at < self.end:
            if child < len(self.children) and self.children[child].begin == at:
                found.append(child)
                at = self.children[child].end
                child += 1
            else:
                found.append(words[at])
                at += 1
        return tuple(found)

    def words(self) -> list[str]:
        """Return the target words."""
        found: list[str] = []
        waiting: list[tuple[RuleNode, int]] = [(self, 0)]
        while waiting:
            node, at = waiting.pop()
            if at == len(node.target):
                continue
            waiting.append((node, at + 1))
            item = node.target[at]
            if isinstance(item, str):
                found.append(item)
            else:
                waiting.append((node.children[item], 0))
        return found

    def rule_text(self, words: Sequence[str]) -> str:
        """Return the rule as text, given the words of the sentence: `X -> ne X1 pas , not X1`."""
        sides = [
            " ".join(
                item if isinstance(item, str) else f"{self.children[item].label}{item + 1}" for item in side
            )
            for side in (self.source(words), self.target)
        ]
        return f"{self.label} -> {sides[0]} , {sides[1]}"

    def __iter__(self) -> Iterator[RuleNode]:
        """Iterate over this rule and those below it, in preorder."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def draw(self, words: Sequence[str], *, ascii: bool = False, width: int | None = None) -> str | None:
        """Return both trees side by side, given the source words; None if a side has no words."""
        from palmette.tools.translation.chart.pictures import draw_derivation

        return draw_derivation(self, words, ascii=ascii, width=width)

    def svg(self, words: Sequence[str]) -> str | None:
        """Return the same as an SVG image."""
        from palmette.tools.translation.chart.pictures import draw_derivation_svg

        return draw_derivation_svg(self, words)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as JSON has it: rules in preorder, each with the number of its children."""
        return {
            "rules": [
                {
                    "label": node.label,
                    "begin": node.begin,
                    "end": node.end,
                    "target": list(node.target),
                    "kind": node.kind,
                    "children": len(node.children),
                }
                for node in self
            ]
        }


class RuleArrays(NamedTuple):
    """The derivations of translations in flat arrays, as native code returns them: rules in preorder."""

    start: NDArray[np.int64]
    rule: NDArray[np.uint32]
    begin: NDArray[np.uint32]
    end: NDArray[np.uint32]
    label: NDArray[np.uint32]
    tails: NDArray[np.uint32]
    item_start: NDArray[np.int64]
    items: NDArray[np.int32]

    def node(self, t: int, word: Callable[[int], str], label: Callable[[int], str]) -> RuleNode:
        """Return the derivation of translation t; word, label: the strings of numbers."""
        done: list[RuleNode] = []
        for k in range(int(self.start[t + 1]) - 1, int(self.start[t]) - 1, -1):
            rule = int(self.rule[k])
            children = tuple(done.pop() for _ in range(int(self.tails[k])))
            items = self.items[self.item_start[k] : self.item_start[k + 1]].tolist()
            kind = _KINDS.get(rule, "table")
            done.append(
                RuleNode(
                    START if rule in (GLUE, END) else label(int(self.label[k])),
                    int(self.begin[k]),
                    int(self.end[k]),
                    tuple(word(item) if item >= 0 else -1 - item for item in items),
                    children,
                    rule if kind == "table" else -1,
                    kind,
                )
            )
        root = done[0]
        return root.children[0] if root.kind == "end" and root.children else root

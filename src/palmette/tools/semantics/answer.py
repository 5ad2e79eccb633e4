"""Answers to questions, with the tree that gave them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from palmette.drawing.trees import draw
from palmette.tools.semantics.dcs import DCSTree
from palmette.trees.tree import Leaf, Tree

UNKNOWN = "I do not know"


@dataclass(frozen=True)
class Answer:
    """An answer.

    values: as text, in the order of the database; numbers are numbers. meaning: what was understood, in words.
    tree: the DCS tree whose denotation the values are. probability: of this answer among those of all trees in
    the beam. reason: why there is no answer; the tree and the values are then missing.
    """

    values: tuple[str | float, ...] = ()
    meaning: str = ""
    tree: DCSTree | None = None
    probability: float | None = None
    reason: str = ""

    @property
    def known(self) -> bool:
        """Whether the question is answered. An empty set is an answer too."""
        return not self.reason

    @property
    def text(self) -> str:
        """The values in one line."""
        if not self.known:
            return UNKNOWN
        return (
            ", ".join(value if isinstance(value, str) else _number(value) for value in self.values) or "none"
        )

    def draw(self, *, ascii: bool = False) -> str:
        """Draw the tree for a terminal."""
        return "" if self.tree is None else draw(as_tree(self.tree), ascii=ascii)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "answer": list(self.values) if self.known else None,
            "meaning": self.meaning,
            "tree": None if self.tree is None else self.tree.text,
            "probability": None if self.probability is None else round(self.probability, 6),
            "reason": self.reason or None,
        }

    def __str__(self) -> str:
        return self.text if self.known else f"{UNKNOWN}: {self.reason}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.12g}"


def as_tree(tree: DCSTree) -> Tree:
    """Return a DCS tree as a tree whose edges are nodes, to be drawn."""
    count = iter(range(10**9))

    def made(node: DCSTree) -> Tree | Leaf:
        name = node.predicate + ("" if node.mark is None else f"*{node.mark}")
        name = name.replace(" ", "\u00a0")
        if not node.edges:
            return Leaf(name, next(count))
        below = []
        for edge in node.edges:
            parts = [made(edge.child)] + ([] if edge.than is None else [Tree("than", [made(edge.than)])])
            below.append(Tree(edge.text.replace(" ", "\u00a0"), parts))
        return Tree(name, below)

    found = made(tree)
    root = found if isinstance(found, Tree) else Tree("=", [found])
    return root if tree.column == 1 else Tree(f"E{tree.column}", [root])

"""The fragments of a tree, written down: what tree kernels count without doing so. Exponential in the tree.

Fragments are texts in brackets, words in quotes: `(NP DT (NN "dog"))` is a subset tree in which DT has no
children. Each node's fragments are made of those of its children, without recursion. `largest` leaves out
those of more productions (of more nodes, for partial trees), and whatever is made of them, so that large
trees can be looked at too; `only` leaves out all others than those of another tree, which are made of each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Iterable
from typing import Literal, NamedTuple

from palmette.trees.tree import Leaf, Tree

Kind = Literal["subset", "complete", "partial"]


class Fragment(NamedTuple):
    """A text, its size, and the root of its weight."""

    text: str
    size: int
    weight: float


Part = tuple[str, list[Fragment] | None]


class TooManyError(Exception):
    """There are more fragments than may be written down."""


def fragments_of(
    tree: Tree,
    kind: Kind,
    words: bool,
    decay: float,
    mu: float,
    *,
    largest: float = math.inf,
    only: Container[str] | None = None,
    most: int,
) -> dict[str, float]:
    """The value of every fragment: Σ over where it is found of the root of its weight."""
    found: dict[str, float] = {}
    made = 0

    def keep(fragments: Iterable[Fragment]) -> list[Fragment]:
        nonlocal made
        kept = []
        for fragment in fragments:
            made += 1
            if made > most:
                raise TooManyError
            if fragment.size <= largest and (only is None or fragment.text in only):
                found[fragment.text] = found.get(fragment.text, 0.0) + fragment.weight
                kept.append(fragment)
        return kept

    def combined(choices: Iterable[list[Fragment]]) -> list[tuple[str, int, float]]:
        """One of each: their texts in a row, the sum of their sizes, the product of their weights."""
        rows = [("", 0, 1.0)]
        for choice in choices:
            rows = [
                (f"{text} {part.text}", size + part.size, weight * part.weight)
                for text, size, weight in rows
                for part in choice
                if size + part.size < largest
            ]
            if made + len(rows) > most:
                raise TooManyError
        return rows

    # Every child: itself as a leaf of a fragment, and the fragments that begin there; None if it can have none.
    def leaf(item: Leaf) -> Part | None:
        if not words:
            return None
        text = f'"{item.word}"'
        return text, keep([Fragment(text, 1, math.sqrt(mu) * decay)]) if kind == "partial" else None

    def whole(item: Tree, below: list[Part]) -> list[Fragment]:
        """With all children, each with a fragment of its own or, in subset trees and for words, without."""
        choices = [
            fragments
            if kind == "complete" and fragments is not None
            else [Fragment(text, 0, 1.0), *(fragments or ())]
            for text, fragments in below
        ]
        return [
            Fragment(f"({item.label}{text})", size + 1, math.sqrt(decay) * weight)
            for text, size, weight in combined(choices)
        ]

    def partial(item: Tree, below: list[Part]) -> Iterable[Fragment]:
        yield Fragment(f"({item.label})", 1, math.sqrt(mu) * decay)
        for n in range(1, min(len(below), 64) + 1):
            if n + 1 > largest:
                break
            for places in itertools.combinations(range(len(below)), n):
                scale = math.sqrt(mu) * decay ** (places[-1] - places[0] + 1 - n)
                for text, size, weight in combined(below[i][1] or [] for i in places):
                    yield Fragment(f"({item.label}{text})", size + 1, scale * weight)

    def node(item: Tree, below: list[Part | None]) -> Part:
        parts = [part for part in below if part is not None]
        if kind == "partial":
            return item.label, keep(partial(item, parts))
        return item.label, keep(whole(item, parts)) if parts else None  # a tag without its word is a leaf

    tree.fold(leaf, node)
    return found

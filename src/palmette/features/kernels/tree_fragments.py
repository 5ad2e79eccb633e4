"""The fragments of a tree, written down: what tree kernels count without doing so. Exponential in the tree.

Fragments are texts in brackets: `(NP DT (NN dog))` is a subset tree in which DT has no children. Each node's
fragments are made of those of its children, without recursion.
"""

from __future__ import annotations

import itertools
import math
from typing import Literal

from palmette.trees import Leaf, Tree

Kind = Literal["subset", "complete", "partial"]
Weighted = list[tuple[str, float]]


def number_of_fragments(tree: Tree, kind: Kind, words: bool) -> float:
    """How many fragments there are, each counted wherever it is found; inf beyond the largest double."""
    total = 0.0

    def node(item: Tree, below: list[float | None]) -> float | None:
        nonlocal total
        counts = [n for n in below if n is not None]
        if kind == "partial":
            here = math.prod(1.0 + n for n in counts)
        elif not counts:
            return 0.0  # a tag without its word: it is a leaf
        else:
            here = 1.0 if kind == "complete" else math.prod(1.0 + n for n in counts)
        total += here
        return here

    def leaf(_: Leaf) -> float | None:
        nonlocal total
        if kind == "partial" and words:
            total += 1
        return (1.0 if kind == "partial" else 0.0) if words else None

    tree.fold(leaf, node)
    return total


def fragments_of(tree: Tree, kind: Kind, words: bool, decay: float, mu: float) -> dict[str, float]:
    """The value of every fragment: Σ over where it is found of the root of its weight."""
    found: dict[str, float] = {}
    root = math.sqrt(decay)

    def keep(made: Weighted) -> None:
        for text, weight in made:
            found[text] = found.get(text, 0.0) + weight

    # Of every child: itself as a leaf of a fragment, and the fragments that begin there.
    def leaf(item: Leaf) -> tuple[str, Weighted] | None:
        if not words:
            return None
        text = _word(item.word)
        if kind != "partial":
            return text, []
        made = [(text, math.sqrt(mu) * decay)]
        keep(made)
        return text, made

    def subset(item: Tree, below: list[tuple[str, Weighted]]) -> Weighted:
        choices = [[(text, 1.0), *made] for text, made in below]
        if kind == "complete":
            choices = [made or [(text, 1.0)] for text, made in below]
        return [
            (_bracketed(item.label, [text for text, _ in chosen]), root * math.prod(w for _, w in chosen))
            for chosen in itertools.product(*choices)
        ]

    def partial(item: Tree, below: list[tuple[str, Weighted]]) -> Weighted:
        made = [(_bracketed(item.label, []), math.sqrt(mu) * decay)]
        for size in range(1, len(below) + 1):
            for places in itertools.combinations(range(len(below)), size):
                scale = math.sqrt(mu) * decay ** (places[-1] - places[0] + 1 - size)
                for chosen in itertools.product(*(below[i][1] for i in places)):
                    text = _bracketed(item.label, [part for part, _ in chosen])
                    made.append((text, scale * math.prod(weight for _, weight in chosen)))
        return made

    def node(item: Tree, below: list[tuple[str, Weighted] | None]) -> tuple[str, Weighted] | None:
        parts = [part for part in below if part is not None]
        if kind != "partial" and not parts:
            return item.label, []
        made = partial(item, parts) if kind == "partial" else subset(item, parts)
        keep(made)
        return item.label, made

    tree.fold(leaf, node)
    return found


def _word(word: str) -> str:
    return f'"{word}"'


def _bracketed(label: str, below: list[str]) -> str:
    return f"({' '.join([label, *below])})"

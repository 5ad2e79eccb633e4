"""Trees as the lexicalised model counts them, and trees of its answers.

A flat tree is its nodes in preorder: the refined label, the number of children, which of them is the head,
and the type of the word below a tag. O(nodes).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.structures.chart.bracket_risk import chain_heights
from palmette.transforms.heads import HeadRules
from palmette.transforms.refinement import REFINED, plain, refined
from palmette.transforms.semantic_heads import Giving
from palmette.trees.tree import Child, Leaf, Tree

_COORDINATION = frozenset({"CC", "CONJP", "CONJ", "KON"})
_COMMAS = frozenset({",", ":", "$,"})


class FlatTrees(NamedTuple):
    """Trees one after the other; `offsets` are where each begins, and the end."""

    offsets: NDArray[np.int64]
    label: NDArray[np.int32]
    children: NDArray[np.int32]
    head: NDArray[np.int32]
    token: NDArray[np.int32]


class Labels:
    """The labels of trees, refined, in the order of their numbers; which of them are tags, and how they stack."""

    def __init__(self, names: Sequence[str], tags: Sequence[str], heights: Sequence[float]) -> None:
        self.names = list(names)
        self.tags = set(tags)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.plain = [plain(name) for name in self.names]
        self.heights = np.array(heights, dtype=np.float32)

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Labels:
        """The labels of trees and their plain forms; a tag that is a phrase's label too gets a name of its own."""
        tags: dict[str, None] = {}
        phrases: dict[str, None] = {}
        for tree in trees:
            for node in tree.preorder():
                if node.is_preterminal:
                    tags[node.label] = None
                    continue
                phrases[node.label] = None
                phrases[refined(node.label, [_name(child) for child in node.children])] = None
        heights = chain_heights(trees)
        own = [f"{tag}{REFINED}tag" if tag in phrases else tag for tag in tags]
        names = [*phrases, *own]
        return cls(names, own, [heights.get(plain(name), 0.0) for name in names])

    def tag(self, label: str) -> str | None:
        """The name of a tag among these labels; None if there is no such tag."""
        if label in self.tags:
            return label
        return name if (name := f"{label}{REFINED}tag") in self.tags else None

    def is_tag(self) -> NDArray[np.uint8]:
        """1 for tags."""
        return np.array([name in self.tags for name in self.names], dtype=np.uint8)

    def plain_numbers(self) -> NDArray[np.int32]:
        """The number of every label's plain form."""
        plain_names = [name if name in self.tags else plain(name) for name in self.names]
        return np.array([self.numbers[name] for name in plain_names], dtype=np.int32)

    def giving(self, rules: Iterable[Giving]) -> NDArray[np.int32]:
        """The rules of semantic heads as rows of numbers (label, head child, child, right), in one array."""

        def number(name: str) -> int:
            return self.numbers.get(self.tag(name) or name, -1)

        rows = sorted((number(r.label), number(r.head_child), number(r.child), int(r.right)) for r in rules)
        return np.array([row for row in rows if min(row) >= 0], dtype=np.int32).reshape(-1)

    def joins(self) -> NDArray[np.uint8]:
        """1 for labels that coordinate, 2 for commas and the like."""
        return np.array(
            [1 if name in _COORDINATION else 2 if name in _COMMAS else 0 for name in self.names],
            dtype=np.uint8,
        )


def flatten(
    trees: Sequence[Tree], tokens: Sequence[Sequence[int]], labels: Labels, rules: HeadRules
) -> FlatTrees:
    """Trees with the types of their tokens; ValueError for an unknown label."""
    offsets, label, children, head, token = [0], [], [], [], []
    numbers = labels.numbers
    for tree, own in zip(trees, tokens, strict=True):
        todo: list[Child] = [tree]
        while todo:
            node = todo.pop()
            assert isinstance(node, Tree)
            below = node.children
            if node.is_preterminal and isinstance(below[0], Leaf):
                name, count, chosen, word = labels.tag(node.label), 0, -1, own[below[0].position]
            else:
                names = [_name(child) for child in below]
                name, count, word = refined(node.label, names), len(below), -1
                if name not in numbers:
                    name = node.label
                chosen = rules.head(node.label, names)
                todo.extend(reversed(below))
            if name not in numbers:
                raise ValueError(f"The model has no label {node.label!r}: it was not in the training data.")
            label.append(numbers[name])
            children.append(count)
            head.append(chosen)
            token.append(word)
        offsets.append(len(label))
    return FlatTrees(
        np.array(offsets, dtype=np.int64),
        *(np.array(values, dtype=np.int32) for values in (label, children, head, token)),
    )


def _name(child: Child) -> str:
    if isinstance(child, Leaf):
        raise ValueError(
            f"The word {child.word!r} is beside others without a tag: every word needs a tag of its own."
        )
    return child.label


class Expansions:
    """A label above those of its children: how the model calls it, and which child is the head."""

    def __init__(self, labels: Labels, rules: HeadRules) -> None:
        self._labels = labels
        self._rules = rules
        self._known: dict[tuple[int, ...], tuple[int, int]] = {}

    def of(
        self, rows: NDArray[np.int64], labels: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The refined labels and the heads of expansions: labels[rows[s] : rows[s + 1]], the node's own first."""
        listed = labels.tolist()
        found = [self._found(tuple(listed[a:b])) for a, b in pairwise(rows.tolist())]
        table = np.array(found, dtype=np.int32).reshape(-1, 2)
        return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])

    def _found(self, numbers: tuple[int, ...]) -> tuple[int, int]:
        found = self._known.get(numbers)
        if found is None:
            label, *names = (self._labels.plain[k] for k in numbers)
            number = self._labels.numbers.get(refined(label, names), numbers[0])
            found = self._known[numbers] = number, self._rules.head(label, names)
        return found

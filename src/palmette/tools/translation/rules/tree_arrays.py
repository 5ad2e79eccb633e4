"""Trees of sentences as arrays for the native extraction of rules (native/tools/translation/rules/ghkm.hpp).

A node of a tree has a label, a production, its words, and the number of the node that follows all those below it.
Words are those of the sentence: a treebank may write brackets and quotation marks in another way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.messages import counted, warn
from palmette.tools.alignment.text import TextSide
from palmette.tools.translation.rules.fragments import production
from palmette.trees.tree import Leaf, Tree

GivenTree: TypeAlias = Tree | str | None
Ints = NDArray[np.int32]


class Parser(Protocol):
    """What parses sentences, as a `ConstituencyParser` does."""

    def parse(self, X: Any) -> Sequence[Any]:
        """The parse of every sentence, with `tree` and `note`; None for one without words."""
        ...


@dataclass(frozen=True, eq=False)
class TreeArrays:
    """Nodes of all trees in preorder; those of sentence s from `at[s]` on. A sentence may have none."""

    at: NDArray[np.int64]
    label: NDArray[np.uint32]
    production: NDArray[np.uint32]
    begin: Ints
    end: Ints
    next: Ints
    labels: list[str]
    productions: list[str]


def tree_arrays(trees: Iterable[GivenTree] | Parser, side: TextSide) -> TreeArrays:
    """Return the arrays of the trees of sentences.

    trees: a tree, or a text in brackets, or None for each sentence; or a parser. A sentence whose parse failed
    gets no tree; how many there are is a warning. ValueError if a tree does not cover its sentence.
    """
    given = parsed(trees, side) if hasattr(trees, "parse") else list(trees)
    if len(given) != len(side):
        raise ValueError(
            f"There must be {counted(len(side), 'tree')}, one for each sentence. Got {len(given):,}."
        )
    builder = _Builder()
    missing = 0
    for number, tree in enumerate(given, 1):
        words = side[number - 1]
        if isinstance(tree, str):
            tree = _read(tree, number)
        if tree is None:
            missing += bool(words)
        else:
            builder.add(tree, words, number)
        builder.at.append(len(builder.label))
    if missing:
        warn(f"{missing:,} of {len(side):,} sentences have no tree, and no rules are extracted from them")
    return builder.arrays()


def parsed(parser: Any, side: TextSide) -> list[Tree | None]:
    """Return the trees of sentences by a parser; None where its grammar has none."""
    found = parser.parse([side[s] for s in range(len(side))])
    return [None if one is None or one.note else one.tree for one in found]


def _read(text: str, number: int) -> Tree | None:
    if not text.strip():
        return None
    try:
        return Tree.parse(text)
    except FormatError as error:
        raise ValueError(f"Sentence {number:,} must have a tree in brackets: {error}") from None


class _Builder:
    def __init__(self) -> None:
        self.at = [0]
        self.label: list[int] = []
        self.production: list[int] = []
        self.begin: list[int] = []
        self.end: list[int] = []
        self.next: list[int] = []
        self.labels: dict[str, int] = {}
        self.productions: dict[tuple[Any, ...], int] = {}

    def add(self, tree: Tree, words: Sequence[str], number: int) -> None:
        first, position = len(self.label), 0
        labels, productions = self.labels, self.productions
        stack: list[Tree | Leaf | int] = [tree]
        while stack:
            item = stack.pop()
            if isinstance(item, int):  # all below this node has been seen
                self.end[item] = position
                self.next[item] = len(self.label) - first
            elif isinstance(item, Leaf):
                if item.position != position or position == len(words):
                    self._refuse(tree, words, number)
                position += 1
            else:
                node = len(self.label)
                self.label.append(labels.setdefault(item.label, len(labels)))
                key = (item.label, *(_key(child, words) for child in item.children))
                self.production.append(productions.setdefault(key, len(productions)))
                self.begin.append(position)
                self.end.append(0)
                self.next.append(0)
                stack.append(node)
                stack.extend(reversed(item.children))
        if position != len(words):
            self._refuse(tree, words, number)

    def _refuse(self, tree: Tree, words: Sequence[str], number: int) -> None:
        if tree.is_discontinuous:
            raise ValueError(f"Sentence {number:,} has a tree with gaps: rules need trees without.")
        raise ValueError(
            f"Sentence {number:,} has {counted(len(words), 'word')}, but its tree has {len(tree.words)}: "
            "a tree must cover its sentence."
        )

    def arrays(self) -> TreeArrays:
        return TreeArrays(
            np.array(self.at, np.int64),
            np.array(self.label, np.uint32),
            np.array(self.production, np.uint32),
            np.array(self.begin, np.int32),
            np.array(self.end, np.int32),
            np.array(self.next, np.int32),
            list(self.labels),
            [production(label, children) for label, *children in self.productions],
        )


def _key(child: Tree | Leaf, words: Sequence[str]) -> str | tuple[str]:
    if isinstance(child, Tree):
        return (child.label,)
    return words[child.position] if child.position < len(words) else child.word

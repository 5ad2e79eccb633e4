"""Parses of source sentences as a search over trees wants them: nodes, edges, and productions by number.

Trees of the same sentence are packed: nodes with the same label over the same words are one node, which has an
edge for each way that the trees go on below it. Nodes above each other over the same words differ by the labels
between them. A forest is linear in the size of its trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.messages import counted
from palmette.tools.translation.rules.fragments import production, production_parts
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.trees.tree import Leaf, Tree

_NO_PRODUCTION = 2**32 - 1
_WORD = "WORD"  # the label of a word beside nodes
_FLAT = "FLAT"  # words that have no parse, and a root over several roots
ForestArrays = tuple[NDArray[np.uint32] | NDArray[np.int32], ...]


class _Node(NamedTuple):
    """What makes a node: its words, and the labels from it down to the first node with several children."""

    begin: int
    end: int
    labels: tuple[str, ...]


@dataclass
class _Forest:
    """Edges by node: a production, if the table has it, and children, nodes or −1 − the place of a word."""

    edges: dict[_Node, dict[tuple[int, tuple[_Node | int, ...]], None]] = field(default_factory=dict)
    root: _Node | None = None


def flat_tree(words: Sequence[str]) -> Tree:
    """Return a tree for words that have no parse: they are translated one by one, in their order."""
    return Tree(_FLAT, [Tree(_FLAT, [Leaf(word, place)]) for place, word in enumerate(words)])


class ForestReader:
    """Makes forests of trees, with the productions of a table."""

    def __init__(self, table: RuleTable) -> None:
        self.table = table
        self._numbers: dict[str, int] = {}
        self._labels = {label: number for number, label in enumerate(table.labels)}
        self._label_names = list(table.labels)

    def label(self, number: int) -> str:
        """Return a label by its number; those that the table does not have come behind its own."""
        return self._label_names[number] if number < len(self._label_names) else _WORD

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        """The productions over one word that have rules of their own, by the word."""
        table = self.table
        first, last = int(table.child_begin[0]), int(table.child_begin[1])
        has_rules = np.diff(table.rule_begin[first : last + 1].astype(np.int64)) > 0
        found: dict[str, list[int]] = {}
        for symbol in table.child_symbol[first:last][has_rules].tolist():
            if symbol:
                _, children = production_parts(table.productions[symbol - 1])
                if len(children) == 1 and isinstance(children[0], str):
                    found.setdefault(children[0], []).append(symbol - 1)
        return found

    @cached_property
    def _own(self) -> set[int]:
        return {number for numbers in self._by_word.values() for number in numbers}

    def arrays(self, sentences: Sequence[Sequence[str]], parses: Sequence[Sequence[Tree]]) -> ForestArrays:
        """Return the forests of sentences in flat arrays.

        parses: the trees of each sentence, at least one if it has words. They may write words in another way.
        ValueError, with the number of the sentence, if a tree does not cover it.
        """
        rows: list[list[list[int]]] = [[] for _ in range(7)]
        firsts: list[list[int]] = [[0], [0], [0]]
        for number, (words, trees) in enumerate(zip(sentences, parses, strict=True), 1):
            one = self._forest(list(words), trees, number) if words else _Forest()
            flat = self._flattened(one)
            for row, values in zip(rows, flat):
                row.append(values)
            for first, size in zip(firsts, (len(flat[0]), len(flat[4]), len(flat[6]))):
                first.append(first[-1] + size)
        joined = [np.array([v for part in row for v in part], dtype=np.uint32) for row in rows[:6]]
        children = np.array([v for part in rows[6] for v in part], dtype=np.int32)
        return (*(np.array(first, dtype=np.uint32) for first in firsts), *joined, children)

    def _forest(self, words: list[str], trees: Iterable[Tree], number: int) -> _Forest:
        made = _Forest()
        for tree in trees:
            n = len(tree.leaves)
            if n != len(words) or tree.is_discontinuous:
                what = "gaps" if n == len(words) else f"{n}"
                raise ValueError(
                    f"Sentence {number} has {counted(len(words), 'word')}, but its tree has {what}."
                )
            made.root = self._add(made, tree, words)
        return made

    def _add(self, made: _Forest, tree: Tree, words: list[str]) -> _Node:
        """Add a tree, and return its root. Trees of one sentence may have roots of different labels."""

        def leaf(old: Leaf) -> _Node | int:
            return -1 - old.position

        def node(old: Tree, below: list[_Node | int]) -> _Node | int:
            first, last = below[0], below[-1]
            begin = first.begin if isinstance(first, _Node) else -1 - first
            end = last.end if isinstance(last, _Node) else -last
            chain = first.labels if len(below) == 1 and isinstance(first, _Node) else ()
            own = _Node(begin, end, (old.label, *chain))
            parts = [(c.labels[0],) if isinstance(c, _Node) else words[-1 - c] for c in below]
            edges = made.edges.setdefault(own, {})
            numbered = self._number(production(old.label, parts))
            edges[numbered, tuple(below)] = None
            if len(below) == 1 and not isinstance(first, _Node) and numbered not in self._own:
                # The word is translated under another tag, rather than not at all.
                for other in self._by_word.get(words[-1 - first], ()):
                    edges[other, tuple(below)] = None
            return own

        found = tree.fold(leaf, node)
        assert isinstance(found, _Node)
        if made.root is None or made.root == found:
            return found
        return self._joined(made, made.root, found)

    def _joined(self, made: _Forest, one: _Node, other: _Node) -> _Node:
        """A root over both of two roots."""
        root = _Node(one.begin, one.end, (_FLAT,) * (1 + max(len(one.labels), len(other.labels))))
        for below in (one, other):
            if below == root:
                continue
            made.edges.setdefault(root, {})[_NO_PRODUCTION, (below,)] = None
        return root

    def _flattened(self, one: _Forest) -> list[list[int]]:
        """begin, end, label, edge_start, production, child_start, children; nodes after those below them."""
        if one.root is None:
            return [[], [], [], [0], [], [0], []]
        order = sorted(
            one.edges, key=lambda node: (node.end - node.begin, len(node.labels), node == one.root)
        )
        numbers = {node: number for number, node in enumerate(order)}
        productions: list[int] = []
        children: list[int] = []
        edge_start, child_start = [0], [0]
        for node in order:
            for number, below in one.edges[node]:
                productions.append(number)
                children += [numbers[child] if isinstance(child, _Node) else child for child in below]
                child_start.append(len(children))
            edge_start.append(len(productions))
        begins, ends = [node.begin for node in order], [node.end for node in order]
        labels = [self._label_number(node.labels[0]) for node in order]
        return [begins, ends, labels, edge_start, productions, child_start, children]

    def _label_number(self, label: str) -> int:
        found = self._labels.get(label)
        if found is None:
            found = self._labels[label] = len(self._label_names)
            self._label_names.append(label)
        return found

    def _number(self, text: str) -> int:
        found = self._numbers.get(text)
        if found is None:
            found = self._numbers[text] = self.table.native.production_number(text)
        return found

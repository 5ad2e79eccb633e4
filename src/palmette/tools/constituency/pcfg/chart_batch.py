"""Sentences on their way into native charts, and trees on their way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.tools.constituency.lexicon import Lexicon
from palmette.trees.tree import Child, Leaf, Tree


@dataclass(frozen=True, eq=False)
class SentenceBatch:
    """The emissions of many sentences in one set of arrays; those of sentence s lie between two offsets.

    closed: for every word of all sentences what is closed (`Closure.closed`); None: nothing is.
    """

    lengths: NDArray[np.int64]
    offsets: NDArray[np.int64]
    positions: NDArray[np.int32]
    symbols: NDArray[np.int32]
    weights: NDArray[np.float32]
    closed: NDArray[np.uint8] | None = None

    @classmethod
    def of(
        cls,
        lexicon: Lexicon,
        sentences: Sequence[Sequence[str]],
        tags: Sequence[Sequence[str]] | None = None,
    ) -> SentenceBatch:
        """What the words of every sentence can be; tags of "" are not known."""
        parts = [
            lexicon.emissions(words, None if tags is None else tags[s]) for s, words in enumerate(sentences)
        ]
        none = (np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.float32))
        positions, symbols, weights = zip(none, *parts)
        return cls(
            np.array([len(words) for words in sentences], dtype=np.int64),
            np.cumsum([0, *(len(part[0]) for part in parts)], dtype=np.int64),
            np.concatenate(positions),
            np.concatenate(symbols),
            np.concatenate(weights),
        )

    def arrays(
        self,
    ) -> tuple[
        NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]
    ]:
        """As the native functions take them."""
        return self.lengths, self.offsets, self.positions, self.symbols, self.weights


def tree_of_nodes(
    symbols: Sequence[int], rules: Sequence[int], labels: Sequence[str], words: Sequence[str], start: int = 0
) -> list[Child]:
    """The tree of nodes in preorder, without those whose label is empty, over the words from `start` on.

    rules: of a node of two children 0 or more, of a tag -1, of a node of one child less. A list, since the
    children of a node without a label stand for it.
    """
    position = start + rules.count(-1)
    stack: list[list[Child]] = []
    for symbol, rule in zip(reversed(symbols), reversed(rules)):
        if rule == -1:
            position -= 1
            stack.append([Tree(labels[symbol], [Leaf(words[position], position)])])
            continue
        children = stack.pop()
        if rule >= 0:
            children = children + stack.pop()
        label = labels[symbol]
        stack.append([Tree(label, children)] if label else children)
    return stack[0]

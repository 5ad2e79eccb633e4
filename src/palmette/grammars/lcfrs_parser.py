"""Trees of sentences by an LCFRS in text, natively: the fast sibling of `inference/lcfrs.py`.

The grammar must be binary, ordered and without empty segments (`lcfrs_table.table_from_text` says what is
not). Items are sets of words, visited by size; segments that are improbable in the grammar of single segments
are left out first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from palmette import _native
from palmette.grammars.lcfrs_table import table_from_text
from palmette.inference.lcfrs import LCFRS
from palmette.parameters import require_int
from palmette.trees.tree import Child, Leaf, Tree

_LONGEST = 256  # words
_MOST_EDGES = 5_000_000


class LcfrsParser:
    """Parses with a grammar given as text or as `LCFRS`.

    threshold: segments expected less often in the split grammar are left out; 0 leaves out nothing.

    >>> parser = LcfrsParser('''
    ...     S -> VP_1[1] V[2] VP_2[1]
    ...     VP -> N[1], P[2]
    ...     N -> what
    ...     V -> was
    ...     P -> done
    ... ''')
    >>> print(parser.best(["what", "was", "done"])[0])
    (S (VP (N 0=what) (P 2=done)) (V 1=was))
    """

    def __init__(self, grammar: LCFRS | str, *, threshold: float = 0.0) -> None:
        if not 0 <= threshold <= 1:
            raise ValueError(
                f"The 'threshold' parameter must be in the range [0, 1]. Got {threshold} instead."
            )
        self.grammar = LCFRS(grammar) if isinstance(grammar, str) else grammar
        self.threshold = threshold
        self.table, self.words = table_from_text(self.grammar)
        self._numbers = {name: i for i, name in enumerate(self.table.names)}
        states = np.ones(len(self.table.names), np.int32)
        weights = self.table.weight.astype(np.float32), self.table.unary_weight.astype(np.float32)
        self._parser = _native.LcfrsParser(**self.table.arguments, grammars=[(states, *weights)])

    def best(self, words: Sequence[str]) -> tuple[Tree, float] | None:
        """The most probable tree and the log of its weight; None if the grammar has no tree of the words."""
        found = self.kbest(words, 1)
        return found[0] if found else None

    def kbest(self, words: Sequence[str], k: int) -> list[tuple[Tree, float]]:
        """The k best trees and the logs of their weights, best first."""
        require_int("k", k, 1)
        trees, in_pieces, *_ = self._run(words, k=max(k, 2))  # two or more: by exact sums of logs
        return [] if in_pieces else [(self._tree(tree, words), tree[0]) for tree in trees[:k]]

    def log_sum(self, words: Sequence[str]) -> float:
        """The log of the sum of the weights of all trees that were not left out; minus infinity without any."""
        _, in_pieces, _, _, value, *_ = self._run(words, k=2)
        return -math.inf if in_pieces else float(value)

    def _run(self, words: Sequence[str], k: int) -> Any:
        if not 0 < len(words) <= _LONGEST:
            raise ValueError(f"A sentence has between 1 and {_LONGEST} words; got {len(words)}.")
        rows = [
            (i, self._numbers[tag], weight)
            for i, word in enumerate(words)
            for tag, weight in self.words.get(word, {}).items()
        ]
        if len({i for i, _, weight in rows if weight > 0}) < len(words):
            return [], True, False, False, -math.inf
        (result,) = self._parser.parse(
            np.array([len(words)], np.int32),
            np.array([0, len(rows)], np.int64),
            np.array([i for i, _, _ in rows], np.int32),
            np.array([tag for _, tag, _ in rows], np.int32),
            np.array([weight for _, _, weight in rows], np.float64),
            [np.array([weight for _, _, weight in rows], np.float32)],
            segment_threshold=self.threshold,
            item_threshold=0.0,
            max_edges=_MOST_EDGES,
            minimum_risk=False,
            k=k,
            exact=self.threshold == 0,
            posteriors=False,
            n_jobs=1,
        )
        return result

    def _tree(self, flat: Any, words: Sequence[str]) -> Tree:
        _, symbols, shape, _ = flat
        stack: list[Child] = []
        for symbol, arity in zip(symbols, shape, strict=True):
            if arity < 0:
                stack.append(Tree(self.table.names[symbol], [Leaf(words[-1 - arity], -1 - arity)]))
            else:
                children = stack[-arity:]
                del stack[-arity:]
                stack.append(Tree(self.table.names[symbol], children))
        (tree,) = stack
        assert isinstance(tree, Tree)
        return tree

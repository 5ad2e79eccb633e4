"""The sums in NumPy over the arrays of any acyclic hypergraph with at most two tails an edge: level by level.

This is what the engine does, said in NumPy: it gets the same hypergraph, and its edges may be anything. The order
of the levels and the groups of edges are found beforehand, and take no part in the time.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from benchmarks.cky.problem import Floats, Ints
from palmette.inference.hypergraph import Hypergraph


class LevelPasses:
    def __init__(self, graph: Hypergraph) -> None:
        self._n_nodes, self._root = graph.n_nodes, graph.root
        arity = np.diff(graph.tail_start)
        padded = np.append(graph.tails, 0)
        # A missing tail is a node after the last, whose value is one.
        first = np.where(arity > 0, padded[graph.tail_start[:-1]], graph.n_nodes)
        second = np.where(
            arity > 1, padded[np.minimum(graph.tail_start[:-1] + 1, len(padded) - 1)], graph.n_nodes
        )
        level = self._levels(graph)
        of_edge = level[graph.heads]
        order = np.argsort(of_edge, kind="stable")
        bounds = np.searchsorted(of_edge[order], np.arange(level.max() + 2))
        self._levels_of_edges = [
            _Level(graph.heads[e], graph.labels[e], first[e], second[e])
            for e in (order[a:b] for a, b in pairwise(bounds.tolist()))
        ]

    @staticmethod
    def _levels(graph: Hypergraph) -> Ints:
        """The length of the longest path down from each node."""
        level = np.zeros(graph.n_nodes, dtype=np.int32)
        edge_start, tail_start, tails = graph.edge_start, graph.tail_start, graph.tails
        for node in graph.order.tolist():
            below = tails[tail_start[edge_start[node]] : tail_start[edge_start[node + 1]]]
            if len(below):
                level[node] = level[below].max() + 1
        return level

    def inside_outside(self, scores: Floats, *, by_pairs: bool = False) -> tuple[Floats, Floats]:
        """Sums by pairs with np.logaddexp, or of exponentials below the greatest term of each node."""
        inside = np.full(self._n_nodes + 1, -np.inf)
        inside[-1] = 0.0
        for level in self._levels_of_edges:
            terms = scores[level.labels]
            terms += inside[level.first]
            terms += inside[level.second]
            inside[level.heads.keys] = level.heads.log_sum(terms, by_pairs)
        outside = np.full(self._n_nodes + 1, -np.inf)
        outside[self._root] = 0.0
        for level in reversed(self._levels_of_edges):
            above = scores[level.labels]
            above += outside[level.all_heads]
            for group, other in ((level.firsts, level.second), (level.seconds, level.first)):
                found = group.log_sum((above + inside[other])[group.order], by_pairs)
                outside[group.keys] = np.logaddexp(outside[group.keys], found)
        return inside[:-1], outside[:-1]


class _Level:
    """The edges whose heads have one level, grouped by head, and the orders that group them by their tails."""

    def __init__(self, heads: Ints, labels: Ints, first: Ints, second: Ints) -> None:
        self.all_heads, self.labels, self.first, self.second = heads, labels, first, second
        self.heads, self.firsts, self.seconds = _Group(heads), _Group(first), _Group(second)


class _Group:
    def __init__(self, keys: Ints) -> None:
        self.order = np.argsort(keys, kind="stable")
        self.keys, self._start, self._sizes = np.unique(
            keys[self.order], return_index=True, return_counts=True
        )

    def log_sum(self, terms: Floats, by_pairs: bool) -> Floats:
        """log Σ exp of each group of the terms, which are in its order and are used up."""
        if by_pairs:
            return np.asarray(np.logaddexp.reduceat(terms, self._start))
        top = np.maximum.reduceat(terms, self._start)
        top[top == -np.inf] = 0.0
        terms -= np.repeat(top, self._sizes)
        np.exp(terms, out=terms)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.add.reduceat(terms, self._start)) + top)

"""The best derivations of a forest whose rules combine weights by functions: eq. 101 and 102 of CSC 448, §11.

Without cycles, the k best of a node come from the k best of the tails, node by node: a monotone F_R gives the best
of an edge for the best of its tails, and the next ones for their neighbours. With cycles the nodes are finished
best first (Knuth 1977), which needs every F_R to be superior.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping

import numpy as np

from palmette.inference.functions import Combination, head_score
from palmette.inference.hypergraph import CycleError, Derivation, Floats, Hypergraph

# One of the best derivations of a node: its score, its edge, and which derivation of each tail it uses.
_Choice = tuple[float, int, tuple[int, ...]]


class FunctionForest:
    """A hypergraph with part scores, and the functions of its rules by their parts."""

    def __init__(self, graph: Hypergraph, scores: Floats, combinations: Mapping[int, Combination]) -> None:
        self._graph = graph
        self._scores: list[float] = np.asarray(scores, dtype=np.float64).tolist()
        self._combinations = combinations
        self._labels: list[int] = graph.labels.tolist()
        self._tails: list[int] = graph.tails.tolist()
        self._tail_start: list[int] = graph.tail_start.tolist()
        self._edge_start: list[int] = graph.edge_start.tolist()

    def kbest(self, k: int) -> list[Derivation]:
        """The k best derivations of the root in descending order; one at most where the graph has cycles."""
        root = self._graph.root
        if root < 0:
            return []
        if self._graph.is_acyclic:
            best: dict[int, list[_Choice]] = {}
            for node in self._graph.order.tolist():
                best[node] = self._best_of(node, best, k)
        elif k == 1:
            best = self._finished()
        else:
            self._graph.count()  # raises the error that names the cycle
        return [
            Derivation(self._graph, choice[0], np.array(self._edges(root, rank, best), dtype=np.int32))
            for rank, choice in enumerate(best.get(root, []))
            if choice[0] > -math.inf
        ]

    def _tails_of(self, edge: int) -> list[int]:
        return self._tails[self._tail_start[edge] : self._tail_start[edge + 1]]

    def _value(self, edge: int, ranks: tuple[int, ...], best: Mapping[int, list[_Choice]]) -> float:
        tails = [best[tail][rank][0] for tail, rank in zip(self._tails_of(edge), ranks)]
        part = self._labels[edge]
        return head_score(self._scores[part], self._combinations.get(part), tails)

    def _best_of(self, node: int, best: Mapping[int, list[_Choice]], k: int) -> list[_Choice]:
        heap: list[tuple[float, int, tuple[int, ...]]] = []
        for edge in range(self._edge_start[node], self._edge_start[node + 1]):
            tails = self._tails_of(edge)
            if all(best[tail] for tail in tails):
                first = (0,) * len(tails)
                heap.append((-self._value(edge, first, best), edge, first))
        heapq.heapify(heap)
        found: list[_Choice] = []
        seen = {(edge, ranks) for _, edge, ranks in heap}
        while heap and len(found) < k:
            negative, edge, ranks = heapq.heappop(heap)
            found.append((-negative, edge, ranks))
            if k == 1:
                break
            for i, tail in enumerate(self._tails_of(edge)):
                more = (*ranks[:i], ranks[i] + 1, *ranks[i + 1 :])
                if more[i] < len(best[tail]) and (edge, more) not in seen:
                    seen.add((edge, more))
                    heapq.heappush(heap, (-self._value(edge, more, best), edge, more))
        return found

    def _finished(self) -> dict[int, list[_Choice]]:
        """Knuth's algorithm: the best derivation of every node, the best node first."""
        n = self._graph.n_nodes
        waiting: list[list[int]] = [[] for _ in range(n)]  # edges by tail
        missing = np.diff(self._graph.tail_start).tolist()
        for edge in range(self._graph.n_edges):
            for tail in self._tails_of(edge):
                waiting[tail].append(edge)
        best: dict[int, list[_Choice]] = {}
        agenda: list[tuple[float, int, int]] = []
        heads = self._graph.heads.tolist()
        leaves = [
            v
            for v in range(n)
            if not any(missing[e] for e in range(self._edge_start[v], self._edge_start[v + 1]))
        ]

        def finish(node: int, choice: _Choice) -> None:
            best[node] = [choice]
            for edge in waiting[node]:
                missing[edge] -= 1
                if not missing[edge]:
                    self._offer(edge, heads[edge], is_leaf, best, agenda)

        is_leaf = set(leaves)
        for node in leaves:
            choices = self._best_of(node, best, 1)
            if choices:
                finish(node, choices[0])
        for edge in range(self._graph.n_edges):
            if self._tail_start[edge] == self._tail_start[edge + 1] and heads[edge] not in is_leaf:
                self._offer(edge, heads[edge], is_leaf, best, agenda)
        while agenda:
            negative, node, edge = heapq.heappop(agenda)
            if node not in best:
                finish(node, (-negative, edge, (0,) * len(self._tails_of(edge))))
        return best

    def _offer(
        self,
        edge: int,
        head: int,
        leaves: set[int],
        best: Mapping[int, list[_Choice]],
        agenda: list[tuple[float, int, int]],
    ) -> None:
        tails = self._tails_of(edge)
        value = self._value(edge, (0,) * len(tails), best)
        items = [tail for tail in tails if tail not in leaves]
        if any(value > best[tail][0][0] + 1e-9 * max(1.0, abs(best[tail][0][0])) for tail in items):
            raise CycleError(
                "there may be no best derivation: items depend on themselves, and a rule gives more than one of "
                "its items has",
                [head, *items],
            )
        heapq.heappush(agenda, (-value, head, edge))

    def _edges(self, root: int, rank: int, best: Mapping[int, list[_Choice]]) -> list[int]:
        """The edges of a derivation in preorder."""
        edges, stack = [], [(root, rank)]
        while stack:
            node, which = stack.pop()
            _, edge, ranks = best[node][which]
            edges.append(edge)
            stack += reversed(list(zip(self._tails_of(edge), ranks)))
        return edges

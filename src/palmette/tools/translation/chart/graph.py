"""Graphs of a search by synchronous rules: an edge is a rule over the vertices of its nonterminals.

A vertex is an item [A, i, j, l, r]: a label, a span, and the states of the language model at both ends. Its
edges derive it by rules; tails are in source order. Glue derives [S, 0, j], and the last edges the goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.inference.hypergraph import Derivation, Hypergraph
from palmette.parameters import require_int
from palmette.tools.translation.chart.derivation import END, GLUE, START
from palmette.tools.translation.derivation_graph import DerivationGraph, Item
from palmette.tools.translation.features import Weights
from palmette.tools.translation.translation import Translation

if TYPE_CHECKING:
    from palmette.tools.translation.chart.search import ChartSearch


class ChartGraph(DerivationGraph):
    """The translations of one sentence that a search by rules has kept."""

    def __init__(self, core: _native.ChartGraph, search: ChartSearch, more: Sequence[str]) -> None:
        features = core.features.reshape(-1, len(search.names))
        super().__init__(Hypergraph.from_core(core.graph), features, search.names, search.weights, core.exact)
        self.core = core
        self.search = search
        self._more = more

    @cached_property
    def spans(self) -> NDArray[np.uint32]:
        """The source words (begin, end) of every edge."""
        return np.stack([self.core.begin, self.core.end], axis=1)

    @cached_property
    def items(self) -> list[tuple[Item, ...]]:
        """What every edge writes: words, and −1 − t for the words of its tail t."""
        found: list[Item] = [
            item if item < 0 else self.search.word(item, self._more) for item in self.core.items.tolist()
        ]
        return [tuple(found[first:last]) for first, last in pairwise(self.core.item_start.tolist())]

    @cached_property
    def labels(self) -> list[str]:
        """The left side of every edge."""
        name = self.search.label
        return [START if label == GLUE else name(label) for label in self.core.label.tolist()]

    @cached_property
    def node_spans(self) -> NDArray[np.uint32]:
        """The source words (begin, end) of every node."""
        found = np.zeros((self.hypergraph.n_nodes, 2), dtype=np.uint32)
        found[self.heads] = self.spans
        return found

    def covers(self, i: int) -> NDArray[np.bool_]:
        """Say which edges translate source word i themselves, and do not leave it to their tails."""

        def inside(spans: NDArray[np.uint32]) -> NDArray[np.bool_]:
            return (spans[:, 0] <= i) & (i < spans[:, 1])

        own = inside(self.spans)
        tails, starts = self.hypergraph.tails, self.hypergraph.tail_start
        below = np.repeat(np.arange(self.n_edges), np.diff(starts))[inside(self.node_spans[tails])]
        own[below] = False
        return own

    # Translations

    def kbest(
        self, k: int, *, distinct: bool = True, weights: Sequence[float] | Weights | None = None
    ) -> list[Translation]:
        """Return the k best translations; distinct: no two have the same words."""
        require_int("k", k, 1)
        native = self.core.kbest(self.search.table.native, self._weights(weights), k, distinct)
        return self.search.translations(native, self._more)[0]

    def translation(self, derivation: Derivation) -> Translation:
        """Return a derivation of the hypergraph as a translation."""
        native = self.core.one(self.search.table.native, derivation.edges, self.weights)
        return self.search.translations(native, self._more)[0][0]

    def to_dict(self, weights: Sequence[float] | Weights | None = None) -> dict[str, Any]:
        """Return the graph as JSON has it: nodes by their spans, edges with rules and features."""
        scores = self.scores(weights).tolist()
        rules = self.core.rule.tolist()
        return {
            "features": list(self.names),
            "root": self.hypergraph.root,
            "exact": self.exact,
            "nodes": [{"begin": begin, "end": end} for begin, end in self.node_spans.tolist()],
            "edges": [
                {
                    "head": head,
                    "tails": tails,
                    "label": label,
                    "begin": begin,
                    "end": end,
                    "target": [item if isinstance(item, str) else -1 - item for item in items],
                    "rule": rule if rule < END else -1,
                    "score": score,
                    "features": row,
                }
                for head, tails, label, (begin, end), items, rule, score, row in zip(
                    self.heads.tolist(),
                    self.edge_tails,
                    self.labels,
                    self.spans.tolist(),
                    self.items,
                    rules,
                    scores,
                    self.features.tolist(),
                )
            ],
        }

"""Derivations over tensors: GEN(x) = all derivations of the root of a hypergraph, scored by their parts.

The general structure: whatever `Deduction` or a user makes as a `Hypergraph` gets the same questions as chains and
trees. Graphs run one after the other in the general engine, in doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from palmette.errors import numbered
from palmette.inference.hypergraph import Hypergraph
from palmette.neural.functions.arrays import Floats, Reals, Tensor, checked_scores
from palmette.neural.functions.structure import Parts, Structure


class Forests(Structure):
    """Derivations for a batch of hypergraphs.

    graphs: one for every sentence. scores: one dimension, the part scores of one graph after those of the other; a
    graph of n_parts parts has as many. Gold derivations are lists of parts, one for every graph; a part that is
    used twice is in it twice.

    >>> import torch
    >>> graph = Hypergraph.from_edges([(2, [0, 1]), (0, []), (0, []), (1, [])], root=2)
    >>> Forests([graph], torch.log(torch.tensor([1.0, 0.25, 0.5, 0.5]))).marginals().tolist()[:3]
    [1.0, 0.3333333432674408, 0.6666666865348816]
    """

    names = ("part scores",)

    def __init__(self, graphs: Sequence[Hypergraph], scores: Tensor) -> None:
        self.graphs = list(graphs)
        sizes = np.array([graph.n_parts for graph in self.graphs], dtype=np.int64)
        checked_scores(scores, "part scores", (None,))
        if sizes.sum() != len(scores):
            raise ValueError(f"the graphs have {sizes.sum()} parts in all; got {len(scores)} scores")
        super().__init__([scores], sizes, 1)

    def sums(self, arrays: Parts, weights: Reals | None) -> tuple[Floats, Parts]:
        log_z, parts = np.zeros(len(self)), []
        for k, (graph, own) in enumerate(zip(self.graphs, self._cut(arrays[0]))):
            found = graph.marginals(own.astype(np.float64))
            log_z[k] = found.log_z
            parts.append(found.parts if weights is None else found.parts * weights[k])
        return log_z, [np.concatenate([np.zeros(0), *parts])]

    def log_sums(self, arrays: Parts) -> Floats:
        scores = self._cut(arrays[0].astype(np.float64))
        return np.array([graph.log_z(own) for graph, own in zip(self.graphs, scores)], dtype=np.float64)

    def maxima(self, arrays: Parts) -> tuple[Floats, Parts]:
        scores, parts = np.full(len(self), -np.inf), []
        for k, (graph, own) in enumerate(zip(self.graphs, self._cut(arrays[0].astype(np.float64)))):
            found = graph.best(own)
            used: Any = [] if found is None else found.parts
            if found is not None:
                scores[k] = found.score
            parts.append(np.bincount(np.asarray(used, np.int64), minlength=graph.n_parts).astype(np.float64))
        return scores, [np.concatenate([np.zeros(0), *parts])]

    def covariances(self, arrays: Parts, values: Parts) -> Parts:
        cut = zip(self.graphs, self._cut(arrays[0]), self._cut(values[0]))
        return [np.concatenate([np.zeros(0), *(graph.covariance(own, along) for graph, own, along in cut)])]

    def gold(self, arrays: Parts, gold: Any) -> tuple[Floats, Parts]:
        counts = self._counts(gold)
        used = counts > 0
        worth = np.where(used, arrays[0].astype(np.float64), 0.0) * counts
        cut = self._cut(worth)
        return np.array([own.sum() for own in cut], dtype=np.float64), [counts]

    def costs(self, gold: Any) -> Reals:
        costs: Reals = (self._counts(gold) == 0).astype(np.float64)
        return costs

    def one(self, sentence: int) -> Forests:
        end = int(self.sizes[: sentence + 1].sum())
        return Forests([self.graphs[sentence]], self.tensors[0][end - int(self.sizes[sentence]) : end])

    def nothing(self) -> str:
        return "its root has no derivation"

    # Helpers of the above

    def _cut(self, flat: Reals) -> list[Reals]:
        ends = np.cumsum(self.sizes)
        return [flat[end - size : end] for end, size in zip(ends.tolist(), self.sizes.tolist())]

    def _counts(self, gold: Any) -> Floats:
        if len(gold) != len(self):
            raise ValueError(f"there must be one derivation for each of {len(self)} graphs, got {len(gold)}")
        counts = []
        for k, (parts, n) in enumerate(zip(gold, self.sizes.tolist())):
            own = np.asarray(parts, dtype=np.int64).reshape(-1)
            if own.size and not (own.min() >= 0 and own.max() < n):
                raise ValueError(f"{numbered(k)}: parts must lie between 0 and {n - 1}")
            counts.append(np.bincount(own, minlength=n).astype(np.float64))
        return np.concatenate([np.zeros(0), *counts])

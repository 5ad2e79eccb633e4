"""Search graphs of translations: all derivations of each sentence, packed, as tuning sees them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette._native import TuningGraphs
from palmette.inference.hypergraph import Hypergraph
from palmette.tools.translation.tuning.lists import NBestLists, checked_weights
from palmette.tools.translation.tuning.metric import Floats
from palmette.tools.translation.tuning.references import References


@dataclass(frozen=True, eq=False)
class TranslationGraph:
    """The derivations of one sentence: a graph, the features of its parts, and their target words.

    features: a row for each part, so that `features @ weights` are part scores. The target side of part p is
    items[begin[p] : begin[p + 1]]: numbers of words, or −1 − t for the words of tail t of its edge. If a part
    names no tail, the words of its tails come first.
    """

    hypergraph: Hypergraph
    features: Floats
    begin: NDArray[np.int64]
    items: NDArray[np.int32]

    @classmethod
    def of(
        cls, hypergraph: Hypergraph, features: ArrayLike, targets: Sequence[Sequence[int]]
    ) -> TranslationGraph:
        """Return a graph from the features and the target side of each part."""
        return cls(
            hypergraph,
            np.ascontiguousarray(features, dtype=np.float64),
            np.cumsum([0, *map(len, targets)]).astype(np.int64),
            np.array([item for own in targets for item in own], dtype=np.int32),
        )

    @classmethod
    def from_words(
        cls,
        hypergraph: Hypergraph,
        features: ArrayLike,
        words: Iterable[Sequence[str]],
        references: References,
    ) -> TranslationGraph:
        """Return a graph from the features and the target words of each part, as a `SearchGraph` has them."""
        return cls.of(hypergraph, features, [references.numbers(own).tolist() for own in words])

    @classmethod
    def from_items(
        cls,
        hypergraph: Hypergraph,
        features: ArrayLike,
        items: Iterable[Sequence[str | int]],
        references: References,
    ) -> TranslationGraph:
        """Return a graph from the features and what each part writes: words, and −1 − t for those of tail t."""
        rows = []
        for own in items:
            words = iter(references.numbers([item for item in own if isinstance(item, str)]).tolist())
            rows.append([next(words) if isinstance(item, str) else item for item in own])
        return cls.of(hypergraph, features, rows)

    def words(self, edges: NDArray[np.int32]) -> list[int]:
        """Return the target words of a derivation, given by its edges in preorder."""
        graph, done = self.hypergraph, list[list[int]]()
        for edge in reversed(edges.tolist()):
            n = int(graph.tail_start[edge + 1] - graph.tail_start[edge])
            tails = [done.pop() for _ in range(n)]
            part = int(graph.labels[edge])
            items = self.items[self.begin[part] : self.begin[part + 1]].tolist()
            if all(item >= 0 for item in items):
                done.append([word for tail in tails for word in tail] + items)
            else:
                done.append([word for item in items for word in ([item] if item >= 0 else tails[-1 - item])])
        return done[0]


class GraphSet:
    """The graphs of all sentences with their references: what line searches tune on.

    names: of the features. BLEU is the metric of graphs.
    """

    def __init__(
        self, graphs: Sequence[TranslationGraph], references: References, names: Sequence[str]
    ) -> None:
        self.graphs, self.references, self.names = list(graphs), references, tuple(names)
        self.metric = references.metric
        if self.metric.name != "bleu":
            raise ValueError(f"Graphs are tuned for BLEU. Got {self.metric.name!r}.")
        if len(self.graphs) != len(references):
            raise ValueError(
                f"There are graphs of {len(self.graphs):,} sentences, but references of {len(references):,}."
            )
        for number, graph in enumerate(self.graphs, 1):
            wanted = graph.hypergraph.n_parts, len(self.names)
            if graph.features.shape != wanted:
                raise ValueError(
                    f"Graph {number} needs a row of {wanted[1]} features for each of {wanted[0]:,} parts. "
                    f"Got {graph.features.shape}."
                )
            if not np.isfinite(graph.features).all():
                raise ValueError(f"A feature of graph {number} is not a finite number.")

    def __len__(self) -> int:
        return len(self.graphs)

    @cached_property
    def core(self) -> TuningGraphs:
        """The graphs for line searches."""
        return TuningGraphs(
            self.metric.formula,
            [graph.hypergraph.core for graph in self.graphs],
            [np.ascontiguousarray(graph.features).reshape(-1) for graph in self.graphs],
            [graph.begin for graph in self.graphs],
            [graph.items for graph in self.graphs],
            len(self.names),
            *self.references.arrays,
        )

    @cached_property
    def spread(self) -> Floats:
        """The standard deviation of each feature over the parts of a graph, or 1 if it is constant."""
        found = np.mean([graph.features.var(axis=0) for graph in self.graphs], axis=0)
        return np.where(found > 0, np.sqrt(found), 1.0)

    def score(self, weights: ArrayLike) -> float:
        """Return the metric of the derivations that are best with these weights."""
        return self.core.score(checked_weights(weights, self.names))

    def kbest(self, weights: ArrayLike, k: int) -> NBestLists:
        """Return the k best derivations of every graph as lists."""
        w = checked_weights(weights, self.names)
        lists, words, ids, rows = [0], [0], list[int](), []
        for graph in self.graphs:
            found = graph.hypergraph.kbest(graph.features @ w, k)
            lists.append(len(found))
            for one in found:
                own = graph.words(one.edges)
                words.append(len(own))
                ids += own
                rows.append(graph.features[one.parts].sum(axis=0))
        return NBestLists.from_words(
            np.cumsum(lists), np.cumsum(words), ids, np.array(rows), self.references, self.names
        )

"""Graphs of derivations, the same for every method: what a search has kept as a hypergraph with features.

Edge e is part e. Its score is w · Φ of the edge, so that the same graph serves all weights, and the engine gives
best, k best, marginals, samples, expectations and covariance. An edge writes words and the words of its tails.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from palmette.inference.hypergraph import Derivation, Hypergraph, Marginals
from palmette.tools.translation.features import Weights, checked_weights
from palmette.tools.translation.translation import Translation

Floats = NDArray[np.float64]
Item = str | int
LEAST_DRAWN = 0.05  # probability of an edge in a picture


class DerivationGraph(ABC):
    """The translations of one sentence that a search has kept.

    hypergraph: part e is edge e; all edges into a node come before those that leave it. features: Φ of every edge.
    exact: whether the search pruned nothing, so that all derivations are there.
    """

    def __init__(
        self, hypergraph: Hypergraph, features: Floats, names: tuple[str, ...], weights: Weights, exact: bool
    ) -> None:
        self.hypergraph, self.features, self.names, self.exact = hypergraph, features, names, exact
        self.weights = weights

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.hypergraph.n_nodes} nodes, {self.hypergraph.n_edges} edges>"

    def svg(self) -> str:
        """Return the likely part of what the search has kept as an SVG image; TooLargeError for a large one."""
        from palmette.inference.pictures import graph_svg

        spans, items = self.spans.tolist(), self.items
        span_of: dict[int, list[int]] = {}
        for edge, head in enumerate(self.heads.tolist()):
            low, high = span_of.setdefault(head, list(spans[edge]))
            span_of[head] = [min(low, spans[edge][0]), max(high, spans[edge][1])]
        return graph_svg(
            self.hypergraph,
            name_of=lambda node: "{}–{}".format(*span_of[node]) if node in span_of else "",
            label_of=lambda edge: " ".join("·" if isinstance(item, int) else item for item in items[edge]),
            scores=self.scores(),
            least=LEAST_DRAWN,
            title=repr(self)[1:-1],
        )

    def _repr_svg_(self) -> str | None:
        from palmette.drawing.canvas import drawn_or_nothing

        return drawn_or_nothing(self.svg)

    @property
    def n_edges(self) -> int:
        return self.hypergraph.n_edges

    def scores(self, weights: Sequence[float] | Weights | None = None) -> Floats:
        """Return the score of every edge, under the weights of the search or others."""
        return self.features @ self._weights(weights)

    def _weights(self, weights: Sequence[float] | Weights | None) -> Weights:
        return self.weights if weights is None else checked_weights(weights, self.names)

    @cached_property
    def heads(self) -> NDArray[np.int32]:
        """The node that every edge leads to."""
        return self.hypergraph.heads

    @cached_property
    def edge_tails(self) -> list[list[int]]:
        """The nodes that every edge comes from."""
        tails, starts = self.hypergraph.tails.tolist(), self.hypergraph.tail_start.tolist()
        return [tails[starts[e] : starts[e + 1]] for e in range(self.n_edges)]

    # What a method says of its edges

    @property
    @abstractmethod
    def items(self) -> Sequence[Sequence[Item]]:
        """What every edge writes: words, and −1 − t for the words of its tail t."""

    @property
    @abstractmethod
    def spans(self) -> NDArray[np.uint32]:
        """The source words (begin, end) of every edge."""

    @abstractmethod
    def covers(self, i: int) -> NDArray[np.bool_]:
        """Say which edges translate source word i themselves, and do not leave it to their tails."""

    @abstractmethod
    def kbest(
        self, k: int, *, distinct: bool = True, weights: Sequence[float] | Weights | None = None
    ) -> list[Translation]:
        """Return the k best translations; distinct: no two have the same words."""

    @abstractmethod
    def translation(self, derivation: Derivation) -> Translation:
        """Return a derivation of the hypergraph as a translation."""

    def best(self, weights: Sequence[float] | Weights | None = None) -> Translation | None:
        """Return the best translation, or None if there is none."""
        found = self.kbest(1, weights=weights)
        return found[0] if found else None

    # Probabilities

    def marginals(self, weights: Sequence[float] | Weights | None = None) -> Marginals:
        """Return the probability of every edge and node, and log Z."""
        return self.hypergraph.marginals(self.scores(weights))

    def log_sum(self, words: Sequence[str], weights: Sequence[float] | Weights | None = None) -> float:
        """Return the log of the sum of exp(score) over all derivations of a translation; −inf if there is none.

        A node is visited with each place of its words in the translation: O(edges · visits).
        """
        if self.hypergraph.root < 0:
            return -math.inf
        wanted, scores = tuple(words), self.scores(weights).tolist()
        places: dict[str, list[int]] = {}
        for place, word in enumerate(wanted):
            places.setdefault(word, []).append(place)
        # For every node: where its words begin, where they end, and the sum of the derivations that write them.
        sums: list[dict[int, dict[int, float]]] = [{} for _ in range(self.hypergraph.n_nodes)]
        for head, tails, items, score in zip(self.heads.tolist(), self.edge_tails, self.items, scores):
            if not items:  # writes nothing, anywhere
                found = [(at, at, score) for at in range(len(wanted) + 1)]
            elif isinstance(items[0], str):
                found = [(at, at + 1, score) for at in places.get(items[0], ())]
            else:
                first = sums[tails[-1 - items[0]]]
                found = [(a, b, score + s) for a, ends in first.items() for b, s in ends.items()]
            for item in items[1:]:
                if isinstance(item, str):
                    found = [(a, b + 1, s) for a, b, s in found if b < len(wanted) and wanted[b] == item]
                else:
                    own = sums[tails[-1 - item]]
                    found = [(a, end, s + more) for a, b, s in found for end, more in own.get(b, {}).items()]
            target = sums[head]
            for a, b, s in found:
                row = target.setdefault(a, {})
                row[b] = float(np.logaddexp(row.get(b, -math.inf), s))
        return sums[self.hypergraph.root].get(0, {}).get(len(wanted), -math.inf)

    def log_probability(
        self, words: Sequence[str], weights: Sequence[float] | Weights | None = None
    ) -> float:
        """Return ln p of a translation among all of the graph: the sum over its derivations."""
        total = self.hypergraph.log_z(self.scores(weights))
        return self.log_sum(words, weights) - total if total > -math.inf else -math.inf

    def word_probabilities(
        self, translation: Translation, weights: Sequence[float] | Weights | None = None
    ) -> list[float]:
        """Return how sure every word of a translation is.

        A word belongs to the source word that it is linked to (the first; if it has no link, that of the nearest
        linked word of its phrase). Every derivation translates this source word by one phrase or rule: the
        probability is that of all derivations in which this one has the word.
        """
        p = self.marginals(weights).edges
        covering: dict[int, dict[str, float]] = {}
        found = []
        for phrase in translation.phrases:
            for j, word in enumerate(phrase.target):
                nearest = min(phrase.links, key=lambda link: (abs(link[1] - j), link), default=(0, 0))
                i = phrase.begin + nearest[0]
                if i not in covering:
                    row = covering[i] = {}
                    for e in np.flatnonzero(self.covers(i) & (p > 0)).tolist():
                        for other in {item for item in self.items[e] if isinstance(item, str)}:
                            row[other] = row.get(other, 0.0) + float(p[e])
                found.append(min(1.0, covering[i].get(word, 0.0)))
        return found

"""Search graphs: all translations that a search has kept, as a hypergraph whose derivations are paths.

Edge e is part e of the hypergraph. It derives a hypothesis from the one before it by a phrase, or the root from a
whole translation. Its score is w · Φ of the edge, so that the same graph serves all weights, and the engine gives
best, k best, marginals, samples, expectations and covariance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.inference.hypergraph import Derivation, Hypergraph, Marginals
from palmette.parameters import require_int
from palmette.tools.translation.features import Weights, checked_weights
from palmette.tools.translation.search_arrays import TranslationArrays
from palmette.tools.translation.translation import Translation

if TYPE_CHECKING:
    from palmette.tools.translation.phrases.search import PhraseSearch

Floats = NDArray[np.float64]
_MOST_DERIVATIONS = 20  # that are looked at for each distinct translation


class SearchGraph:
    """The translations of one sentence that a search has kept.

    hypergraph: a derivation is a path from the root back to the beginning; part e is edge e. features: Φ of every
    edge. exact: whether the search pruned nothing, so that all derivations are there.
    """

    def __init__(self, core: _native.TranslationGraph, search: PhraseSearch, more: Sequence[str]) -> None:
        self.core = core
        self.search = search
        self.names = search.names
        self.exact = core.exact
        self._more = more
        self.hypergraph = Hypergraph.from_core(core.graph)
        self.features: Floats = core.features.reshape(-1, len(self.names))

    def __repr__(self) -> str:
        return f"<SearchGraph: {self.hypergraph.n_nodes} nodes, {self.hypergraph.n_edges} edges>"

    @property
    def n_edges(self) -> int:
        return self.hypergraph.n_edges

    def scores(self, weights: Sequence[float] | Weights | None = None) -> Floats:
        """Return the score of every edge, under the weights of the search or others."""
        own = self.search.weights if weights is None else checked_weights(weights, self.names)
        return self.features @ own

    @cached_property
    def spans(self) -> NDArray[np.uint32]:
        """The source words (begin, end) of every edge; begin = end at the end of the sentence."""
        return np.stack([self.core.begin, self.core.end], axis=1)

    @cached_property
    def words(self) -> list[tuple[str, ...]]:
        """The target words of every edge."""
        strings = [self.search.word(number, self._more) for number in self.core.words.tolist()]
        return [tuple(strings[first:last]) for first, last in pairwise(self.core.word_start.tolist())]

    @cached_property
    def heads(self) -> NDArray[np.int32]:
        """The node that every edge leads to."""
        return self.hypergraph.heads

    @cached_property
    def tails(self) -> NDArray[np.int32]:
        """The node that every edge comes from; −1 for the beginning of the sentence."""
        starts = self.hypergraph.tail_start
        tails = np.full(self.n_edges, -1, dtype=np.int32)
        tails[np.diff(starts) > 0] = self.hypergraph.tails
        return tails

    # Translations

    def best(self, weights: Sequence[float] | Weights | None = None) -> Translation | None:
        """Return the best translation, or None if there is none."""
        found = self.kbest(1, weights=weights)
        return found[0] if found else None

    def kbest(
        self, k: int, *, distinct: bool = True, weights: Sequence[float] | Weights | None = None
    ) -> list[Translation]:
        """Return the k best translations; distinct: no two have the same words."""
        require_int("k", k, 1)
        own = self.search.weights if weights is None else checked_weights(weights, self.names)
        native = self.core.kbest(self.search.table.native, own, k, distinct, _MOST_DERIVATIONS)
        return self._translations(TranslationArrays.of(native, len(self.names)))

    def translation(self, derivation: Derivation) -> Translation:
        """Return a derivation of the hypergraph as a translation."""
        edges = derivation.edges[::-1]  # from the first phrase on
        return self.search.translation_of(self, edges)

    def _translations(self, arrays: TranslationArrays) -> list[Translation]:
        return next(arrays.translations(lambda number: self.search.word(number, self._more), self.names))

    # Probabilities

    def marginals(self, weights: Sequence[float] | Weights | None = None) -> Marginals:
        """Return the probability of every edge and node, and log Z."""
        return self.hypergraph.marginals(self.scores(weights))

    def log_sum(self, words: Sequence[str], weights: Sequence[float] | Weights | None = None) -> float:
        """Return the log of the sum of exp(score) over all derivations of a translation; −inf if there is none.

        A node is visited with each number of target words before it: O(edges · visits).
        """
        if self.hypergraph.root < 0:
            return -math.inf
        wanted, scores = tuple(words), self.scores(weights).tolist()
        sums: list[dict[int, float]] = [{} for _ in range(self.hypergraph.n_nodes)]
        for head, tail, own, score in zip(self.heads.tolist(), self.tails.tolist(), self.words, scores):
            for at, before in ((0, 0.0),) if tail < 0 else sums[tail].items():
                after = at + len(own)
                if wanted[at:after] == own:
                    sums[head][after] = float(np.logaddexp(sums[head].get(after, -math.inf), before + score))
        return sums[self.hypergraph.root].get(len(wanted), -math.inf)

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
        linked word of its phrase). Every derivation translates this source word by one phrase: the probability is
        that of all derivations in which this phrase has the word.
        """
        p = self.marginals(weights).edges
        begins, ends = self.spans[:, 0], self.spans[:, 1]
        covering: dict[int, dict[str, float]] = {}
        found = []
        for phrase in translation.phrases:
            for j, word in enumerate(phrase.target):
                nearest = min(phrase.links, key=lambda link: (abs(link[1] - j), link), default=(0, 0))
                i = phrase.begin + nearest[0]
                if i not in covering:
                    row = covering[i] = {}
                    for e in np.flatnonzero((begins <= i) & (i < ends) & (p > 0)).tolist():
                        for other in set(self.words[e]):
                            row[other] = row.get(other, 0.0) + float(p[e])
                found.append(min(1.0, covering[i].get(word, 0.0)))
        return found

    def to_dict(self, weights: Sequence[float] | Weights | None = None) -> dict[str, Any]:
        """Return the graph as JSON has it: nodes by covered source words, edges with phrases and features."""
        scores = self.scores(weights).tolist()
        return {
            "features": list(self.names),
            "root": self.hypergraph.root,
            "exact": self.exact,
            "nodes": [{"covered": n} for n in self.core.covered.tolist()],
            "edges": [
                {
                    "head": head,
                    "tail": tail,
                    "begin": begin,
                    "end": end,
                    "target": " ".join(words),
                    "score": score,
                    "features": row,
                }
                for head, tail, (begin, end), words, score, row in zip(
                    self.heads.tolist(),
                    self.tails.tolist(),
                    self.spans.tolist(),
                    self.words,
                    scores,
                    self.features.tolist(),
                )
            ],
        }

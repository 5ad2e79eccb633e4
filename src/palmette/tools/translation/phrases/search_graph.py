"""Search graphs: all translations that a search by phrases has kept, as a hypergraph whose derivations are paths.

An edge derives a hypothesis from the one before it by a phrase, or the root from a whole translation.
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
from palmette.tools.translation.derivation_graph import DerivationGraph, Item
from palmette.tools.translation.features import Weights
from palmette.tools.translation.search_arrays import TranslationArrays
from palmette.tools.translation.translation import Translation

if TYPE_CHECKING:
    from palmette.tools.translation.phrases.search import PhraseSearch

_MOST_DERIVATIONS = 20  # that are looked at for each distinct translation


class SearchGraph(DerivationGraph):
    """The translations of one sentence that a search has kept: a derivation is a path from the root back."""

    def __init__(self, core: _native.TranslationGraph, search: PhraseSearch, more: Sequence[str]) -> None:
        features = core.features.reshape(-1, len(search.names))
        super().__init__(Hypergraph.from_core(core.graph), features, search.names, search.weights, core.exact)
        self.core = core
        self.search = search
        self._more = more

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
    def tails(self) -> NDArray[np.int32]:
        """The node that every edge comes from; −1 for the beginning of the sentence."""
        starts = self.hypergraph.tail_start
        tails = np.full(self.n_edges, -1, dtype=np.int32)
        tails[np.diff(starts) > 0] = self.hypergraph.tails
        return tails

    @cached_property
    def items(self) -> list[tuple[Item, ...]]:
        """What every edge writes: the words of its tail, then its own."""
        return [words if tail < 0 else (-1, *words) for tail, words in zip(self.tails.tolist(), self.words)]

    def covers(self, i: int) -> NDArray[np.bool_]:
        """Say which edges translate source word i."""
        return (self.spans[:, 0] <= i) & (i < self.spans[:, 1])

    # Translations

    def kbest(
        self, k: int, *, distinct: bool = True, weights: Sequence[float] | Weights | None = None
    ) -> list[Translation]:
        """Return the k best translations; distinct: no two have the same words."""
        require_int("k", k, 1)
        own = self._weights(weights)
        native = self.core.kbest(self.search.table.native, own, k, distinct, _MOST_DERIVATIONS)
        return self._translations(TranslationArrays.of(native, len(self.names)))

    def translation(self, derivation: Derivation) -> Translation:
        """Return a derivation of the hypergraph as a translation."""
        edges = derivation.edges[::-1]  # from the first phrase on
        return self.search.translation_of(self, edges)

    def _translations(self, arrays: TranslationArrays) -> list[Translation]:
        return next(arrays.translations(lambda number: self.search.word(number, self._more), self.names))

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

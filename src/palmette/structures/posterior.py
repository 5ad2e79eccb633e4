"""What a chain's scores say of label sequences, as a distribution.

The distribution over sequences is itself a Markov chain of the same order: from the marginals of label n-grams,

    P(y_i | y_{i-h} … y_{i-1}) = P(y_{i-h} … y_i) / P(y_{i-h} … y_{i-1})

so segments, spans, samples and the entropy need no second look at the scores. A chain of order 0 is kept as one of
order 1 whose labels do not depend on each other.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from palmette.inference.semiring import checked_count
from palmette.structures.chain_scores import Floats, Labels
from palmette.structures.label_states import LabelStates


@dataclass(frozen=True, eq=False)
class ChainPosterior:
    """The distribution over the label sequences of one sentence.

    labels[i, y] = P(y_i = y). ngrams[i, c, y] is the probability that y_i = y after the labels of context c, the
    last h labels as a number in base L, the newest last; labels before the sentence count as label 0. In a chain
    with `states` a context is a state, and the one before the sentence is state 0.
    """

    log_z: float
    labels: Floats
    ngrams: Floats
    states: LabelStates | None = None

    @property
    def n_labels(self) -> int:
        return int(self.labels.shape[1])

    @cached_property
    def newest(self) -> npt.NDArray[np.int64]:
        """The last label of every context; 0 for the start of a chain with states."""
        if self.states is not None:
            return np.maximum(self.states.label, 0).astype(np.int64)
        return np.arange(self.ngrams.shape[1]) % self.n_labels

    @cached_property
    def steps(self) -> Floats:
        """steps[i, c, y] = P(y_i = y | context c); zero after contexts that have no probability."""
        contexts = self.ngrams.sum(axis=2, keepdims=True)
        steps: Floats = np.divide(self.ngrams, contexts, out=np.zeros_like(self.ngrams), where=contexts > 0)
        return steps

    def next_contexts(
        self, contexts: npt.NDArray[np.int64], labels: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """The contexts after one more label."""
        if self.states is not None:
            return self.states.table[contexts, labels]
        after: npt.NDArray[np.int64] = (contexts * self.n_labels + labels) % self.ngrams.shape[1]
        return after

    def forward(self, weights: Floats) -> Floats:
        """Sums weights of n-grams, [..., context, label], to weights of the contexts after them."""
        if self.states is not None:
            taken = weights[..., self.states.before, self.states.read]
            entered, first = np.unique(self.states.after, return_index=True)
            after: Floats = np.zeros(weights.shape[:-1])
            after[..., entered] = np.add.reduceat(taken, first, axis=-1)
            return after
        L, contexts = self.n_labels, self.ngrams.shape[1]
        sums: Floats = weights.reshape(*weights.shape[:-2], L, contexts).sum(axis=-2)
        return sums

    def pairs(self) -> Floats:
        """P(y_{i-1} = a, y_i = b) at [i, a, b] for i ≥ 1."""
        if self.states is None:
            pairs: Floats = self.ngrams.reshape(len(self.labels), -1, self.n_labels, self.n_labels).sum(
                axis=1
            )
            return pairs
        return self._by_newest(self.ngrams)

    def triples(self) -> Floats:
        """P(y_{i-2} = a, y_{i-1} = b, y_i = c) at [i, a, b, c] for i ≥ 2, of a chain that remembers two labels."""
        n, L = self.labels.shape
        if self.states is None:
            dense: Floats = self.ngrams.reshape(n, -1, L, L, L).sum(axis=1)
            return dense
        triples: Floats = np.zeros((n, L, L, L))
        for a in range(L):
            entered = self.forward(self.ngrams[1:-1] * (self.newest == a)[:, None])
            triples[2:, a] = self._by_newest(entered[:, :, None] * self.steps[2:])
        return triples

    def _by_newest(self, weights: Floats) -> Floats:
        """Sum weights [.., context, label] over the contexts with the same last label."""
        last = (self.newest[None, :] == np.arange(self.n_labels)[:, None]).astype(float)
        summed: Floats = np.einsum("lc,icy->ily", last, weights)
        return summed

    def segment_probability(self, begin: int, allowed: Sequence[npt.ArrayLike]) -> float:
        """The probability that the labels from position `begin` on are among allowed[0], allowed[1], ...

        Each is one label or several: `segment_probability(2, [4, [5, 6]])` is P(y_2 = 4 and y_3 in {5, 6}).
        """
        n, L = self.labels.shape
        begin = operator.index(begin)
        if begin < 0 or begin + len(allowed) > n:
            raise ValueError(
                f"a segment of {len(allowed)} labels from position {begin} exceeds the sentence of {n}"
            )
        weights = np.ones(0)
        for i, some in enumerate(allowed, start=begin):
            wanted = np.zeros(L, dtype=bool)
            chosen = np.atleast_1d(np.asarray(some, dtype=np.int64))
            if chosen.size and not (chosen.min() >= 0 and chosen.max() < L):
                raise ValueError(f"labels must lie between 0 and {L - 1}, got {chosen.tolist()}")
            wanted[chosen] = True
            grams = self.ngrams[i] if i == begin else weights[:, None] * self.steps[i]
            weights = self.forward(grams * wanted)
        return float(weights.sum()) if allowed else 1.0

    def entropy(self) -> float:
        """The entropy over sequences in nats: Σ_i of the entropy of y_i given its context."""
        p = self.ngrams[self.ngrams > 0]
        return float(-(p * np.log(self.steps[self.ngrams > 0])).sum()) + 0.0

    def sample(self, n: int = 1, random_state: int | np.random.Generator = 0) -> Labels:
        """n independent sequences as rows, drawn label by label."""
        wanted = checked_count(n, "n")
        generator = np.random.default_rng(random_state)
        length = len(self.labels)
        drawn = np.zeros((wanted, length), dtype=np.int32)
        contexts = np.zeros(wanted, dtype=np.int64)
        for i in range(length):
            rows, which = np.unique(contexts, return_inverse=True)
            sums = self.steps[i, rows].cumsum(axis=1)
            # Below the last sum, so that rounding never picks a label without probability.
            points = generator.random(wanted) * sums[which, -1]
            labels = (points[:, None] >= sums[which]).sum(axis=1)
            drawn[:, i] = labels
            contexts = self.next_contexts(contexts, labels)
        return drawn

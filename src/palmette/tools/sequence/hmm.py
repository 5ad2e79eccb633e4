"""Hidden Markov models by counting: p(x, y) = Π_t P(y_t | y_{t-order} … y_{t-1}) P(x_t | y_t).

Carreras, "HMM tagging"; Brants 2000 (TnT). Logarithms of probabilities are the weights of a chain, so an HMM
decodes, sums and explains as every other tagger does:

    word, class of words   log P(x | y)                      BOS, EOS   log P(y | begin), log P(end | y)
    bigram y′ y            log (1 − P(end | y′)) P(y | y′)   trigram    log P(y | y″ y′) − log P(y | y′)

At order 0 labels do not see each other, and the word has log P(y) P(x | y): naive Bayes for every token.

Everything is counted in NumPy: O(tokens), well under a second for a million.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from palmette._native import ChainProblem
from palmette.features.instances import Instances
from palmette.features.word_classes import WordClasses
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, Learner, State
from palmette.learning.problem import Problem, Weights
from palmette.parameters import option
from palmette.tools.sequence.emissions import emissions
from palmette.tools.sequence.label_ngrams import ngram_counts, ngram_probabilities


class TaggedWords:
    """Tagged sentences for an HMM: words and their classes, and labels, all of which must be known.

    It has what `Learner.learn` asks of a problem. `chain()` is the same as a chain, for decoding.
    """

    offers: Capabilities = frozenset({"counts"})

    def __init__(
        self,
        words: WordClasses,
        instances: Instances,
        labels: NDArray[np.int32],
        n_labels: int,
        order: int = 2,
        weights: NDArray[np.float32] | None = None,
    ) -> None:
        if order not in (0, 1, 2, 3):
            raise ValueError(f"An HMM is of order 0, 1, 2 or 3. Got {order!r}.")
        if instances.n_attributes != words.n_attributes:
            raise ValueError("These instances have other attributes than the words.")
        if len(labels) != instances.n_tokens:
            raise ValueError(f"There must be {instances.n_tokens} labels, one per token. Got {len(labels)}.")
        if len(labels) and not 0 <= labels.min() <= labels.max() < n_labels:
            raise ValueError(f"An HMM is counted: every token must have one label, from 0 to {n_labels - 1}.")
        self.words, self.instances, self.labels = words, instances, labels
        self.n_labels, self.order, self.weights = n_labels, order, weights

    @property
    def stride(self) -> int:
        """The length of a row of weights: labels rounded up to a multiple of 8."""
        return -(-self.n_labels // 8) * 8

    @property
    def n_weights(self) -> int:
        """The length of w."""
        ngrams: int = sum(self.n_labels**h for h in range(1, self.order + 1))
        return (self.words.n_attributes + ngrams) * self.stride

    def __len__(self) -> int:
        return len(self.instances)

    def chain(self) -> ChainProblem:
        """The chain problem with the same weights."""
        x = self.instances
        return ChainProblem(
            x.offsets, x.rows, x.attributes, None, None, None, None, self.labels, None, self.weights,
            x.n_attributes, 0, self.n_labels, self.order, None, None, None,
        )  # fmt: skip

    def total_loss(self, w: Weights, n_jobs: int) -> float:
        """The number of wrong labels."""
        return self.chain().total_loss(w, n_jobs)


@dataclass(frozen=True, kw_only=True)
class HMM(Learner):
    """A hidden Markov model, counted in one pass over `TaggedWords`.

    Smoothing by "interpolation" mixes label n-grams with shorter ones by deleted interpolation; "add" adds `alpha`
    to every count. The probability of unknown words is that of words met once (Good-Turing): "suffix" shares it
    out by suffixes, "one" does not look at the word.
    """

    smoothing: str = option(
        "interpolation", "how counts of label n-grams are smoothed", choices=("interpolation", "add")
    )
    unknown: str = option(
        "suffix", "what the probabilities of unknown words depend on", choices=("suffix", "one")
    )
    alpha: float = option(
        0.01, "number added to the counts of single labels, and with smoothing=add to all counts", above=0
    )
    abstraction: float = option(
        5.0, "number of tokens that the next shorter suffix counts for when a suffix is estimated", above=0
    )
    backing: float = option(
        0.5, "number of tokens that the suffix counts for when a known word is estimated", above=0
    )
    probabilistic = True

    @property
    def needs(self) -> Capabilities:
        """Words with their labels."""
        return frozenset({"counts"})

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """The one pass."""
        data = cast(TaggedWords, problem)  # what offers counts is made of tagged words
        weights = self.weights(data)
        yield Epoch({"loss": -self.log_likelihood(data, weights)}, lambda: weights, True)

    def weights(self, data: TaggedWords) -> Weights:
        """The logarithms of the probabilities, laid out as the weights of a chain."""
        words, L = data.words, data.n_labels
        counts = self._token_weights(data)
        table = np.zeros((data.n_weights // data.stride, data.stride))
        abstraction = self.abstraction if self.unknown == "suffix" else np.inf
        symbols = data.instances.attributes[data.instances.rows[:-1]]
        table[: words.bos, :L] = np.log(
            emissions(words, symbols, data.labels, counts, L, self.alpha, self.backing, abstraction)
        )
        if data.order == 0:
            single = np.bincount(data.labels, counts, minlength=L) + self.alpha
            table[: words.bos, :L] += np.log(single / single.sum())
            return table.ravel().astype(np.float32)
        offsets = data.instances.offsets
        full = np.flatnonzero(np.diff(offsets))
        first, last = offsets[full], offsets[full + 1] - 1

        def by_label(tokens: NDArray[np.int64]) -> NDArray[np.float64]:
            return np.bincount(data.labels[tokens], counts[tokens], minlength=L).astype(np.float64)

        begin = by_label(first) + self.alpha
        table[words.bos, :L] = np.log(begin / begin.sum())
        end = (by_label(last) + self.alpha) / (by_label(np.arange(len(counts))) + 2 * self.alpha)
        table[words.bos + 1, :L] = np.log(end)
        at = words.n_attributes
        shorter = np.zeros((1, L))
        for h, probabilities in enumerate(
            ngram_probabilities(data.labels, offsets, counts, L, data.order, self.alpha, self.smoothing),
            start=1,
        ):
            # contexts are numbered with the oldest label slowest: those that end alike repeat the shorter table
            table[at : at + L**h, :L] = np.log(probabilities) - np.tile(shorter, (L if h > 1 else 1, 1))
            shorter = np.log(probabilities)
            if h == 1:
                table[at : at + L, :L] += np.log1p(-end)[:, None]
            at += L**h
        return table.ravel().astype(np.float32)

    def log_likelihood(self, data: TaggedWords, w: Weights) -> float:
        """log p(x, y), summed over the sentences."""
        L, x, counts = data.n_labels, data.instances, self._token_weights(data)
        table = w.reshape(-1, data.stride)[:, :L].astype(float)
        tokens = np.repeat(np.arange(len(counts)), np.diff(x.rows))
        total = float(table[x.attributes, data.labels[tokens]] @ counts[tokens])
        at = x.n_attributes
        for h in range(1, data.order + 1):
            total += float((ngram_counts(data.labels, x.offsets, counts, L, h) * table[at : at + L**h]).sum())
            at += L**h
        return total

    def _token_weights(self, data: TaggedWords) -> NDArray[np.float64]:
        if data.weights is None:
            return np.ones(len(data.labels))
        return np.repeat(data.weights.astype(float), np.diff(data.instances.offsets))

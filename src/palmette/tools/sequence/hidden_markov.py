"""Hidden Markov models without labels: expected counts for `learning/em.py`, from the marginals of a chain.

    p(x, y) = P(y_1) Π_t P(x_t | y_t) P(on | y_t) P(y_t+1 | y_t)       and P(end | y_n) in place of P(on | y_n)

CSC 448, §1, §2.4, §3 and §3.1. With order 2 the next state depends on the last two, and the second on the first
alone. Logarithms of probabilities are the weights of a chain, as in `hmm.py`, so forward-backward is the
chain's, and so is everything that may be known: labels of some tokens, or sets of labels.

Parameters, in this order, each in groups that sum to one (K states, V symbols):

    emissions    [V, K]      V of each state            first        [K]
    ends         [2, K]      on and end of each state   transitions  [K, K]; with order 2 those of second tokens
                                                        longer       [K², K], order 2 alone

One pass costs O(tokens · K^(order + 1)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette._native import ChainProblem
from palmette.features.instances import Instances
from palmette.features.word_classes import WordClasses
from palmette.learning.em import Floats
from palmette.learning.problem import Weights

FLOOR = -60.0  # of a logarithm: what is less likely is nothing beside anything else


class Tables(NamedTuple):
    """The parameters of an HMM, or their counts, or logarithms; contexts with the oldest state slowest."""

    emissions: Floats
    first: Floats
    ends: Floats
    transitions: Floats
    longer: Floats

    @property
    def flat(self) -> Floats:
        """All of them in a row."""
        return np.concatenate([np.asarray(table).ravel() for table in self])


@dataclass(frozen=True, eq=False)
class HiddenChain:
    """Sentences whose states are not known, or only in part: what EM and VB learn from.

    labels: of all tokens, -1 where not known; allowed: [tokens, states], what may be there. weights: how often
    each sentence counts.
    """

    words: WordClasses
    instances: Instances
    n_states: int
    order: int = 1
    labels: NDArray[np.int32] | None = None
    allowed: NDArray[np.bool_] | None = None
    n_jobs: int = 1
    weights: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        if self.order not in (1, 2):
            raise ValueError(f"Hidden states have the order 1 or 2. Got {self.order!r}.")
        if not 1 <= self.n_states <= 1000:
            raise ValueError(f"There must be 1 to 1,000 states. Got {self.n_states!r}.")
        if not self.instances.n_tokens:
            raise ValueError("There is not one word to learn from.")

    @property
    def stride(self) -> int:
        """The length of a row of weights: states rounded up to a multiple of 8."""
        return -(-self.n_states // 8) * 8

    @property
    def n_symbols(self) -> int:
        """Known words; classes of unknown ones are not met in training."""
        return len(self.words.words)

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The distribution of every parameter."""
        K = self.n_states
        states, rest = np.arange(K), np.arange(2 * K + 1, 3 * K + 1)
        groups = [
            np.tile(states, self.n_symbols),
            np.full(K, K),
            np.tile(K + 1 + states, 2),
            np.repeat(rest, K),
        ]
        if self.order == 2:
            groups.append(np.repeat(np.arange(3 * K + 1, 3 * K + 1 + K * K), K))
        return np.concatenate(groups)

    def tables(self, flat: Floats) -> Tables:
        """Parameters in a row as tables."""
        K, V = self.n_states, self.n_symbols
        sizes = [V * K, K, 2 * K, K * K]
        parts = np.split(flat, np.cumsum(sizes))
        shapes = [(V, K), (K,), (2, K), (K, K), (-1, K)]
        return Tables(*(part.reshape(shape) for part, shape in zip(parts, shapes)))

    @cached_property
    def chain(self) -> ChainProblem:
        """The sentences as a chain, whose weights are `chain_weights`."""
        x = self.instances
        labels = np.full(x.n_tokens, -1, dtype=np.int32) if self.labels is None else self.labels
        may = None if self.allowed is None else np.ascontiguousarray(self.allowed, dtype=np.uint8).reshape(-1)
        return ChainProblem(
            x.offsets, x.rows, x.attributes, None, None, None, None, labels, may, self.weights,
            x.n_attributes, 0, self.n_states, self.order, None, None, None,
        )  # fmt: skip

    def chain_weights(self, log_weights: Floats, classes: Floats | None = None) -> Weights:
        """Logarithms of parameters as weights of the chain; classes: log P(class of unknown words | state)."""
        K, V, bos = self.n_states, self.n_symbols, self.words.bos
        logs = self.tables(np.maximum(log_weights, FLOOR))
        n_rows = self.words.n_attributes + K + (K * K if self.order == 2 else 0)
        out = np.zeros((n_rows, self.stride), dtype=np.float32)
        out[:V, :K] = logs.emissions
        if classes is not None:
            out[V:bos, :K] = np.maximum(classes, FLOOR)
        out[bos, :K], out[bos + 1, :K] = logs.first, logs.ends[1]
        out[bos + 2 : bos + 2 + K, :K] = logs.transitions + logs.ends[0][:, None]
        # A trigram is added to the bigram that it ends with.
        out[bos + 2 + K :, :K] = logs.longer - np.tile(logs.transitions, (len(logs.longer) // K, 1))
        return out.ravel()

    def __len__(self) -> int:
        return len(self.chain)

    def expected_counts(self, log_weights: Floats) -> tuple[float, Floats]:
        """The log-likelihood, and the expected number of uses of every parameter."""
        return self.taken(self.sums_of(log_weights, 0, len(self)))

    def sums_of(self, weights: Floats, begin: int, end: int) -> tuple[Any, ...]:
        """What some sentences add, at the logarithms of weights."""
        expanded = self.chain_weights(weights)
        counts = np.empty_like(expanded)
        likelihood = self.chain.expected_counts(expanded, counts, self.n_jobs, begin, end)
        return likelihood, counts.reshape(-1, self.stride)[:, : self.n_states].astype(np.float64)

    def taken(self, sums: tuple[Any, ...]) -> tuple[float, Floats]:
        """The counts of all sentences."""
        K, V, bos = self.n_states, self.n_symbols, self.words.bos
        likelihood, table = sums
        bigrams, longer = table[bos + 2 : bos + 2 + K], table[bos + 2 + K :]
        second = bigrams if self.order == 1 else np.maximum(bigrams - longer.reshape(K, K, K).sum(axis=0), 0)
        ends = np.stack([bigrams.sum(axis=1), table[bos + 1]])
        return likelihood, Tables(table[:V], table[bos], ends, second, longer).flat

    @cached_property
    def frequencies(self) -> Floats:
        """How often each word is met."""
        symbols = self.instances.attributes[self.instances.rows[:-1]]
        counts = np.bincount(symbols, minlength=self.n_symbols)[: self.n_symbols]
        return counts.astype(np.float64)

    def random_start(self, random_state: int, noise: float) -> Floats:
        """Words by their frequencies and everything else alike, times e^(noise · normal)."""
        rng = np.random.default_rng(random_state)
        start = np.ones(len(self.groups))
        start[: self.n_symbols * self.n_states] = np.repeat(self.frequencies, self.n_states)
        return start * np.exp(noise * rng.standard_normal(len(start)))

    def priors(self, transitions: float, emissions: float) -> Floats:
        """One Dirichlet parameter for emissions, another for everything else."""
        prior = np.full(len(self.groups), transitions, dtype=np.float64)
        prior[: self.n_symbols * self.n_states] = emissions
        return prior


def allowed_states(
    dictionary: Mapping[str, Sequence[int]], words: WordClasses, instances: Instances, n_states: int
) -> NDArray[np.bool_]:
    """[tokens, states]: what a dictionary of words allows where; words that are not in it may be anything."""
    rows = np.ones((words.n_attributes, n_states), dtype=bool)
    for i, word in enumerate(words.words):
        states = dictionary.get(word)
        if states is not None:
            rows[i] = False
            rows[i, list(states)] = True
    found: NDArray[np.bool_] = rows[instances.attributes[instances.rows[:-1]]]
    return found

"""Hidden Markov models as plain tables of probabilities: what a regular grammar is when it is read as a chain.

    P(x, y) = begin(y₁) Π_t emissions(y_t, x_t) Π_t transitions(y_t, y_{t+1}) end(y_n)

`end` is the probability to stop behind a state, so the rows of `transitions` sum to 1 - end. The empty string has
the probability `empty`, and `begin` sums to the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from palmette.grammars.checks import SLACK
from palmette.grammars.grammar import Floats
from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores

if TYPE_CHECKING:
    from palmette.tools.sequence.model import SequenceModel


@dataclass(frozen=True, eq=False)
class HiddenMarkovModel:
    """begin: [states]; transitions: [states, states]; emissions: [states, words]; end: [states]."""

    states: tuple[str, ...]
    words: tuple[str, ...]
    begin: Floats
    transitions: Floats
    emissions: Floats
    end: Floats
    empty: float = 0.0

    def __post_init__(self) -> None:
        n, m = len(self.states), len(self.words)
        if len(set(self.states)) < n or len(set(self.words)) < m:
            raise ValueError("States and words must differ from each other.")
        shapes = {"begin": (n,), "transitions": (n, n), "emissions": (n, m), "end": (n,)}
        for name, shape in shapes.items():
            table = np.asarray(getattr(self, name), dtype=np.float64)
            if table.shape != shape:
                raise ValueError(f"The table {name!r} must have the shape {shape}. Got {table.shape}.")
            if not (table >= 0).all() or not np.isfinite(table).all():
                raise ValueError(
                    f"The table {name!r} must have probabilities. Got a negative or infinite number."
                )
            object.__setattr__(self, name, table)
        sums = {
            "begin, with the empty string,": np.array([self.begin.sum() + self.empty]),
            "emissions": self.emissions.sum(axis=1),
            "transitions, with the end,": self.transitions.sum(axis=1) + self.end,
        }
        for name, totals in sums.items():
            if (off := np.abs(totals - 1)).max(initial=0.0) > 1e3 * SLACK:
                raise ValueError(
                    f"The probabilities of {name} must sum to one. Got {totals[off.argmax()]:g}."
                )

    @classmethod
    def of_model(cls, model: SequenceModel) -> HiddenMarkovModel:
        """The tables of a tagger that was trained with `HMM` (its `model_`) and order 1.

        Classes of unknown words are words of their own, named `unknown:` and their suffix.
        """
        from palmette.features.word_classes import WordClasses

        if not isinstance(model.features, WordClasses) or model.structure.order != 1:
            raise ValueError("This is not a model of an HMM of order 1.")
        n = model.features.bos
        rows = model.rows.astype(np.float64)
        known = model.features.words
        classes = [f"unknown:{name}" for name in model.features.names(range(len(known), n))]
        begin, emissions, end = np.exp(rows[n]), np.exp(rows[:n].T), np.exp(rows[n + 1])
        following = np.concatenate([np.exp(model.ngrams(1).astype(np.float64)), end[:, None]], axis=1)
        following /= following.sum(axis=1, keepdims=True)  # the weights are floats of 32 bits
        return cls(
            tuple(model.structure.labels),
            (*known, *classes),
            begin / begin.sum(),
            following[:, :-1],
            emissions / emissions.sum(axis=1, keepdims=True),
            following[:, -1],
        )

    def chain(self) -> Chain:
        """The structure that decodes and sums it."""
        return Chain(list(self.states))

    def scores(self, words: Sequence[str]) -> ChainScores:
        """The logs of the probabilities as scores of that chain; an unknown word has the probability zero."""
        place = {word: n for n, word in enumerate(self.words)}
        emissions = np.zeros((len(words), len(self.states)))
        for t, word in enumerate(words):
            if word in place:
                emissions[t] = self.emissions[:, place[word]]
        emissions[-1:] *= self.end
        with np.errstate(divide="ignore"):
            return ChainScores(np.log(emissions), np.log(self.transitions), [np.log(self.begin)])

    def log_probability(self, words: Sequence[str]) -> float:
        """log P(words), over all sequences of states; -inf for what cannot be."""
        if not len(words):
            return math.log(self.empty) if self.empty > 0 else -math.inf
        return self.chain().log_z(self.scores(words))

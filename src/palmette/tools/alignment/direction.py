"""One direction of word alignment: every target word has one source word, or none (NULL).

    P(f, a | e) = Π_j P(a_j | …) t(f_j | e_{a_j})

A direction holds what training gave, and says of any bitext how probable its links are and which alignment is
best. `stages.py` has the functions that train directions, by kind: a schedule is a loop over them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from palmette._native import Bitext
from palmette.learning.em import EM, VB, Estimate, expected_weights
from palmette.learning.learner import Callback, Report
from palmette.tools.alignment.table import Floats, Ints, LexicalTable, Longs

LEAST = 1e-18
Arrays = dict[str, npt.NDArray[Any]]


class Direction(Protocol):
    """What is known of one direction after a stage of training."""

    @property
    def kind(self) -> str: ...

    @property
    def table(self) -> LexicalTable: ...

    def posteriors(self, bitext: Bitext, n_jobs: int = 1) -> tuple[Longs, Floats]:
        """Where each sentence pair begins, and the probabilities of its links, [source][target] of each."""
        ...

    def best(self, bitext: Bitext, n_jobs: int = 1) -> Ints:
        """For every target word its source word from 1 on, 0 for NULL, in the most probable alignment."""
        ...

    def arrays(self) -> Arrays:
        """Everything, for a model file; `from_arrays` gives it back."""
        ...


class Stage(Protocol):
    """A function that trains a direction, from another one or from nothing."""

    def __call__(
        self,
        bitext: Bitext,
        start: Direction | None = None,
        *,
        n_jobs: int = 1,
        callback: Callback | None = None,
        **options: Any,
    ) -> Direction: ...


def table_arrays(table: LexicalTable) -> Arrays:
    """A table's part of `Direction.arrays`."""
    names = "first_of", "target_of", "weights", "unseen"
    return {name: getattr(table, name) for name in names}


def table_from(arrays: Mapping[str, npt.NDArray[Any]]) -> LexicalTable:
    """The table in a direction's arrays."""
    return LexicalTable(*(arrays[name] for name in ("first_of", "target_of", "weights", "unseen")))


def with_perplexity(callback: Callback | None, n_words: int) -> Callback | None:
    """A callback whose reports have `perplexity`: 2 to the cross-entropy of a target word, its source given."""
    if callback is None:
        return None

    def called(report: Report) -> Any:
        perplexity = math.exp(min(-report.numbers["log_likelihood"] / max(n_words, 1), 700.0))
        return callback(replace(report, numbers={**report.numbers, "perplexity": perplexity}))

    return called


def default_learner(n_iter: int) -> EM:
    """What the models with places learn by: VB, which is sharper than EM once the words are about right."""
    return VB(n_iter=n_iter, prior=0.1, tolerance=None, bound=False)


def learnt_weights(
    learner: EM, estimate: Estimate, groups: npt.NDArray[np.integer]
) -> npt.NDArray[np.float64]:
    """What a model aligns with: shares, or e to their expected logarithms for variational Bayes."""
    return expected_weights(estimate.counts, groups) if learner.bayesian else estimate.weights


def as_floats(weights: npt.NDArray[np.floating]) -> Floats:
    """Probabilities for a pass in floats, none of them zero."""
    floats: Floats = np.maximum(weights, LEAST, dtype=np.float32, casting="same_kind")
    return floats


class Translations:
    """The parameters t(f | e) of a bitext for `learning/em.py`.

    First its pairs of words, then for each source word all words that it never meets, as one, for which a prior
    keeps some probability. So a rare source word cannot collect target words: beside all the words that it might
    mean, what it met is little.
    """

    def __init__(self, bitext: Bitext) -> None:
        self._first = bitext.first_of
        self._others = np.maximum(bitext.n_target - np.diff(self._first), 1)
        self.n_pairs, self.n_rows = bitext.n_pairs, len(self._first) - 1
        self.size = self.n_pairs + self.n_rows

    def table(self, bitext: Bitext, weights: npt.NDArray[np.float64]) -> LexicalTable:
        """The table that weights are, of all parameters; others may follow."""
        rest = weights[self.n_pairs : self.size]
        return LexicalTable.of(bitext, as_floats(weights[: self.n_pairs]), rest)

    def groups(self) -> Ints:
        """The source word of every parameter, NULL being 0."""
        rows = np.arange(self.n_rows, dtype=np.int32)
        return np.concatenate([np.repeat(rows, np.diff(self._first)), rows])

    def begin(self, bitext: Bitext, start: Direction | None, n_jobs: int) -> npt.NDArray[np.float64]:
        """Weights to begin with: those of `start`, or the same for all pairs."""
        met = np.ones(self.n_pairs) if start is None else start.table.on(bitext, n_jobs=n_jobs)
        return np.concatenate([met, np.full(self.n_rows, 1e-6)])

    def priors(self, prior: float) -> npt.NDArray[np.float64]:
        """The same for all words."""
        return np.concatenate([np.full(self.n_pairs, prior), prior * self._others])

    def counted(
        self, pairs: npt.NDArray[np.float64], *more: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Expected counts as one vector, other parameters last."""
        return np.concatenate([pairs, np.zeros(self.n_rows), *more])

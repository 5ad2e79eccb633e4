"""The HMM of word alignment: where a word goes depends on where the word before it went. CSC 448, §14.4.

    P(a_j = i | a_{j-1} = p) = (1 - p0) S(i - p) / Σ_i' S(i' - p)

Every source word has a NULL behind it that remembers the place, so that words without a source cost p0 and no
jump. S has a weight for each jump up to a width, with all farther ones in the outermost, or for classes of
distances; beginnings and ends have weights of their own. EM and VB are those of `learning/em.py`; S becomes the
expected jumps, as in CSC 448, §14.4, which is not quite the maximum, since sentences end (Vogel, Ney and Tillmann
1996; Och and Ney 2003). O(l² m) for each sentence pair and pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palmette._native import Bitext
from palmette.learning.em import EM, Estimate
from palmette.learning.learner import Callback
from palmette.parameters import Options, option
from palmette.tools.alignment.direction import (
    Arrays,
    Direction,
    Translations,
    as_floats,
    default_learner,
    learnt_weights,
    table_arrays,
    table_from,
    with_perplexity,
)
from palmette.tools.alignment.table import Floats, Ints, LexicalTable, Longs

Doubles = npt.NDArray[np.float64]
LEARNERS: tuple[EM, ...] = (default_learner(4),)  # with a sparse prior on translations


@dataclass(frozen=True, kw_only=True)
class HmmOptions(Options):
    """The options of the HMM."""

    p0: float = option(0.2, "probability of NULL", above=0, below=1)
    fit_p0: bool = option(False, "whether the probability of NULL is fitted, or stays as it is")
    width: int = option(20, "longest jump that has a weight of its own", low=1)
    start_class: bool = option(True, "whether first places have weights of their own")
    end_class: bool = option(True, "whether last places have weights of their own")
    distance_class: bool = option(False, "whether jumps of about the same length share their weight")
    jump_prior: float = option(0.5, "number added to the counts of jumps and places", above=0)


@dataclass(frozen=True, eq=False)
class HmmDirection:
    """A direction of the HMM. `jump[width + d]`: the weight of a jump of d; `first[i]`, `last[l - i]`: of i."""

    table: LexicalTable
    jump: Floats
    first: Floats
    last: Floats
    p0: float
    kind: str = "hmm"

    def _on(self, bitext: Bitext, n_jobs: int) -> tuple[Floats, Floats, Floats, Floats, float, int]:
        return self.pair_weights(bitext, n_jobs), self.jump, self.first, self.last, self.p0, n_jobs

    def pair_weights(self, bitext: Bitext, n_jobs: int = 1) -> Floats:
        """t(f | e) of every pair of words of a bitext."""
        return self.table.on(bitext, n_jobs=n_jobs)

    def posteriors(self, bitext: Bitext, n_jobs: int = 1) -> tuple[Longs, Floats]:
        """Where each sentence pair begins, and the probabilities of its links, [source][target] of each."""
        return bitext.posteriors_jumps(*self._on(bitext, n_jobs))

    def best(self, bitext: Bitext, n_jobs: int = 1) -> Ints:
        """For every target word its source word from 1 on, 0 for NULL, in the most probable alignment."""
        return bitext.best_jumps(*self._on(bitext, n_jobs))

    def arrays(self) -> Arrays:
        """Everything, for a model file."""
        moves = {"jump": self.jump, "first": self.first, "last": self.last, "numbers": np.array([self.p0])}
        return {**table_arrays(self.table), **moves}

    @classmethod
    def from_arrays(cls, kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> HmmDirection:
        """The direction whose `arrays` these are."""
        jump, first, last = arrays["jump"], arrays["first"], arrays["last"]
        (p0,) = arrays["numbers"].tolist()
        if len(jump) % 2 == 0 or len(first) < 2 or not 0 <= p0 < 1:
            raise ValueError("The numbers of an HMM of alignment are out of their range.")
        for weights in (jump, first, last):
            if not (np.isfinite(weights) & (weights >= 0)).all():
                raise ValueError(
                    "The jumps of an HMM of alignment must have finite weights, not negative ones."
                )
        return cls(table_from(arrays), jump, first, last, p0, kind)


class HmmProblem:
    """One direction for `learning/em.py`: pairs of words, classes of jumps, first and last places, NULL or not."""

    def __init__(
        self,
        bitext: Bitext,
        *,
        width: int,
        classes: bool = False,
        start: bool = True,
        end: bool = False,
        p0: float = 0.2,
        fit_p0: bool = False,
        n_jobs: int = 1,
    ) -> None:
        self.bitext, self.p0, self.fit_p0, self.n_jobs = bitext, p0, fit_p0, n_jobs
        self.start = start
        self.class_of = distance_classes(width) if classes else np.arange(2 * width + 1)
        self.class_size = np.bincount(self.class_of)
        self.sizes = len(self.class_size), width + 1 if start else 0, width + 1 if end else 0, 2
        self.words = Translations(bitext)
        own = np.repeat(np.arange(4, dtype=np.int32), self.sizes) + self.words.n_rows
        self.groups: Ints = np.concatenate([self.words.groups(), own])

    def begin(self, table: Doubles, moves: tuple[Floats, Floats, Floats] | None) -> Doubles:
        """Weights to begin with: those of another HMM, or jumps that like to go one word ahead."""
        n_classes, n_first, n_last, _ = self.sizes
        width = len(self.class_of) // 2
        if moves is None or len(moves[0]) != len(self.class_of):
            jump = np.exp(-0.5 * np.abs(np.arange(-width, width + 1) - 1.0))
            first, last = np.exp(-0.3 * np.arange(n_first)), np.ones(n_last)
        else:
            jump, first, last = (np.asarray(weights, dtype=np.float64) for weights in moves)
            first = first if len(first) == n_first else np.exp(-0.3 * np.arange(n_first))
            last = last if len(last) == n_last else np.ones(n_last)
        null = np.array([self.p0, 1 - self.p0])
        return np.concatenate([table, np.bincount(self.class_of, jump, n_classes), first, last, null])

    def priors(self, of_words: float, of_moves: float) -> Doubles:
        """A prior for every parameter."""
        return np.concatenate([self.words.priors(of_words), np.full(sum(self.sizes), of_moves)])

    def moves(self, weights: Doubles) -> tuple[Floats, Floats, Floats, float]:
        """Jumps, first and last places, and the probability of NULL, of a vector of weights."""
        jump, first, last, null = np.split(weights[self.words.size :], np.cumsum(self.sizes)[:-1])
        jumps = as_floats((jump / self.class_size)[self.class_of])
        firsts = as_floats(first) if self.start else jumps[len(jumps) // 2 :].copy()
        p0 = float(null[0] / null.sum()) if self.fit_p0 else self.p0
        return jumps, firsts, as_floats(last), p0

    def expected_counts_at(self, weights: Doubles) -> tuple[float, Doubles]:
        """The log-likelihood, and the expected number of uses of every parameter."""
        return self.taken(self.sums_of(weights, 0, len(self)))

    def __len__(self) -> int:
        return len(self.bitext)

    def sums_of(self, weights: Doubles, begin: int, end: int) -> tuple[Any, ...]:
        """What some sentence pairs add."""
        t = as_floats(weights[: self.words.n_pairs])
        return self.bitext.part(begin, end).expect_jumps(t, *self.moves(weights), self.n_jobs)

    def taken(self, sums: tuple[Any, ...]) -> tuple[float, Doubles]:
        """The counts of all sentence pairs."""
        loss, counts = sums
        return loss, self.counted(*counts)

    def counted(self, pairs: Doubles, jump: Doubles, first: Doubles, last: Doubles, null: Doubles) -> Doubles:
        """Counts of a pass as one vector."""
        if not self.start:  # the first word jumps from before the sentence
            jump[len(jump) // 2 :] += first
            first = first[:0]
        jumps = np.bincount(self.class_of, jump, self.sizes[0]).astype(np.float64)
        return self.words.counted(pairs, jumps, first, last, np.array([null[0], null[1] - null[0]]))

    def expected_counts(self, log_weights: Doubles) -> tuple[float, Doubles]:
        """The same of logarithms."""
        return self.expected_counts_at(np.exp(log_weights))

    def direction(self, weights: Doubles) -> HmmDirection:
        """What weights say."""
        return HmmDirection(self.words.table(self.bitext, weights), *self.moves(weights))


def distance_classes(width: int) -> npt.NDArray[np.int64]:
    """The class of each jump from -width to width: single ones up to 2, then 3 to 4, 5 to 8, … on each side."""
    d = np.arange(-width, width + 1)
    size = np.where(
        np.abs(d) <= 2, np.abs(d), np.ceil(np.log2(np.maximum(np.abs(d), 1))).astype(np.int64) + 1
    )
    _, classes = np.unique(np.sign(d) * size, return_inverse=True)
    return classes


@dataclass(frozen=True, eq=False)
class HmmStage:
    """A problem with what training needs beside it: weights to begin with, priors, and the way back."""

    problem: HmmProblem
    begin: Doubles
    jump_prior: float

    def priors(self, learner: EM) -> Doubles:
        """A prior for every parameter."""
        return self.problem.priors(learner.prior, self.jump_prior)

    def direction(self, learner: EM, estimate: Estimate) -> HmmDirection:
        """What was learnt."""
        return self.problem.direction(learnt_weights(learner, estimate, self.problem.groups))


def hmm_problem(bitext: Bitext, start: Direction | None, *, n_jobs: int = 1, **options: Any) -> HmmStage:
    """The stage before its training, with options of `HmmOptions`."""
    own = HmmOptions.of(options, "The model 'hmm'")
    problem = HmmProblem(
        bitext,
        width=own.width,
        classes=own.distance_class,
        start=own.start_class,
        end=own.end_class,
        p0=own.p0,
        fit_p0=own.fit_p0,
        n_jobs=n_jobs,
    )
    moves = (start.jump, start.first, start.last) if isinstance(start, HmmDirection) else None
    begin = problem.begin(problem.words.begin(bitext, start, n_jobs), moves)
    return HmmStage(problem, begin, own.jump_prior)


def train_hmm(
    bitext: Bitext,
    start: Direction | None = None,
    *,
    learner: EM | None = None,
    n_jobs: int = 1,
    callback: Callback | None = None,
    **options: Any,
) -> Direction:
    """The HMM, from the table of another model.

    learner: `EM` or `VB`; None is VB with a sparse prior on translations. Options: those of `HmmOptions`.
    """
    learner = learner or LEARNERS[0]
    stage = hmm_problem(bitext, start, n_jobs=n_jobs, **options)
    callback = with_perplexity(callback, int(bitext.lengths[1].sum()))
    estimate = learner.learn(stage.problem, stage.begin, priors=stage.priors(learner), callback=callback)
    return stage.direction(learner, estimate)

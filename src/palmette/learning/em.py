"""Expectation maximization and variational Bayes: from expected counts to weights, over and over.

A problem has parameters in groups that sum to one (the rules of a left side, the words of a state, the
translations of a word). It gives, for weights θ, the log-likelihood log Z(θ) of its data and the expected number
c_k of uses of every parameter; this loop knows nothing else of it. For parameter k of group g,

    EM   θ_k = (c_k + prior) / Σ_g (c_j + prior)            log Z(θ) + prior Σ log θ          never falls
    VB   θ_k = exp(ψ(c_k + α) - ψ(Σ_g (c_j + α)))           log Z(θ) - KL(q ‖ Dirichlet(α))   never falls

Dempster, Laird and Rubin 1977; for VB, Kurihara and Sato 2004, where q is the Dirichlet distribution with the
counts c + α, and the weights do not sum to one: what is seldom used gets less than its share. O(parameters) a
pass, beside the problem's own work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from palmette._native import count_shares, log_penalty, variational_weights
from palmette.course import shared_problem
from palmette.learning.capabilities import AnyLearner
from palmette.learning.divergence import check_moderate
from palmette.learning.loop import Callback, Pass, Report, run_passes
from palmette.parameters import option

Floats = npt.NDArray[np.float64]
Groups = npt.NDArray[np.integer]
State = Any  # of the passes after one of them
Told = tuple[dict[str, float], Floats, State]


class CountProblem(Protocol):
    """What EM learns from. `groups[k]` is the distribution to which parameter k belongs, 0, 1, …"""

    @property
    def groups(self) -> npt.NDArray[np.integer]: ...

    def expected_counts(self, log_weights: Floats) -> tuple[float, Floats]:
        """The log-likelihood of the data under the weights, and the expected number of uses of every parameter."""
        ...


@runtime_checkable
class WeightedCountProblem(CountProblem, Protocol):
    """A problem that can do without logarithms, which for millions of parameters cost more than the rest."""

    def expected_counts_at(self, weights: Floats) -> tuple[float, Floats]:
        """`expected_counts` of the weights themselves, which need not sum to one."""
        ...


@runtime_checkable
class SummedCountProblem(CountProblem, Protocol):
    """A problem whose counts are sums over examples, which workers may share out.

    `len` is the number of examples. sums_of: what a range of them adds to the sums, at the weights, or at their
    logarithms if the problem works on these: numbers and arrays in tuples. taken: the likelihood and the counts of
    the whole sums.
    """

    def __len__(self) -> int: ...

    def sums_of(self, weights: Floats, begin: int, end: int) -> tuple[Any, ...]: ...

    def taken(self, sums: tuple[Any, ...]) -> tuple[float, Floats]: ...


@dataclass(frozen=True, eq=False)
class Estimate:
    """Weights that sum to one in every group, the counts behind them, the reports, and whether Ctrl-C came.

    passes: after how many passes these were the weights; without a dev set, all of them.
    """

    weights: Floats
    counts: Floats
    history: tuple[Report, ...]
    interrupted: bool = False
    passes: int = 0


@dataclass(frozen=True, kw_only=True)
class EM(AnyLearner):
    """Expectation maximization.

    A prior gives the mode under a Dirichlet prior of 1 + prior. The noise multiplies the start weights by random
    numbers e^(noise · normal), since EM cannot tell apart what starts out alike.
    """

    family = "expectations"
    probabilistic = True
    bayesian: ClassVar[bool] = False  # are weights means under a posterior, with priors of their own?

    n_iter: int = option(50, "most passes over the data", low=1)
    tolerance: float | None = option(
        1e-6, "training stops when the objective rises by less than this share of it; none: all passes", low=0
    )
    prior: float = option(0.0, "number added to every expected count", low=0)
    noise: float = option(0.0, "spread of the random factors of the start weights", low=0)
    random_state: int = option(0, "seed of the noise", low=0)

    def learn(
        self,
        problem: CountProblem,
        start: npt.ArrayLike,
        *,
        priors: Floats | None = None,
        dev: Callable[[Estimate], float] | None = None,
        patience: int = 0,
        callback: Callback | None = None,
    ) -> Estimate:
        """Learn from the weights `start`, which need not be normalised; zeros stay zeros under EM without a prior.

        priors: one for every parameter, in place of `prior`. dev: the score of an estimate; that of the pass with
        the highest score is returned, the earlier of equals. patience: the number of passes without a higher
        score after which training stops; 0: never. The reports have `objective`, which never falls but by
        rounding, `log_likelihood`, and `dev` if it is scored.
        """
        problem = shared_problem(self, problem)
        groups = np.asarray(problem.groups)
        weights = self._start(groups, start)
        prior: Floats = np.full(len(groups), self.prior, np.float64)
        if priors is not None:
            prior = np.ascontiguousarray(priors, dtype=np.float64)
        found = run_passes(
            lambda state: self._checked(problem, groups, weights, prior, state),
            limit=self.n_iter,
            score=None if dev is None else lambda made: dev(Estimate(normalised(made, groups), made, ())),
            patience=patience,
            callback=callback,
        )
        if found.kept is not None and found.kept.extra is not None:
            problem.memory = found.kept.extra  # type: ignore[attr-defined]
        counts = weights if found.result is None else found.result
        kept = max((report.epoch for report in found.history if report.best), default=0)
        return Estimate(normalised(counts, groups), counts, found.history, found.interrupted, kept)

    def _checked(
        self, problem: CountProblem, groups: Groups, weights: Floats, prior: Floats, state: State
    ) -> Iterator[Pass[Floats]]:
        """The passes for the loop: with a check of their numbers, and whether the objective still rises."""
        before, begun, memory = state or (-math.inf, None, None)
        if memory is not None:
            problem.memory = memory  # type: ignore[attr-defined]
        for numbers, counts, inner in self._passes(problem, groups, weights, prior, begun):
            objective = numbers["objective"]
            check_moderate(self, objective, counts)
            settled = self._settled(objective - before, objective)
            before = objective
            memory = getattr(problem, "memory", None)  # what a problem learns beside the weights
            yield Pass(numbers, partial(_same, counts), settled, memory, (before, inner, memory))

    def _passes(
        self, problem: CountProblem, groups: Groups, weights: Floats, prior: Floats, state: State
    ) -> Iterator[Told]:
        """After each pass the numbers at its weights, the counts from which the next weights come, and a state."""
        if state is not None:
            weights = normalised(state[1], groups, state[0])
        while True:
            likelihood, counts = _expected(problem, weights)
            penalty = log_penalty(prior, weights)
            counts = counts + prior
            numbers = {"objective": likelihood + penalty, "log_likelihood": likelihood}
            yield numbers, counts, (weights, counts)
            weights = normalised(counts, groups, weights)

    def _settled(self, gain: float, objective: float) -> bool:
        return self.tolerance is not None and gain <= self.tolerance * abs(objective)

    def _start(self, groups: npt.NDArray[np.integer], start: npt.ArrayLike) -> Floats:
        weights = np.asarray(start, dtype=np.float64)
        if weights.shape != groups.shape:
            raise ValueError(
                f"There must be {len(groups)} start weights. Got an array of shape {weights.shape}."
            )
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise ValueError("Start weights must be finite and not negative.")
        if self.noise:
            rng = np.random.default_rng(self.random_state)
            weights = weights * np.exp(self.noise * rng.standard_normal(len(weights)))
        return normalised(weights, groups)


@dataclass(frozen=True, kw_only=True)
class VB(EM):
    """Variational Bayes with the same Dirichlet(prior) for every group; a prior below one prefers few parameters.

    Without the bound, all passes are made, and the objective in the reports is the log-likelihood, which may fall.
    The weights of the result are
    the means of the posterior, its counts those of the Dirichlet distributions.
    """

    bayesian = True

    prior: float = option(1.0, "parameter of the Dirichlet priors; below 1: few parameters are used", above=0)
    bound: bool = option(True, "compute the objective, which is slow if there are many parameters")

    def _settled(self, gain: float, objective: float) -> bool:
        return self.bound and super()._settled(gain, objective)

    def _passes(
        self, problem: CountProblem, groups: Groups, weights: Floats, prior: Floats, state: State
    ) -> Iterator[Told]:
        counts = _expected(problem, weights)[1] if state is None else state
        while not self.bound:
            likelihood, counts = _expected(problem, expected_weights(counts + prior, groups))
            yield {"objective": likelihood, "log_likelihood": likelihood}, counts + prior, counts
        while True:
            posterior = counts + prior
            expected_logs = digamma(posterior) - digamma(_sums(posterior, groups))[groups]
            likelihood, counts = problem.expected_counts(expected_logs)
            _check(likelihood)
            gap = dirichlet_divergence(posterior, prior, expected_logs, groups)
            numbers = {"objective": likelihood - gap, "log_likelihood": likelihood}
            yield numbers, counts + prior, counts


def normalised(counts: Floats, groups: npt.NDArray[np.integer], otherwise: Floats | None = None) -> Floats:
    """Counts as shares of their groups; a group without counts keeps `otherwise`, or gets equal shares."""
    counts = np.ascontiguousarray(counts, dtype=np.float64)
    kept = np.ascontiguousarray(() if otherwise is None else otherwise, dtype=np.float64)
    return count_shares(counts, *_numbered(groups), kept)


def expected_weights(posterior: Floats, groups: npt.NDArray[np.integer]) -> Floats:
    """e to the mean of log θ under Dirichlet distributions with these counts.

    >>> expected_weights(np.array([1.0, 1.0]), np.array([0, 0]))  # e^(ψ(1) - ψ(2))
    array([0.36787944, 0.36787944])
    """
    return variational_weights(np.ascontiguousarray(posterior, dtype=np.float64), *_numbered(groups))


def dirichlet_divergence(
    posterior: Floats, prior: Floats, expected_logs: Floats, groups: npt.NDArray[np.integer]
) -> float:
    """Σ_g KL(Dirichlet(posterior) ‖ Dirichlet(prior)), with E[log θ] = ψ(posterior) - ψ(its sum) at hand."""
    used = np.bincount(groups) > 0
    norm = log_gamma(_sums(posterior, groups)[used]) - log_gamma(_sums(prior, groups)[used])
    shares = log_gamma(prior) - log_gamma(posterior) + (posterior - prior) * expected_logs
    return float(norm.sum()) + float(shares.sum())


def digamma(x: Floats) -> Floats:
    """ψ(x) = d log Γ(x) / dx for x > 0: ψ(x) = ψ(x + 1) - 1/x eight times, and Stirling's series from there.

    >>> digamma(np.array([1.0]))  # minus Euler's constant
    array([-0.57721566])
    """
    x = np.asarray(x, dtype=np.float64)
    below: Floats = sum((1 / (x + k) for k in range(1, 8)), 1 / x)
    x = x + 8
    s = 1 / (x * x)
    series = s * (
        1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132 - s * (691 / 32760 - s / 12)))))
    )
    result: Floats = np.log(x) - 0.5 / x - series - below
    return result


def log_gamma(x: Floats) -> Floats:
    """log Γ(x) for x > 0: Γ(x) = Γ(x + 1) / x eight times, and Stirling's series from there.

    >>> log_gamma(np.array([5.0]))  # log 24
    array([3.17805383])
    """
    x = np.asarray(x, dtype=np.float64)
    product = math.prod((x + k for k in range(1, 4)), start=x)
    more = math.prod((x + k for k in range(5, 8)), start=x + 4)  # apart, since eight factors might overflow
    x = x + 8
    s = 1 / (x * x)
    series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / x
    result: Floats = (
        (x - 0.5) * np.log(x) - x + 0.5 * math.log(2 * math.pi) + series - np.log(product) - np.log(more)
    )
    return result


def _same(counts: Floats) -> Floats:
    return counts


def _sums(values: Floats, groups: npt.NDArray[np.integer]) -> Floats:
    sums: Floats = np.bincount(groups, values).astype(np.float64)
    return sums


def _numbered(groups: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.int32], int]:
    return np.ascontiguousarray(groups, dtype=np.int32), int(groups.max(initial=-1)) + 1


def _expected(problem: CountProblem, weights: Floats) -> tuple[float, Floats]:
    if isinstance(problem, WeightedCountProblem):
        likelihood, counts = problem.expected_counts_at(weights)
    else:
        with np.errstate(divide="ignore"):
            log_weights = np.log(weights)
        likelihood, counts = problem.expected_counts(log_weights)
    _check(likelihood)
    return likelihood, counts


def _check(likelihood: float) -> None:
    if not math.isfinite(likelihood):
        raise ValueError(
            f"The data have the log-likelihood {likelihood} under these weights: nothing can be learnt."
        )

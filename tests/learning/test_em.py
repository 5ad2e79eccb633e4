"""EM and VB without any structure: mixtures of coins, closed forms, and SciPy's digamma."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from palmette._native import log_penalty
from palmette.learning.em import (
    EM,
    VB,
    WeightedCountProblem,
    digamma,
    dirichlet_divergence,
    expected_weights,
    normalised,
)

GROUPS = np.array([0, 0, 1, 1, 2, 2])


class Coins:
    """Throws of a coin, one of two each time: parameters are the choice, then heads and tails of each."""

    groups = GROUPS

    def __init__(self, throws: list[tuple[int, int]]) -> None:
        self.throws = throws

    def expected_counts(self, log_weights: np.ndarray) -> tuple[float, np.ndarray]:
        total, counts = 0.0, np.zeros(6)
        for heads, tails in self.throws:
            joint = log_weights[:2] + heads * log_weights[2::2] + tails * log_weights[3::2]
            log_z = np.logaddexp(*joint)
            total += log_z
            for c, p in enumerate(np.exp(joint - log_z)):
                counts[c] += p
                counts[2 + 2 * c] += p * heads
                counts[3 + 2 * c] += p * tails
        return float(total), counts


THROWS = Coins([(9, 1), (8, 2), (2, 8), (1, 9), (7, 3), (3, 7)])
START = [0.6, 0.4, 0.6, 0.4, 0.4, 0.6]


@pytest.mark.parametrize("learner", [EM(), EM(prior=1.0), VB(prior=1.0), VB(prior=0.01)])
def test_the_objective_never_falls(learner: EM) -> None:
    found = learner.learn(THROWS, START)
    values = [report.numbers["objective"] for report in found.history]
    assert len(values) > 2
    assert all(b >= a - 1e-10 * abs(a) for a, b in pairwise(values))
    np.testing.assert_allclose(np.bincount(GROUPS, found.weights), 1.0)
    assert found.weights[2] > 0.7 > 0.3 > found.weights[4]


def test_em_ends_where_the_gradient_is_zero() -> None:
    found = EM(n_iter=500, tolerance=0.0).learn(THROWS, START)
    again = normalised(THROWS.expected_counts(np.log(found.weights))[1], GROUPS)
    np.testing.assert_allclose(again, found.weights, atol=1e-9)


class Counted:
    """Nothing hidden: the counts are known, so both learners are done in one step."""

    groups = np.array([0, 0, 0, 1])
    counts = np.array([3.0, 1.0, 0.0, 5.0])

    def expected_counts(self, log_weights: np.ndarray) -> tuple[float, np.ndarray]:
        used = self.counts > 0
        return float(self.counts[used] @ log_weights[used]), self.counts


def test_closed_forms() -> None:
    assert EM().learn(Counted(), np.ones(4)).weights.tolist() == [0.75, 0.25, 0.0, 1.0]
    smooth = EM(prior=1.0).learn(Counted(), np.ones(4))
    assert smooth.weights == pytest.approx([4 / 7, 2 / 7, 1 / 7, 1.0])
    found = VB(prior=0.5).learn(Counted(), np.ones(4))
    assert found.counts.tolist() == [3.5, 1.5, 0.5, 5.5]
    assert found.weights == pytest.approx([3.5 / 5.5, 1.5 / 5.5, 0.5 / 5.5, 1.0])
    # With nothing hidden the bound is the log of the evidence: Dirichlet-multinomial (Pólya) probabilities.
    evidence = (
        math.lgamma(1.5) - math.lgamma(5.5) + math.lgamma(3.5) + math.lgamma(1.5) - 2 * math.lgamma(0.5)
    )
    assert found.history[-1].numbers["objective"] == pytest.approx(evidence)


def test_a_bound_of_the_evidence() -> None:
    """The free energy of the coins lies below the evidence, found by sums over all choices of coins."""
    alpha = 1.0
    total = -math.inf
    for choice in range(2 ** len(THROWS.throws)):
        counts = np.zeros(6)
        for i, (heads, tails) in enumerate(THROWS.throws):
            c = choice >> i & 1
            counts[[c, 2 + 2 * c, 3 + 2 * c]] += [1, heads, tails]
        log_p = sum(
            math.lgamma(2 * alpha) - math.lgamma(counts[g].sum() + 2 * alpha)
            + sum(math.lgamma(c + alpha) - math.lgamma(alpha) for c in counts[g])
            for g in ([0, 1], [2, 3], [4, 5])
        )  # fmt: skip
        total = float(np.logaddexp(total, log_p))
    bound = VB(prior=alpha).learn(THROWS, START).history[-1].numbers["objective"]
    assert bound < total
    assert total - bound < 2.0


def test_divergence_against_samples() -> None:
    rng = np.random.default_rng(0)
    posterior = np.array([3.0, 2.0, 0.5])
    groups = np.zeros(3, dtype=int)
    logs = digamma(posterior) - digamma(np.array([posterior.sum()]))[groups]
    have = dirichlet_divergence(posterior, np.full(3, 1.5), logs, groups)
    theta = rng.dirichlet(posterior, size=200_000)

    def log_density(a: np.ndarray) -> np.ndarray:
        norm = math.lgamma(a.sum()) - sum(map(math.lgamma, a.tolist()))
        return norm + np.log(np.maximum(theta, 1e-300)) @ (a - 1)

    want = (log_density(posterior) - log_density(np.full(3, 1.5))).mean()
    assert have == pytest.approx(want, abs=0.02)
    assert dirichlet_divergence(np.full(3, 1.5), np.full(3, 1.5), logs, groups) == pytest.approx(0.0)


def test_digamma_is_scipys() -> None:
    special = pytest.importorskip("scipy.special")
    x = np.concatenate([np.logspace(-8, 8, 200), np.arange(1, 30) / 4])
    np.testing.assert_allclose(digamma(x), special.digamma(x), rtol=1e-13, atol=1e-14)


def test_groups_without_counts_stay_as_they_are() -> None:
    assert normalised(np.zeros(4), np.array([0, 0, 1, 1])).tolist() == [0.5] * 4
    kept = normalised(np.array([0.0, 0.0, 1.0, 3.0]), np.array([0, 0, 1, 1]), np.array([0.9, 0.1, 0.5, 0.5]))
    assert kept.tolist() == [0.9, 0.1, 0.25, 0.75]


def test_noise_is_the_same_for_the_same_seed() -> None:
    even = np.ones(6)
    first = EM(noise=1.0, random_state=1).learn(THROWS, even).weights
    assert first.tolist() == EM(noise=1.0, random_state=1).learn(THROWS, even).weights.tolist()
    assert first.tolist() != EM(noise=1.0, random_state=2).learn(THROWS, even).weights.tolist()


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="'n_iter' parameter"):
        EM(n_iter=0)
    with pytest.raises(ValueError, match="'prior' parameter"):
        VB(prior=0.0)
    with pytest.raises(ValueError, match="6 start weights"):
        EM().learn(THROWS, [1.0])
    with pytest.raises(ValueError, match="finite and not negative"):
        EM().learn(THROWS, [1, 1, 1, 1, 1, -1])
    with pytest.raises(ValueError, match="log-likelihood -inf"):
        EM().learn(Counted(), [1.0, 0.0, 1.0, 1.0])


def test_ctrl_c_keeps_what_is_there() -> None:
    class Interrupted(Coins):
        passes = 0

        def expected_counts(self, log_weights: np.ndarray) -> tuple[float, np.ndarray]:
            self.passes += 1
            if self.passes == 3:
                raise KeyboardInterrupt
            return super().expected_counts(log_weights)

    found = EM().learn(Interrupted(THROWS.throws), START)
    assert found.interrupted
    assert len(found.history) == 2


class WeightedCoins(Coins):
    """The same, asked for weights."""

    def expected_counts_at(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        return self.expected_counts(np.log(weights))


@pytest.mark.parametrize("learner", [EM(n_iter=7), EM(n_iter=7, prior=0.5), VB(n_iter=7, prior=0.3)])
def test_weights_do_as_well_as_their_logarithms(learner: EM) -> None:
    weighted = WeightedCoins(THROWS.throws)
    assert isinstance(weighted, WeightedCountProblem)
    assert not isinstance(THROWS, WeightedCountProblem)
    want, have = learner.learn(THROWS, START), learner.learn(weighted, START)
    np.testing.assert_allclose(have.weights, want.weights, rtol=1e-9)
    assert [r.numbers for r in have.history] == [pytest.approx(r.numbers) for r in want.history]


def test_without_its_bound_variational_bayes_learns_the_same() -> None:
    options = {"n_iter": 9, "prior": 0.2}
    want = VB(tolerance=0.0, **options).learn(THROWS, START)
    have = VB(tolerance=0.0, bound=False, **options).learn(WeightedCoins(THROWS.throws), START)
    np.testing.assert_allclose(have.counts, want.counts, rtol=1e-6)
    assert len(have.history) == 9


def test_all_passes_are_made_without_a_tolerance() -> None:
    settled = EM(n_iter=400).learn(THROWS, START)
    assert len(settled.history) < 400
    assert len(EM(n_iter=400, tolerance=None).learn(THROWS, START).history) == 400


def test_expected_weights_are_those_of_digamma() -> None:
    counts = np.concatenate([np.geomspace(2e-3, 1e7, 400), [1e-9, 0.5]])
    groups = np.array([0] * 400 + [1] * 2)
    logs = digamma(counts) - digamma(np.bincount(groups, counts))[groups]
    np.testing.assert_allclose(expected_weights(counts, groups), np.exp(logs), rtol=3e-8, atol=1e-280)


def test_groups_without_counts_keep_what_they_have() -> None:
    groups, counts = np.array([0, 0, 1, 1]), np.array([1.0, 3.0, 0.0, 0.0])
    assert normalised(counts, groups).tolist() == [0.25, 0.75, 0.5, 0.5]
    assert normalised(counts, groups, np.array([0.5, 0.5, 0.1, 0.9])).tolist() == [0.25, 0.75, 0.1, 0.9]


def test_the_penalty_is_a_sum_of_logarithms() -> None:
    rng = np.random.default_rng(0)
    weights = 10.0 ** rng.uniform(-200, 0, 300)
    prior = rng.choice([0.0, 0.5, 0.5, 2.0], 300)
    assert log_penalty(prior, weights) == pytest.approx(float(prior @ np.log(weights)))
    assert log_penalty(np.ones(2), np.array([0.5, 0.0])) == -math.inf
    assert log_penalty(np.zeros(2), np.array([0.5, 0.0])) == 0

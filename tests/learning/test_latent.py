"""Latent CRFs: hidden variants of labels."""

import itertools

import numpy as np
import pytest

from palmette.learning.latent import LatentCRF
from palmette.learning.loglinear import CRF
from palmette.tools.sequence.refinement import Refinement
from samples.random_problems import Chains, random_chains


def refined(chains: Chains, hidden: int) -> Chains:
    """The same sentences over refined labels."""
    refinement = Refinement(chains.n_labels, hidden)
    labels = np.array([y for sentence in chains.labels for y in sentence], dtype=np.int32)
    unknown = iter(refinement.unknown(labels).tolist())
    return Chains(
        refinement.n_refined,
        chains.order,
        chains.tokens,
        [[next(unknown) for _ in sentence] for sentence in chains.labels],
        chains.n_attributes,
        allowed=refinement.allowed(labels),
    )


def remembering(n: int) -> Chains:
    """The first label, which can be seen, comes back after the next: p m p or q m q. A bigram forgets it."""
    first = [0, 1] * n
    tokens = [[[(y, 1.0)], [(2, 1.0)], [(3, 1.0)]] for y in first]
    return Chains(3, 1, tokens, [[y, 2, y] for y in first], 4)


def test_objective_falls() -> None:
    problem = refined(random_chains(1, lengths=(4, 3) * 5), 2).problem()
    learned = LatentCRF(hidden=2, method="lbfgs", n_iter=50, tol=0).learn(problem)
    values = [report.numbers["objective"] for report in learned.history]
    assert all(after <= before + 1e-4 for before, after in itertools.pairwise(values))
    assert values[-1] < values[0] - 1


def test_one_variant_is_a_crf() -> None:
    chains = random_chains(2, lengths=(4, 3, 2) * 4)
    learner = {"method": "lbfgs", "n_iter": 30}
    one = LatentCRF(hidden=1, **learner).learn(refined(chains, 1).problem())
    crf = CRF(**learner).learn(chains.problem())
    np.testing.assert_array_equal(one.weights, crf.weights)


def test_one_variant_by_label_sets_is_a_crf() -> None:
    chains = random_chains(2, lengths=(4, 3, 2) * 4)
    sets = refined(chains, 1)
    sets.labels = [[-1] * len(sentence) for sentence in sets.labels]
    crf = CRF(method="lbfgs", n_iter=100).learn(chains.problem())
    latent = CRF(method="lbfgs", n_iter=100).learn(sets.problem())
    np.testing.assert_allclose(latent.weights, crf.weights, atol=2e-3)


def test_likelihood_as_enumeration() -> None:
    chains = refined(random_chains(3, n_labels=2, lengths=(3, 2)), 2)
    w = LatentCRF(hidden=2, n_iter=2).learn(chains.problem()).weights
    have = np.empty_like(w)
    loss = chains.problem().gradient(w, have, False, 1)
    want_loss, want = chains.likelihood(w)
    assert loss == pytest.approx(want_loss, abs=1e-5)
    np.testing.assert_allclose(have, want, atol=1e-5)


@pytest.mark.parametrize("method", ["lbfgs", "sgd"])
def test_hidden_variants_remember_what_bigrams_forget(method: str) -> None:
    chains = remembering(20)
    gold = np.array([y for sentence in chains.labels for y in sentence])
    plain, _ = chains.problem().decode(CRF(method="lbfgs", l2=0.01).learn(chains.problem()).weights, 1)
    assert (plain != gold).sum() == 20  # half of the last labels

    problem = refined(chains, 2).problem()
    learner = LatentCRF(hidden=2, method=method, l2=0.01, n_iter=100, tol=1e-6, random_state=1)
    w = learner.learn(problem).weights
    refinement = Refinement(3, learner.hidden)
    probabilities, _ = problem.probabilities(w, 1)
    best = refinement.best(probabilities.reshape(-1, refinement.n_refined))
    np.testing.assert_array_equal(best, gold)
    np.testing.assert_array_equal(refinement.visible(problem.decode(w, 1)[0]), gold)
    assert problem.total_loss(w, 1) == 0  # counts labels outside the allowed variants


def test_random_state() -> None:
    problem = refined(random_chains(4, lengths=(3, 4)), 2).problem()
    one, two, other = (
        LatentCRF(method="lbfgs", n_iter=5, random_state=seed).learn(problem).weights for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()
    start = np.where(problem.observed() > 0, 0.5, 0.0).astype(np.float32)
    same = (
        LatentCRF(n_iter=1, method="lbfgs", random_state=s).learn(problem, start=start).weights
        for s in (1, 2)
    )
    np.testing.assert_array_equal(*same)  # a warm start is kept as it is


def test_refinement_of_tables_and_probabilities() -> None:
    refinement = Refinement(2, hidden=3)
    follow = np.array([[True, False], [True, True]])
    fine = refinement.refine(follow)
    assert fine.shape == (6, 6)
    assert all(fine[a, b] == follow[a // 3, b // 3] for a in range(6) for b in range(6))
    p = np.random.default_rng(0).dirichlet(np.ones(6), 5)
    np.testing.assert_allclose(refinement.probabilities(p).sum(axis=1), 1.0)
    assert refinement.visible(np.array([0, 2, 3, 5, -1], dtype=np.int32)).tolist() == [0, 0, 1, 1, -1]
    with pytest.raises(ValueError, match="'hidden' parameter"):
        LatentCRF(hidden=0)

"""Every method of tuning: what it gains on real and on separable lists, and what it shares with the others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from palmette.tools.translation.tuning.candidates import Scaled, gains
from palmette.tools.translation.tuning.lists import NBestLists
from palmette.tools.translation.tuning.methods import METHODS
from palmette.tools.translation.tuning.pro import ProOptions, sampled_pairs
from palmette.tools.translation.tuning.tuner import tune
from samples.corpora import real_file

pytestmark = pytest.mark.native


def separable(seed: int, n_lists: int = 40, n_features: int = 4) -> tuple[NBestLists, np.ndarray]:
    """Lists in which hidden weights prefer candidates with more right n-grams; features of very unlike size."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=n_features)
    size = 10.0 ** np.arange(n_features)
    features, counts = [], []
    for _ in range(n_lists):
        rows = rng.normal(size=(8, n_features))
        rank = np.argsort(np.argsort(rows @ hidden))
        right = np.stack([rank + 2 - k // 2 for k in range(4)], axis=1).clip(0)
        all_of = np.broadcast_to(np.array([12, 11, 10, 9]), right.shape)
        counts.append(np.concatenate([np.full((8, 1), 12), np.full((8, 1), 12), right, all_of], axis=1))
        features.append(rows * size)
    return NBestLists.of(features, counts), hidden / size


@pytest.mark.parametrize("method", METHODS)
def test_separable_lists_are_ranked_well(method: str) -> None:
    lists, hidden = separable(0)
    start = -hidden
    found = tune(lists, start, method)
    best = lists.score(hidden)
    assert found.before < 0.5 * best
    assert found.after > 0.97 * best


@pytest.mark.parametrize("method", METHODS)
def test_real_lists_gain(method: str) -> None:
    folder = real_file("nbest_mt_moses")
    lists = NBestLists.from_moses(folder / "nbest.txt.gz", [folder / "reference.txt"])
    found = tune(lists, np.ones(15), method)
    assert found.before < 0.0911
    assert found.after > {"mert": 0.0983, "risk": 0.097, "perceptron": 0.092}.get(method, 0.094)
    assert found.after == lists.score(found.weights)


@pytest.mark.parametrize("method", METHODS)
def test_fixed_weights_stay_and_threads_change_nothing(method: str) -> None:
    lists, hidden = separable(1)
    start = np.array([hidden[0], 0.0, 0.0, 0.0])
    runs = [tune(lists, start, method, fixed=["f0"], random_state=2, n_jobs=n) for n in (1, 2)]
    assert runs[0].weights[0] == start[0]
    assert runs[0].after > runs[0].before
    np.testing.assert_array_equal(runs[0].weights, runs[1].weights)


@pytest.mark.parametrize("method", METHODS)
def test_one_candidate_each_leaves_the_start(method: str) -> None:
    lists = NBestLists.of([[[1.0, 2.0]]] * 3, [[[4, 4, 4, 3, 2, 1, 4, 3, 2, 1]]] * 3)
    found = tune(lists, [0.5, 0.5], method)
    assert found.weights.tolist() == [0.5, 0.5]
    assert found.before == found.after == pytest.approx(1.0)


def test_a_loop_may_explore_what_is_worse_on_the_lists() -> None:
    lists, hidden = separable(2)
    mixed = lists.counts[np.random.default_rng(0).permutation(lists.n_candidates)]
    lists = NBestLists(lists.lists, lists.features, mixed, lists.names, lists.metric)
    best = tune(lists, hidden, "mert").weights
    found = tune(lists, best, "perceptron", {"passes": 1}, explore=True)
    assert found.after < found.before
    assert tune(lists, best, "perceptron", {"passes": 1}).weights.tolist() == best.tolist()


def test_pairs_of_pro_are_those_with_the_largest_differences() -> None:
    lists, _ = separable(3, n_lists=2)
    values = np.round(np.random.default_rng(0).random(16), 1)
    options = ProOptions(pairs=5000, kept=5, difference=0.25)
    better, worse = sampled_pairs(lists, values, options, 0)
    for begin, own in ((0, better < 8), (8, better >= 8)):
        gaps = [
            values[i] - values[j]
            for i in range(begin, begin + 8)
            for j in range(begin, begin + 8)
            if values[i] - values[j] >= 0.25
        ]
        have = values[better[own]] - values[worse[own]]
        np.testing.assert_allclose(np.sort(have), np.sort(gaps)[-5:])


def test_pro_is_logistic_regression_on_differences() -> None:
    lists, _ = separable(4, n_lists=6)
    tuned = np.ones(4, dtype=bool)
    start = np.zeros(4)
    options = ProOptions(l2=0.5)
    better, worse = sampled_pairs(lists, lists.sentence_scores, options, 0)
    scaled = Scaled(lists, start, tuned)
    difference = scaled.values[better] - scaled.values[worse]

    def objective(w: np.ndarray) -> float:
        return float(np.logaddexp(0, -difference @ w).sum() + 0.5 * w @ w)

    from palmette.learning.loglinear import CRF
    from palmette.tools.translation.tuning.pro import pair_problem

    found = CRF(method="lbfgs", features="all", l2=0.5, warm_up=0, tol=1e-7).learn(
        pair_problem(scaled.values, better, worse)
    )
    want = minimize(objective, np.zeros(4), tol=1e-10).x
    np.testing.assert_allclose(found.weights, want, atol=1e-3)


def test_gains_add_up_to_the_metric() -> None:
    """To first order, the metric of a changed choice is the sum of the gains of the changes."""
    lists, hidden = separable(5, n_lists=400)
    own = gains(lists, hidden)
    chosen = lists.best(hidden)
    base = lists.metric.scores(lists.counts[chosen].sum(axis=0, keepdims=True))[0]
    other = chosen.copy()
    change = 0.0
    for i in range(5):
        other[i] = lists.lists[i] + (chosen[i] + 1 - lists.lists[i]) % 8
        change += own[other[i]] - own[chosen[i]]
    after = lists.metric.scores(lists.counts[other].sum(axis=0, keepdims=True))[0]
    assert (after - base) * len(lists) == pytest.approx(change, rel=0.15)


def test_fixed_features_enter_the_scores_of_learners() -> None:
    lists, hidden = separable(6)
    scaled = Scaled(lists, hidden, np.array([True, True, False, True]))
    w = scaled.first.astype(float)
    scores = scaled.values @ w
    for a, b in zip(lists.lists[:-1], lists.lists[1:]):
        want = lists.features[a:b] @ hidden
        np.testing.assert_allclose(scores[a:b], want - want[0], atol=1e-5)
    np.testing.assert_allclose(scaled.weights(scaled.first), hidden, rtol=1e-6)

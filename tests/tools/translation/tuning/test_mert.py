"""Line searches against a fine grid and against all corners; MERT against exhaustive search of directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.tools.translation.tuning.curve import Curve, metric_curve
from palmette.tools.translation.tuning.lists import NBestLists
from palmette.tools.translation.tuning.mert import random_starts
from palmette.tools.translation.tuning.metric import TuningMetric
from palmette.tools.translation.tuning.tuner import tune
from samples.corpora import real_file

pytestmark = pytest.mark.native


def random_lists(
    rng: np.random.Generator, n_lists: int = 6, n_features: int = 3, whole: bool = False
) -> NBestLists:
    """Lists of counts that belong to BLEU; whole: small whole numbers as features, so that there are ties."""
    features, counts = [], []
    for _ in range(n_lists):
        n = int(rng.integers(1, 9))
        values = rng.integers(-2, 3, (n, n_features)) if whole else rng.normal(size=(n, n_features))
        length = rng.integers(5, 12, n)
        all_of = np.stack([length - k for k in range(4)], axis=1)
        right = np.sort(rng.integers(0, all_of + 1), axis=1)[:, ::-1]
        features.append(values.astype(float))
        counts.append(np.concatenate([length[:, None], np.full((n, 1), 9), right, all_of], axis=1))
    return NBestLists.of(features, counts)


def decoded(lists: NBestLists, w: np.ndarray) -> float:
    """The metric of the best candidates, one list after another."""
    sums = np.zeros(lists.counts.shape[1])
    for a, b in zip(lists.lists[:-1], lists.lists[1:]):
        sums += lists.counts[a + int(np.argmax(lists.features[a:b] @ w))]
    return float(lists.metric.scores(sums[None])[0])


@pytest.mark.parametrize("seed", range(20))
def test_the_curve_is_the_metric_on_a_fine_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lists = random_lists(rng, whole=seed % 2 == 0)
    w, d = rng.normal(size=(2, 3))
    curve = metric_curve(lists, lists.names, w, d)
    for x in rng.normal(scale=3, size=400):
        assert curve(x) == pytest.approx(decoded(lists, w + x * d), abs=1e-12)
    assert (np.diff(curve.begins) > 0).all()
    assert curve.begins[0] == -np.inf


@given(st.integers(0, 10_000))
def test_the_line_search_finds_the_highest_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lists = random_lists(rng)
    w, d = rng.normal(size=(2, 3))
    x, score = lists.core.line_search(w, d)
    curve = metric_curve(lists, lists.names, w, d)
    assert score == pytest.approx(curve.scores.max(), abs=1e-12)
    assert lists.score(w + x * d) == pytest.approx(score, abs=1e-12)
    grid = [decoded(lists, w + y * d) for y in np.linspace(-20, 20, 200)]
    assert score >= max(grid) - 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_two_features_are_tuned_to_the_best_angle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lists = random_lists(rng, n_lists=5, n_features=2)
    angles = np.linspace(0, 2 * np.pi, 20_000)
    best = max(decoded(lists, np.array([np.cos(a), np.sin(a)])) for a in angles[::20])
    found = tune(lists, [1.0, 1.0], options={"restarts": 50}, random_state=1)
    assert found.after >= best - 1e-12
    assert found.after == pytest.approx(decoded(lists, found.weights), abs=1e-12)
    assert np.abs(found.weights).sum() == pytest.approx(2.0) or found.after == found.before


def test_same_weights_for_any_number_of_threads() -> None:
    lists = random_lists(np.random.default_rng(5), n_lists=30)
    runs = [tune(lists, random_state=3, n_jobs=n).weights for n in (1, 2, 7)]
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[0], runs[2])
    other = tune(lists, random_state=4)
    assert other.after >= other.before


def test_fixed_features_keep_their_weights() -> None:
    lists = random_lists(np.random.default_rng(8), n_lists=20)
    found = tune(lists, [0.5, 0.25, 2.0], fixed=["f2"])
    assert found.weights[2] == 2.0
    assert found.after > found.before
    twice = tune(lists, [1.0, 1.0, 1.0], options={"restarts": 0}).weights
    assert np.abs(twice).sum() == pytest.approx(3.0)  # only the ratios count
    starts = random_starts(np.array([1.0, 2.0]), np.array([True, False]), np.ones(2), 5, 0)
    assert (starts[:, 1] == 2.0).all()
    assert len(set(starts[:, 0])) == 6
    with pytest.raises(ValueError, match="All features are fixed"):
        tune(lists, fixed=["f0", "f1", "f2"])
    with pytest.raises(ValueError, match="no feature 'f9'"):
        tune(lists, fixed=["f9"])


def test_real_lists_reach_the_level_of_moses() -> None:
    folder = real_file("nbest_mt_moses")
    lists = NBestLists.from_moses(folder / "nbest.txt.gz", [folder / "reference.txt"])
    assert (len(lists), lists.n_candidates, len(lists.names)) == (100, 10_000, 15)
    assert tune(lists, options={"restarts": 20}).after >= 0.0983


def test_steps_of_a_curve() -> None:
    curve = Curve(np.array([-np.inf, 1.0, 2.0]), np.array([0.1, 0.5, 0.2]))
    x, y = curve.steps(0.0, 3.0)
    assert x.tolist() == [0, 1, 1, 2, 2, 3]
    assert y.tolist() == [0.1, 0.1, 0.5, 0.5, 0.2, 0.2]


def test_other_metrics_are_tuned() -> None:
    rng = np.random.default_rng(0)
    features = [rng.normal(size=(5, 2)) for _ in range(10)]
    errors = [np.stack([np.abs(own @ [1.0, -3.0] - 2), np.full(5, 9.0)], axis=1) for own in features]
    lists = NBestLists.of(features, errors, metric=TuningMetric("ter"))
    found = tune(lists)
    assert found.after > found.before
    assert found.after == pytest.approx(decoded(lists, found.weights))


def test_a_broad_hill_wins_over_a_peak() -> None:
    """Along the second weight a narrow interval has the best score, and a broad one a good score."""
    counts = {"peak": [0, 10], "hill": [2, 10], "start": [6, 10]}  # errors and words
    # Along (1, x) the candidates of the list are best for x < 0, 0 … 1, 1 … 1.02 and above.
    rows = [("start", 0.0, 0.0), ("hill", 0.0, 1.0), ("peak", -1.0, 2.0), ("start", -2.02, 3.0)]
    lists = NBestLists.of(
        [[row[1:] for row in rows]], [[counts[row[0]] for row in rows]], metric=TuningMetric("ter")
    )
    given = {"restarts": 10, "around": 0.5}
    sharp = tune(lists, [1.0, -0.2], options=given)
    steady = tune(lists, [1.0, -0.2], options={**given, "noise": 0.2})
    assert sharp.after == 1.0
    assert steady.after == pytest.approx(0.8)
    again = tune(lists, [1.0, -0.2], options={**given, "noise": 0.2}, n_jobs=3)
    np.testing.assert_array_equal(steady.weights, again.weights)


def test_starts_around_the_given_one() -> None:
    start, tuned, spread = (
        np.array([1.0, -2.0, 5.0]),
        np.array([True, True, False]),
        np.array([2.0, 1.0, 1.0]),
    )
    drawn = random_starts(start, tuned, spread, 2000, 1, around=0.1)
    assert drawn[0] == pytest.approx(start)
    assert (drawn[:, 2] == 5.0).all()
    np.testing.assert_allclose(drawn[1:].mean(axis=0), start, atol=0.02)
    np.testing.assert_allclose(drawn[1:, :2].std(axis=0), [0.1, 0.2], rtol=0.1)


def test_one_feature_has_a_curve_too() -> None:
    lists = NBestLists.of([[[1.0], [-1.0]]], [[[0, 2], [1, 2]]], metric=TuningMetric("ter"))
    curve = metric_curve(lists, lists.names, [1.0], [1.0])
    assert curve.begins.tolist() == [-np.inf, -1.0]
    assert curve.scores.tolist() == [0.5, 1.0]

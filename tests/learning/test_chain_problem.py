"""Chains as a learning problem, against enumeration."""

import numpy as np
import pytest

from oracles.enumeration import gradient as slopes
from samples.random_problems import Chains, random_chains, random_weights

pytestmark = pytest.mark.native

CASES = {
    "order0": {"order": 0},
    "order1": {"order": 1},
    "order2": {"order": 2},
    "order3": {"order": 3},
    "nine labels": {"order": 1, "n_labels": 9, "lengths": (3, 2, 1)},
    "one label": {"order": 1, "n_labels": 1},
    "values": {"order": 1, "valued": True},
    "pairs": {"order": 1, "pairs": True},
    "pairs of order 2": {"order": 2, "pairs": True, "valued": True},
    "pairs of order 3": {"order": 3, "pairs": True},
    "masks": {"order": 1, "masks": True},
    "masks of order 3": {"order": 3, "masks": True},
    "masks and pairs": {"order": 2, "masks": True, "pairs": True},
    "sentence weights": {"order": 1, "weighted": True},
    "partly labelled": {"order": 1, "unknown": 0.5},
    "label sets": {"order": 1, "unknown": 0.6, "restricted": True},
    "label sets of order 2": {"order": 2, "unknown": 0.6, "restricted": True, "pairs": True},
    "everything": {
        "order": 2,
        "valued": True,
        "pairs": True,
        "masks": True,
        "unknown": 0.5,
        "restricted": True,
        "weighted": True,
    },
}


@pytest.fixture(params=list(CASES), scope="module")
def chains(request: pytest.FixtureRequest) -> Chains:
    return random_chains(len(request.param), **CASES[request.param])


@pytest.fixture(scope="module")
def w(chains: Chains) -> np.ndarray:
    return random_weights(chains, 1)


def test_number_of_weights_and_examples(chains: Chains) -> None:
    problem = chains.problem()
    assert (problem.n_weights, len(problem)) == (chains.n_weights, len(chains.tokens))


def test_likelihood_and_gradient(chains: Chains, w: np.ndarray) -> None:
    have = np.empty_like(w)
    loss = chains.problem().gradient(w, have, False, 1)
    want_loss, want = chains.likelihood(w)
    assert loss == pytest.approx(want_loss, abs=2e-5)
    np.testing.assert_allclose(have, want, atol=2e-5)


def test_risk_and_gradient(chains: Chains, w: np.ndarray) -> None:
    have = np.empty_like(w)
    risk = chains.problem().gradient(w, have, True, 1)
    want_risk, want = chains.risk(w)
    assert risk == pytest.approx(want_risk, abs=2e-5)
    np.testing.assert_allclose(have, want, atol=2e-5)


def test_probabilities(chains: Chains, w: np.ndarray) -> None:
    have, log_z = chains.problem().probabilities(w, 1)
    have = have.reshape(-1, chains.n_labels)
    first = 0
    for i, sentence in enumerate(chains.tokens):
        ys = chains.table(i)[0]
        everything = chains.enumeration(i, w)
        assert log_z[i] == pytest.approx(everything.log_z, abs=1e-5)
        for t in range(len(sentence)):
            want = [
                everything.probabilities[[y[t] == label for y in ys]].sum()
                for label in range(chains.n_labels)
            ]
            np.testing.assert_allclose(have[first + t], want, atol=1e-5)
        first += len(sentence)


def test_best(chains: Chains, w: np.ndarray) -> None:
    problem = chains.problem()
    labels, scores = problem.decode(w, 1)
    first, lost = 0, 0.0
    for i, sentence in enumerate(chains.tokens):
        best = chains.enumeration(i, w)
        assert scores[i] == pytest.approx(best.best_score, abs=1e-5)
        y = tuple(labels[first : first + len(sentence)].tolist())
        assert chains.features(i, y) @ w == pytest.approx(best.best_score, abs=1e-5)
        lost += chains.loss(i, y)
        first += len(sentence)
    assert problem.total_loss(w, 1) == lost


def test_kbest(chains: Chains, w: np.ndarray) -> None:
    rows, labels, scores = chains.problem().kbest(w, 5, 1)
    at = 0
    for i, sentence in enumerate(chains.tokens):
        want = chains.enumeration(i, w).kbest_scores(5)
        np.testing.assert_allclose(scores[rows[i] : rows[i + 1]], want, atol=1e-5)
        seen = set()
        for score in want:
            y = tuple(labels[at : at + len(sentence)].tolist())
            assert chains.features(i, y) @ w == pytest.approx(score, abs=1e-5)
            seen.add(y)
            at += len(sentence)
        assert len(seen) == len(want)
    assert at == len(labels)


def test_observed_weights(chains: Chains) -> None:
    want = np.zeros(chains.n_weights, dtype=bool)
    for i in range(len(chains.tokens)):
        for y in chains.table(i)[0]:
            if chains.agrees(i, y):
                used = chains.features(i, y) != 0
                want |= used
    have = chains.problem().observed().astype(bool)
    # It does not look at the masks, which may rule some of them out.
    assert not (want & ~have).any()
    if chains.follow is None:
        np.testing.assert_array_equal(have, want)


def test_one_step_of_sgd_is_the_gradient_of_one_example(chains: Chains, w: np.ndarray) -> None:
    # sgd pulls back example by example, the batch gradient by blocks
    problem, eta = chains.problem(), 0.25
    total, summed = np.empty_like(w), np.zeros_like(w)
    loss = problem.gradient(w, total, False, 1)
    losses = 0.0
    for i in range(len(problem)):
        v = w.copy()
        part, scale, t = problem.sgd_epoch(v, 1.0, 0, np.array([i]), eta, 0.0, False)
        assert (scale, t) == (1.0, 1)
        losses += part
        summed += (v - w) / eta
    assert losses == pytest.approx(loss, abs=1e-5)
    np.testing.assert_allclose(summed, total, atol=2e-5)


@pytest.mark.parametrize("risk", [False, True])
def test_threads_change_nothing(chains: Chains, w: np.ndarray, risk: bool) -> None:
    problem = chains.problem()
    one, two = np.empty_like(w), np.empty_like(w)
    assert problem.gradient(w, one, risk, 1) == problem.gradient(w, two, risk, 2)
    np.testing.assert_array_equal(one, two)
    for method in ("decode", "probabilities"):
        for a, b in zip(getattr(problem, method)(w, 1), getattr(problem, method)(w, 2)):
            np.testing.assert_array_equal(a, b)


def test_gradient_by_finite_differences() -> None:
    chains = random_chains(5, order=2, pairs=True, valued=True, unknown=0.3, restricted=True)
    problem, w = chains.problem(), random_weights(chains, 2, 0.5)
    for risk in (False, True):
        have, ignored = np.empty_like(w), np.empty_like(w)
        problem.gradient(w, have, risk, 1)

        def value(x: np.ndarray, risk: bool = risk, ignored: np.ndarray = ignored) -> float:
            return problem.gradient(x.astype(np.float32), ignored, risk, 1)

        np.testing.assert_allclose(-have, slopes(value, w, step=1e-2), atol=2e-3)


def test_pads_stay_zero() -> None:
    chains = random_chains(3, order=2, pairs=True)
    problem, v = chains.problem(), np.zeros(chains.n_weights, dtype=np.float32)
    for _ in range(3):
        problem.sgd_epoch(v, 1.0, 0, np.arange(len(problem)), 0.5, 0.1, False)
    assert not v[np.arange(len(v)) % chains.stride >= chains.n_labels].any()
    assert v.any()


def test_extreme_scores_do_not_underflow() -> None:
    chains = random_chains(7, order=1, lengths=(4, 3))
    w = random_weights(chains, 3, 60.0)
    have = np.empty_like(w)
    loss = chains.problem().gradient(w, have, False, 1)
    want_loss, want = chains.likelihood(w)
    assert loss == pytest.approx(want_loss, rel=1e-4)
    np.testing.assert_allclose(have, want, atol=1e-3)


def test_labels_that_the_masks_forbid_are_named() -> None:
    chains = random_chains(1, order=1, masks=True, lengths=(3, 3))
    chains.labels[1] = [0, 1, 0]
    w, g = random_weights(chains, 1), np.empty(chains.n_weights, dtype=np.float32)
    with pytest.raises(ValueError, match="sentence 1: no sequence that agrees with its labels is allowed"):
        chains.problem().gradient(w, g, False, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": 4}, "order of 0 to 3"),
        ({"n_labels": 0}, "needs labels"),
        ({"n_attributes": 1}, "an attribute is out of range"),
        ({"labels": np.full(10, 7, dtype=np.int32)}, "a label is out of range"),
        ({"labels": np.zeros(9, dtype=np.int32)}, "offsets do not cut"),
        ({"weights": np.ones(2, dtype=np.float32)}, "one weight per sentence"),
        ({"start_mask": np.ones(3, dtype=np.float32)}, "start mask"),
    ],
)
def test_bad_arrays(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        random_chains(0).problem(**change)


def test_bad_weights_and_orders() -> None:
    problem = random_chains(0).problem()
    short = np.zeros(3, dtype=np.float32)
    with pytest.raises(ValueError, match="wrong length"):
        problem.total_loss(short, 1)
    w = np.zeros(problem.n_weights, dtype=np.float32)
    with pytest.raises(ValueError, match="names an example"):
        problem.sgd_epoch(w, 1.0, 0, np.array([99]), 0.1, 0.0, False)

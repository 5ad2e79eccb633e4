"""Chains as a learning problem: what only chains have. `test_problems.py` has the rest."""

import numpy as np
import pytest

from samples.problem_cases import CASES, ChainCase
from samples.random_problems import Chains, random_chains, random_weights

pytestmark = pytest.mark.native

CHAINS = [name for name in CASES if name.startswith("chain")]


@pytest.fixture(params=CHAINS, scope="module")
def chains(request: pytest.FixtureRequest) -> Chains:
    case = CASES[request.param]()
    assert isinstance(case, ChainCase)
    return case.chains


@pytest.fixture(scope="module")
def w(chains: Chains) -> np.ndarray:
    return random_weights(chains, 1)


def test_number_of_weights_and_examples(chains: Chains) -> None:
    problem = chains.problem()
    assert (problem.n_weights, len(problem)) == (chains.n_weights, len(chains.tokens))


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
    with pytest.raises(ValueError, match="sentence 2: no sequence that agrees with its labels is allowed"):
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

"""Labels made of parts: the best sequence and the probabilities, against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.enumeration import Enumeration
from oracles.factored_chains import random_factored

pytestmark = pytest.mark.native


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("restricted", [False, True])
def test_best_and_probabilities_agree_with_enumeration(seed: int, restricted: bool) -> None:
    chains = random_factored(seed, n_classes=1 + seed % 5, restricted=restricted)
    w = np.random.default_rng(seed).normal(0, 1.5, chains.n_weights).astype(np.float32)
    labels, scores = chains.problem.decode(w, 1)
    table, log_z = chains.problem.probabilities(w, 1)
    likely, at = table.reshape(-1, len(chains.parts)), 0
    for i, tokens in enumerate(chains.tokens):
        outputs = np.array(chains.outputs(i))
        every = Enumeration.of_scores(chains.features(i) @ w.astype(float))
        assert scores[i] == pytest.approx(every.best_score, abs=1e-4)
        assert labels[at : at + len(tokens)].tolist() == outputs[np.argmax(every.scores)].tolist()
        assert log_z[i] == pytest.approx(every.log_z, abs=1e-4)
        for t in range(len(tokens)):
            want = np.bincount(outputs[:, t], weights=every.probabilities, minlength=len(chains.parts))
            np.testing.assert_allclose(likely[at + t], want, atol=1e-5)
        at += len(tokens)


@pytest.mark.parametrize("size", [100.0, 300.0])
def test_transitions_of_any_size_have_sums(size: float) -> None:
    chains = random_factored(2)
    n = 3 * 4  # transitions between three classes, and from the beginning
    w = np.random.default_rng(2).normal(0, 1, chains.n_weights).astype(np.float32)
    w[-n:] = 300 + np.random.default_rng(3).normal(0, size, n).astype(np.float32)
    assert np.abs(w[-n:]).max() > 300
    table, log_z = chains.problem.probabilities(w, 1)
    likely, at = table.reshape(-1, len(chains.parts)), 0
    for i, tokens in enumerate(chains.tokens):
        outputs = np.array(chains.outputs(i))
        every = Enumeration.of_scores(chains.features(i) @ w.astype(float))
        assert log_z[i] == pytest.approx(every.log_z, abs=1e-3)
        for t in range(len(tokens)):
            want = np.bincount(outputs[:, t], weights=every.probabilities, minlength=len(chains.parts))
            np.testing.assert_allclose(likely[at + t], want, atol=1e-4)
        at += len(tokens)


def test_scores_that_differ_by_thousands_have_sums() -> None:
    chains = random_factored(1)
    w = np.zeros(chains.n_weights, dtype=np.float32)
    w[: chains.stride] = np.linspace(-4000, 4000, chains.stride)
    table, log_z = chains.problem.probabilities(w, 1)
    assert np.isfinite(log_z).all()
    np.testing.assert_allclose(table.reshape(-1, len(chains.parts)).sum(axis=1), 1, atol=1e-5)


def test_scores_that_are_not_numbers_are_refused() -> None:
    chains = random_factored(1)
    for bad in (np.nan, np.inf, 1e35):
        w = np.full(chains.n_weights, bad, dtype=np.float32)
        with pytest.raises(OverflowError, match="too large, or not numbers"):
            chains.problem.probabilities(w, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"classes": np.array([0, 1, 2, 0, 7], dtype=np.int32)}, "a class is out of range"),
        ({"label_parts": np.array([99] * 99, dtype=np.int32)}, "do not cut the parts"),
        ({"labels": np.full(9, 5, dtype=np.int32)}, "a label is out of range"),
        ({"unary": np.zeros(3, dtype=np.float32)}, "a row of scores per token"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, object], message: str) -> None:
    from palmette._native import FactoredProblem

    chains = random_factored(1)
    flat = [token for sentence in chains.tokens for token in sentence]
    arrays: dict[str, object] = {
        "offsets": np.cumsum([0, *map(len, chains.tokens)]).astype(np.int64),
        "rows": np.cumsum([0, *map(len, flat)]).astype(np.int64),
        "attributes": np.array([a for token in flat for a in token], dtype=np.int32),
        "unary": None,
        "labels": np.zeros(9, dtype=np.int32),
        "weights": None,
        "allowed_rows": None,
        "allowed": None,
        "label_rows": np.cumsum([0, *map(len, chains.parts)]).astype(np.int64),
        "label_parts": np.array([p for label in chains.parts for p in label], dtype=np.int32),
        "classes": np.array(chains.classes, dtype=np.int32),
    }
    with pytest.raises(ValueError, match=message):
        FactoredProblem(**{**arrays, **change}, n_attributes=4, n_parts=6, n_classes=3)  # type: ignore[arg-type]

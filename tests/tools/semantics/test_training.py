"""Learning with latent trees: the gradient, and what a word may not mean."""

from __future__ import annotations

import numpy as np
import pytest

from palmette._native import RankingProblem
from palmette.learning.loglinear import CRF

pytestmark = pytest.mark.native


def latent_loss(w: np.ndarray, features: np.ndarray, right: np.ndarray, l2: float) -> float:
    """Return l2 · ‖w‖² - log Σ over right candidates of p, summed over lists, as eq. 128 differentiates it."""
    scores = features @ w
    all_of_them = np.logaddexp.reduce(scores, axis=1)
    those = np.array([np.logaddexp.reduce(s[r]) for s, r in zip(scores, right)])
    return float((all_of_them - those).sum() + l2 * w @ w)


def test_the_fitted_weights_are_a_stationary_point_of_the_latent_likelihood() -> None:
    """Several candidates of a list are right: E[Φ | x, y] - E[Φ | x] is zero there, by finite differences."""
    rng = np.random.default_rng(3)
    n, k, d, l2 = 12, 5, 4, 0.3
    features = rng.normal(size=(n, k, d)).astype(np.float32)
    right = rng.random((n, k)) < 0.4
    right[:, 0] = True
    right[:, 1] = False
    problem = RankingProblem(
        np.arange(0, n * k + 1, k, dtype=np.int64),
        np.arange(0, n * k * d + 1, d, dtype=np.int64),
        np.tile(np.arange(d, dtype=np.int32), n * k),
        features.reshape(-1),
        np.where(right, 0.0, 1.0).astype(np.float32).reshape(-1),
        None,
        d,
    )
    learned = CRF(l2=l2, method="lbfgs", n_iter=200, tol=1e-9).learn(problem, start=np.zeros(d, np.float32))
    w = learned.weights.astype(float)
    wide = features.astype(float)
    step = 1e-4
    gradient = [
        (latent_loss(w + step * e, wide, right, l2) - latent_loss(w - step * e, wide, right, l2)) / (2 * step)
        for e in np.eye(d)
    ]
    np.testing.assert_allclose(gradient, 0, atol=0.02)
    assert latent_loss(w, wide, right, l2) < latent_loss(np.zeros(d), wide, right, l2)

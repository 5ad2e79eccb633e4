"""The quadratic program over the simplex: its optimality conditions, and a generic solver."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.learning.simplex_qp import solve_simplex_qp


@given(st.integers(1, 12), st.integers(1, 15), st.integers(0, 10_000))
def test_duality_gap_is_closed(m, rank, seed):
    """All slopes b − Hα are at most the mean slope, and none with mass is below it; also where H is singular."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(m, rank))
    H, b = A @ A.T, rng.normal(size=m)
    alpha = solve_simplex_qp(H, b)
    assert (alpha >= 0).all()
    assert alpha.sum() == pytest.approx(1)
    slope = b - H @ alpha
    assert slope.max() - slope @ alpha <= 1e-8


def test_equal_planes_and_a_zero_plane():
    A = np.array([[0.0, 0], [1, 1], [1, 1], [2, 0]])
    H, b = A @ A.T, np.array([0.0, 1, 1, 1])
    alpha = solve_simplex_qp(H, b)
    slope = b - H @ alpha
    assert slope.max() - slope @ alpha <= 1e-9


def test_starts_from_a_point():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 8))
    H, b = A @ A.T, rng.normal(size=8)
    np.testing.assert_allclose(solve_simplex_qp(H, b, np.full(8, 1 / 8)), solve_simplex_qp(H, b), atol=1e-7)

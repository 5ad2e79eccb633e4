"""L-BFGS against SciPy, OWL-QN against closed forms."""

import itertools
from collections import deque
from itertools import islice

import numpy as np
import pytest
from scipy.optimize import minimize

from palmette.learning.optimizers import Iterate, lbfgs


def last(f, x, **options) -> Iterate:  # type: ignore[no-untyped-def]
    return deque(islice(lbfgs(f, np.asarray(x, dtype=float), **options), 500), maxlen=1)[0]


def quadratic(seed: int, n: int):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    A, b = root @ root.T + 0.1 * np.eye(n), rng.normal(size=n)
    return A, b, lambda x: (0.5 * x @ A @ x - b @ x, A @ x - b)


def test_quadratic_has_its_closed_form() -> None:
    A, b, f = quadratic(0, 20)
    found = last(f, np.zeros(20), tol=1e-9)
    assert found.converged
    np.testing.assert_allclose(found.x, np.linalg.solve(A, b), rtol=1e-5, atol=1e-6)


def test_logistic_regression_as_scipy() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 30)), rng.choice([-1.0, 1.0], 200)

    def f(w: np.ndarray) -> tuple[float, np.ndarray]:
        margins = y * (X @ w)
        slope = -y / (1 + np.exp(margins))
        return float(np.logaddexp(0, -margins).sum() + 0.5 * w @ w), X.T @ slope + w

    want = minimize(f, np.zeros(30), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10})
    found = last(f, np.zeros(30), tol=1e-8)
    assert found.value == pytest.approx(want.fun, rel=1e-10)
    np.testing.assert_allclose(found.x, want.x, atol=1e-5)


def test_values_never_rise() -> None:
    def rosenbrock(x: np.ndarray) -> tuple[float, np.ndarray]:
        a, b = x
        slope = np.array([-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)])
        return float((1 - a) ** 2 + 100 * (b - a * a) ** 2), slope

    values = [point.value for _, point in zip(range(200), lbfgs(rosenbrock, np.array([-1.2, 1.0]), tol=1e-8))]
    assert all(after <= before for before, after in itertools.pairwise(values))
    assert values[-1] < 1e-12


@pytest.mark.parametrize("l1", [0.1, 0.7, 3.0])
def test_soft_threshold(l1: float) -> None:
    target = np.random.default_rng(2).normal(size=50)
    found = last(
        lambda x: (0.5 * float((x - target) @ (x - target)), x - target), np.zeros(50), l1=l1, tol=1e-9
    )
    want = np.sign(target) * np.maximum(np.abs(target) - l1, 0)
    np.testing.assert_allclose(found.x, want, atol=1e-7)
    np.testing.assert_array_equal(found.x == 0, want == 0)


def test_l1_optimum_has_no_slope_left() -> None:
    _, _, f = quadratic(3, 25)
    l1 = np.full(25, 0.5)
    l1[:5] = 0.0  # one strength per coordinate
    found = last(f, np.ones(25), l1=l1, tol=1e-8)
    slope = f(found.x)[1]
    moved = found.x != 0
    np.testing.assert_allclose(slope[moved], -l1[moved] * np.sign(found.x[moved]), atol=1e-5)
    assert (np.abs(slope[~moved]) <= l1[~moved] + 1e-6).all()
    assert (~moved).any()


def test_l1_as_a_split_problem_in_scipy() -> None:
    _, _, f = quadratic(4, 12)

    def split(z: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = f(z[:12] - z[12:])
        return value + 0.8 * z.sum(), np.concatenate([slope + 0.8, -slope + 0.8])

    bounds = [(0, None)] * 24
    want = minimize(split, np.zeros(24), jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15})
    assert last(f, np.zeros(12), l1=0.8, tol=1e-9).value == pytest.approx(want.fun, abs=1e-7)


def test_start_at_the_optimum_ends_at_once() -> None:
    points = list(lbfgs(lambda x: (float(x @ x), 2 * x), np.zeros(3)))
    assert [point.converged for point in points] == [True]


def test_a_function_without_a_lower_value_ends() -> None:
    # its gradient lies: no step along it helps
    points = list(lbfgs(lambda x: (float(x @ x), -2 * x), np.ones(2)))
    assert points[-1].converged
    np.testing.assert_array_equal(points[-1].x, np.ones(2))

"""Line searches on functions whose minima are known."""

import numpy as np
import pytest

from palmette.learning.line_search import LineSearch
from palmette.learning.optimizers import lbfgs

SEARCHES = [LineSearch(), LineSearch(strong=True), LineSearch(strong=True, cubic=True)]


def quartic(x):
    return float(np.sum((x - 3) ** 4 + x**2)), 4 * (x - 3) ** 3 + 2 * x


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("step", [1e-4, 1.0, 1e4])
def test_the_conditions_hold(search, step):
    x = np.array([-1.0, 5.0])
    value, gradient = quartic(x)
    direction = -gradient
    slope = float(direction @ gradient)
    found = search(quartic, lambda _: 0.0, x, value, direction, slope, step, None)
    assert found is not None
    point, new, there = found
    taken = float((point - x) @ direction / (direction @ direction))
    assert new <= value + 1e-4 * taken * slope
    assert there @ direction >= 0.9 * slope
    if search.strong:
        assert abs(there @ direction) <= 0.9 * abs(slope)


def test_too_few_trials_find_nothing():
    x = np.array([-1.0, 5.0])
    value, gradient = quartic(x)
    slope = -float(gradient @ gradient)
    assert LineSearch(most=1)(quartic, lambda _: 0.0, x, value, -gradient, slope, 1e4, None) is None


@pytest.mark.parametrize("search", SEARCHES, ids=str)
@pytest.mark.parametrize("diagonal", [None, np.array([1.0, 100.0, 10.0])])
def test_all_lead_to_the_minimum(search, diagonal):
    a, b = np.array([1.0, 100.0, 10.0]), np.array([1.0, -2.0, 3.0])

    def f(x):
        return float(a @ (x - b) ** 2 / 2), a * (x - b)

    *_, last = lbfgs(f, np.zeros(3), tol=1e-8, search=search, diagonal=diagonal)
    np.testing.assert_allclose(last.x, b, atol=1e-6)

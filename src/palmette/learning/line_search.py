"""How far to go along a direction: a step that lowers the value enough and leaves the slope flat enough.

With φ(t) = f(x + t d):  φ(t) ≤ φ(0) + 10⁻⁴ t φ′(0)  (Armijo)  and  φ′(t) ≥ 0.9 φ′(0)  (Wolfe), or |φ′(t)| ≤
0.9 |φ′(0)|  (strong Wolfe). A step that is too long or too short bounds an interval, which then shrinks. Where
φ(t) and φ(0) differ by no more than their rounding, Armijo's condition is asked of the slope, the same for
a parabola: φ′(t) ≤ (2·10⁻⁴ − 1) φ′(0)  (Hager and Zhang 2005).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Objective = Callable[[Vector], tuple[float, Vector]]
Found = tuple[Vector, float, Vector]
ROUNDING = 1e-7


def dot(a: Vector, b: Vector) -> float:
    """Σ aᵢ bᵢ in this thread: beside other work, BLAS's own threads make it a hundred times slower."""
    return float(np.einsum("i,i->", a, b))


@dataclass(frozen=True)
class LineSearch:
    """most: evaluations at most. strong: ask for the strong condition. cubic: shrink the interval to the minimum
    of the cubic through its ends, as Moré and Thuente do, not to its middle.
    """

    most: int = 30
    strong: bool = False
    cubic: bool = False

    def __call__(
        self,
        f: Objective,
        penalty: Callable[[Vector], float],
        x: Vector,
        value: float,
        direction: Vector,
        slope: float,
        step: float,
        orthant: Vector | None,
    ) -> Found | None:
        """The point, its value and gradient; None if there is no such step. In an orthant Armijo is enough."""
        low, high = (0.0, value, slope), (np.inf, np.inf, np.inf)
        for _ in range(self.most):
            point = step * direction
            point += x
            if orthant is not None:
                np.putmask(point, point * orthant < 0, 0.0)
            smooth, gradient = f(point)
            new = smooth + penalty(point)
            here = dot(gradient, direction) if orthant is None else slope
            # Near the optimum differences of values drown in the rounding of floats; slopes do not.
            near = orthant is None and new <= value + ROUNDING * abs(value) and here <= (2e-4 - 1) * slope
            if not near and (not np.isfinite(new) or new > value + 1e-4 * step * slope):
                high = (step, new, here)
            elif orthant is None and here < 0.9 * slope:
                low = (step, new, here)
            elif orthant is None and self.strong and here > -0.9 * slope:
                high = (step, new, here)
            else:
                return point, new, gradient
            step = self._next(low, high, orthant is None)
        return None

    def _next(self, low: tuple[float, ...], high: tuple[float, ...], smooth: bool) -> float:
        if high[0] == np.inf:
            return 2 * low[0]
        middle = (low[0] + high[0]) / 2
        return _cubic(*low, *high) if self.cubic and smooth and np.isfinite(high[1]) else middle


BISECTION = LineSearch()


def _cubic(a: float, fa: float, ga: float, b: float, fb: float, gb: float) -> float:
    """The minimum of the cubic with these values and slopes at a and b, not too near either."""
    middle, width = (a + b) / 2, b - a
    d = ga + gb - 3 * (fb - fa) / width
    square = d * d - ga * gb
    if not square >= 0:
        return middle
    root = float(np.sqrt(square))
    bottom = gb - ga + 2 * root
    found = b - width * (gb + root - d) / bottom if bottom else middle
    return float(np.clip(found, a + 0.1 * width, b - 0.1 * width))

"""A small quadratic program over the simplex: maximise b·α − ½ αᵀHα, α ≥ 0, Σα = 1.

By an active set, as Lawson and Hanson do for least squares: on the support of α the problem is linear; where its
solution leaves the simplex, go to the border and drop what became zero; when it stays inside, take in the
entry with the largest slope. Every round raises the objective, and supports do not come back. Cost O(m³) a round.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def solve_simplex_qp(hessian: Vector, b: Vector, start: Vector | None = None, tol: float = 1e-10) -> Vector:
    """The best α; `start` is a point of the simplex to begin from.

    tol: of the duality gap, relative to the largest |b|.
    """
    m = len(b)
    alpha = np.zeros(m) if start is None else start.astype(float, copy=True)
    if start is None:
        alpha[int(np.argmax(b - 0.5 * np.diag(hessian)))] = 1.0
    limit = tol * max(1.0, float(np.abs(b).max()))
    for _ in range(50 * m + 100):
        alpha = _best_on_support(hessian, b, alpha)
        slope = b - hessian @ alpha
        gap = float(slope.max() - slope @ alpha)
        best = int(np.argmax(slope))
        if gap <= limit or alpha[best] > 0:
            break
        alpha = _towards(hessian, b, alpha, best)
    return alpha


def _towards(hessian: Vector, b: Vector, alpha: Vector, j: int) -> Vector:
    """The best point on the line from α to the corner j: it puts j into the support."""
    direction = -alpha
    direction[j] += 1
    gain, curvature = direction @ (b - hessian @ alpha), direction @ hessian @ direction
    step = 1.0 if curvature <= gain else gain / curvature
    return alpha + step * direction


def _best_on_support(hessian: Vector, b: Vector, alpha: Vector) -> Vector:
    while True:
        support = np.flatnonzero(alpha > 0)
        n = len(support)
        if n == 1:
            return _corner(len(alpha), int(support[0]))
        # [H 1; 1 0] [α; μ] = [b; 1] on the support
        system = np.ones((n + 1, n + 1))
        system[:n, :n] = hessian[np.ix_(support, support)]
        system[n, n] = 0.0
        wanted = np.linalg.lstsq(system, np.append(b[support], 1.0), rcond=1e-14)[0][:n]
        now = alpha[support]
        out = wanted <= 0
        alpha = np.zeros_like(alpha)
        if not out.any():
            alpha[support] = wanted / wanted.sum()
            return alpha
        steps = now[out] / (now[out] - wanted[out])
        moved = now + steps.min() * (wanted - now)
        moved[np.flatnonzero(out)[int(np.argmin(steps))]] = 0.0
        moved[moved < 1e-15] = 0.0
        alpha[support] = moved / moved.sum()


def _corner(m: int, j: int) -> Vector:
    alpha = np.zeros(m)
    alpha[j] = 1.0
    return alpha

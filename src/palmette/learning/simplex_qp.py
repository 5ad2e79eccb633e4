"""A small quadratic program over the simplex: maximise b·α − ½ αᵀHα, α ≥ 0, Σα = 1.

By an active set, as Lawson and Hanson do for least squares: on the support of α a Newton step solves it; where
that leaves the simplex, go to the border and drop what became zero; when it stays inside, take in the entry with
the largest slope. Every round raises the objective, and supports do not come back. Cost O(m³) a round.
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
    """The best point with no more support than α: Newton steps, each cut off at the border of the simplex."""
    while True:
        support = np.flatnonzero(alpha > 0)
        H, now = hessian[np.ix_(support, support)], alpha[support]
        direction, flat = _ascent(H, b[support] - H @ now)
        falling = direction < 0
        steps = now[falling] / -direction[falling]
        step = steps.min(initial=np.inf if flat else 1.0)
        if not np.isfinite(step):
            return alpha
        moved = now + step * direction
        inside = not flat and step >= 1
        if not inside:
            moved[np.flatnonzero(falling)[int(np.argmin(steps))]] = 0.0
        moved[moved < 1e-15] = 0.0
        alpha = np.zeros_like(alpha)
        alpha[support] = moved / moved.sum()
        if inside:
            return alpha


def _ascent(H: Vector, slope: Vector) -> tuple[Vector, bool]:
    """The Newton direction among those that keep the sum; where H is flat but there is a slope, only that.

    The second value is true in the latter case: such a direction has no end but the border.
    """
    values, vectors = np.linalg.eigh(_centred(H))
    along = vectors.T @ (slope - slope.mean())
    curved = values > 1e-12 * max(values.max(), 1e-300)
    flat = np.where(curved, 0.0, along)
    if np.abs(flat).max() > 1e-9 * max(1.0, float(np.abs(slope).max())):
        direction = vectors @ flat
        return direction - direction.mean(), True
    direction = vectors[:, curved] @ (along[curved] / values[curved])
    return direction - direction.mean(), False


def _centred(H: Vector) -> Vector:
    """P H P, P the projection onto vectors of sum zero."""
    rows: Vector = H - H.mean(axis=0)
    centred: Vector = rows - rows.mean(axis=1, keepdims=True)
    return centred

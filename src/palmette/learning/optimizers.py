"""L-BFGS, and OWL-QN for L1 terms: minimise f(x) + l1 · ‖x‖₁ with f smooth and convex.

The two-loop recursion (Nocedal 1980) turns the last `memory` steps and changes of gradient into a direction. With
an L1 term the direction is taken in the orthant of the pseudo-gradient, and steps that would leave it stop at
zero (Andrew and Gao 2007). An iteration costs one or two evaluations of f and 4 · memory passes over x.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.learning.line_search import BISECTION, LineSearch, Objective, Vector, dot

Pairs = tuple[tuple[Vector, Vector, float], ...]
State = tuple[Pairs, float, Vector]


@dataclass(frozen=True)
class Iterate:
    """A point, its value with the L1 term, the norm of the (pseudo-)gradient; converged: nothing left to gain.

    state: from which `lbfgs` goes on after this point.
    """

    x: Vector
    value: float
    gradient_norm: float
    converged: bool
    state: State | None = None


def lbfgs(
    f: Objective,
    x: Vector,
    *,
    l1: float | NDArray[np.float64] = 0.0,
    diagonal: Vector | None = None,
    memory: int = 6,
    tol: float = 1e-5,
    search: LineSearch = BISECTION,
    state: State | None = None,
) -> Iterator[Iterate]:
    """Points of falling value, until ‖gradient‖ ≤ tol · max(1, ‖x‖) or no step helps.

    state: that of the iterate whose point is x; the next point is the first then.

    l1 may be one number or one per coordinate. diagonal: about the second derivatives at x, or a power of them;
    where coordinates differ much, as frequent and rare features do, this saves half of the iterations.
    """
    sparse = bool(np.any(np.asarray(l1) > 0))

    def penalty(point: Vector) -> float:
        return _penalty(l1, point) if sparse else 0.0

    pairs: deque[tuple[Vector, Vector, float]] = deque(() if state is None else state[0], maxlen=memory)
    if state is None:
        smooth, gradient = f(x)
        value = smooth + penalty(x)
    else:
        _, value, gradient = state
    told = state is not None
    while True:
        steepest = _pseudo_gradient(x, gradient, l1) if sparse else gradient
        norm = math.sqrt(dot(steepest, steepest))
        converged = norm <= tol * max(1.0, math.sqrt(dot(x, x)))
        if not told:
            yield Iterate(x, value, norm, converged, (tuple(pairs), value, gradient))
        told = False
        if converged:
            return
        direction = _two_loops(pairs, -steepest, diagonal)
        if sparse:
            np.putmask(direction, direction * steepest >= 0, 0.0)
        slope = dot(direction, steepest)
        if slope >= 0:
            pairs.clear()
            direction = _two_loops(pairs, -steepest, diagonal)
            slope = dot(direction, steepest)
        orthant = np.where(x != 0, np.sign(x), -np.sign(steepest)) if sparse else None
        step = 1.0 if pairs else min(1.0, 1.0 / math.sqrt(dot(direction, direction)))
        found = search(f, penalty, x, value, direction, slope, step, orthant)
        if found is None:
            if not pairs:
                yield Iterate(x, value, norm, True)
                return
            pairs.clear()
            continue
        new_x, new_value, new_gradient = found
        s, y = new_x - x, new_gradient - gradient
        curvature = dot(s, y)
        if curvature > 1e-10 * dot(y, y):
            pairs.append((s, y, curvature))
        x, value, gradient = new_x, new_value, new_gradient


def _two_loops(pairs: deque[tuple[Vector, Vector, float]], q: Vector, diagonal: Vector | None) -> Vector:
    alphas, room = [], np.empty_like(q)
    for s, y, curvature in reversed(pairs):
        alpha = dot(s, q) / curvature
        alphas.append(alpha)
        q -= np.multiply(y, alpha, out=room)
    if diagonal is not None:
        q /= diagonal
    if pairs:
        _, y, curvature = pairs[-1]
        q *= curvature / dot(y, y if diagonal is None else y / diagonal)
    for (s, y, curvature), alpha in zip(pairs, reversed(alphas)):
        q += np.multiply(s, alpha - dot(y, q) / curvature, out=room)
    return q


def _penalty(l1: float | NDArray[np.float64], x: Vector) -> float:
    return float(np.sum(l1 * np.abs(x))) if isinstance(l1, np.ndarray) else l1 * float(np.abs(x).sum())


def _pseudo_gradient(x: Vector, gradient: Vector, l1: float | NDArray[np.float64]) -> Vector:
    """The subgradient of smallest norm."""
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
    return np.where(x != 0, gradient + l1 * np.sign(x), at_zero)

"""Whether a matrix can be a Gram matrix: symmetric, finite, and without eigenvalues below zero. O(n³)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def check_positive(gram: ArrayLike, tolerance: float = 1e-8) -> float:
    """The smallest eigenvalue; ValueError where it is below −tolerance times the largest.

    A function that is not an inner product may do well in practice, but then an SVM's optimum need not exist, and
    primal and dual need not agree.

    >>> check_positive([[2.0, 1.0], [1.0, 2.0]])
    1.0
    """
    matrix = np.asarray(gram, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"A Gram matrix is square; got the shape {matrix.shape}.")
    if not matrix.size:
        return 0.0
    if not np.isfinite(matrix).all():
        raise ValueError("The Gram matrix has values that are not finite.")
    scale = float(np.abs(matrix).max())
    gap = np.abs(matrix - matrix.T)
    if gap.max() > tolerance * scale:
        i, j = np.unravel_index(gap.argmax(), gap.shape)
        raise ValueError(
            f"The Gram matrix is not symmetric: K({i}, {j}) is {matrix[i, j]:.6g} and K({j}, {i}) is "
            f"{matrix[j, i]:.6g}; a kernel must not depend on the order of its arguments."
        )
    values = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    least, most = float(values[0]), float(np.abs(values).max())
    if least < -tolerance * most:
        raise ValueError(
            f"The Gram matrix is not positive semi-definite: its smallest eigenvalue is {least:.4g} beside "
            f"{most:.4g}, so the function is not an inner product of any features."
        )
    return least

"""P(y | the labels before it), from counts.

Interpolation (Brants 2000): P(y | y″ y′) = λ₁ P(y) + λ₂ c(y′ y)/c(y′) + λ₃ c(y″ y′ y)/c(y″ y′). Each n-gram of the
corpus votes, with its count, for the order that predicts it best when it is itself left out of the counts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ngram_counts(
    labels: NDArray[np.int32], offsets: NDArray[np.int64], weights: Floats, n_labels: int, h: int
) -> Floats:
    """counts[context, y] of h labels and then y, within sentences; contexts with the oldest label slowest."""
    n = len(labels)
    place = np.arange(n) - np.repeat(offsets[:-1], np.diff(offsets))
    at = np.flatnonzero(place >= h)
    code = np.zeros(len(at), dtype=np.int64)
    for back in range(h, -1, -1):
        code = code * n_labels + labels[at - back]
    flat: Floats = np.bincount(code, weights[at], minlength=n_labels ** (h + 1)).astype(np.float64)
    return flat.reshape(-1, n_labels)


def ngram_probabilities(
    labels: NDArray[np.int32],
    offsets: NDArray[np.int64],
    weights: Floats,
    n_labels: int,
    order: int,
    alpha: float,
    smoothing: str,
) -> list[Floats]:
    """For h = 1 … order the table P(y | last h labels), [L^h, L]. Rows sum to one; no entry is zero."""
    counts = [ngram_counts(labels, offsets, weights, n_labels, h) for h in range(order + 1)]
    unigrams = _normalised(counts[0] + alpha)
    if smoothing == "add":
        return [_normalised(table + alpha) for table in counts[1:]]
    tables = []
    for h in range(1, order + 1):
        mixture = deleted_interpolation(counts[: h + 1])
        total = np.zeros((n_labels**h, n_labels))
        lower = unigrams
        for k, share in enumerate(mixture):
            if k:
                lower = _or_shorter(counts[k], lower)
            total += share * np.tile(lower, (n_labels ** (h - k), 1))
        tables.append(total)
    return tables


def deleted_interpolation(counts: list[Floats]) -> Floats:
    """The shares λ of n-grams of 0, 1, … labels before y: positive, with the sum one."""
    longest = counts[-1]
    n_labels = longest.shape[1]
    contexts, y = np.nonzero(longest)
    values = longest[contexts, y]
    estimates = np.zeros((len(counts), len(values)))
    for h, table in enumerate(counts):
        rows = contexts % len(table) if h else np.zeros_like(contexts)
        totals = table.sum(axis=1)[rows] - 1
        np.divide(table[rows, y] - 1, totals, out=estimates[h], where=totals > 0)
    # Ties go to the shorter one.
    votes = np.bincount(estimates.argmax(axis=0), values, minlength=len(counts)) + 1.0 / n_labels
    shares: Floats = votes / votes.sum()
    return shares


def _or_shorter(counts: Floats, shorter: Floats) -> Floats:
    """Relative frequencies; the shorter table's where a context was never seen."""
    totals = counts.sum(axis=1, keepdims=True)
    filled = np.tile(shorter, (len(counts) // len(shorter), 1))
    np.divide(counts, totals, out=filled, where=totals > 0)
    return filled


def _normalised(counts: Floats) -> Floats:
    shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares

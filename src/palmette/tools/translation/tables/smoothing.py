"""Probabilities of one phrase given another, φ(a | b), from the counts of pairs (Foster, Kuhn and Johnson 2006).

none          c(a, b) / c(b)
kneser-ney    (c(a, b) − D) / c(b) + α(b) n(a) / n

    n(a) is the number of phrases that a occurs with, and n the number of pairs. D is D₁, D₂ or D₃ for a count of
    one, two or more: Dₖ = k − (k + 1) Y nₖ₊₁ / nₖ with Y = n₁ / (n₁ + 2 n₂) and nₖ the number of pairs that
    occur k times. α(b) is what the discounts leave, so that the sum over all phrases a is 1.

good-turing   c*(a, b) / c(b), with c* = (c + 1) E(n_{c+1}) / E(n_c)

    E is n while it is reliable, and a line through log n after that (Gale and Sampson 1995). What is left of 1
    is the probability of pairs that were never seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SMOOTHINGS = ("none", "kneser-ney", "good-turing")

Floats = NDArray[np.float64]
Ints = NDArray[np.integer]


def conditional(
    count: Ints, of: Ints, given: Ints, smoothing: str = "none", shares: Floats | None = None
) -> Floats:
    """Return φ(of | given) of every pair. count: of the pairs; of, given: numbers of their phrases.

    shares: what the occurrences of a pair count together, if not one each. A discount then takes the same part of
    it as of the count.
    """
    c = count.astype(np.float64) if shares is None else shares
    total = np.bincount(given, weights=c)[given] if len(c) else c
    if smoothing == "kneser-ney":
        discount = kneser_ney_discounts(count)[np.minimum(count, 3)]
        if shares is not None:
            discount = discount * shares / count
        left = np.bincount(given, weights=discount)[given] if len(c) else c
        companions = np.bincount(of)[of] if len(c) else c
        return (c - discount) / total + left / total * companions / max(len(c), 1)
    if smoothing == "good-turing":
        adjusted = good_turing_counts(count)
        c = adjusted if shares is None else shares * adjusted / count
    return c / total


def kneser_ney_discounts(count: Ints) -> Floats:
    """Return the discounts of counts 0 to 3 (0 and those from 3 on), each between 0 and its count."""
    n = np.bincount(count, minlength=5)[:5].astype(np.float64)
    discounts = np.zeros(4)
    if not n[1]:
        return discounts
    y = n[1] / (n[1] + 2 * n[2])
    for k in (1, 2, 3):
        # Where no pair occurs k times the estimate for k = 1 is as good as any.
        found = k - (k + 1) * y * n[k + 1] / n[k] if n[k] else y
        discounts[k] = min(max(found, 0.0), k)
    return discounts


def good_turing_counts(count: Ints) -> Floats:
    """Return the adjusted count of every pair; the counts themselves where there is too little to adjust them by.

    >>> good_turing_counts(np.array([1] * 60 + [2] * 20 + [3] * 9 + [4] * 5))[[0, -1]].round(2).tolist()
    [0.58, 3.36]
    """
    r, n = np.unique(count, return_counts=True)
    if len(r) < 2:
        return count.astype(np.float64)
    # Averaged over the gap to the next count on either side, so that rare high counts are not all n = 1.
    before = np.concatenate([[0], r[:-1]])
    after = np.concatenate([r[1:], [2 * r[-1] - before[-1]]])
    slope, _ = np.polyfit(np.log(r), np.log(2 * n / (after - before)), 1)
    line = r * (1 + 1 / r) ** (slope + 1)
    following = np.zeros(len(n))
    following[:-1] = np.where(r[1:] == r[:-1] + 1, n[1:], 0)
    turing = (r + 1) * following / n
    deviation = np.sqrt((r + 1.0) ** 2 * following / n**2 * (1 + following / n))
    reliable = np.logical_and.accumulate((following > 0) & (np.abs(turing - line) > 1.65 * deviation))
    adjusted = np.where(reliable, turing, line)
    # A discount never makes a count larger, nor a more frequent pair rarer than a rare one.
    adjusted = np.maximum.accumulate(np.minimum(adjusted, r))
    found: Floats = adjusted[np.searchsorted(r, count)]
    return found

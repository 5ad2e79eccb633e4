"""How sure a score is: the percentile bootstrap over sentences.

Accuracy is Σ correct / Σ tokens and F1 is Σ 2·correct / Σ (gold + guess): both are ratios of sums over sentences.
So a resample draws n of the n sentences with replacement and adds up two columns; the interval is between two
quantiles of the ratios. O(resamples · sentences), the same for the same `random_state`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.drawing.tables import ReportPicture

_DRAWS_AT_ONCE = 1 << 20  # a few megabytes


@dataclass(frozen=True, slots=True)
class Interval:
    """A score and the interval that holds it with probability `level`."""

    value: float
    low: float
    high: float
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Fractions of one."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{100 * self.value:.2f} ({100 * self.low:.2f} to {100 * self.high:.2f})"


@dataclass(frozen=True, slots=True)
class Comparison(ReportPicture):
    """Two systems on the same sentences: their scores, the difference first − second, and how likely by chance."""

    first: float
    second: float
    difference: Interval
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """Fractions of one."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference.to_dict(),
            "p_value": self.p_value,
        }

    def __str__(self) -> str:
        return f"{100 * self.first:.2f} against {100 * self.second:.2f}, p = {self.p_value:.4f}"


def interval(
    ratios: ArrayLike, level: float = 0.95, n_resamples: int = 1000, random_state: int = 0
) -> Interval:
    """The percentile interval of Σ ratios[:, 0] / Σ ratios[:, 1] over sentences.

    >>> interval([[1, 1], [1, 1]])
    Interval(value=1.0, low=1.0, high=1.0, level=0.95)
    """
    sums = _checked(ratios)
    _check_options(level, n_resamples)
    resampled = np.concatenate([_ratio(part) for part in _resamples(sums, n_resamples, random_state)])
    return _interval(float(_ratio(sums.sum(axis=0))), resampled, level)


def compare(
    first: ArrayLike,
    second: ArrayLike,
    level: float = 0.95,
    n_resamples: int = 1000,
    random_state: int = 0,
) -> Comparison:
    """The paired bootstrap: both systems are scored on the same resampled sentences.

    The p-value is two-sided: how often a resampled difference, moved to have mean zero by taking the observed one
    away, is at least as large as the observed one; the observed one is counted too, so it is never zero.
    """
    a, b = _checked(first), _checked(second)
    if len(a) != len(b):
        raise ValueError(f"Both systems must have the same sentences. Got {len(a)} and {len(b)}.")
    _check_options(level, n_resamples)
    both = np.concatenate([a, b], axis=1)
    parts = _resamples(both, n_resamples, random_state)
    differences = np.concatenate([_ratio(part[..., :2]) - _ratio(part[..., 2:]) for part in parts])
    scores = float(_ratio(a.sum(axis=0))), float(_ratio(b.sum(axis=0)))
    observed = scores[0] - scores[1]
    # rounding must not make a tie with the observed difference a loss
    extreme = int((np.abs(differences - observed) >= abs(observed) - 1e-12).sum())
    p_value = (extreme + 1) / (n_resamples + 1)
    return Comparison(*scores, _interval(observed, differences, level), p_value)


def _resamples(
    sums: NDArray[np.float64], n_resamples: int, random_state: int
) -> Iterator[NDArray[np.float64]]:
    """The sums of each resample, in parts: arrays [some resamples, columns]."""
    rng = np.random.default_rng(random_state)
    n = len(sums)
    columns = np.ascontiguousarray(sums.T)
    at_once = max(1, _DRAWS_AT_ONCE // max(n, 1))
    for done in range(0, n_resamples, at_once):
        drawn = rng.integers(n, size=(min(at_once, n_resamples - done), n), dtype=np.int32)
        yield np.stack([column.take(drawn).sum(axis=1) for column in columns], axis=1)


def _ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    part, whole = sums[..., 0], sums[..., 1]
    return np.asarray(np.divide(part, whole, out=np.zeros_like(part), where=whole > 0))


def _interval(value: float, resampled: NDArray[np.float64], level: float) -> Interval:
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(value, low, high, level)


def _checked(ratios: ArrayLike) -> NDArray[np.float64]:
    sums = np.asarray(ratios, dtype=np.float64)
    if sums.ndim != 2 or sums.shape[1] != 2 or not len(sums):
        raise ValueError(
            f"The bootstrap needs two numbers for each of one or more sentences. Got {sums.shape}."
        )
    if not np.isfinite(sums).all() or (sums < 0).any():
        raise ValueError("The counts of sentences must be finite and not negative.")
    return sums


def _check_options(level: float, n_resamples: int) -> None:
    if not 0 < level < 1:
        raise ValueError(f"The level must lie between 0 and 1, like 0.95. Got {level}.")
    if n_resamples < 1:
        raise ValueError(f"The number of resamples must be at least 1. Got {n_resamples}.")

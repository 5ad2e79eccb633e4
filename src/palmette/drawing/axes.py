"""Axes of plots: from where to where, on which scale, and the marks between."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_MOST_MARKS = 9


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, in logarithms or not; `marks` are the values to print beside it."""

    low: float
    high: float
    marks: tuple[float, ...]
    logarithmic: bool

    @classmethod
    def of(cls, values: Iterable[float], *, logarithmic: bool, within: tuple[float, float] | None) -> Axis:
        """Return an axis for values, between round numbers; within: from where to where, if that is fixed.

        ValueError for values that are not finite, or not above 0 on a logarithmic axis.
        """
        every = list(values)
        if not every:
            raise ValueError("There are no points to draw.")
        if logarithmic and not all(math.isfinite(value) and value > 0 for value in every):
            raise ValueError("Points on logarithmic axes must be finite and above 0.")
        if not all(map(math.isfinite, every)):
            raise ValueError("Points must be finite.")
        low, high = (min(every), max(every)) if within is None else within
        whole = all(float(value).is_integer() for value in every)
        made = _powers(low, high) if logarithmic else _steps(low, high, whole)
        marks = made if within is None else tuple(mark for mark in made if low <= mark <= high)
        ends = (low, high) if within is not None else (made[0], made[-1])
        return cls(*ends, marks, logarithmic)

    def place(self, value: float) -> float:
        """Return where a value is, from 0 to 1."""
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def _powers(low: float, high: float) -> tuple[float, ...]:
    """Return marks from below to above: 1, 2 and 5 times powers of ten; over a wide range powers alone."""
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    for digits in ((1, 2, 5), (1,)):
        steps = [digit * 10.0**power for power in range(first, last + 1) for digit in digits]
        begin = max(step for step in steps if step <= low * (1 + 1e-9))
        end = min(step for step in steps if step >= high * (1 - 1e-9) and step > begin)
        marks = tuple(step for step in steps if begin <= step <= end)
        if len(marks) <= _MOST_MARKS:
            break
    return marks


def _steps(low: float, high: float, whole: bool) -> tuple[float, ...]:
    """Return marks at equal distances, which are 1, 2, 2.5 or 5 times a power of ten; whole: at whole numbers."""
    if low == high:
        low, high = (0.0, 2 * high) if high > 0 else (2 * low, 0.0) if low < 0 else (0.0, 1.0)
    power = 10.0 ** math.floor(math.log10((high - low) / 6))
    steps = (power * digit for digit in (1, 2, 2.5, 5, 10) if (high - low) / (power * digit) <= 6)
    step = next(step for step in (*steps, 1.0) if not whole or step.is_integer())
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(round(i * step, 12) for i in range(first, last + 1))


def shown(mark: float) -> str:
    """Return a mark as people read it.

    >>> shown(0.25), shown(2000), shown(20000), shown(5e6)
    ('0.25', '2000', '20k', '5M')
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(mark) >= size:
            return f"{mark / (1e3 if unit == 'k' else size):g}{unit}"
    return f"{mark:g}"

"""Training that runs away: numbers that are too large to go on with, and the option that is likely to blame.

Training asks `check_options` before its first pass: searches add options such as a margin to scores, and cannot
compare outputs by sums that are infinite, so the weights would stay small but useless. Every loop asks
`check_moderate` after its passes, so that no model has weights that are not finite, and an older model file stays
as it is.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST = 1e20  # of weights, as in model files: sums of them stay within a float, and within what searches take
_MOST_OPTION = 1e30  # of options: a hundred million of them, a margin for each word, add up within a float
_NEUTRAL = ("n_iter", "patience", "random_state", "n_jobs", "cache_mb")
_FAR = 3.0  # powers of ten between a value and its default


class DivergenceError(ValueError):
    """Training that was stopped because its numbers are too large, or no numbers."""


def check_options(learner: object) -> None:
    """Raise DivergenceError if an option is too large to compute with in single precision."""
    if any(abs(value) > _MOST_OPTION for _, value, _ in _numbers(learner)):
        raise diverged(learner)


def check_moderate(learner: object, *values: float | NDArray[Any]) -> None:
    """Raise DivergenceError, which names the likely option, unless all values are of a size to work with.

    Single numbers, such as a loss, must be finite; weights in arrays must be smaller than `MOST` too.
    """
    if not all(_is_moderate(value) for value in values):
        raise diverged(learner)


def is_moderate(weights: NDArray[Any]) -> bool:
    """Tell whether all weights are numbers smaller than `MOST`, either way."""
    return bool(weights.size == 0 or (weights.max() < MOST and weights.min() > -MOST))


def diverged(learner: object) -> DivergenceError:
    """Return the exception: what happened, and which option is the furthest from its default."""
    found = _likely(learner)
    if found is None:
        advice = "The likely reason is that values of features are too large: scale them down."
    else:
        name, value, default = found
        usual = f"its default is {default}" if default is not None else "leave it out"
        advice = f"The likely reason is the option {name}={value:g}: {usual}."
    what = type(learner).__name__
    return DivergenceError(f"{what} stopped: the weights became too large to compute with. {advice}")


def stopped(done: int, rate: float, what: str = "the loss is not a number") -> str:
    """Return the sentence about a network that cannot go on after `done` good passes, whose weights are kept.

    DivergenceError if there is none.
    """
    what += f" in pass {done + 1}, with learning_rate={rate:g}"
    if not done:
        raise DivergenceError(f"Training stopped: {what}. Take a smaller one, such as {rate / 10:g}.")
    return (
        f"{what}: training stops with the weights of pass {done}; take a smaller one, such as {rate / 10:g}"
    )


def _is_moderate(value: float | NDArray[Any]) -> bool:
    return is_moderate(value) if isinstance(value, np.ndarray) else math.isfinite(value)


def _likely(learner: object) -> tuple[str, float, Any] | None:
    """The option whose value is many powers of ten away from its default."""
    best, found = _FAR, None
    for name, value, default in _numbers(learner):
        far = abs(math.log10(abs(value)) - math.log10(abs(default or 1.0))) if value else 0.0
        if far > best:
            best, found = far, (name, float(value), default)
    return found


def _numbers(learner: object) -> Iterator[tuple[str, float, float | None]]:
    """Name, value and default of the options that are numbers and that training computes with."""
    for field in dataclasses.fields(learner) if dataclasses.is_dataclass(learner) else ():
        value = getattr(learner, field.name)
        if field.name in _NEUTRAL or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        yield field.name, value, field.default if isinstance(field.default, int | float) else None

"""Weights of features by name, as a user gives them: a mapping or a file of `formats/moses/weights.py`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.formats.given import is_path
from palmette.formats.moses.weights import read_weights
from palmette.parameters import refuse_unknown

Floats = NDArray[np.float64]


def named_weights(given: Any) -> dict[str, float] | None:
    """Return weights by name: a mapping, the path of a file, or None; ValueError for one that is not finite."""
    if given is None:
        return None
    if is_path(given):
        return read_weights(given)
    if not isinstance(given, Mapping):
        raise TypeError(
            f"Weights must be a mapping from names to numbers, or a file. Got {type(given).__name__}."
        )
    for name, value in given.items():
        if not isinstance(value, int | float | np.number) or not math.isfinite(value):
            raise ValueError(f"The weight of {str(name)[:40]!r} must be a finite number. Got {value!r:.40}.")
    return {str(name): float(value) for name, value in given.items()}


def filled(given: Mapping[str, float] | None, names: Sequence[str], start: Floats) -> Floats:
    """Return a weight for each name: that given, or that of the start; ValueError for a name that is not known."""
    if given is None:
        return start
    refuse_unknown(given, names, "This model", "feature")
    return np.array([given.get(name, old) for name, old in zip(names, start.tolist())])

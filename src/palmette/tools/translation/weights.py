"""Weights of features by name: files with a name and a number on each line, and what is given in Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text, write_atomically
from palmette.formats.given import is_path
from palmette.parameters import refuse_unknown

Floats = NDArray[np.float64]


def read_weights(path: Source) -> dict[str, float]:
    """Return the weights of a file: a name and a number on each line, `lm 0.5` or `lm= 0.5`.

    FormatError, with the line, for what is not one. Empty lines and lines that begin with # are skipped.
    """
    name = display_name(path)
    found: dict[str, float] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        parts = line.replace("=", " ").split()
        if not parts or parts[0].startswith("#"):
            continue
        try:
            key, text = parts
            value = float(text)
        except ValueError:
            raise FormatError(
                f"expected the name of a feature and its weight, as in lm 0.5; got {line.strip()[:40]!r}",
                path=name,
                line=number,
            ) from None
        if not math.isfinite(value):
            raise FormatError(
                f"the weight of {key[:40]!r} is {text[:20]}; weights are finite", path=name, line=number
            )
        if key in found:
            raise FormatError(f"the weight of {key[:40]!r} comes twice", path=name, line=number)
        found[key] = value
    return found


def write_weights(path: Source, names: Iterable[str], weights: Floats) -> None:
    """Write weights to a file that `read_weights` reads."""
    with write_atomically(path) as file:
        file.write("".join(f"{name} {w:.17g}\n" for name, w in zip(names, weights.tolist())).encode())


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

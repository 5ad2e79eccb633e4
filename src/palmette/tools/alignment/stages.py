"""The models of word alignment by name: how to train one direction, and how to read it from a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy.typing as npt

from palmette.tools.alignment.direction import Direction, Stage
from palmette.tools.alignment.fertility import FertilityDirection, train_model4, train_sampled
from palmette.tools.alignment.hmm import HmmDirection, train_hmm
from palmette.tools.alignment.independent import IndependentDirection
from palmette.tools.alignment.model1 import train_independent

STAGES: dict[str, Stage] = {
    "model1": partial(train_independent, "model1"),
    "model2": partial(train_independent, "model2"),
    "diagonal": partial(train_independent, "diagonal"),
    "hmm": train_hmm,
    "fertility": partial(train_sampled, "fertility"),
    "model3": partial(train_sampled, "model3"),
    "model4": train_model4,
}

READERS: dict[str, Callable[[str, Mapping[str, npt.NDArray[Any]]], Direction]] = {
    "model1": IndependentDirection.from_arrays,
    "model2": IndependentDirection.from_arrays,
    "diagonal": IndependentDirection.from_arrays,
    "hmm": HmmDirection.from_arrays,
    "fertility": FertilityDirection.from_arrays,
    "model3": FertilityDirection.from_arrays,
    "model4": FertilityDirection.from_arrays,
}


def from_arrays(kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Direction:
    """The direction whose `arrays` these are."""
    if kind not in READERS:
        raise ValueError(f"There is no alignment model {kind!r}: there are {', '.join(READERS)}.")
    return READERS[kind](kind, arrays)

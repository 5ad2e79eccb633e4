"""The models of word alignment by name: how to train one direction, and how to read it from a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy.typing as npt

from palmette.tools.alignment.direction import Direction, Stage
from palmette.tools.alignment.fertility import FertilityDirection, train_fertility, train_model3, train_model4
from palmette.tools.alignment.hmm import HmmDirection, train_hmm
from palmette.tools.alignment.independent import IndependentDirection
from palmette.tools.alignment.model1 import train_diagonal, train_model1, train_model2

STAGES: dict[str, Stage] = {
    "model1": train_model1,
    "model2": train_model2,
    "diagonal": train_diagonal,
    "hmm": train_hmm,
    "fertility": train_fertility,
    "model3": train_model3,
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

"""The models of word alignment by name: a table of methods, each trained in stages from the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from palmette.tools.alignment.direction import Direction
from palmette.tools.methods import Method, Methods

_HERE = "palmette.tools.alignment"


def _independent(name: str, options: str, summary: str) -> Method:
    return Method(
        summary=summary,
        train=f"{_HERE}.model1:train_{name}",
        model=f"{_HERE}.independent:IndependentDirection",
        options=f"{_HERE}.model1:{options}",
        learners=f"{_HERE}.model1:{name.upper()}_LEARNERS",
    )


def _sampled(name: str, options: str, summary: str) -> Method:
    return Method(
        summary=summary,
        train=f"{_HERE}.fertility:train_{name}",
        model=f"{_HERE}.fertility:FertilityDirection",
        options=f"{_HERE}.sampling:{options}",
    )


# What trains is a `Stage`, and models are `Direction`s.
METHODS = Methods(
    {
        "model1": _independent("model1", "Model1Options", "words alone"),
        "model2": _independent("model2", "Model2Options", "words, and a place for every pair of lengths"),
        "diagonal": _independent("diagonal", "DiagonalOptions", "words, and places near the diagonal"),
        "hmm": Method(
            summary="words, and jumps from one place to the next",
            train=f"{_HERE}.hmm:train_hmm",
            model=f"{_HERE}.hmm:HmmDirection",
            options=f"{_HERE}.hmm:HmmOptions",
            learners=f"{_HERE}.hmm:LEARNERS",
        ),
        "fertility": _sampled("fertility", "Sampling", "the HMM with fertilities, by Gibbs sampling"),
        "model3": _sampled(
            "model3", "Model3Sampling", "fertilities and places near the diagonal, by sampling"
        ),
        "model4": _sampled("model4", "Model4Sampling", "fertilities and word classes, by sampling"),
    }
)


def from_arrays(kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Direction:
    """The direction whose `arrays` these are."""
    if kind not in METHODS:
        raise ValueError(f"There is no alignment model {kind!r}: there are {', '.join(METHODS)}.")
    found: Direction = METHODS[kind].model_class.from_arrays(kind, arrays)
    return found

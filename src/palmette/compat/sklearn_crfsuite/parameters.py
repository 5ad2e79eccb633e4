"""Which parameters each training algorithm of CRFsuite has, and what they are if they are not given."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from palmette.parameters import require_choice, require_int, require_number

FEATURES: dict[str, Any] = {"min_freq": 0.0, "all_possible_states": False, "all_possible_transitions": False}
ALGORITHMS: dict[str, dict[str, Any]] = {
    "lbfgs": {
        "c1": 0.0,
        "c2": 1.0,
        "max_iterations": sys.maxsize,
        "num_memories": 6,
        "epsilon": 1e-5,
        "period": 10,
        "delta": 1e-5,
        "linesearch": "MoreThuente",
        "max_linesearch": 20,
    },
    "l2sgd": {
        "c2": 1.0,
        "max_iterations": 1000,
        "period": 10,
        "delta": 1e-6,
        "calibration_eta": 0.1,
        "calibration_rate": 2.0,
        "calibration_samples": 1000,
        "calibration_candidates": 10,
        "calibration_max_trials": 20,
    },
    "ap": {"max_iterations": 100, "epsilon": 0.0},
    "pa": {
        "pa_type": 1,
        "c": 1.0,
        "error_sensitive": True,
        "averaging": True,
        "max_iterations": 100,
        "epsilon": 0.0,
    },
    "arow": {"variance": 1.0, "gamma": 1.0, "max_iterations": 100, "epsilon": 0.0},
}
LINE_SEARCHES = ("MoreThuente", "Backtracking", "StrongBacktracking")


def chosen(given: Mapping[str, Any]) -> SimpleNamespace:
    """The parameters of the chosen algorithm, checked; ValueError if one is given that it does not have."""
    algorithm = "lbfgs" if given["algorithm"] is None else given["algorithm"]
    require_choice("algorithm", algorithm, tuple(ALGORITHMS))
    found = {"algorithm": algorithm, **FEATURES, **ALGORITHMS[algorithm]}
    everywhere = {name for options in ALGORITHMS.values() for name in options} | set(FEATURES)
    for name in everywhere:
        if given[name] is None:
            continue
        if name not in found:
            users = [repr(a) for a, options in ALGORITHMS.items() if name in options]
            raise ValueError(
                f"The algorithm {algorithm!r} has no parameter {name!r}: that is one of {', '.join(users)}."
            )
        CHECKS[name](name, given[name])
        found[name] = given[name]
    return SimpleNamespace(**found)


def _at_least_0(name: str, value: object) -> None:
    require_number(name, value, 0)


def _above_0(name: str, value: object) -> None:
    require_number(name, value, 0, strict=True)


def _above_1(name: str, value: object) -> None:
    require_number(name, value, 1, strict=True)


def _count(name: str, value: object) -> None:
    require_int(name, value, 1)


def _count_or_0(name: str, value: object) -> None:
    require_int(name, value, 0)


def _flag(name: str, value: object) -> None:
    if not isinstance(value, (bool, np.bool_)) and value not in (0, 1):
        raise ValueError(f"The {name!r} parameter must be True or False. Got {value!r} instead.")


def _line_search(name: str, value: object) -> None:
    require_choice(name, value, LINE_SEARCHES)


def _pa_type(name: str, value: object) -> None:
    if isinstance(value, bool) or value not in (0, 1, 2):
        raise ValueError(f"The {name!r} parameter must be 0, 1 or 2. Got {value!r} instead.")


CHECKS: dict[str, Callable[[str, object], None]] = {
    "min_freq": _at_least_0,
    "all_possible_states": _flag,
    "all_possible_transitions": _flag,
    "c1": _at_least_0,
    "c2": _at_least_0,
    "max_iterations": _count,
    "num_memories": _count,
    "epsilon": _at_least_0,
    "period": _count_or_0,
    "delta": _at_least_0,
    "linesearch": _line_search,
    "max_linesearch": _count,
    "calibration_eta": _above_0,
    "calibration_rate": _above_1,
    "calibration_samples": _count,
    "calibration_candidates": _count,
    "calibration_max_trials": _count,
    "pa_type": _pa_type,
    "c": _above_0,
    "error_sensitive": _flag,
    "averaging": _flag,
    "variance": _above_0,
    "gamma": _above_0,
}

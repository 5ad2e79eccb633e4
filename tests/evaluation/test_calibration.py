"""Calibration: against plain loops, and what is known of well calibrated guesses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.evaluation.calibration import expected_calibration_error, reliability


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=30), st.integers(1, 12))
def test_against_loops(guesses: list[tuple[float, bool]], bins: int) -> None:
    error = 0.0
    for i in range(bins):
        inside = [(p, c) for p, c in guesses if min(int(p * bins), bins - 1) == i]
        if inside:
            error += abs(sum(c for _, c in inside) - sum(p for p, _ in inside)) / len(guesses)
    found = expected_calibration_error([p for p, _ in guesses], [c for _, c in guesses], bins)
    assert found == pytest.approx(error, abs=1e-12)
    assert reliability([p for p, _ in guesses], [c for _, c in guesses], bins).count == len(guesses)


def test_calibrated_guesses() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(100_000)
    assert expected_calibration_error(p, rng.random(100_000) < p) < 0.01
    assert expected_calibration_error(np.ones(10), np.zeros(10)) == 1


def test_the_table() -> None:
    table = reliability([0.05, 1.0, 0.99, 1.0000001], [0, 1, 0, 1]).to_dict()
    assert list(table["bins"]) == ["0.00 to 0.10", "0.90 to 1.00"]
    assert table["bins"]["0.90 to 1.00"]["count"] == 3


@pytest.mark.parametrize(
    ("p", "correct", "bins", "message"),
    [
        ([0.5], [1, 0], 10, "one answer for each probability"),
        ([1.5], [1], 10, "between 0 and 1"),
        ([float("nan")], [1], 10, "between 0 and 1"),
        ([0.5], [0.5], 10, "true or false"),
        ([0.5], [1], 0, "at least 1"),
    ],
)
def test_bad_input(p: list[float], correct: list[float], bins: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expected_calibration_error(p, correct, bins)

"""The scale of scores against a grid."""

from __future__ import annotations

import numpy as np
import pytest

from palmette.tools.translation.scale import HIGHEST, LOWEST, fit_scale


@pytest.mark.parametrize("seed", range(5))
def test_no_other_scale_is_likelier(seed: int) -> None:
    draw = np.random.default_rng(seed)
    scores = [draw.normal(size=n) * 3 for n in draw.integers(1, 9, size=30)]
    gains = [row + 4 * draw.normal(size=len(row)) for row in scores]

    def value(scale: float) -> float:
        total = 0.0
        for row, gain in zip(scores, gains):
            logs = scale * row
            total += logs[gain.argmax()] - np.logaddexp.reduce(logs)
        return total

    found = fit_scale(scores, gains)
    grid = np.exp(np.linspace(np.log(LOWEST), np.log(HIGHEST), 2000))
    assert value(found) >= max(map(value, grid)) - 1e-9


def test_bounds() -> None:
    assert fit_scale([], []) == 1.0
    assert fit_scale([np.zeros(1)], [np.zeros(1)]) == 1.0
    assert fit_scale([np.array([1.0, 0.0])], [np.array([1.0, 0.0])]) == HIGHEST
    assert fit_scale([np.array([1.0, 0.0])], [np.array([0.0, 1.0])]) == LOWEST

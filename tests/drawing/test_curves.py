"""Curves on logarithmic axes."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from palmette.drawing.curves import draw_curves_svg


def places(image: str) -> list[list[tuple[float, float]]]:
    lines = re.findall(r'polyline points="([^"]*)"', image)
    return [[tuple(map(float, one.split(","))) for one in line.split()] for line in lines]  # type: ignore[misc]


def test_a_power_law_is_a_straight_line() -> None:
    powers = {f"x^{k}": [(float(x), 0.3 * x**k) for x in (5, 10, 20, 40, 60)] for k in (1, 2)}
    image = draw_curves_svg(powers, "words", "seconds", title="growth <of> & search")
    ElementTree.fromstring(image)
    slopes = []
    for line in places(image):
        steps = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(line)]
        assert steps == pytest.approx([steps[0]] * len(steps), abs=0.02)
        slopes.append(steps[0])
    assert slopes[1] / slopes[0] == pytest.approx(2, abs=0.02)
    assert "growth &lt;of&gt; &amp; search" in image


def test_one_point_and_what_is_refused() -> None:
    ElementTree.fromstring(draw_curves_svg({"one": [(1.0, 1.0)]}, "x", "y"))
    with pytest.raises(ValueError, match="no points"):
        draw_curves_svg({"none": []}, "x", "y")
    for bad in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="finite and above 0"):
            draw_curves_svg({"bad": [(1.0, bad)]}, "x", "y")

"""Curves on logarithmic axes."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.drawing.axes import Axis
from palmette.drawing.curves import Plot, draw_curves_svg


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


def test_linear_axes_have_round_marks_and_bars_reach_the_ground() -> None:
    bars = [(0.1 * i + 0.05, 0.1 * i) for i in range(10)]
    plot = Plot(
        {"<b>": bars, "even": [(0, 0), (1, 1)]}, "p", "right", styles={"<b>": "bars", "even": "dashed"}
    )
    image = plot.svg()
    root = ElementTree.fromstring(image)
    texts = [one.text for one in root.iter() if one.tag.endswith("text")]
    assert {"0", "0.2", "0.4", "0.6", "0.8", "1", "<b>"} <= set(texts)
    rects = [one for one in root.iter() if one.tag.endswith("rect")]
    assert len(rects) == 10
    assert len({round(float(r.get("y", "")) + float(r.get("height", "")), 1) for r in rects}) == 1
    assert image == plot._repr_svg_()
    assert plot.to_dict()["curves"]["even"] == [[0, 0], [1, 1]]


@pytest.mark.parametrize("value", [-3.5, 0.0, 1e-12, 7e9])
def test_equal_values_and_other_sizes_have_an_axis(value: float) -> None:
    axis = Axis.of([value, value], logarithmic=False, within=None)
    assert axis.low < axis.high
    assert 0 <= axis.place(value) <= 1
    assert len(axis.marks) <= 9


@given(st.lists(st.floats(1e-6, 1e12), min_size=1, max_size=5), st.booleans())
def test_values_lie_between_the_ends(values: list[float], logarithmic: bool) -> None:
    axis = Axis.of(values, logarithmic=logarithmic, within=None)
    assert all(-1e-9 <= axis.place(value) <= 1 + 1e-9 for value in values)
    assert list(axis.marks) == sorted(set(axis.marks))

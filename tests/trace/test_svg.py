"""Figures of traces as images: well-formed, with everything that the figure shows as text."""

from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

import pytest

from palmette.trace.registry import ALGORITHMS, trace
from palmette.trace.steps import Figure
from palmette.trace.svg import figure_svg

pytestmark = pytest.mark.native


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_figure_is_an_image_of_what_it_shows(name: str) -> None:
    made = trace(name)
    for figure in made.figures:
        state = made.state(figure.name)
        if not state:
            continue
        image = made.svg(figure.name)
        ElementTree.fromstring(image)
        seen = unescape(re.sub(r"<[^>]+>", "|", image))
        if figure.kind in ("table", "chart", "stacks"):
            for change in state.values():
                assert (change.text or "") in seen
        for word in figure.data.get("words", [])[figure.kind == "arcs" :]:
            assert word in seen


def test_earlier_steps_show_less() -> None:
    made = trace("viterbi")
    assert made.svg("table", 2).count("<text") < made.svg("table").count("<text")
    with pytest.raises(ValueError, match="there is nothing to draw yet"):
        made.svg("table", 0)
    with pytest.raises(ValueError, match="viterbi has no figure 'chart': there are table"):
        made.svg("chart")


def test_values_shade_and_marks_frame() -> None:
    made = trace("model1")
    image = made.svg("pair0")
    strengths = [float(found) for found in re.findall(r'stroke-opacity="([\d.]+)"', image)]
    assert len(strengths) == 4
    assert max(strengths) > 0.9 > min(strengths)
    assert isinstance(made.figures[0], Figure)
    assert figure_svg(made.figures[0], made.state("table")) == made.svg("table")

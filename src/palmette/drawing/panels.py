"""Several plots in one SVG image, two in a row. O(plots)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palmette.drawing.canvas import svg_head
from palmette.drawing.curves import Plot, Point

_SIZE = re.compile(r'<svg xmlns="[^"]*" role="img" viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


@dataclass(frozen=True)
class Panels:
    """Plots that belong together.

    >>> Panels((Plot({"": [(1, 2)]}, "x", "y"), Plot({"": [(1, 2)]}, "x", "z"))).svg().count("<svg")
    3
    """

    plots: tuple[Plot, ...]
    title: str = ""

    def svg(self) -> str:
        """Return the image."""
        return side_by_side([plot.svg() for plot in self.plots], self.title)

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_dict(self) -> dict[str, Any]:
        """Return the points of all plots, as plain data."""
        return {"title": self.title, "plots": [plot.to_dict() for plot in self.plots]}


def side_by_side(images: Sequence[str], title: str) -> str:
    """Return images of ours as one, two in a row."""
    if len(images) == 1:
        return images[0]
    out, y, widest = [], 0.0, 0.0
    for first in range(0, len(images), 2):
        x = tallest = 0.0
        for image in images[first : first + 2]:
            width, height = _size(image)
            out.append(image.replace("<svg ", f'<svg x="{x:g}" y="{y:g}" ', 1))
            x, tallest = x + width, max(tallest, height)
        y, widest = y + tallest, max(widest, x)
    return f"{svg_head(widest, y, title)}{''.join(out)}</svg>"


def passes_panels(curves: Mapping[str, Mapping[str, Sequence[Point]]], title: str = "") -> Panels:
    """Return a plot for every number of a training (loss, dev, …), each with its curves by name, pass by pass."""
    plots = tuple(Plot(by_name, "pass", number) for number, by_name in curves.items())
    return Panels(plots, title or "training")


def _size(image: str) -> tuple[float, float]:
    found = _SIZE.search(image)
    assert found is not None
    return float(found[1]), float(found[2])

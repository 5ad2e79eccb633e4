"""Plots of measured points as SVG images: curves, bars and lines to compare with, on linear or logarithmic axes.

On two logarithmic axes a power law is a straight line. O(points).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from palmette.drawing.axes import Axis, shown
from palmette.drawing.canvas import escaped, svg_head, svg_width

Point = tuple[float, float]
Style = Literal["line", "dashed", "points", "bars"]
Scale = Literal["linear", "x", "y", "xy"]
COLOURS = ("#3b7dc4", "#cf5a35", "#3f9350", "#8d5bb5", "#7d7d7d", "#b8860b")  # seen on white and on black
_WIDTH, _HEIGHT, _LEFT, _BELOW, _TOP, _SIZE = 420, 300, 70, 52, 34, 12
_MOST_DOTS = 40  # on a line


@dataclass(frozen=True)
class Plot:
    """Curves by name, each with the points (x, y) that it goes through.

    logarithmic: which axes are: "linear" (none), "x", "y" or "xy". styles: by name of curve; others are lines.
    x_range, y_range: from where to where; None: by the points, to round numbers. note: a line below the title.

    >>> plot = Plot({"dev": [(1, 0.5), (2, 0.75)]}, "passes", "accuracy")
    >>> plot.svg().count("<circle")
    2
    """

    curves: Mapping[str, Sequence[Point]]
    x_name: str
    y_name: str
    title: str = ""
    note: str = ""
    logarithmic: Scale = "linear"
    styles: Mapping[str, Style] = field(default_factory=dict)
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None

    def svg(self) -> str:
        """Return the image; ValueError for points that the axes cannot have."""
        points = [point for curve in self.curves.values() for point in curve]
        x = Axis.of((p[0] for p in points), logarithmic="x" in self.logarithmic, within=self.x_range)
        y = Axis.of((p[1] for p in points), logarithmic="y" in self.logarithmic, within=self.y_range)
        names = [_shortened(name) for name in self.curves]
        beside = 24 + max((svg_width(name, _SIZE) for name in names), default=0) if any(names) else 12
        width = _LEFT + _WIDTH + max(beside, 24)
        width = max(width, _LEFT + svg_width(self.title, 14, bold=True) + 8, _LEFT + svg_width(self.note, 11))
        top = _TOP + (14 if self.note else 0)
        bottom = top + _HEIGHT
        frame = _Frame(x, y, top, bottom)
        head = svg_head(width, bottom + _BELOW, self.title or f"{self.y_name} by {self.x_name}")
        out = [
            head,
            f'<g font-size="{_SIZE}">',
            f'<text x="{_LEFT}" y="18" font-size="14" font-weight="600" text-anchor="start">'
            f"{escaped(self.title)}</text>",
            *frame.drawn(self.x_name, self.y_name),
        ]
        if self.note:
            note = f'<text x="{_LEFT}" y="34" font-size="11" text-anchor="start" fill-opacity="0.75">'
            out.append(f"{note}{escaped(self.note)}</text>")
        for number, (name, curve) in enumerate(self.curves.items()):
            colour, style = COLOURS[number % len(COLOURS)], self.styles.get(name, "line")
            out += frame.curve(curve, colour, style)
            if names[number]:
                line = top + 10 + 18 * number
                out.append(
                    f'<text x="{_LEFT + _WIDTH + 12}" y="{line}" fill="{colour}" text-anchor="start">'
                    f"{escaped(names[number])}</text>"
                )
        return "\n".join([*out, "</g></svg>\n"])

    def _repr_svg_(self) -> str:
        return self.svg()

    def to_dict(self) -> dict[str, Any]:
        """Return the points and what the axes show, as plain data."""
        return {
            "title": self.title,
            "x": self.x_name,
            "y": self.y_name,
            "curves": {name: [list(point) for point in curve] for name, curve in self.curves.items()},
        }


def draw_curves_svg(
    curves: Mapping[str, Sequence[Point]],
    x_name: str,
    y_name: str,
    *,
    title: str = "",
    logarithmic: Scale = "xy",
) -> str:
    """Return an image of curves by name, each with the points (x, y) that it goes through.

    ValueError unless there is a point, and all numbers are finite, and above 0 on logarithmic axes.

    >>> draw_curves_svg({"ours": [(1, 2), (10, 20)]}, "words", "ms").count("<circle")
    2
    """
    return Plot(curves, x_name, y_name, title, logarithmic=logarithmic).svg()


@dataclass(frozen=True)
class _Frame:
    """The two axes and where they are on the page."""

    x: Axis
    y: Axis
    top: int
    bottom: int

    def at(self, point: Point) -> tuple[float, float]:
        """Return the place of a point; what lies outside of the axes is at their ends."""
        across, up = (min(max(axis.place(v), 0.0), 1.0) for axis, v in zip((self.x, self.y), point))
        return _LEFT + _WIDTH * across, self.bottom - _HEIGHT * up

    def drawn(self, x_name: str, y_name: str) -> list[str]:
        """Return the axes with their names, the marks, and a thin line at each mark."""
        right, middle = _LEFT + _WIDTH, self.top + _HEIGHT / 2
        out, grid = [], []
        for mark in self.x.marks:
            x, _ = self.at((mark, self.y.low))
            grid.append(f"M{x:.1f} {self.top}V{self.bottom}")
            out.append(f'<text x="{x:.1f}" y="{self.bottom + 18}">{shown(mark)}</text>')
        for mark in self.y.marks:
            _, y = self.at((self.x.low, mark))
            grid.append(f"M{_LEFT} {y:.1f}H{right}")
            out.append(f'<text x="{_LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{shown(mark)}</text>')
        return [
            f'<path d="{"".join(grid)}" fill="none" stroke="currentColor" stroke-opacity="0.12"/>',
            f'<path d="M{_LEFT} {self.top}V{self.bottom}H{right}" fill="none" stroke="currentColor" '
            'stroke-opacity="0.6"/>',
            *out,
            f'<text x="{_LEFT + _WIDTH / 2:g}" y="{self.bottom + 40}">{escaped(x_name)}</text>',
            f'<text x="16" y="{middle:g}" transform="rotate(-90 16 {middle:g})">{escaped(y_name)}</text>',
        ]

    def curve(self, curve: Sequence[Point], colour: str, style: Style) -> list[str]:
        """Return the drawing of one curve."""
        places = [self.at(point) for point in curve]
        if style == "bars":
            return self._bars(places, colour)
        out = []
        if style != "points":
            dash = ' stroke-dasharray="6 5"' if style == "dashed" else ""
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        if style == "points" or (style == "line" and len(places) <= _MOST_DOTS):
            size = 3 if len(places) <= _MOST_DOTS else 2
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{colour}"/>' for x, y in places]
        return out

    def _bars(self, places: Sequence[Point], colour: str) -> list[str]:
        """Return upright bars, as wide as the smallest distance allows."""
        xs = sorted({x for x, _ in places})
        gaps = [b - a for a, b in itertools.pairwise(xs)]
        width = max(0.8 * min([*gaps, 40.0]), 1.0)
        return [
            f'<rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="{self.bottom - y:.1f}" '
            f'fill="{colour}" fill-opacity="0.55"/>'
            for x, y in places
        ]


def _shortened(name: str) -> str:
    return name if len(name) <= 32 else f"{name[:31]}…"

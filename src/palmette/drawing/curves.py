"""Curves of measured points as an SVG image, both axes in logarithms: a power law is a straight line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

Point = tuple[float, float]
_COLOURS = ("#1f5fa8", "#b5482a", "#3c7d3c", "#7a4c9e", "#6b6b6b")
_WIDTH, _HEIGHT, _LEFT, _BELOW, _TOP = 420, 300, 64, 48, 28


def draw_curves_svg(
    curves: Mapping[str, Sequence[Point]], x_name: str, y_name: str, *, title: str = ""
) -> str:
    """Return an image of curves by name, each with the points (x, y) that it goes through.

    ValueError unless there is a curve, and all numbers are finite and above 0.

    >>> draw_curves_svg({"ours": [(1, 2), (10, 20)]}, "words", "ms").count("<circle")
    2
    """
    points = [point for curve in curves.values() for point in curve]
    if not points:
        raise ValueError("There are no points to draw.")
    if not all(math.isfinite(value) and value > 0 for point in points for value in point):
        raise ValueError("Points on logarithmic axes must be finite and above 0.")
    xs, ys = _Axis.of([x for x, _ in points]), _Axis.of([y for _, y in points])
    right, bottom = _LEFT + _WIDTH, _TOP + _HEIGHT

    def at(point: Point) -> str:
        x, y = _LEFT + _WIDTH * xs.place(point[0]), bottom - _HEIGHT * ys.place(point[1])
        return f"{x:.1f},{y:.1f}"

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + 150} {bottom + _BELOW}" '
        'font-family="sans-serif" font-size="12">',
        f'<text x="{_LEFT}" y="16" font-size="13">{escape(title)}</text>',
        f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#888"/>',
        f'<text x="{_LEFT + _WIDTH / 2}" y="{bottom + 40}" text-anchor="middle">{escape(x_name)}</text>',
        f'<text x="14" y="{_TOP + _HEIGHT / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {_TOP + _HEIGHT / 2})">{escape(y_name)}</text>',
    ]
    for mark in xs.marks:
        x = _LEFT + _WIDTH * xs.place(mark)
        out.append(f'<path d="M{x:.1f} {_TOP}V{bottom}" stroke="#ddd"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{mark:g}</text>')
    for mark in ys.marks:
        y = bottom - _HEIGHT * ys.place(mark)
        out.append(f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="#ddd"/>')
        out.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{mark:g}</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [at(point) for point in curve]
        out.append(f'<polyline points="{" ".join(places)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for place in places:
            left, down = place.split(",")
            out.append(f'<circle cx="{left}" cy="{down}" r="3" fill="{colour}"/>')
        line = _TOP + 14 + 18 * number
        out.append(f'<text x="{right + 10}" y="{line}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>\n"])


class _Axis:
    """A logarithmic axis from one mark to another; marks are 1, 2 and 5 times powers of ten."""

    def __init__(self, low: float, high: float, marks: list[float]) -> None:
        self.low, self.high, self.marks = math.log(low), math.log(high), marks

    @classmethod
    def of(cls, values: Sequence[float]) -> _Axis:
        low, high = min(values), max(values)
        first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
        steps = [digit * 10.0**power for power in range(first, last + 1) for digit in (1, 2, 5)]
        low = max(step for step in steps if step <= low * (1 + 1e-9))
        high = min(step for step in steps if step >= high * (1 - 1e-9) and step > low)
        return cls(low, high, [step for step in steps if low <= step <= high])

    def place(self, value: float) -> float:
        """Where a value is, from 0 to 1."""
        return (math.log(value) - self.low) / (self.high - self.low)

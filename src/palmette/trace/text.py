"""A trace as plain text: the steps one after another, then the figures as they are in the end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from palmette.trace.steps import Change, Figure, Place, Trace

_SCRIPT = re.compile(r"([_^])\{([^{}]*)\}")
_SIGNS = {"best": "*", "dropped": "-", "right": "+", "wrong": "!", "": ""}


def plain(formula: str) -> str:
    """A formula on one line.

    >>> plain("δ_{i}(y) = max_{x} δ_{i−1}(x)")
    'δ_i(y) = max_x δ_(i−1)(x)'
    """
    return _SCRIPT.sub(lambda m: m[1] + (m[2] if len(m[2]) == 1 else f"({m[2]})"), formula)


def text_of(trace: Trace) -> str:
    """The whole trace."""
    lines = [trace.title, "", f"    {plain(trace.formula)}", ""]
    width = len(str(len(trace.steps)))
    for k, step in enumerate(trace.steps, 1):
        lines.append(f"{k:>{width}}. {step.text}")
        lines += [f"{'':>{width}}  {plain(step.formula)}"] if step.formula else []
    for figure in trace.figures:
        shown = figure_lines(figure, trace.state(figure.name))
        lines += ["", figure.title, *shown] if shown else []
    lines += ["", trace.note] if trace.note else []
    return "\n".join(lines) + "\n"


def figure_lines(figure: Figure, state: Mapping[Place, Change]) -> list[str]:
    """A figure as lines; what is marked has a sign: * best, - dropped, + right, ! wrong."""
    return [" | ".join(row).rstrip() for row in aligned(figure_rows(figure, state))]


def figure_rows(figure: Figure, state: Mapping[Place, Change]) -> list[list[str]]:
    """A figure as rows of cells, the first of which is a head; none if it is empty."""
    if not state:
        return []
    if figure.kind == "table":
        rows, columns = figure.data["rows"], figure.data["columns"]
        used = [row for row in rows if any((row, column) in state for column in columns)]
        cells = [[row, *(_cell(state.get((row, column))) for column in columns)] for row in used]
        return [["", *columns], *cells]
    heads = {
        "chart": ["words", "", ""],
        "arcs": ["head", "dependent", ""],
        "links": ["source", "target", ""],
        "stacks": ["stack", "", ""],
        "plot": ["", "", "points"],
        "trees": ["tree", "node", ""],
    }[figure.kind]
    return [heads, *(_row(figure, place, change) for place, change in sorted(state.items(), key=_order))]


def _order(one: tuple[Place, Change]) -> tuple[tuple[int, str], ...]:
    return tuple((part, "") if isinstance(part, int) else (0, part) for part in one[0])


def _row(figure: Figure, place: Place, change: Change) -> list[str]:
    data = figure.data
    if figure.kind == "chart":
        words = data["words"][int(place[0]) : int(place[1])]
        return [" ".join(words), str(place[2]), _cell(change)]
    if figure.kind in ("arcs", "links"):
        first, second = ("words", "words") if figure.kind == "arcs" else ("source", "target")
        return [data[first][int(place[0])], data[second][int(place[1])], _cell(change)]
    if figure.kind == "stacks":
        return [str(data["stacks"][int(place[0])]), _cell(change), change.detail]
    if figure.kind == "plot":
        points = " ".join(f"({x:.3g}, {y:.3g})" for x, y in change.points)
        return [str(place[0]), _cell(change), points]
    return [str(int(place[0]) + 1), data["nodes"][int(place[0])][int(place[1])]["label"], _cell(change)]


def _cell(change: Change | None) -> str:
    return "" if change is None or not change.text else f"{change.text}{_SIGNS[change.mark]}"


def aligned(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows whose cells are as wide as the widest of their column."""
    if not rows:
        return []
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [[cell.ljust(width) for cell, width in zip(row, widths)] for row in rows]

"""Graphs as SVG images: automata and lattices from left to right, hypergraphs from the root down.

A hyperedge is a small dot with a line to its head and lines to its tails. O(nodes + edges · layers).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from palmette.drawing.canvas import TooLargeError, escaped, svg_head, svg_width
from palmette.drawing.layers import layered, turned_edges

MOST_NODES = 80  # nodes and edges of a drawing that people can follow
_MARGIN, _SIZE = 20, 13
_COLOUR = "#3b7dc4"


class Arrow(NamedTuple):
    """An edge from node to node with what is written at it; likely: how dark it is, from 0 to 1."""

    source: int
    target: int
    label: str = ""
    likely: float = 1.0


class Hyperedge(NamedTuple):
    """An edge that derives its head from its tails; likely: how dark it is, from 0 to 1."""

    head: int
    tails: Sequence[int]
    label: str = ""
    likely: float = 1.0


def check_size(nodes: int, edges: int, noun: str) -> None:
    """Raise TooLargeError for a graph that nobody could follow."""
    if nodes > MOST_NODES or edges > 2 * MOST_NODES:
        raise TooLargeError(
            f"the {noun} has {nodes:,} nodes and {edges:,} edges; "
            f"at most {MOST_NODES} and {2 * MOST_NODES} are drawn"
        )


def draw_states_svg(
    names: Sequence[str], arrows: Sequence[Arrow], *, ends: Collection[int] = (), title: str = ""
) -> str:
    """Return an automaton or a lattice: states from left to right, the first is the start; `ends` have two rings.

    TooLargeError above MOST_NODES states.

    >>> draw_states_svg(["a", "b"], [Arrow(0, 1, "x")], ends=[1]).count("<circle")
    0
    """
    check_size(len(names), len(arrows), "graph")
    n = len(names)
    joined: dict[tuple[int, int], list[Arrow]] = {}
    for arrow in arrows:
        joined.setdefault((arrow.source, arrow.target), []).append(arrow)
    loops = {pair: _joined_label(found) for pair, found in joined.items() if pair[0] == pair[1]}
    pairs = [pair for pair in joined if pair not in loops]
    labels = [_joined_label(joined[pair]) for pair in pairs]
    turned = turned_edges(n, pairs)
    widths = [*(max(svg_width(name, _SIZE) + 16, 30) for name in names), *(svg_width(x, 11) for x in labels)]
    # A label is a place that its edge goes through.
    steps = [
        step
        for e, ((a, b), back) in enumerate(zip(pairs, turned))
        for step in (((b, n + e), (n + e, a)) if back else ((a, n + e), (n + e, b)))
    ]
    found = layered([34.0] * n + [18.0] * len(pairs), steps, 8)
    columns = _columns(found.layer, widths)
    top = _MARGIN + (26 if loops else 0)

    def at(layer: int, place: float) -> tuple[float, float]:
        return _MARGIN + 20 + columns[layer], top + place

    places = [at(*where) for where in zip(found.layer, found.place)]
    lines, texts = [], []
    for e, (a, b) in enumerate(pairs):
        (x, y), half = places[n + e], widths[n + e] / 2
        ends_of = (b, a) if turned[e] else (a, b)
        bends = [[at(*bend) for bend in found.bends[2 * e + side]] for side in (0, 1)]
        first = (places[ends_of[0]][0] + widths[ends_of[0]] / 2, places[ends_of[0]][1])
        last = (places[ends_of[1]][0] - widths[ends_of[1]] / 2, places[ends_of[1]][1])
        points = [first, *bends[0], (x - half, y), (x + half, y), *bends[1], last]
        lines.append(_arrow(points[::-1] if turned[e] else points, max(a.likely for a in joined[a, b])))
        if labels[e]:
            texts.append(_label(x, y - 5, labels[e]))
    for (node, _), label in loops.items():
        x, y = places[node]
        lines.append(_loop(x, y))
        texts.append(_label(x, y - 43, label))
    boxes = [_box(*places[v], widths[v], name, double=v in ends) for v, name in enumerate(names)]
    if names:
        left = places[0][0] - widths[0] / 2
        lines.append(_arrow([(left - 20, places[0][1]), (left, places[0][1])], 1.0))
    last_half = [widths[v] / 2 for v, layer in enumerate(found.layer) if layer == len(columns) - 1]
    width = 2 * _MARGIN + 20 + max(columns, default=0) + max(last_half, default=0)
    body = "".join([_ARROW, *lines, *boxes, *texts])
    return f"{svg_head(width, top + found.size + _MARGIN, title)}{body}</svg>"


def _joined_label(arrows: Sequence[Arrow]) -> str:
    label = ", ".join(arrow.label for arrow in arrows if arrow.label)
    return label if len(label) <= 40 else f"{label[:39]}…"


def draw_hypergraph_svg(names: Sequence[str], edges: Sequence[Hyperedge], *, title: str = "") -> str:
    """Return a hypergraph: every head above its tails if there are no cycles; names may be empty.

    TooLargeError above MOST_NODES nodes.
    """
    check_size(len(names), len(edges), "hypergraph")
    n = len(names)
    names = [name if len(name) <= 28 else f"{name[:27]}…" for name in names]
    labels = [edge.label if len(edge.label) <= 28 else f"{edge.label[:27]}…" for edge in edges]
    widths = [max(svg_width(name, _SIZE) + 16, 26) for name in names]
    sizes = [
        *map(float, widths),
        *(12.0 + (svg_width(label, 11) + 6.0 if label else 0.0) for label in labels),
    ]
    pairs = [
        pair
        for e, edge in enumerate(edges)
        for pair in [(edge.head, n + e), *((n + e, t) for t in edge.tails)]
    ]
    found = layered(sizes, pairs, 16)

    def at(layer: int, place: float) -> tuple[float, float]:
        return _MARGIN + place, _MARGIN + 14 + 38.0 * layer

    places = [at(*where) for where in zip(found.layer, found.place)]
    for e, size in enumerate(sizes[n:], start=n):  # the dot is before its label
        places[e] = (places[e][0] - size / 2 + 6, places[e][1])
    lines = []
    likely = [1.0] * n + [edge.likely for edge in edges]
    for number, (a, b) in enumerate(pairs):
        start, end = places[a], places[b]
        sign = 1 if end[1] >= start[1] else -1
        first = (start[0], start[1] + sign * (14 if a < n else 3))
        last = (end[0], end[1] - sign * (14 if b < n else 3))
        path = _smooth([first, *(at(*bend) for bend in found.bends[number]), last], upright=True)
        shade = 0.2 + 0.65 * min(likely[a], likely[b])
        lines.append(f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity="{shade:.2f}"/>')
    shapes = []
    for e, label in enumerate(labels):
        x, y = places[n + e]
        dark = f'fill-opacity="{0.3 + 0.7 * likely[n + e]:.2f}"'
        shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{_COLOUR}" {dark}/>')
        if label:
            shapes.append(_label(x + 8, y + 4, label, ' text-anchor="start"'))
    shapes += [_box(*places[node], widths[node], name) for node, name in enumerate(names)]
    height = 2 * _MARGIN + 28 + 38 * max(found.layer, default=0)
    return f"{svg_head(2 * _MARGIN + found.size, height, title)}{''.join([*lines, *shapes])}</svg>"


def _columns(layer: Sequence[int], widths: Sequence[float]) -> list[float]:
    """Return where the middle of each layer is."""
    n = max(layer, default=-1) + 1
    half = [max((widths[v] / 2 for v, at in enumerate(layer) if at == k), default=0) for k in range(n)]
    columns: list[float] = []
    for k in range(n):
        columns.append(columns[-1] + half[k - 1] + 22 + half[k] if columns else half[k])
    return columns


def _smooth(points: Sequence[tuple[float, float]], *, upright: bool) -> str:
    """Return a curve through points, which leaves and enters all of them across the layers."""
    path = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x1, y1), (x2, y2) in pairwise(points):
        x, y = (x1 + x2) / 2, (y1 + y2) / 2
        path.append(
            f"C{x1:.1f} {y:.1f} {x2:.1f} {y:.1f} {x2:.1f} {y2:.1f}"
            if upright
            else f"C{x:.1f} {y1:.1f} {x:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
        )
    return "".join(path)


def _arrow(points: Sequence[tuple[float, float]], likely: float) -> str:
    return (
        f'<path d="{_smooth(points, upright=False)}" fill="none" stroke="currentColor" '
        f'stroke-opacity="{0.25 + 0.6 * likely:.2f}" marker-end="url(#arrow)"/>'
    )


def _loop(x: float, y: float) -> str:
    bend = f"{x - 22:.1f} {y - 46:.1f} {x + 22:.1f} {y - 46:.1f}"
    path = f"M{x - 9:.1f} {y - 14:.1f}C{bend} {x + 10:.1f} {y - 14:.1f}"
    return (
        f'<path d="{path}" fill="none" stroke="currentColor" stroke-opacity="0.85" marker-end="url(#arrow)"/>'
    )


def _box(x: float, y: float, width: float, name: str, double: bool = False) -> str:
    def ring(grow: float, more: str) -> str:
        w, h = width + grow, 28 + grow
        return (
            f'<rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:g}" height="{h:g}" rx="{h / 2:g}" '
            f'stroke="currentColor" stroke-opacity="0.6" {more}/>'
        )

    rings = ring(0, f'fill="{_COLOUR}" fill-opacity="0.14"') + (ring(-6, 'fill="none"') if double else "")
    return f'{rings}<text x="{x:.1f}" y="{y + 4.5:.1f}" font-size="{_SIZE}">{escaped(name)}</text>'


def _label(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="11" fill="{_COLOUR}"{more}>{escaped(text)}</text>'


_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto"><path d="M0 0L8 4L0 8z" fill="currentColor" fill-opacity="0.7"/></marker></defs>'
)

"""A figure of a trace as an SVG image, as it is after a number of steps.

Tables and charts shade a cell by its value, links are as strong as theirs, and what is marked is bold, struck or
coloured. Arcs, trees and plots are those of `palmette.drawing`. O(places).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from typing import Any, Literal

from palmette.drawing.arcs import draw_arcs_svg
from palmette.drawing.canvas import escaped, svg_head, svg_width
from palmette.drawing.curves import Plot
from palmette.drawing.trees import draw_svg
from palmette.trace.steps import Change, Figure, Place
from palmette.trees.dependency_tree import DependencyTree
from palmette.trees.tree import Leaf, Tree

_BLUE, _GREEN, _RED = "#3b7dc4", "#3f9350", "#cf5a35"
_COLOURS = {"best": _BLUE, "right": _GREEN, "wrong": _RED}
_ROW, _PAD, _TOP = 26, 10, 34


def figure_svg(figure: Figure, state: Mapping[Place, Change]) -> str:
    """Return the image; ValueError if there is nothing to draw."""
    if not state:
        raise ValueError(f"{figure.title}: there is nothing to draw yet.")
    return {
        "table": _table,
        "chart": _chart,
        "arcs": _arcs,
        "links": _links,
        "stacks": _stacks,
        "plot": _plot,
        "trees": _trees,
    }[figure.kind](figure, state)


def _image(figure: Figure, width: float, height: float, parts: Sequence[str]) -> str:
    width = max(width, svg_width(figure.title, 14, bold=True) + 2 * _PAD)
    title = f'<text x="{_PAD}" y="18" font-weight="600" text-anchor="start">{escaped(figure.title)}</text>'
    return "\n".join([svg_head(width, height, figure.title), title, *parts, "</svg>\n"])


def _text(x: float, y: float, text: str, change: Change | None = None, more: str = "") -> str:
    mark = "" if change is None else change.mark
    look = {
        "best": ' font-weight="700"',
        "dropped": ' text-decoration="line-through" fill-opacity="0.6"',
    }.get(mark, "")
    if mark in ("right", "wrong"):
        look = f' font-weight="700" fill="{_COLOURS[mark]}"'
    return f'<text x="{x:g}" y="{y:g}"{look}{more}>{escaped(text)}</text>'


def _box(x: float, y: float, width: float, height: float, change: Change | None) -> str:
    """A cell, shaded by its value and framed in the colour of its mark."""
    value = 0.0 if change is None or change.value is None else min(max(change.value, 0.0), 1.0)
    stroke = "#999" if change is None else _COLOURS.get(change.mark, "#999")
    wide = 2 if stroke != "#999" else 1
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{_BLUE}" '
        f'fill-opacity="{0.55 * value:.3g}" stroke="{stroke}" stroke-width="{wide}"/>'
    )


def _table(figure: Figure, state: Mapping[Place, Change]) -> str:
    columns: Sequence[str] = figure.data["columns"]
    rows = [row for row in figure.data["rows"] if any((row, column) in state for column in columns)]
    first = max(svg_width(row, 14) for row in rows) + 2 * _PAD

    def text_at(row: str, column: str) -> str:
        return state.get((row, column), _NOTHING).text or ""

    widths = [
        2 * _PAD
        + max(svg_width(column, 14), *(svg_width(text_at(row, column), 14, bold=True) for row in rows))
        for column in columns
    ]
    lefts = [first + sum(widths[:k]) for k in range(len(columns))]
    parts = [
        _text(left + width / 2, _TOP + 12, column, more=' fill-opacity="0.75"')
        for left, width, column in zip(lefts, widths, columns, strict=True)
    ]
    for number, row in enumerate(rows):
        y = _TOP + _ROW * (number + 1) - 6
        parts.append(_text(first - _PAD, y + 18, row, more=' text-anchor="end" fill-opacity="0.75"'))
        for left, width, column in zip(lefts, widths, columns, strict=True):
            change = state.get((row, column))
            parts.append(_box(left, y, width, _ROW, change))
            if change is not None and change.text:
                parts.append(_text(left + width / 2, y + 18, change.text, change))
    return _image(figure, first + sum(widths) + 2, _TOP + _ROW * (len(rows) + 1), parts)


_NOTHING = Change("", (), None)


def _chart(figure: Figure, state: Mapping[Place, Change]) -> str:
    """A pyramid: a cell for each run of words, the longer the higher."""
    words: Sequence[str] = figure.data["words"]
    cells: defaultdict[tuple[int, int], list[tuple[str, Change]]] = defaultdict(list)
    for (first, last, name), change in state.items():
        cells[int(first), int(last)].append((str(name), change))
    lines = dict.fromkeys(range(1, len(words) + 1), 0)
    for (begin, end), found in cells.items():
        lines[end - begin] = max(lines[end - begin], len(found))
    texts = [f"{name} {change.text}" for found in cells.values() for name, change in found]
    width = 2 * _PAD + max(svg_width(text, 13, bold=True) for text in [*texts, *words])
    height, top = {k: 8 + 18 * max(n, 1) for k, n in lines.items()}, {}
    y = float(_TOP)
    for k in range(len(words), 0, -1):
        top[k], y = y, y + height[k]
    parts = [
        _text(_PAD + width * (i + 0.5), y + 20, word, more=' font-style="italic"')
        for i, word in enumerate(words)
    ]
    for k in range(len(words), 0, -1):
        for i in range(len(words) - k + 1):
            left, found = _PAD + width * (i + (k - 1) / 2), cells.get((i, i + k), [])
            best = next((change for _, change in found if change.mark), None)
            parts.append(_box(left, top[k], width, height[k], best and Change("", (), None, mark=best.mark)))
            parts += [
                _text(
                    left + width / 2,
                    top[k] + 18 * (n + 1),
                    f"{name} {change.text}",
                    change,
                    ' font-size="13"',
                )
                for n, (name, change) in enumerate(found)
            ]
    return _image(figure, 2 * _PAD + width * len(words), y + 32, parts)


def _links(figure: Figure, state: Mapping[Place, Change]) -> str:
    source, target = figure.data["source"], figure.data["target"]
    width = 2 * _PAD + max(svg_width(word, 14) for word in [*source, *target])
    most = max(len(source), len(target))

    def middle(place: int, n: int) -> float:
        return _PAD + width * (place + 0.5 + (most - n) / 2)

    parts = [_text(middle(i, len(source)), _TOP + 14, word) for i, word in enumerate(source)]
    parts += [_text(middle(j, len(target)), _TOP + 104, word) for j, word in enumerate(target)]
    for (i, j), change in state.items():
        strength = 1.0 if change.value is None else max(min(change.value, 1.0), 0.0)
        x1, x2 = middle(int(i), len(source)), middle(int(j), len(target))
        parts.append(
            f'<path d="M{x1:g} {_TOP + 22}L{x2:g} {_TOP + 86}" stroke="{_BLUE}" '
            f'stroke-width="{1 + 4 * strength:.3g}" stroke-opacity="{0.1 + 0.9 * strength:.3g}"/>'
        )
    return _image(figure, 2 * _PAD + width * most, _TOP + 116, parts)


def _stacks(figure: Figure, state: Mapping[Place, Change]) -> str:
    names: Sequence[str] = figure.data["stacks"]
    cards: list[list[Change]] = [[] for _ in names]
    for place, change in sorted(state.items()):
        cards[int(place[0])].append(change)
    widths = [
        2 * _PAD + max([svg_width(name, 14), *map(_widest, found)])
        for name, found in zip(names, cards, strict=True)
    ]
    parts, x = [], float(_PAD)
    for name, found, width in zip(names, cards, widths, strict=True):
        parts.append(_text(x + width / 2, _TOP + 12, name, more=' fill-opacity="0.75"'))
        for n, change in enumerate(found):
            y = _TOP + 22 + 46 * n
            parts += [
                _box(x, y, width, 40, change),
                _text(x + width / 2, y + 17, change.text or "", change),
                _text(x + width / 2, y + 33, change.detail, more=' font-size="11" fill-opacity="0.75"'),
            ]
        x += width + 8
    return _image(figure, x + _PAD, _TOP + 30 + 46 * max(map(len, cards)), parts)


def _widest(card: Change) -> int:
    return max(svg_width(card.text or "", 14, bold=True), svg_width(card.detail, 11))


def _plot(figure: Figure, state: Mapping[Place, Change]) -> str:
    """Candidates are dashed lines by their texts; the pieces of all other series are one line each."""
    curves: dict[str, list[tuple[tuple[float, float], ...]]] = {}
    dashed: dict[str, Literal["dashed"]] = {}
    for (series, number), change in state.items():
        name = str(series)
        if series == "candidate":
            name = f"{change.text}" if f"{change.text}" not in curves else f"{change.text} ({number})"
            dashed[name] = "dashed"
        curves.setdefault(name, []).append(change.points)
    ys = figure.data["y"]
    low, high = figure.data["x"]
    return Plot(
        {name: [point for piece in sorted(pieces) for point in piece] for name, pieces in curves.items()},
        "x",
        "",
        figure.title,
        styles=dashed,
        x_range=(low, high),
        y_range=None if ys is None else (ys[0], ys[1]),
    ).svg()


def _arcs(figure: Figure, state: Mapping[Place, Change]) -> str:
    words = figure.data["words"][1:]
    heads = [0] * len(words)
    labels = [""] * len(words)
    for (head, dependent), change in state.items():
        heads[int(dependent) - 1], labels[int(dependent) - 1] = int(head), change.text or ""
    return draw_arcs_svg(DependencyTree(heads, labels, words))


def _tree(nodes: Sequence[Mapping[str, Any]], marked: Container[int]) -> Tree:
    """Return the tree of nodes in preorder."""
    n_words = sum(bool(node["word"]) for node in nodes)
    made: dict[int, Tree | Leaf] = {}
    for k in range(len(nodes) - 1, -1, -1):  # children come after their parents
        node, sign = nodes[k], " ●" if k in marked else ""
        if node["word"]:
            n_words -= 1
            made[k] = Leaf(f"{node['label']}{sign}", n_words)
        else:
            made[k] = Tree(f"{node['label']}{sign}", [made[child] for child in node["children"]])
    root = made[0]
    assert isinstance(root, Tree)
    return root


def _trees(figure: Figure, state: Mapping[Place, Change]) -> str:
    """Trees side by side; a marked node has a sign."""
    images = []
    for number, nodes in enumerate(figure.data["nodes"]):
        marked = {int(place[1]) for place, change in state.items() if place[0] == number and change.mark}
        images.append(draw_svg(_tree(nodes, marked)))
    x, parts, height = float(_PAD), [], 0.0
    for image in images:
        wide, high = (float(n) for n in image.split('viewBox="0 0 ', 1)[1].split('"', 1)[0].split())
        parts.append(image.replace("<svg ", f'<svg x="{x:g}" y="{_TOP - 6}" ', 1))
        x, height = x + wide + 2 * _PAD, max(height, high)
    return _image(figure, x, _TOP + height, parts)

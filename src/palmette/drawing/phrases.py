"""A translation drawn as two rows of phrases with lines between them, for a terminal and for a page.

A phrase has one place on its source side and one on its target side. Where both can be the same column, its line
is straight; the others turn on levels of their own, and no two lines share an upright. O(area of the drawing).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from palmette.drawing.canvas import (
    ASCII,
    BOX,
    DOWN,
    MAX_CELLS,
    UP,
    Canvas,
    check_area,
    escaped,
    svg_head,
    svg_width,
    text_width,
)

_COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa7700", "#66aacc", "#aa3377")  # told apart by most people


class Link(NamedTuple):
    """A phrase: source words begin … end − 1 became target words target_begin … target_end − 1."""

    begin: int
    end: int
    target_begin: int
    target_end: int


def draw_phrases(
    source: Sequence[str],
    target: Sequence[str],
    phrases: Sequence[Link],
    *,
    width: int | None = None,
    ascii: bool = False,
    max_cells: int = MAX_CELLS,
) -> str:
    """The phrases as text; a list of them if that would be wider than `width` columns.

    >>> phrases = [Link(0, 2, 1, 3), Link(2, 3, 0, 1)]
    >>> print(draw_phrases("das ist es".split(), "it this is".split(), phrases))
    das ist  es
    └─────┤  └┬┘
     ┌────│───┘
    ┌┴┐  ┌┴────┐
    it   this is
    """
    words = [list(map(_clean, side)) for side in (source, target)]
    links = _checked(words[0], words[1], phrases)
    boxes = [_boxes(side, [link[2 * k : 2 * k + 2] for link in links]) for k, side in enumerate(words)]
    whole = max((right for side in boxes for _, right in side), default=0)
    if width is not None and whole > width:
        return _listed(words[0], words[1], links, ascii)
    routes = _routes(*boxes)
    levels = max((route.level for route in routes), default=0)
    height = levels + 4
    check_area(height, whole, max_cells)
    canvas = Canvas(height)
    for row, side, k in ((0, words[0], 0), (height - 1, words[1], 1)):
        for (left, _), link in zip(boxes[k], links):
            canvas.write(row, left, " ".join(side[link[2 * k] : link[2 * k + 1]]))
    for owner, (route, above, below) in enumerate(zip(routes, *boxes)):
        _edge(canvas, 1, above, owner, UP)
        if not route.drawn:
            continue
        _edge(canvas, height - 2, below, owner, DOWN)
        canvas.line(1, route.above, owner, DOWN)
        canvas.line(height - 2, route.below, owner, UP)
        for row in range(2, height - 2):
            turn = 1 + route.level
            if row != turn:
                canvas.line(row, route.above if row < turn else route.below, owner, UP | DOWN)
                continue
            canvas.bar(row, min(route.above, route.below), max(route.above, route.below), owner)
            canvas.line(row, route.above, owner, UP)
            canvas.line(row, route.below, owner, DOWN)
    return canvas.text(ASCII if ascii else BOX)


def draw_phrases_svg(source: Sequence[str], target: Sequence[str], phrases: Sequence[Link]) -> str:
    """The phrases as an SVG image that needs nothing else and takes the colour of the text around it."""
    links = _checked(source, target, phrases)
    size, height, top, bottom = 14, 26, 10, 110
    parts = []
    sides: list[list[tuple[float, float]]] = []
    for k, (side, y) in enumerate(((source, top), (target, bottom))):
        texts = {i: " ".join(side[link[2 * k] : link[2 * k + 1]]) for i, link in enumerate(links)}
        x, places = 10.0, [(0.0, 0.0)] * len(links)
        for i in sorted(texts, key=lambda i: links[i][2 * k]):
            if not texts[i]:
                continue
            wide = svg_width(texts[i], size) + 14
            places[i] = x, x + wide
            colour = _COLOURS[i % len(_COLOURS)]
            parts.append(
                f'<rect x="{x:g}" y="{y}" width="{wide:g}" height="{height}" rx="5" fill="{colour}" '
                f'fill-opacity="0.18" stroke="{colour}"/>'
                f'<text x="{x + wide / 2:g}" y="{y + 18}">{escaped(texts[i])}</text>'
            )
            x += wide + 8
        sides.append(places)
    for i, ((a, b), (c, d)) in enumerate(zip(*sides)):
        if d > c and b > a:
            one, other, y, end = (a + b) / 2, (c + d) / 2, top + height, bottom
            colour = _COLOURS[i % len(_COLOURS)]
            parts.append(
                f'<path d="M{one:g} {y}C{one:g} {(y + end) / 2:g} {other:g} {(y + end) / 2:g} {other:g} {end}" '
                f'fill="none" stroke="{colour}" stroke-width="2"/>'
            )
    whole = max((right for side in sides for _, right in side), default=0) + 10
    title = f"{' '.join(source)} → {' '.join(target)}"
    return f"{svg_head(whole, bottom + height + 10, title)}{''.join(parts)}</svg>"


class _Route(NamedTuple):
    """Columns of a line above and below, and the level where it turns; 0 if it is straight."""

    above: int
    below: int
    level: int
    drawn: bool


def _routes(above: Sequence[tuple[int, int]], below: Sequence[tuple[int, int]]) -> list[_Route]:
    places: list[tuple[int, int] | None] = [None] * len(above)
    used: set[int] = set()
    for i, ((a, b), (c, d)) in enumerate(zip(above, below)):
        free = [x for x in range(max(a, c), min(b, d)) if x not in used] if d > c else []
        if free:
            middle = free[len(free) // 2]
            places[i] = middle, middle
            used.add(middle)
    for i, boxes in enumerate(zip(above, below)):
        if places[i] is None and boxes[1][1] > boxes[1][0]:
            ends = []
            for left, right in boxes:
                free = [x for x in range(left, right) if x not in used] or [left]
                ends.append(min(free, key=lambda x: abs(2 * x + 1 - left - right)))
                used.add(ends[-1])
            places[i] = ends[0], ends[1]
    rows: list[list[tuple[int, int]]] = []
    routes = []
    for place in places:
        if place is None or place[0] == place[1]:
            routes.append(_Route(*(place or (0, 0)), 0, place is not None))
            continue
        low, high = sorted(place)
        level = next((k for k, row in enumerate(rows) if all(high < a or low > b for a, b in row)), len(rows))
        if level == len(rows):
            rows.append([])
        rows[level].append((low, high))
        routes.append(_Route(*place, level + 1, True))
    return routes


def _edge(canvas: Canvas, row: int, box: tuple[int, int], owner: int, towards: int) -> None:
    """The bracket below or above the words of a phrase."""
    left, right = box[0], box[1] - 1
    if right < left:
        return
    canvas.bar(row, left, right, owner)
    canvas.line(row, left, owner, towards)
    canvas.line(row, right, owner, towards)


def _boxes(words: Sequence[str], spans: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The columns of every phrase, in the order of its side, at least three for one with words."""
    places = [(0, 0)] * len(spans)
    x = 0
    for i in sorted(range(len(spans)), key=lambda i: (spans[i][0], spans[i][1])):
        begin, end = spans[i]
        wide = max(text_width(" ".join(words[begin:end])), 3) if end > begin else 0
        places[i] = x, x + wide
        x += wide + 2 if wide else 0
    return places


def _listed(source: Sequence[str], target: Sequence[str], links: Sequence[Link], ascii: bool) -> str:
    arrow = "->" if ascii else "→"
    rows = [
        f"{link.begin + 1}-{link.end}  {' '.join(source[link.begin : link.end])} {arrow} "
        f"{' '.join(target[link.target_begin : link.target_end])}".rstrip()
        for link in sorted(links, key=lambda link: (link.target_begin, link.begin))
    ]
    return "\n".join(rows)


def _checked(source: Sequence[str], target: Sequence[str], phrases: Sequence[Link]) -> list[Link]:
    links = [Link(*phrase) for phrase in phrases]
    for link in links:
        inside = 0 <= link.begin < link.end <= len(source)
        if not inside or not 0 <= link.target_begin <= link.target_end <= len(target):
            raise ValueError(
                f"The phrase {tuple(link)} lies outside of {len(source)} source and {len(target)} target words."
            )
    for k, side in enumerate(("source", "target")):
        spans = sorted(link[2 * k : 2 * k + 2] for link in links)
        if any(two[0] < one[1] for one, two in pairwise(spans)):
            raise ValueError(f"Phrases must not overlap; some share {side} words.")
    return links


def _clean(word: str) -> str:
    return "".join(c if c.isprintable() else "�" for c in word)

"""Trees drawn for a terminal and for a page.

The words are at the bottom, in the order of the sentence. A node is above its children: its level is
one more than the highest of theirs. Every node has the columns of its words for itself, so neither labels nor
lines of a continuous tree meet those of another part. The arms of a discontinuous node pass behind the words in
its gap; where two such nodes would lie on each other, one moves up a level, and a label steps aside for a line
that crosses its level.

Cost: linear in nodes times height (the area of the drawing); quadratic in nodes where the tree is
discontinuous. An area above `max_cells` is refused.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate
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
    is_right_to_left,
    svg_head,
    svg_width,
    text_width,
)
from palmette.drawing.tidy import tidy
from palmette.trees.tree import Leaf, Tree

_STEP, _MARGIN = 40, 20  # of a page, in pixels: from level to level, and around the drawing
_CELL = 8  # pixels that count as a column


def draw(tree: Tree, *, ascii: bool = False, max_cells: int = MAX_CELLS) -> str:
    """The tree as text, drawn with box characters, or with `|`, `-` and `+` if `ascii`.

    ValueError if the drawing has more than `max_cells` characters, rows times columns.

    >>> print(draw(Tree.parse("(S (NP (NN time)) (VP (VBZ flies)))")))
         S
      ┌──┴───┐
      NP     VP
      │      │
      NN    VBZ
      │      │
     time  flies
    """
    items = layout(tree, TERMINAL, max_cells)
    height = 2 * max(item.level for item in items) + 1
    canvas = Canvas(height)
    for owner, item in enumerate(items):
        _branch(canvas, owner, item, [items[child] for child in item.children])
    for item in items:
        canvas.write(_row(canvas, item), item.left, item.text)
    return canvas.text(ASCII if ascii else BOX)


def draw_svg(tree: Tree, *, max_cells: int = MAX_CELLS) -> str:
    """The tree as an SVG image that needs nothing else and takes the colour of the text around it.

    ValueError if it is larger than a drawing of `max_cells` characters.
    """
    return _crossing_svg(tree, max_cells) if tree.is_discontinuous else _tidy_svg(tree, max_cells)


def _tidy_svg(tree: Tree, max_cells: int) -> str:
    """A continuous tree: children on the row below their parent, and straight lines."""
    items = _items(tree, PAGE)
    places = tidy([item.children for item in items], [item.width for item in items], PAGE.gap)
    depths = [0] * len(items)
    steps: dict[int, float] = {0: 0.0}  # from the row above; wide branches get more room
    for i in reversed(range(len(items))):
        for child in items[i].children:
            depth = depths[child] = depths[i] + 1
            steps[depth] = max(steps.get(depth, _STEP), min(abs(places[child] - places[i]) / 8, 2.5 * _STEP))
    width = max(place + item.width / 2 for place, item in zip(places, items))
    check_area(2 * len(steps) - 1, int(width) // _CELL, max_cells)
    if is_right_to_left(tree.words):
        places = [width - place for place in places]
    rows = list(accumulate(steps[depth] for depth in range(len(steps))))
    lines, texts = [], []
    for i, item in enumerate(items):
        x, y = _MARGIN + places[i], _MARGIN + rows[depths[i]]
        texts.append(_text(item, x, y))
        for child in item.children:
            end = _MARGIN + rows[depths[child]] - 11
            lines.append(f"M{x:.6g} {y + 10:g}L{_MARGIN + places[child]:.6g} {end:g}")
    return _svg(tree, width, rows[-1], lines, texts)


def _crossing_svg(tree: Tree, max_cells: int) -> str:
    """A discontinuous tree: words in a row, and lines with a bar, which show whose arms cross."""
    items = layout(tree, PAGE, max_cells)
    top = max(item.level for item in items)
    whole = max(item.left + item.width for item in items)
    if is_right_to_left(tree.words):
        items = [replace(item, x=whole - item.x, left=whole - item.left - item.width) for item in items]
    lines, texts = [], []

    def y(item: Item) -> int:
        return _MARGIN + _STEP * (top - item.level)

    parts = [(item, [items[child] for child in item.children]) for item in items]
    uprights = [(child.x, child.level, item.level) for item, below in parts for child in below]
    for item, below in parts:
        texts.append(_text(item, _MARGIN + item.left + item.width / 2, y(item)))
        if not below:
            continue
        bar = y(item) + 20
        low = min(item.x, *(child.x for child in below))
        high = max(item.x, *(child.x for child in below))
        crossed = sorted(x for x, foot, top in uprights if low < x < high and foot < item.level < top)
        lines.append(f"M{_MARGIN + item.x} {y(item) + 10}V{bar}M{_MARGIN + low} {bar}")
        # The bar is open where an arm of another node goes through it.
        lines += [f"H{_MARGIN + x - 4}m8 0" for x in crossed]
        lines.append(f"H{_MARGIN + high}")
        lines += [f"M{_MARGIN + child.x} {bar}V{y(child) - 11}" for child in below]
    return _svg(tree, whole, _STEP * top, lines, texts)


def _text(item: Item, x: float, y: float) -> str:
    weight = "" if item.is_word else ' font-weight="600"'
    return f'<text x="{x:.6g}" y="{y + 5:.6g}"{weight}>{escaped(item.text)}</text>'


def _svg(tree: Tree, width: float, height: float, lines: list[str], texts: list[str]) -> str:
    return (
        f"{svg_head(width + 2 * _MARGIN, height + 2 * _MARGIN, ' '.join(tree.words))}"
        f'<path d="{"".join(lines)}" fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
        f"{''.join(texts)}</svg>"
    )


class Measures(NamedTuple):
    """What the places of a layout are counted in, columns of a terminal or pixels."""

    width: Callable[[str, bool], int]  # of a text, which is a word or a label
    gap: int  # between neighbours
    least: int  # width of the column of a word
    beside: int  # free places between a label and a line that crosses its level
    cell: int  # places that count as one column of the area


TERMINAL = Measures(lambda text, is_word: text_width(text), gap=2, least=3, beside=1, cell=1)
PAGE = Measures(
    lambda text, is_word: svg_width(text, 14, bold=not is_word), gap=14, least=24, beside=5, cell=_CELL
)


@dataclass(slots=True)
class Item:
    """A word or a node in its place: `x` is where its lines meet, `left` where its text begins."""

    text: str
    children: list[int]
    is_word: bool
    width: int
    columns: tuple[int, int]  # the first and the last word below
    has_gap: bool = False
    level: int = 0
    left: int = 0
    x: int = 0


def layout(tree: Tree, measures: Measures, max_cells: int) -> list[Item]:
    """Every word and node with its level and its place, each after its children."""
    items = _items(tree, measures)
    starts = _columns(items, measures)
    columns = starts[-1] // measures.cell
    parents = {child: place for place, item in enumerate(items) for child in item.children}
    waiting = [len(item.children) for item in items]
    open_items: dict[int, Item] = {}  # placed, and not yet below a placed parent
    taken: dict[int, list[tuple[int, int]]] = {}  # per level: from where to where something lies on it
    crowded = any(item.has_gap for item in items)
    ready = [(0, place) for place, item in enumerate(items) if item.is_word]
    heapq.heapify(ready)
    while ready:
        level, place = heapq.heappop(ready)
        check_area(2 * level + 1, columns, max_cells)
        item = items[place]
        below = [items[child] for child in item.children]
        others = taken.setdefault(level, [])
        if crowded and below:
            low, high = min(child.x for child in below), max(child.x for child in below) + 1
            if _meets(low, high, others):  # whatever place its label gets
                heapq.heappush(ready, (level + 1, place))
                continue
        item.level = level
        _set_x(item, below, starts, open_items if item.has_gap else {}, measures)
        if crowded and below:
            low, high = min(item.left, low), max(item.left + item.width, high)
            if _meets(low, high, others):
                heapq.heappush(ready, (level + 1, place))
                continue
            others.append((low, high))
        for child in item.children:
            open_items.pop(child, None)
        if crowded:
            open_items[place] = item
        if place in parents:
            parent = parents[place]
            waiting[parent] -= 1
            if waiting[parent] == 0:
                highest = max(items[child].level for child in items[parent].children)
                heapq.heappush(ready, (highest + 1, parent))
    return items


def _meets(low: int, high: int, others: list[tuple[int, int]]) -> bool:
    return any(low < end and start < high for start, end in others)


def _items(tree: Tree, measures: Measures) -> list[Item]:
    """The words and nodes of a tree, each after its children; a column is the rank of a word."""
    rank = {leaf.position: place for place, leaf in enumerate(tree.leaves)}
    items: list[Item] = []
    n_words: list[int] = []

    def add(item: Item, words: int) -> int:
        first, last = item.columns
        item.has_gap = words < last - first + 1
        items.append(item)
        n_words.append(words)
        return len(items) - 1

    def leaf(old: Leaf) -> int:
        column = rank[old.position]
        return add(Item(old.word, [], True, measures.width(old.word, True), (column, column)), 1)

    def node(old: Tree, below: list[int]) -> int:
        first = min(items[child].columns[0] for child in below)
        last = max(items[child].columns[1] for child in below)
        item = Item(old.label, below, False, measures.width(old.label, False), (first, last))
        return add(item, sum(n_words[child] for child in below))

    tree.fold(leaf, node)
    return items


def _columns(items: list[Item], measures: Measures) -> list[int]:
    """Where the column of each word begins, wide enough for what is above; and the end of the last."""
    widths = [0] * (items[-1].columns[1] + 1)
    for item in items:
        first, last = item.columns
        n = last - first + 1
        needed = item.width + measures.gap
        if n * measures.least >= needed:
            continue
        missing = max(needed - sum(widths[first : last + 1]), 0)
        for k in range(min(n, missing)):
            widths[first + k] += missing // n + (k < missing % n)
    starts = [0]
    for width in widths:
        starts.append(starts[-1] + max(width, measures.least))
    return starts


def _set_x(
    item: Item, below: list[Item], starts: list[int], lines: dict[int, Item], measures: Measures
) -> None:
    """Put an item in the middle above its children, and beside the `lines` that cross its level."""
    first, last = starts[item.columns[0]], starts[item.columns[1] + 1]
    half = measures.gap // 2
    if below:
        low, high = min(child.x for child in below), max(child.x for child in below)
    else:
        low = high = (first + last - 1) // 2
    middle = (low + high) // 2
    children = set(item.children)
    crossing = sorted({line.x for place, line in lines.items() if place not in children})

    def left_for(x: int) -> int:
        return max(first + half, min(x - (item.width - 1) // 2, last - half - item.width))

    def is_free(x: int, margin: int) -> bool:
        left = left_for(x) - margin
        next_line = bisect_left(crossing, left)
        return next_line == len(crossing) or crossing[next_line] >= left + item.width + 2 * margin

    if crossing:
        middle = next(
            (
                x
                for margin in (measures.beside, 0)
                for x in _places(item, low, high, middle, crossing, margin)
                if is_free(x, margin)
            ),
            middle,
        )
    item.left = max(left_for(middle), 0)
    item.x = max(item.left, min(middle, item.left + item.width - 1))


def _places(item: Item, low: int, high: int, middle: int, crossing: list[int], margin: int) -> list[int]:
    """Where the label may be: in the middle or right beside a line, the nearest to the middle first."""
    right = (item.width - 1) // 2 + 1 + margin  # of a line
    left = (item.width - 1) // 2 - item.width - margin
    tried = {low, high, middle, *(line + side for line in crossing for side in (left, right))}
    return sorted((x for x in tried if low <= x <= high), key=lambda x: (abs(x - middle), x))


def _row(canvas: Canvas, item: Item) -> int:
    return canvas.height - 1 - 2 * item.level


def _branch(canvas: Canvas, owner: int, item: Item, children: list[Item]) -> None:
    """The lines from a node to its children: a bar below the node, and from there straight down."""
    if not children:
        return
    bar = _row(canvas, item) + 1
    low = min(item.x, *(child.x for child in children))
    high = max(item.x, *(child.x for child in children))
    canvas.bar(bar, low, high, owner)
    canvas.line(bar, item.x, owner, UP)
    for child in children:
        canvas.line(bar, child.x, owner, DOWN)
        for row in range(bar + 1, _row(canvas, child)):
            canvas.line(row, child.x, owner, UP | DOWN)

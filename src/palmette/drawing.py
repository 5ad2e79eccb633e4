"""Trees drawn for a terminal and for a page.

The words stand at the bottom, in the order of the sentence. A node stands above its children: its level is
one more than the highest of theirs. The arms of a discontinuous node pass behind the words in its gap;
where two such nodes would lie on each other, one moves up a level, and a label steps aside for a line that
crosses its level.

Cost: linear in nodes times height (the area of the drawing); quadratic in nodes where the tree is
discontinuous.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from palmette.drawing_canvas import ASCII, BOX, DOWN, UP, Canvas, escaped, text_width
from palmette.trees import Leaf, Tree

_GAP = 2  # columns between neighbours


def draw(tree: Tree, *, ascii: bool = False) -> str:
    """The tree as text, drawn with box characters, or with `|`, `-` and `+` if `ascii`.

    >>> print(draw(Tree.parse("(S (NP (NN time)) (VP (VBZ flies)))")))
         S
      ┌──┴───┐
      NP     VP
      │      │
      NN    VBZ
      │      │
     time  flies
    """
    items = _layout(tree)
    height = 2 * max(item.level for item in items) + 1
    canvas = Canvas(height)
    for owner, item in enumerate(items):
        _branch(canvas, owner, item, [items[child] for child in item.children])
    for item in items:
        canvas.write(_row(canvas, item), item.left, item.text)
    return canvas.text(ASCII if ascii else BOX)


def draw_svg(tree: Tree) -> str:
    """The tree as an SVG image that needs nothing else and takes the colour of the text around it."""
    items = _layout(tree)
    unit, step, margin = 8, 40, 20
    top = max(item.level for item in items)
    width = margin * 2 + unit * max(item.left + item.width for item in items)
    height = margin * 2 + step * top

    def x(item: _Item) -> float:
        return margin + unit * (item.x + 0.5)

    def y(item: _Item) -> int:
        return margin + step * (top - item.level)

    straight = not tree.is_discontinuous
    lines = []
    for item in items:
        start = f"M{x(item):g} {y(item) + 9}"
        for child in (items[i] for i in item.children):
            bend = "" if straight else f"V{y(item) + 18}H{x(child):g}"
            lines.append(f"{start}{bend}L{x(child):g} {y(child) - 9}")
    texts = []
    for item in items:
        weight = "" if item.is_word else ' font-weight="600"'
        texts.append(f'<text x="{x(item):g}" y="{y(item) + 5}"{weight}>{escaped(item.text)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="14" text-anchor="middle" '
        f'fill="currentColor"><title>{escaped(" ".join(tree.words))}</title>'
        f'<path d="{"".join(lines)}" fill="none" stroke="currentColor" stroke-opacity="0.5"/>'
        f"{''.join(texts)}</svg>"
    )


@dataclass(slots=True)
class _Item:
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


def _layout(tree: Tree) -> list[_Item]:
    """Every word and node with its level and its place, each after its children."""
    items = _items(tree)
    starts = _columns(items)
    parents = {child: place for place, item in enumerate(items) for child in item.children}
    waiting = [len(item.children) for item in items]
    open_items: dict[int, _Item] = {}  # placed, and not yet below a placed parent
    taken: dict[int, list[tuple[int, int]]] = {}  # per level: from where to where something lies on it
    crowded = any(item.has_gap for item in items)
    ready = [(0, place) for place, item in enumerate(items) if item.is_word]
    heapq.heapify(ready)
    while ready:
        level, place = heapq.heappop(ready)
        item = items[place]
        below = [items[child] for child in item.children]
        item.level = level
        _set_x(item, below, starts, open_items if item.has_gap else {})
        if crowded and below:
            low = min(item.left, *(child.x for child in below))
            high = max(item.left + item.width, *(child.x + 1 for child in below))
            if any(low < end and start < high for start, end in taken.get(level, ())):
                heapq.heappush(ready, (level + 1, place))
                continue
            taken.setdefault(level, []).append((low, high))
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


def _items(tree: Tree) -> list[_Item]:
    """The words and nodes of a tree, each after its children; a column is the rank of a word."""
    rank = {leaf.position: place for place, leaf in enumerate(tree.leaves)}
    items: list[_Item] = []
    n_words: list[int] = []

    def add(item: _Item, words: int) -> int:
        first, last = item.columns
        item.has_gap = words < last - first + 1
        items.append(item)
        n_words.append(words)
        return len(items) - 1

    def leaf(old: Leaf) -> int:
        column = rank[old.position]
        return add(_Item(old.word, [], True, text_width(old.word), (column, column)), 1)

    def node(old: Tree, below: list[int]) -> int:
        first = min(items[child].columns[0] for child in below)
        last = max(items[child].columns[1] for child in below)
        item = _Item(old.label, below, False, text_width(old.label), (first, last))
        return add(item, sum(n_words[child] for child in below))

    tree.fold(leaf, node)
    return items


def _columns(items: list[_Item]) -> list[int]:
    """Where the column of each word begins, wide enough for what stands above; and the end of the last."""
    widths = [0] * (items[-1].columns[1] + 1)
    for item in items:
        first, last = item.columns
        needed = item.width + _GAP
        if (last - first + 1) * (_GAP + 1) >= needed:
            continue
        missing = needed - sum(widths[first : last + 1])
        for k in range(max(missing, 0)):
            widths[first + k % (last - first + 1)] += 1
    starts = [0]
    for width in widths:
        starts.append(starts[-1] + max(width, _GAP + 1))
    return starts


def _set_x(item: _Item, below: list[_Item], starts: list[int], lines: dict[int, _Item]) -> None:
    """Puts an item in the middle above its children, and beside the `lines` that cross its level."""
    first, last = starts[item.columns[0]], starts[item.columns[1] + 1]
    if below:
        low, high = min(child.x for child in below), max(child.x for child in below)
    else:
        low = high = (first + last - 1) // 2
    middle = (low + high) // 2
    crossing = {line.x for place, line in lines.items() if place not in item.children}

    def left_for(x: int) -> int:
        return max(first + 1, min(x - (item.width - 1) // 2, last - 1 - item.width))

    def is_free(x: int, margin: int) -> bool:
        left = left_for(x)
        return not any(left - margin <= line < left + item.width + margin for line in crossing)

    if crossing:
        places = sorted(range(low, high + 1), key=lambda x: abs(x - middle))
        free = [x for margin in (1, 0) for x in places if is_free(x, margin)]
        middle = free[0] if free else middle
    item.left = max(left_for(middle), 0)
    item.x = max(item.left, min(middle, item.left + item.width - 1))


def _row(canvas: Canvas, item: _Item) -> int:
    return canvas.height - 1 - 2 * item.level


def _branch(canvas: Canvas, owner: int, item: _Item, children: list[_Item]) -> None:
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

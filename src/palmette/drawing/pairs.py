"""Two trees side by side, and which of their nodes belong together: derivations of synchronous grammars.

In a terminal, nodes that belong together have the same raised number; on a page, the same colour and a line
between them. O(area of the drawing).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from palmette.drawing.canvas import MAX_CELLS, check_area, escaped, svg_head, text_width
from palmette.drawing.trees import PAGE, draw, layout
from palmette.trees.tree import Leaf, Tree

NodeLink = tuple[int, int]  # a node of each tree, both by their places in preorder
_COLOURS = ("#4477aa", "#cc4455", "#228833", "#996600", "#3388aa", "#aa3377")  # told apart by most people
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_BETWEEN = "     "
_STEP, _MARGIN, _MIDDLE, _ABOVE = 46, 20, 60, 16  # of a page, in pixels


def draw_pair(
    source: Tree,
    target: Tree,
    links: Sequence[NodeLink],
    *,
    ascii: bool = False,
    width: int | None = None,
    max_cells: int = MAX_CELLS,
) -> str:
    """The trees as text, side by side, or one above the other if that would be wider than `width` columns.

    >>> source, target = Tree.parse("(S (A a) (B b))"), Tree.parse("(S (B x) (A y))")
    >>> print(draw_pair(source, target, [(0, 0), (1, 2), (2, 1)]))
       S¹          S¹
     ┌─┴─┐       ┌─┴─┐
     A²  B³      B³  A²
     │   │       │   │
     a   b       x   y
    """
    _check(source, target, links)
    numbers: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for number, pair in enumerate(links, 1):
        for side, node in zip(numbers, pair):
            side.setdefault(node, number)
    blocks = []
    for tree, of_side in zip((source, target), numbers):
        picture = draw(_numbered(tree, of_side, ascii), ascii=ascii, max_cells=max_cells)
        blocks.append(picture.split("\n"))
    left = max(map(text_width, blocks[0]))
    whole = left + len(_BETWEEN) + max(map(text_width, blocks[1]))
    if width is not None and whole > width:
        return "\n".join([*blocks[0], "", *blocks[1]])
    check_area(max(map(len, blocks)), whole, max_cells)
    rows = list(zip_longest(*(reversed(block) for block in blocks), fillvalue=""))
    joined = (one + " " * (left - text_width(one)) + _BETWEEN + other for one, other in reversed(rows))
    return "\n".join(row.rstrip() for row in joined)


def draw_pair_svg(
    source: Tree, target: Tree, links: Sequence[NodeLink], *, max_cells: int = MAX_CELLS
) -> str:
    """The trees as an SVG image that needs nothing else: side by side, with lines between linked nodes."""
    _check(source, target, links)
    colours: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for number, pair in enumerate(links):
        for side, node in zip(colours, pair):
            side.setdefault(node, _COLOURS[number % len(_COLOURS)])
    left = _Side(source, _MARGIN, max_cells)
    right = _Side(target, _MARGIN + left.width + _MIDDLE, max_cells)
    width = 2 * _MARGIN + left.width + _MIDDLE + right.width
    height = max(left.height, right.height) + 2 * _MARGIN + _ABOVE
    for tree in (left, right):
        tree.top = height - _MARGIN - tree.height  # words on one line
    curves = []
    gap = _MARGIN + left.width + 6, _MARGIN + left.width + _MIDDLE - 6  # where lines go from row to row
    middle = sum(gap) / 2
    for number, (one, other) in enumerate(links):
        (x1, y1), (x2, y2) = left.place(left.nodes[one]), right.place(right.nodes[other])
        # Above the labels of a row, where only branches are; lines of neighbours have heights of their own.
        high = 15 + 4 * (number % 4)
        row1, row2 = y1 - high, y2 - high
        curves.append(
            f'<path d="M{x1:.6g} {y1 - 9:.6g}C{x1:.6g} {row1:.6g} {x1 + 8:.6g} {row1:.6g} {x1 + 16:.6g} {row1:.6g}'
            f"L{max(gap[0], x1 + 16):.6g} {row1:.6g}C{middle:.6g} {row1:.6g} {middle:.6g} {row2:.6g} "
            f"{min(gap[1], x2 - 16):.6g} {row2:.6g}L{x2 - 16:.6g} {row2:.6g}"
            f'C{x2 - 8:.6g} {row2:.6g} {x2:.6g} {row2:.6g} {x2:.6g} {y2 - 9:.6g}" '
            f'fill="none" stroke="{colours[0][one]}" stroke-width="1.5" stroke-dasharray="5 4" '
            'stroke-opacity="0.75"/>'
        )
    title = f"{' '.join(source.words)} , {' '.join(target.words)}"
    body = [*curves, left.drawn(colours[0]), right.drawn(colours[1])]
    return f"{svg_head(width, height, title)}{''.join(body)}</svg>"


class _Side:
    """One of the trees of an image, its words on one line at the bottom."""

    def __init__(self, tree: Tree, left: float, max_cells: int) -> None:
        self.items = layout(tree, PAGE, max_cells)
        self.left = left - min(item.left for item in self.items)
        self.width = max(item.left + item.width for item in self.items) - min(i.left for i in self.items)
        self.height = float(_STEP * self.items[-1].level)
        self.top = 0.0
        self.nodes: list[int] = []  # the items of the nodes, in preorder
        todo = [len(self.items) - 1]
        while todo:
            item = todo.pop()
            if not self.items[item].is_word:
                self.nodes.append(item)
            todo.extend(reversed(self.items[item].children))

    def place(self, item: int) -> tuple[float, float]:
        """The middle of a text."""
        found = self.items[item]
        return self.left + found.left + found.width / 2, self.top + self.height - _STEP * found.level

    def drawn(self, colours: dict[int, str]) -> str:
        """The branches and texts; linked nodes have the colours of their links."""
        colour_of = {self.nodes[node]: colour for node, colour in colours.items()}
        lines, texts = [], []
        for number, item in enumerate(self.items):
            x, y = self.place(number)
            style = "" if item.is_word else ' font-weight="600"'
            if number in colour_of:
                style += f' fill="{colour_of[number]}"'
            texts.append(f'<text x="{x:.6g}" y="{y + 5:.6g}"{style}>{escaped(item.text)}</text>')
            for child in item.children:
                end = self.place(child)
                lines.append(f"M{x:.6g} {y + 10:.6g}L{end[0]:.6g} {end[1] - 11:.6g}")
        branches = f'<path d="{"".join(lines)}" fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
        return branches + "".join(texts)


def _numbered(tree: Tree, numbers: dict[int, int], ascii: bool) -> Tree:
    """The tree with the numbers of its links behind the labels."""
    order = {id(node): place for place, node in enumerate(tree.preorder())}

    def node(old: Tree, below: list[Tree | Leaf]) -> Tree | Leaf:
        number = numbers.get(order[id(old)])
        if number is None:
            return Tree(old.label, below)
        shown = f"_{number}" if ascii else str(number).translate(_RAISED)
        return Tree(old.label + shown, below)

    found = tree.fold(lambda leaf: leaf, node)
    assert isinstance(found, Tree)
    return found


def _check(source: Tree, target: Tree, links: Sequence[NodeLink]) -> None:
    sizes = tuple(sum(1 for _ in tree.preorder()) for tree in (source, target))
    for pair in links:
        if any(not 0 <= node < size for node, size in zip(pair, sizes)):
            raise ValueError(
                f"The link {tuple(pair)} is outside of trees with {sizes[0]} and {sizes[1]} nodes."
            )

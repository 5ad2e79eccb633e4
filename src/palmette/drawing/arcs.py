"""Dependency graphs drawn as arcs above the words, for a terminal and for a page.

An arc lies one level above the highest of the arcs that pass over a gap between words that it passes over, the
shorter ones placed first: a projective tree needs as many levels as its deepest nest. A word takes its arc in the
middle; arcs to its dependents leave from one place on either side, so lines meet only if they have the same head.
Cost: the area of the drawing, which is at most `max_cells`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from palmette.drawing.canvas import (
    ASCII,
    BOX,
    DOWN,
    LEFT,
    MAX_CELLS,
    RIGHT,
    UP,
    Canvas,
    TooLargeError,
    check_area,
    escaped,
    is_right_to_left,
    svg_head,
    svg_width,
    text_width,
)
from palmette.trees.dependency_tree import Arc, DependencyTree

_SMALL = 11  # pixels of the letters of labels and tags


def draw_arcs(
    tree: DependencyTree, *, width: int | None = None, ascii: bool = False, max_cells: int = MAX_CELLS
) -> str:
    """The graph as text: arcs with their labels above the words, tags below.

    Where the arcs would be wider than `width` columns, or take more than `max_cells` characters, rows times
    columns, the words come as an indented list; ValueError if that is larger than `max_cells` too.

    >>> tree = DependencyTree([2, 0, 4, 2], ["nsubj", "root", "det", "obj"], "Birds eat the worms".split())
    >>> print(draw_arcs(tree))
              root
               │┌───obj────┐
      ┌─nsubj─┐││   ┌─det─┐│
      ▼       │▼│   ▼     │▼
    Birds     eat  the   worms
    """
    if not len(tree):
        return ""
    try:
        layout = _Layout(tree, _TERMINAL, max_cells)
    except TooLargeError:
        return _listed(tree, ascii, max_cells)
    if width is not None and layout.width > width:
        return _listed(tree, ascii, max_cells)
    has_roots = any(arc.head == 0 for arc in tree.arcs)
    canvas = Canvas(layout.height + has_roots + 2 + (tree.tags is not None))
    foot = canvas.height - 2 - (tree.tags is not None)  # the row of the arrows

    for arc in tree.arcs:
        middle = layout.middle[arc.word]
        if arc.head == 0:
            for row in range(1, foot):
                canvas.line(row, middle, 0, UP | DOWN)
            continue
        if arc.head == arc.word:
            continue
        owner = 2 * arc.head + (arc.word > arc.head)
        out = layout.place(arc)
        row = foot - layout.level[arc]
        low, high = min(middle, out), max(middle, out)
        canvas.bar(row, low, high, owner)
        canvas.line(row, low, owner, RIGHT | DOWN)
        canvas.line(row, high, owner, LEFT | DOWN)
        for below in range(row + 1, foot):
            canvas.line(below, low, owner, UP | DOWN)
            canvas.line(below, high, owner, UP | DOWN)
        canvas.line(foot, out, owner, UP | DOWN)
    for arc in tree.arcs:
        if arc.head != arc.word:
            canvas.write(foot, layout.middle[arc.word], "v" if ascii else "▼")
        label = _label(arc)
        if arc.head == 0:
            canvas.write(0, _left(layout.middle[arc.word], label), label)
        elif arc.head != arc.word and label:
            row = foot - layout.level[arc]
            ends = sorted((layout.middle[arc.word], layout.place(arc)))
            canvas.write(row, _place_for(canvas, row, ends, _width(label)), label)
    for word, (form, tag) in enumerate(layout.texts, 1):
        canvas.write(foot + 1, _left(layout.middle[word], form), form)
        if tag is not None:
            canvas.write(foot + 2, _left(layout.middle[word], tag), tag)
    return canvas.text(ASCII if ascii else BOX)


def draw_arcs_svg(tree: DependencyTree, *, max_cells: int = MAX_CELLS) -> str:
    """The graph as an SVG image that needs nothing else and takes the colour of the text around it.

    ValueError if it is larger than a drawing of `max_cells` characters.
    """
    layout = _Layout(tree, _PAGE, max_cells)
    step, margin = 24, 16
    has_roots = any(arc.head == 0 for arc in tree.arcs)
    base = margin + step * (layout.height + has_roots) + 8
    height = base + 24 + (18 if tree.tags is not None else 0) + margin // 2
    width = margin * 2 + max(layout.width, 8)

    backwards = is_right_to_left(form for form, _ in layout.texts)

    def x(column: int) -> float:
        return width - margin - column - 0.5 if backwards else margin + column + 0.5

    lines, heads, texts = [], [], []
    for arc in tree.arcs:
        if arc.head == arc.word:
            continue
        end = x(layout.middle[arc.word])
        heads.append(f"M{end:g} {base}l-3.5 -7h7z")
        if arc.head == 0:
            y = margin + 4
            lines.append(f"M{end:g} {y + 4}V{base - 6}")
            texts.append(_svg_text(end, y, _label(arc), f' font-size="{_SMALL}"'))
            continue
        start = x(layout.place(arc))
        y = base - step * layout.level[arc]
        turn = 6 if end > start else -6
        lines.append(
            f"M{start:g} {base}V{y + 6}Q{start:g} {y} {start + turn:g} {y}"
            f"H{end - turn:g}Q{end:g} {y} {end:g} {y + 6}V{base - 6}"
        )
        texts.append(_svg_text((start + end) / 2, y - 4, _label(arc), f' font-size="{_SMALL}"'))
    for word, (form, tag) in enumerate(layout.texts, 1):
        texts.append(_svg_text(x(layout.middle[word]), base + 18, form))
        if tag is not None:
            texts.append(
                _svg_text(x(layout.middle[word]), base + 35, tag, f' font-size="{_SMALL}" fill-opacity="0.7"')
            )
    return (
        f"{svg_head(width, height, ' '.join(form for form, _ in layout.texts))}"
        f'<path d="{"".join(lines)}" fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
        f'<path d="{"".join(heads)}"/>{"".join(texts)}</svg>'
    )


def _svg_text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{more}>{escaped(text)}</text>' if text else ""


class _Measures(NamedTuple):
    """What the places of a layout are counted in, columns of a terminal or pixels."""

    width: Callable[[str], int]  # of a word
    small: Callable[[str], int]  # of a tag or a label
    gap: int  # between words
    beside: int  # from the middle of a word to where arcs leave it
    ends: int  # what an arc needs besides its label
    cell: int  # places that count as one column of the area


_TERMINAL = _Measures(lambda text: _width(text), lambda text: _width(text), 2, 1, 4, 1)
_PAGE = _Measures(lambda text: svg_width(text, 14), lambda text: svg_width(text, _SMALL), 12, 8, 30, 8)


class _Layout:
    """Places of words and levels of arcs."""

    def __init__(self, tree: DependencyTree, measures: _Measures, max_cells: int) -> None:
        self._measures = measures
        self.texts = _texts(tree)
        self.level: dict[Arc, int] = {}
        between = sorted(
            (arc for arc in tree.arcs if arc.head and arc.head != arc.word),
            key=lambda arc: (arc.ends[1] - arc.ends[0], arc.ends[0], arc.word),
        )
        heights = [0] * (len(tree) + 1)  # over the gap after each word
        for arc in between:
            low, high = arc.ends
            level = 1 + max(heights[low:high])
            heights[low:high] = [level] * (high - low)
            self.level[arc] = level
            check_area(level, 3 * len(tree), max_cells)  # before the time is spent on levels that no one sees
        self.height = max(heights)
        self._set_columns(tree, between)
        check_area(self.height + 3, self.width // measures.cell, max_cells)

    def _set_columns(self, tree: DependencyTree, between: list[Arc]) -> None:
        """Widths of words and of the gaps before them, so that every label has room on its arc."""
        n, measures = len(tree), self._measures
        before, after = [0] * (n + 1), [0] * (n + 1)  # places of a word left and right of its middle
        for word, (form, tag) in enumerate(self.texts, 1):
            widths = [measures.width(form), measures.small(tag or "")]
            if tree.heads[word - 1] == 0:
                root = Arc(0, word, tree.labels[word - 1] if tree.labels else None)
                widths.append(measures.small(_label(root)))
            before[word] = max((w - 1) // 2 for w in widths)
            after[word] = max(w // 2 for w in widths)
        for arc in between:
            if arc.word < arc.head:
                before[arc.head] = max(before[arc.head], measures.beside)
            else:
                after[arc.head] = max(after[arc.head], measures.beside)
        steps = [0] * (n + 1)  # from the middle of the last word to that of this
        for word in range(1, n + 1):
            steps[word] = before[word] + (after[word - 1] + measures.gap if word > 1 else 0)
        for arc in between:
            low, high = arc.ends
            needed = measures.small(_label(arc)) + measures.ends
            if (high - low) * measures.gap < needed:
                steps[high] += max(needed - sum(steps[low + 1 : high + 1]), 0)
        self.middle = [0] * (n + 1)
        for word in range(1, n + 1):
            self.middle[word] = self.middle[word - 1] + steps[word]
        self.width = self.middle[n] + after[n] + 1 if n else 0

    def place(self, arc: Arc) -> int:
        """Where an arc leaves its head."""
        return self.middle[arc.head] + (1 if arc.word > arc.head else -1) * self._measures.beside


def _texts(tree: DependencyTree) -> list[tuple[str, str | None]]:
    """Every word, and its tag."""
    forms = tree.forms or [str(word) for word in range(1, len(tree) + 1)]
    tags = tree.tags or [None] * len(tree)
    return [(_clean(form), tag if tag is None else _clean(tag)) for form, tag in zip(forms, tags)]


def _place_for(canvas: Canvas, row: int, ends: list[int], width: int) -> int:
    """Where a label begins: in the middle of its arc, and beside the lines that cross it where there is room."""
    low, high = ends[0] + 1, ends[1] - width
    middle = (low + high) // 2
    uprights = [x for x in range(low, ends[1]) if canvas.is_upright(row, x)]
    if uprights:
        for left in sorted(range(low, high + 1), key=lambda left: abs(left - middle)):
            if not any(left <= x < left + width for x in uprights):
                return left
    return middle


def _label(arc: Arc) -> str:
    if arc.label is None or arc.label == "_":
        return "root" if arc.head == 0 else ""
    return _clean(arc.label)


def _width(text: str) -> int:
    """The columns of a text that stands alone: a mark that has no letter before it takes one."""
    return text_width(text) + (text_width(text[:1]) == 0)


def _left(middle: int, text: str) -> int:
    """Where a text begins whose middle is given."""
    return middle - (_width(text) - 1) // 2


def _clean(text: str) -> str:
    """The text with whatever could steer a terminal replaced."""
    return "".join(c if c.isprintable() else "�" for c in text)


def _listed(tree: DependencyTree, ascii: bool, max_cells: int) -> str:
    """The words below each other; of a tree every word is indented below its head."""
    texts = _texts(tree)
    labels = dict.fromkeys(range(1, len(tree) + 1), "") | {arc.word: _label(arc) for arc in tree.arcs}

    def shown(word: int) -> str:
        form, tag = texts[word - 1]
        return "  ".join(part for part in (form, tag, labels[word]) if part)

    if not tree.is_tree:
        heads = ("root" if head == 0 else str(head) for head in tree.heads)
        return "\n".join(f"{word} <- {head}  {shown(word)}" for word, head in enumerate(heads, 1))
    fork, end, line = ("|- ", "`- ", "|  ") if ascii else ("├─ ", "└─ ", "│  ")
    rows: list[str] = []
    todo = [(word, "", "") for word in reversed(tree.children(0))]
    size = 0
    while todo:
        word, first, rest = todo.pop()
        size += len(first)
        if size > max_cells:
            raise TooLargeError(
                f"a sentence of {len(tree):,} words is too deep to be drawn in {max_cells:,} characters: raise "
                "max_cells (--max-cells)"
            )
        rows.append(f"{first}{word} {shown(word)}")
        below = tree.children(word)
        for i, child in reversed(list(enumerate(below))):
            last = i == len(below) - 1
            todo.append((child, rest + (end if last else fork), rest + ("   " if last else line)))
    return "\n".join(rows)

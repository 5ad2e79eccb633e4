"""The grid of an alignment, in a terminal and as SVG: a row for every source word, a column for every target word.

Links are full blocks, and what is not a link is the lighter the less likely it is. With the right links at hand, a
link that is wrong is crossed and one that is missing is a ring.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from palmette.drawing.canvas import Canvas, escaped, svg_head, text_width

Link = tuple[int, int]  # a source and a target word
_BLOCKS = "█▓▒░·○✗"  # a likely link, a link, no link: from 1/4 on, from 1/20 on, below; missing; wrong
_ASCII = "#*+-.ox"


class GoldLinks(Protocol):
    """The right links of a sentence pair; `possible` has the sure ones too."""

    @property
    def sure(self) -> frozenset[Link]: ...
    @property
    def possible(self) -> frozenset[Link]: ...


def draw_alignment(
    source: Sequence[str],
    target: Sequence[str],
    links: Collection[Link],
    probabilities: NDArray[np.floating] | None = None,
    *,
    gold: GoldLinks | None = None,
    ascii: bool = False,
) -> str:
    """The grid as text; target words are written downwards above their columns.

    probabilities: of all links, [source][target].

    >>> print(draw_alignment(["the", "house"], ["das", "Haus"], [(0, 0), (1, 1)], ascii=True))
             H
           d a
           a u
           s s
      the  # .
    house  . #
    """
    values = _checked(source, target, links, probabilities)
    chosen, symbols = set(links), _ASCII if ascii else _BLOCKS
    rows, columns = [_clean(word) for word in source], [_pieces(_clean(word)) for word in target]
    margin = max(map(text_width, rows), default=0)
    head = max(map(len, columns), default=0)
    canvas = Canvas(head + len(rows))
    step = max((text_width(piece) for column in columns for piece in column), default=1) + 1
    for j, column in enumerate(columns):
        for k, piece in enumerate(column):
            canvas.write(head - len(column) + k, margin + 2 + step * j, piece)
    for i, word in enumerate(rows):
        canvas.write(head + i, margin - text_width(word), word)
        for j in range(len(columns)):
            canvas.write(head + i, margin + 2 + step * j, symbols[_symbol((i, j), chosen, values, gold)])
    return canvas.text("")


def draw_alignment_svg(
    source: Sequence[str],
    target: Sequence[str],
    links: Collection[Link],
    probabilities: NDArray[np.floating] | None = None,
    *,
    gold: GoldLinks | None = None,
) -> str:
    """The grid as an SVG image that needs nothing else and takes the colour of the text around it."""
    values = _checked(source, target, links, probabilities)
    chosen = set(links)
    size, margin = 20, 8
    left = margin + 8 * max(map(text_width, source), default=0) + 8
    top = margin + 7 * max(map(text_width, target), default=0) + 8
    lean = 5 * max(map(text_width, target), default=0)  # the words above lean to the right
    width, height = left + size * len(target) + lean + margin, top + size * len(source) + margin
    right, bottom = left + size * len(target), top + size * len(source)
    lines = [f"M{left} {top + size * i}H{right}" for i in range(len(source) + 1)]
    lines += [f"M{left + size * j} {top}V{bottom}" for j in range(len(target) + 1)]
    cells, texts = [], []
    for i in range(len(source)):
        for j in range(len(target)):
            cells.append(_svg_cell(left + size * j, top + size * i, size, (i, j), chosen, values, gold))
    for i, word in enumerate(source):
        y = top + size * i + 14
        texts.append(f'<text x="{left - 6}" y="{y}" text-anchor="end">{escaped(word)}</text>')
    for j, word in enumerate(target):
        place = f"translate({left + size * j + 12} {top - 5}) rotate(-55)"
        texts.append(f'<text transform="{place}">{escaped(word)}</text>')
    title = f"{' '.join(source)} – {' '.join(target)}"
    return (
        f'{svg_head(width, height, title)}<g font-size="13" text-anchor="start">'
        f'<path d="{"".join(lines)}" fill="none" stroke="currentColor" stroke-opacity="0.2"/>'
        f"{''.join(cells)}{''.join(texts)}</g></svg>"
    )


def _svg_cell(
    x: int,
    y: int,
    size: int,
    link: Link,
    chosen: set[Link],
    values: NDArray[np.floating],
    gold: GoldLinks | None,
) -> str:
    p = float(values[link])
    opacity = 0.25 + 0.75 * p if link in chosen else 0.5 * p
    parts = []
    if opacity >= 0.01:
        inset = 2 if link in chosen else 5
        side = size - 2 * inset
        parts.append(
            f'<rect x="{x + inset}" y="{y + inset}" width="{side}" height="{side}" rx="2" '
            f'fill-opacity="{opacity:.2f}"><title>{link[0]}-{link[1]}: {p:.3f}</title></rect>'
        )
    if gold is not None and link in chosen and link not in gold.possible:
        a, b = x + 5, x + size - 5
        parts.append(
            f'<path d="M{a} {y + 5}L{b} {y + size - 5}M{b} {y + 5}L{a} {y + size - 5}" stroke="red"/>'
        )
    if gold is not None and link in gold.sure and link not in chosen:
        parts.append(
            f'<circle cx="{x + size // 2}" cy="{y + size // 2}" r="6" fill="none" stroke="currentColor"/>'
        )
    return "".join(parts)


def _symbol(link: Link, chosen: set[Link], values: NDArray[np.floating], gold: GoldLinks | None) -> int:
    p = float(values[link])
    if link in chosen:
        return 6 if gold is not None and link not in gold.possible else 0 if p >= 0.75 else 1
    if gold is not None and link in gold.sure:
        return 5
    return 2 if p >= 0.25 else 3 if p >= 0.05 else 4


def _checked(
    source: Sequence[str],
    target: Sequence[str],
    links: Collection[Link],
    probabilities: NDArray[np.floating] | None,
) -> NDArray[np.floating]:
    """Probabilities of all cells: those given, or one for links."""
    shape = len(source), len(target)
    for i, j in links:
        if not (0 <= i < shape[0] and 0 <= j < shape[1]):
            raise ValueError(
                f"The link {i}-{j} lies outside of {shape[0]} source and {shape[1]} target words."
            )
    if probabilities is None:
        values: NDArray[np.floating] = np.zeros(shape)
        for link in links:
            values[link] = 1
        return values
    if probabilities.shape != shape:
        raise ValueError(f"There must be {shape[0]} × {shape[1]} probabilities. Got {probabilities.shape}.")
    return probabilities


def _clean(word: str) -> str:
    return "".join(c if c.isprintable() else "�" for c in word)


def _pieces(word: str) -> list[str]:
    """The letters of a word, each with the marks that belong to it."""
    pieces: list[str] = []
    for character in word:
        if pieces and text_width(character) == 0:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces

"""A labelled sentence as an SVG image: words in rows, below each word a box with its label for every layer.

Labels of spans (B-X, I-X, E-X, S-X) are one box for the span, and O has none. Long sentences are wrapped.
O(words).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from palmette.drawing.canvas import escaped, is_right_to_left, svg_head, svg_width

_COLOURS = ("#3b7dc4", "#3f9350", "#8d5bb5", "#cf5a35", "#b8860b", "#2a9d9d")
_WIDTH, _GAP, _MARGIN, _WORD, _LAYER = 900, 14, 10, 22, 20


class _Box(NamedTuple):
    begin: int
    end: int
    label: str


def draw_labels_svg(words: Sequence[str], layers: Mapping[str, Sequence[str]], *, width: int = _WIDTH) -> str:
    """Return the sentence with its layers, each a label for every word; `_` and O are left empty.

    >>> image = draw_labels_svg("Ada Lovelace wrote".split(), {"names": ["B-PER", "I-PER", "O"]})
    >>> image.count("<rect"), "PER" in image
    (1, True)
    """
    for name, labels in layers.items():
        if len(labels) != len(words):
            raise ValueError(f"There are {len(words)} words and {len(labels)} labels of {name!r}.")
    boxes = [_boxes(labels) for labels in layers.values()]
    room = [float(svg_width(word, 14)) for word in words]
    for box in (box for layer in boxes for box in layer):
        here = sum(room[box.begin : box.end]) + _GAP * (box.end - box.begin - 1)
        missing = svg_width(box.label, 11) + 10 - here
        for i in range(box.begin, box.end):
            room[i] += max(missing, 0) / (box.end - box.begin)
    rows = _rows(room, width)
    height = _WORD + _LAYER * len(boxes) + 10
    left = {i: x for row in rows for i, x in row}
    row_of = {i: number for number, row in enumerate(rows) for i, _ in row}
    whole = max((left[i] + room[i] for i in left), default=0) + 2 * _MARGIN
    if is_right_to_left(words):
        left = {i: whole - 2 * _MARGIN - x - room[i] for i, x in left.items()}
    out = []
    for i, word in enumerate(words):
        x, y = _MARGIN + left[i] + room[i] / 2, _MARGIN + height * row_of[i] + 15
        out.append(f'<text x="{x:.1f}" y="{y}">{escaped(word)}</text>')
    for number, layer in enumerate(boxes):
        kinds = {kind: k for k, kind in enumerate(sorted({box.label for box in layer}))}
        for box in layer:
            colour = _COLOURS[kinds[box.label] % len(_COLOURS)]
            for part in _parts(box, row_of):
                ends = [(left[i], left[i] + room[i]) for i in (part.begin, part.end - 1)]
                x = _MARGIN + min(ends)[0]
                wide = max(ends)[1] - min(ends)[0]
                y = _MARGIN + height * row_of[part.begin] + _WORD + _LAYER * number
                out.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="16" rx="3" fill="{colour}" '
                    f'fill-opacity="0.16"/><text x="{x + wide / 2:.1f}" y="{y + 12}" font-size="11" '
                    f'fill="{colour}">{escaped(part.label)}</text>'
                )
    return f"{svg_head(whole, 2 * _MARGIN + height * len(rows), ' '.join(words))}{''.join(out)}</svg>"


def _boxes(labels: Sequence[str]) -> list[_Box]:
    found: list[_Box] = []
    for i, label in enumerate(labels):
        tag, dash, kind = label.partition("-")
        if label in ("_", "O", ""):
            continue
        if not dash or tag not in ("B", "I", "E", "S", "L", "U"):
            found.append(_Box(i, i + 1, label))
        elif tag in ("I", "E", "L") and found and found[-1].end == i and found[-1].label == kind:
            found[-1] = found[-1]._replace(end=i + 1)
        else:
            found.append(_Box(i, i + 1, kind))
    return found


def _rows(room: Sequence[float], width: int) -> list[list[tuple[int, float]]]:
    """Return the words of each row with their left ends."""
    rows: list[list[tuple[int, float]]] = []
    at = 0.0
    for i, wide in enumerate(room):
        if not rows or (at + wide > width and rows[-1]):
            rows.append([])
            at = 0.0
        rows[-1].append((i, at))
        at += wide + _GAP
    return rows


def _parts(box: _Box, row_of: Mapping[int, int]) -> list[_Box]:
    """Return a span as its parts on each row."""
    parts = [_Box(box.begin, box.begin + 1, box.label)]
    for i in range(box.begin + 1, box.end):
        if row_of[i] == row_of[i - 1]:
            parts[-1] = parts[-1]._replace(end=i + 1)
        else:
            parts.append(_Box(i, i + 1, box.label))
    return parts

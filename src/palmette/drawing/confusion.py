"""A confusion matrix as an SVG image: a row for each gold label, a column for each guess.

A cell is the darker the larger its share of the row: blue where the guess is right, red where it is wrong.
O(labels²).
"""

from __future__ import annotations

from collections.abc import Sequence

from palmette.drawing.canvas import escaped, svg_head, svg_width

MOST_LABELS = 24
_RIGHT, _WRONG, _MARGIN = "#3b7dc4", "#cf5a35", 12


def draw_confusion_svg(
    names: Sequence[str], counts: Sequence[Sequence[int]], *, title: str = "", most: int = MOST_LABELS
) -> str:
    """Return the image; of more labels than `most`, those after the first are one row and one column, "others".

    counts: counts[i][j] is how often gold label i was guessed as j. Within "others" right and wrong guesses cannot
    be distinguished, so that corner has no colour.

    >>> draw_confusion_svg(["A", "B"], [[8, 2], [0, 5]]).count("<rect")
    3
    """
    rows = [list(row) for row in counts]
    if len(rows) != len(names) or any(len(row) != len(names) for row in rows):
        raise ValueError(f"A confusion matrix of {len(names)} labels needs as many rows and columns.")
    joined = len(names) > most
    if joined:
        rows = _joined(rows, most - 1)
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    labels = [name if len(name) <= 20 else f"{name[:19]}…" for name in names]
    largest = max((n for row in rows for n in row), default=0)
    cell = max(24, svg_width(f"{largest:,}", 11) + 8)
    widest = max((svg_width(name, 12) for name in labels), default=0)
    left = _MARGIN + 18 + widest + 6
    lean = 0.82 * widest  # the names above lean to the right
    top = _MARGIN + (22 if title else 0) + 18 + int(0.6 * widest) + 8
    n = len(labels)
    width = max(left + cell * n + lean + _MARGIN, left + svg_width(title, 14, bold=True))
    out = [svg_head(width, top + 24 * n + _MARGIN, title or "confusion matrix"), '<g font-size="12">']
    if title:
        out.append(
            f'<text x="{_MARGIN}" y="{_MARGIN + 8}" font-size="14" font-weight="600" text-anchor="start">'
            f"{escaped(title)}</text>"
        )
    middle = top + 12 * n
    out.append(
        f'<text x="16" y="{middle}" transform="rotate(-90 16 {middle})" fill-opacity="0.7">gold</text>'
    )
    guess = top - int(0.6 * widest) - 14
    out.append(f'<text x="{left}" y="{guess}" text-anchor="start" fill-opacity="0.7">guess</text>')
    for i, row in enumerate(rows):
        y, whole = top + 24 * i, sum(row) or 1
        out.append(f'<text x="{left - 6}" y="{y + 16}" text-anchor="end">{escaped(labels[i])}</text>')
        place = f"translate({left + cell * i + cell // 2} {top - 5}) rotate(-35)"
        out.append(f'<text transform="{place}" text-anchor="start">{escaped(labels[i])}</text>')
        for j, count in enumerate(row):
            if not count:
                continue
            x, share = left + cell * j, count / whole
            colour = _RIGHT if i == j else _WRONG
            shade = 0.0 if joined and i == j == n - 1 else 0.08 + 0.82 * share**0.6
            out.append(
                f'<rect x="{x + 1}" y="{y + 1}" width="{cell - 2}" height="22" rx="2" fill="{colour}" '
                f'fill-opacity="{shade:.2f}"><title>{escaped(names[i])} as {escaped(names[j])}: {count:,} '
                f'({100 * share:.1f} %)</title></rect><text x="{x + cell / 2:g}" y="{y + 16}" font-size="11"'
                f"{_INK if shade > 0.6 else ''}>{count:,}</text>"
            )
    lines = [f"M{left} {top + 24 * i}H{left + cell * n}" for i in range(n + 1)]
    lines += [f"M{left + cell * j} {top}V{top + 24 * n}" for j in range(n + 1)]
    out.append(f'<path d="{"".join(lines)}" fill="none" stroke="currentColor" stroke-opacity="0.15"/>')
    return f"{''.join(out)}</g></svg>"


_INK = ' fill="#fff"'


def _joined(rows: Sequence[Sequence[int]], kept: int) -> list[list[int]]:
    """Return the matrix with everything from row and column `kept` on as one."""
    shorter = [[*row[:kept], sum(row[kept:])] for row in rows]
    return [*shorter[:kept], [sum(column) for column in zip(*shorter[kept:])]]

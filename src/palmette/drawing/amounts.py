"""What speaks for a decision and what against it: amounts as bars to the right and to the left. O(bars)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from palmette.drawing.canvas import escaped, svg_head, svg_width

_FOR, _AGAINST = "#3b7dc4", "#cf5a35"
_STEP, _BAR, _SIZE, _MOST_NAME = 20, 150, 12, 44


class Amount(NamedTuple):
    """A name, how much it adds, and a detail beside."""

    name: str
    amount: float
    detail: str = ""


def draw_amounts_svg(title: str, amounts: Sequence[Amount]) -> str:
    """Return bars: to the right in blue what is above 0, to the left in red what is below.

    >>> draw_amounts_svg("dog: NOUN", [Amount("w=dog", 2.0), Amount("suffix=og", -0.5)]).count("<rect")
    2
    """
    names = [_cut(one.name) for one in amounts]
    details = [_cut(one.detail) for one in amounts]
    left = 16 + max((svg_width(name, _SIZE) for name in names), default=0)
    most = max((abs(one.amount) for one in amounts), default=0.0) or 1.0
    low = _BAR * max((-one.amount / most for one in amounts), default=0.0) if amounts else 0.0
    high = _BAR * max((one.amount / most for one in amounts), default=0.0) if amounts else 0.0
    zero = left + (max(low, 0.0) + 56 if low > 0 else 8)
    end = zero + max(high, 0.0) + 56
    right = end + max((svg_width(detail, 11) for detail in details), default=0) + 12
    width = max(right, 16 + svg_width(title, 13, bold=True))
    out = [svg_head(width, 34 + _STEP * len(amounts), title)]
    out.append(
        f'<text x="8" y="18" font-size="13" font-weight="600" text-anchor="start">{escaped(title)}</text>'
    )
    for i, one in enumerate(amounts):
        y = 30 + _STEP * i
        length = _BAR * abs(one.amount) / most
        begin, colour = (zero, _FOR) if one.amount >= 0 else (zero - length, _AGAINST)
        at, anchor = (zero + length + 5, "start") if one.amount >= 0 else (zero - length - 5, "end")
        out.append(
            f'<text x="{left - 6}" y="{y + 11}" font-size="{_SIZE}" text-anchor="end">{escaped(names[i])}</text>'
            f'<rect x="{begin:.1f}" y="{y}" width="{max(length, 1):.1f}" height="14" rx="2" fill="{colour}" '
            f'fill-opacity="0.75"/><text x="{at:.1f}" y="{y + 11}" font-size="11" text-anchor="{anchor}">'
            f"{one.amount:+.3g}</text>"
        )
        if details[i]:
            out.append(
                f'<text x="{end:.1f}" y="{y + 11}" font-size="11" fill-opacity="0.7" text-anchor="start">'
                f"{escaped(details[i])}</text>"
            )
    if amounts:
        bottom = 30 + _STEP * len(amounts) - 4
        out.append(f'<path d="M{zero:.1f} 28V{bottom}" stroke="currentColor" stroke-opacity="0.5"/>')
    return f"{''.join(out)}</svg>"


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_NAME else f"{text[: _MOST_NAME - 1]}…"

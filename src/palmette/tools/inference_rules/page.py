"""A page about one rule, as text or HTML: its instances, its neighbours, and what made them alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from palmette.tools.inference_rules.model import RuleModel, SimilarPath

_WORDS = 8  # of a slot that are listed


def text_page(model: RuleModel, place: int, found: Sequence[SimilarPath]) -> str:
    """Return a page as text."""
    lines = [
        f"{model.wording(place)}    {model.paths[place // 2]}",
        f"  occurs {_count(model, place):,} times",
    ]
    for name, words in zip("XY", _slots(model, place)):
        lines.append(f"  {name}: {', '.join(f'{word} {n}' for word, n in words)}")
    lines.append("")
    width = max((len(one.wording) for one in found), default=0)
    for one in found:
        lines.append(f"  {one.direction} {one.wording:<{width}}  {one.similarity:.4f}")
        lines += [
            f"      {name}: {', '.join(words[:_WORDS])}"
            for name, words in (("X", one.x), ("Y", one.y))
            if words
        ]
        if one.opposite:
            lines.append(f"      careful: these may be opposites ({one.opposite})")
    if not found:
        lines.append("  no similar path")
    return "\n".join(lines) + "\n"


def html_page(model: RuleModel, place: int, found: Sequence[SimilarPath]) -> str:
    """Return a page as HTML, which needs no other file."""
    slots = "".join(
        f"<p><b>{name}</b>: {escape(', '.join(f'{word} ({n})' for word, n in words))}</p>"
        for name, words in zip("XY", _slots(model, place))
    )
    rows = "".join(
        f"<tr><td>{one.direction}</td><td>{escape(one.wording)}<br><small>{escape(one.path)}</small></td>"
        f"<td>{one.similarity:.4f}</td><td>{escape(', '.join(one.x[:_WORDS]))}</td>"
        f"<td>{escape(', '.join(one.y[:_WORDS]))}</td><td class='careful'>{escape(one.opposite)}</td></tr>"
        for one in found
    )
    title = escape(model.wording(place))
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title><style>"
        "body{font:16px sans-serif;max-width:60em;margin:2em auto}td,th{padding:.3em .8em;text-align:left;"
        "vertical-align:top;border-bottom:1px solid #ccc}small{color:#666}.careful{color:#a00}</style></head>"
        "<body>"
        f"<h1>{title}</h1><p><code>{escape(model.paths[place // 2])}</code>, {_count(model, place):,} times</p>"
        f"{slots}"
        "<table><tr><th></th><th>similar path</th><th>similarity</th><th>shared X</th><th>shared Y</th>"
        f"<th>may be opposite</th></tr>{rows}</table></body></html>\n"
    )


def _count(model: RuleModel, place: int) -> int:
    return int(model.of(place)[:, 2].sum())


def _slots(model: RuleModel, place: int) -> list[list[tuple[str, int]]]:
    """The most frequent words of both slots, with their counts."""
    found = []
    for slot in (0, 1):
        counts: Counter[str] = Counter()
        for row in model.of(place).tolist():
            counts[model.words[row[slot]]] += row[2]
        found.append(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_WORDS])
    return found

"""Grammars as notebooks show them: a table with a row for each left side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import EMPTY, symbol_text

_MOST = 50  # rows, and rules in a row


def grammar_html(grammar: Grammar) -> str:
    """The rules of each left side, the likeliest first."""
    return rules_html(
        repr(grammar)[1:-1],
        [(left, grammar.rules_of(left)) for left in grammar.sums],
        lambda rule: " ".join(map(symbol_text, rule.right)) or EMPTY,
    )


def rules_html(title: str, groups: Sequence[tuple[str, Sequence[Any]]], right: Callable[[Any], str]) -> str:
    """Rules with weights by their left sides; right: what a rule derives, as text."""
    rows = [_row(left, rules, right) for left, rules in groups[:_MOST]]
    if len(groups) > _MOST:
        rows.append(f"<tr><td>… and {len(groups) - _MOST:,} more</td><td></td></tr>")
    return f"<p>{escape(title)}</p><table>{''.join(rows)}</table>"


def _row(left: str, rules: Sequence[Any], right: Callable[[Any], str]) -> str:
    ordered = sorted(rules, key=lambda rule: -rule.weight)
    cells = [f"{rule.weight:.4g}&#8195;{escape(right(rule))}" for rule in ordered[:_MOST]]
    if len(rules) > _MOST:
        cells.append(f"… and {len(rules) - _MOST:,} more")
    return f"<tr><td><b>{escape(left)}</b></td><td style='text-align:left'>{'<br/>'.join(cells)}</td></tr>"

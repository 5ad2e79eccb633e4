"""Grammars as notebooks show them: a table with a row for each left side."""

from __future__ import annotations

from html import escape

from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import EMPTY, Rule, symbol_text

_MOST = 50  # rows, and rules in a row


def grammar_html(grammar: Grammar) -> str:
    """The rules of each left side, the likeliest first."""
    lefts = list(grammar.sums)
    rows = [_row(left, grammar.rules_of(left)) for left in lefts[:_MOST]]
    if len(lefts) > _MOST:
        rows.append(f"<tr><td>… and {len(lefts) - _MOST:,} more</td><td></td></tr>")
    return f"<p>{escape(repr(grammar)[1:-1])}</p><table>{''.join(rows)}</table>"


def _row(left: str, rules: tuple[Rule, ...]) -> str:
    ordered = sorted(rules, key=lambda rule: -rule.weight)
    cells = [f"{rule.weight:.4g}&emsp;{escape(_right(rule))}" for rule in ordered[:_MOST]]
    if len(rules) > _MOST:
        cells.append(f"… and {len(rules) - _MOST:,} more")
    return f"<tr><td><b>{escape(left)}</b></td><td style='text-align:left'>{'<br>'.join(cells)}</td></tr>"


def _right(rule: Rule) -> str:
    return " ".join(map(symbol_text, rule.right)) or EMPTY

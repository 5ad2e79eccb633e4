"""The counts of a file of tokens or trees as people read them: tables of the commonest, the rest summed up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palmette.cli.report import Table

_ROWS = 25  # of a table


def for_people(report: Mapping[str, Any]) -> dict[str, Any]:
    """The report with tables in place of nested counts, and shares in percent."""
    shown: dict[str, Any] = {}
    for name, value in report.items():
        if _is_table(value):
            shown[_words(name)] = _table(value)
        elif isinstance(value, Mapping) and "problem" in value:
            line = f"line {value['line']}" if "line" in value else f"sentence {value['sentence']}"
            shown[_words(name)] = f"{line}: {value['problem']}"
        elif isinstance(value, Mapping):
            shown[_words(name)] = value if name == "distinct" else for_people(value)
        else:
            shown[_words(name)] = _cell(name, value)
    return shown


_SHARES = ("share", "left", "right", "projective", "projective_sentences", "ill_nested")


def _cell(name: str, value: Any) -> Any:
    if isinstance(value, float):
        return f"{100 * value:.2f} %" if name in _SHARES else f"{value:.2f}"
    return value


def _is_table(value: Any) -> bool:
    return (
        isinstance(value, Mapping) and bool(value) and all(isinstance(row, Mapping) for row in value.values())
    )


def _table(rows: Mapping[str, Mapping[str, Any]]) -> Table:
    first = {name: _row(row) for name, row in list(rows.items())[:_ROWS]}
    rest = list(rows.values())[_ROWS:]
    if rest:
        sums = {"count": sum(row["count"] for row in rest), "share": sum(row["share"] for row in rest)}
        first[f"{len(rest)} more"] = {**dict.fromkeys(next(iter(first.values())), ""), **_row(sums)}
    return Table(first)


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _cell(name, value) for name, value in row.items()}


def _words(name: str) -> str:
    return name.replace("_", " ")

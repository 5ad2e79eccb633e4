"""Tables as HTML for notebooks, and reports: scores by name, with tables of what is inside. O(cells)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palmette.drawing.curves import Plot

MOST_ROWS = 30  # of a table in a report
_LEFT = ' style="text-align:left"'


def table_html(head: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    """Return a table; texts are on the left and numbers on the right.

    >>> table_html([], [["<X>", 0.5]])
    '<table><tr><td style="text-align:left">&lt;X&gt;</td><td>0.5000</td></tr></table>'
    """
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    first = f"<tr>{''.join(f'<th>{escape(str(cell))}</th>' for cell in head)}</tr>" if head else ""
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table>{above}{first}{body}</table>"


def report_html(title: str, facts: Mapping[str, Any]) -> str:
    """Return a report: what is one value in a first table, what is a mapping or a list of rows in its own.

    Values that are None are left out, and of a long table what is above MOST_ROWS. Rows inside of a mapping are
    tables to be opened.
    """
    single = [[name, value] for name, value in facts.items() if _is_single(value)]
    parts = [f"<p><b>{escape(title)}</b></p>" if title else "", table_html([], single) if single else ""]
    alike = _alike(facts)
    if alike:
        parts.append(_of_mapping("", alike))
    for name, value in facts.items():
        if isinstance(value, Mapping) and value and name not in alike:
            parts.append(_of_mapping(name, value))
        elif isinstance(value, list | tuple) and value and not _is_single(value):
            parts.append(_of_rows(name, value))
    return "".join(parts)


class ReportPicture(ABC):
    """What has `to_dict` and a line of text, as a table in notebooks."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""

    def _repr_html_(self) -> str:
        text = type(self).__name__ if type(self).__str__ is object.__str__ else str(self)
        return report_html("" if "\n" in text else text, self.to_dict())


class PlotPicture(ABC):
    """What has `plot` and `rows`, as an image above a table in notebooks."""

    @abstractmethod
    def plot(self, title: str = "") -> Plot:
        """Return the points as a plot."""

    @abstractmethod
    def rows(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the table, row by row."""

    def _repr_html_(self) -> str:
        rows = self.rows()
        return (
            f"<div>{self.plot().svg()}</div>{_of_mapping('', rows)}" if rows else report_html(repr(self), {})
        )


def _alike(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mappings from the same names to single values, if they are several: rows of one table."""
    flat = {
        name: value
        for name, value in facts.items()
        if isinstance(value, Mapping)
        and value
        and not any(isinstance(one, Mapping) for one in value.values())
    }
    names = next((tuple(value) for value in flat.values()), ())
    found = {name: value for name, value in flat.items() if tuple(value) == names}
    return found if len(found) > 1 else {}


def _of_mapping(name: str, value: Mapping[str, Any]) -> str:
    inner = {key: one for key, one in value.items() if isinstance(one, list | tuple) and not _is_single(one)}
    if inner:
        closed = "".join(
            f"<details><summary>{escape(_words(f'{name}: {key}' if name else key))}</summary>{_of_rows('', one)}"
            "</details>"
            for key, one in inner.items()
            if one
        )
        rest = {key: one for key, one in value.items() if key not in inner}
        return (_of_mapping(name, rest) if rest else "") + closed
    rows = list(value.items())
    note = f" ({MOST_ROWS} of {len(rows):,})" if len(rows) > MOST_ROWS else ""
    rows = rows[:MOST_ROWS]
    if all(isinstance(row, Mapping) for _, row in rows):
        columns = list(dict.fromkeys(column for _, row in rows for column in row))
        cells = [[key, *(row.get(column) for column in columns)] for key, row in rows]
        return table_html(["", *columns], cells, _words(name) + note)
    return table_html([], rows, _words(name) + note)


def _of_rows(name: str, value: Sequence[Any]) -> str:
    note = f" ({MOST_ROWS} of {len(value):,})" if len(value) > MOST_ROWS else ""
    if all(isinstance(row, Mapping) for row in value):
        columns = list(dict.fromkeys(column for row in value for column in row))
        rows: list[Sequence[Any]] = [[row.get(column) for column in columns] for row in value[:MOST_ROWS]]
        return table_html(columns, rows, _words(name) + note)
    return table_html([], value[:MOST_ROWS], _words(name) + note)


def _is_single(value: Any) -> bool:
    """Say whether a value goes into one cell; None goes nowhere."""
    if isinstance(value, list | tuple):
        return 0 < len(value) <= 8 and not any(isinstance(one, list | tuple | Mapping) for one in value)
    return value is not None and not isinstance(value, Mapping)


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    if isinstance(value, bool):
        return f"<td>{'yes' if value else 'no'}</td>"
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    if isinstance(value, int):
        return f"<td>{value:,}</td>"
    if isinstance(value, float):
        return f"<td>{value:.4f}</td>" if not value or 0.001 <= abs(value) < 1e6 else f"<td>{value:.4g}</td>"
    if isinstance(value, list | tuple):
        value = ", ".join(f"{one:.4g}" if isinstance(one, float) else str(one) for one in value)
    return f"<td{_LEFT}>{escape(str(value))}</td>"


def _words(name: str) -> str:
    return name.replace("_", " ")

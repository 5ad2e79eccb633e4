"""Results on standard output: for people as lines, for programs as one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any


def print_json(report: Mapping[str, Any]) -> None:
    """One JSON object in ASCII; NumPy's numbers and arrays pass for Python's."""
    print(json.dumps(report, default=_plain, allow_nan=False))


def json_line(report: Mapping[str, Any]) -> bytes:
    """One JSON object in ASCII on a line, without the fields that are None."""
    kept = {name: value for name, value in report.items() if value is not None}
    return json.dumps(kept, default=_plain, allow_nan=False).encode() + b"\n"


def print_lines(report: Mapping[str, Any], indent: str = "") -> None:
    """A name and a value on each line; a mapping inside is indented below its name."""
    width = max(
        (len(printable(name)) for name, value in report.items() if not isinstance(value, Mapping)), default=0
    )
    for name, value in report.items():
        if hasattr(value, "show"):  # it draws itself
            print(f"{indent}{printable(name)}")
            value.show(indent + "  ")
        elif isinstance(value, Mapping):
            print(f"{indent}{printable(name)}" if value else f"{indent}{printable(name)}: none")
            print_lines(value, indent + "  ")
        else:
            print(f"{indent}{printable(name):<{width}}  {_shown(value)}")


def printable(text: str) -> str:
    """The text with whatever could steer a terminal escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shows(text: str) -> bool:
    """Whether standard output can print a text."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def human_size(size: int) -> str:
    """A number of bytes as people say it.

    >>> human_size(999), human_size(1_234_567)
    ('999 B', '1.2 MB')
    """
    value, unit = float(size), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{size} B" if unit == "B" else f"{value:.1f} {unit}"


def _shown(value: Any) -> str:
    value = _plain(value)
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4f}" if not value or abs(value) >= 0.001 else f"{value:.3g}"
    if isinstance(value, list) and value and all(isinstance(one, float) for one in value):
        return " ".join(map(_shown, value))
    return printable(json.dumps(value, ensure_ascii=False, default=_plain))


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


class Answers(dict[str, Any]):
    """A report of which people see only the fields that they asked for; JSON has all of it."""

    def __init__(self, report: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
        super().__init__({**report, **asked})
        self.asked = asked


class Table:
    """Rows of numbers under the same names, one row on a line."""

    def __init__(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        self.rows = rows

    def tolist(self) -> dict[str, dict[str, Any]]:
        """The rows by name, for JSON."""
        return {name: dict(row) for name, row in self.rows.items()}

    def show(self, indent: str = "") -> None:
        """Print it with a heading."""
        names = [printable(name) for name in self.rows]
        heads = list(next(iter(self.rows.values()), {}))
        cells = [[_shown(value) for value in row.values()] for row in self.rows.values()]
        widths = [max(map(len, column)) for column in zip(heads, *cells)]
        first = max(map(len, names), default=0)
        for name, row in [("", heads), *zip(names, cells)]:
            print(
                f"{indent}{name:<{first}}  {'  '.join(f'{cell:>{w}}' for cell, w in zip(row, widths))}".rstrip()
            )

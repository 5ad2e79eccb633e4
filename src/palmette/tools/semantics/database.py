"""Databases: tables of facts with named columns, from Prolog facts or from tab-separated lines.

Prolog facts have no names for their columns. A comment that shows a fact with names gives them, as manuals do:

    /* city(state, name, population)
       river(name, length, [states through which it flows]) */

Tab-separated facts have the name of the table first; a line that begins with # names the columns. A cell with
several values has | between them:

    #river	name	length	states
    river	ohio	1569	pennsylvania|ohio
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.messages import counted
from palmette.tools.semantics.terms import Compound, TermReader, tokens

Scalar = str | float
Cell = tuple[Scalar, ...]  # a column may have several values in a row

_SHOWN = re.compile(r"([^\W\d_]\w*)\s*\(([^()]*)\)")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")


@dataclass
class Table:
    """Facts of one name: names of the columns, and rows of cells."""

    name: str
    columns: list[str]
    rows: list[tuple[Cell, ...]] = field(default_factory=list)


class Database:
    """Tables by name.

    >>> database = Database.of({"city": [("berlin", "germany", 3.6), ("paris", "france", 2.1)]})
    >>> database.tables["city"].columns
    ['1', '2', '3']
    """

    def __init__(self, tables: Iterable[Table]) -> None:
        self.tables: dict[str, Table] = {table.name: table for table in tables}

    @classmethod
    def of(
        cls,
        facts: Mapping[str, Iterable[Sequence[object]]],
        columns: Mapping[str, Sequence[str]] | None = None,
    ) -> Database:
        """Return the database of facts that are Python values: strings, numbers, and lists of them."""
        names = dict(columns or {})
        made = []
        for name, rows in facts.items():
            cells = [tuple(_cell(value) for value in row) for row in rows]
            table = Table(name, list(names.get(name, [])), cells)
            _check_width(table, None)
            made.append(table)
        return cls(made)

    @property
    def n_facts(self) -> int:
        return sum(len(table.rows) for table in self.tables.values())


def read_database(source: Source) -> Database:
    """Return the database of a file of Prolog facts (*.pl, *.pro) or of tab-separated facts (all others)."""
    path = display_name(source)
    name = path.removesuffix(".gz")
    text = read_text(source)
    return parse_prolog(text, path) if name.endswith((".pl", ".pro", ".prolog")) else parse_table(text, path)


def parse_prolog(text: str, path: str | None = None) -> Database:
    """Return the database of Prolog facts; a comment that shows a fact names its columns."""
    shown = [token.text for token in tokens(text, path) if token.kind == "comment"]
    shown += re.findall(r"^\s*%(.*)$", text, re.MULTILINE)
    columns = {
        name: [part.strip().strip("[]").strip() for part in inside.split(",")]
        for comment in shown
        for name, inside in _SHOWN.findall(comment)
    }
    tables: dict[str, Table] = {}
    reader = TermReader(text, path)
    while not reader.at_end:
        line = reader.line
        fact = reader.term()
        if not isinstance(fact, Compound):
            raise FormatError(f"expected a fact, got {fact!r:.60}", path=path, line=line)
        reader.expect(".")
        table = tables.setdefault(fact.name, Table(fact.name, []))
        table.rows.append(tuple(_cell(argument, path, line) for argument in fact.arguments))
        if len(table.rows[-1]) != len(table.rows[0]):
            raise FormatError(
                f"{fact.name} has {counted(len(table.rows[-1]), 'argument')} here, and {len(table.rows[0])} "
                "before",
                path=path,
                line=line,
            )
    for table in tables.values():
        named = columns.get(table.name, [])
        table.columns = named if named and len(named) == len(table.rows[0]) else []
        _check_width(table, path)
    return Database(tables.values())


def parse_table(text: str, path: str | None = None) -> Database:
    """Return the database of tab-separated facts."""
    tables: dict[str, Table] = {}
    for number, content in enumerate(text.split("\n"), 1):
        line = content.rstrip("\r")
        if not line.strip():
            continue
        fields = [part.strip() for part in line.split("\t")]
        if line.startswith("#"):
            if len(fields) > 1:
                table = tables.setdefault(fields[0][1:].strip(), Table(fields[0][1:].strip(), []))
                table.columns = fields[1:]
            continue
        if len(fields) < 2:
            hint = "; separate them by tabs, not spaces" if " " in line else ""
            raise FormatError(f"expected the name of a table and values{hint}", path=path, line=number)
        table = tables.setdefault(fields[0], Table(fields[0], []))
        width = len(table.columns) or (len(table.rows[0]) if table.rows else len(fields) - 1)
        if len(fields) - 1 != width:
            raise FormatError(
                f"{fields[0]} has {len(fields) - 1} values here, and {counted(width, 'column')}",
                path=path,
                line=number,
            )
        table.rows.append(
            tuple(
                tuple(_scalar(one.strip()) for one in cell.split("|") if one.strip()) for cell in fields[1:]
            )
        )
    for table in tables.values():
        _check_width(table, path)
    return Database(tables.values())


def _check_width(table: Table, path: str | None) -> None:
    """Give columns without names their numbers; FormatError where rows differ in length."""
    width = len(table.rows[0]) if table.rows else len(table.columns)
    if any(len(row) != width for row in table.rows):
        raise FormatError(f"the facts of {table.name} differ in length", path=path)
    if len(table.columns) != width:
        table.columns = [str(i + 1) for i in range(width)]
    if len(set(table.columns)) < width:
        table.columns = [
            name if table.columns.index(name) == i else f"{name} {i + 1}"
            for i, name in enumerate(table.columns)
        ]


def _cell(value: object, path: str | None = None, line: int | None = None) -> Cell:
    if isinstance(value, list | tuple):
        return tuple(one for part in value for one in _cell(part, path, line))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FormatError(
            f"a fact holds strings, numbers and lists of them, not {value!r:.60}", path=path, line=line
        )
    if isinstance(value, str):
        return (value,)
    if not math.isfinite(value):
        raise FormatError(f"a number must be finite, not {value}", path=path, line=line)
    return (float(value),)


def _scalar(text: str) -> Scalar:
    return float(text) if _NUMBER.fullmatch(text) else text

"""What the columns of a database hold: entities, numbers, and references to the entities of other tables.

Nothing says so in a list of facts; it is found from the values.

- The key of a table is its first column of strings that never repeat, or a pair of columns (a city's name and its
  state), one of which refers to another table.
- A column refers to another table if nearly all its values are keys there. A table whose whole key refers to
  another
  one tells more of the same entities: border(state, [states]).
- A second key of short strings is an alias: 'ca' for 'california'.
- Numbered columns (city1, city2) are one column with several values.
- Every other column of strings is a type of its own, with the name of the column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from palmette.tools.semantics.database import Cell, Database, Table
from palmette.tools.semantics.words import cut, folded, name_words

NUMBER = "number"
_REFERS, _REFERS_IN_PAIRS = 0.8, 0.4  # the share of values that are keys elsewhere
_CODE = 4  # letters of an alias at most
_ALIASES = ("abbrev", "code", "alias", "symbol", "kurzel", "abkurz")


@dataclass
class Column:
    """A column: `type` is the name of a table, NUMBER, or a type of its own; alias: it names the row's entity."""

    name: str
    cells: list[Cell]
    type: str = ""
    alias: bool = False
    dropped: bool = False
    coded: bool = False  # its values are aliases of what they refer to

    @property
    def words(self) -> tuple[str, ...]:
        return name_words(self.name)

    @property
    def numeric(self) -> bool:
        found = [value for cell in self.cells for value in cell]
        return bool(found) and all(isinstance(value, float) for value in found)

    @property
    def single(self) -> bool:
        return all(len(cell) == 1 for cell in self.cells)

    def text(self, row: int) -> str:
        return as_text(self.cells[row][0])


@dataclass
class Entities:
    """A table with the columns of its key; `of`: the table whose entities these are, often itself."""

    name: str
    columns: list[Column]
    key: tuple[int, ...] = ()
    of: str = ""
    keys: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def is_type(self) -> bool:
        """Whether the rows are entities of a type of their own."""
        return self.of == self.name

    def row_key(self, row: int) -> tuple[str, ...]:
        return tuple(self.columns[c].text(row) for c in self.key)


def as_text(value: object) -> str:
    """Return a value as the words by which it is compared.

    >>> as_text("St. Paul"), as_text(90.0)
    ('st paul', '90')
    """
    return f"{value:.12g}" if isinstance(value, float) else " ".join(cut(str(value))) or folded(str(value))


def find_schema(database: Database) -> dict[str, Entities]:
    """Return the tables of a database with keys, types and references."""
    found = {name: _table(table) for name, table in database.tables.items()}
    for table in found.values():
        table.key = _single_key(table)
        table.keys = (
            {table.row_key(row) for row in range(len(table.columns[0].cells))} if table.key else set()
        )
    _owners(found)
    _references(found)
    for table in found.values():
        if not table.key:
            _pair_key(table)
    _pair_references(found)
    for table in found.values():
        for column in table.columns:
            if not column.type:
                column.type = NUMBER if column.numeric else _own_type(found, table, column)
        if not table.key:
            table.of = ""
    return found


def _table(table: Table) -> Entities:
    """Return a table whose numbered columns are joined."""
    columns: dict[str, Column] = {}
    for i, name in enumerate(table.columns):
        cells = [row[i] for row in table.rows]
        stem = re.sub(r"[\s_]*\d+$", "", name)
        numbered = (
            stem and stem != name and sum(re.sub(r"[\s_]*\d+$", "", c) == stem for c in table.columns) > 1
        )
        if numbered and stem in columns:
            columns[stem].cells = [one + other for one, other in zip(columns[stem].cells, cells)]
        else:
            columns[stem if numbered else name] = Column(stem if numbered else name, cells)
    return Entities(table.name, list(columns.values()))


def _single_key(table: Entities) -> tuple[int, ...]:
    unique = []
    for i, column in enumerate(table.columns):
        if not column.cells or column.numeric or not column.single:
            continue
        values = [column.text(row) for row in range(len(column.cells))]
        if len(set(values)) == len(values):
            unique.append(i)
    named = [i for i in unique if "name" in table.columns[i].words or table.name in table.columns[i].words]
    return tuple((named or unique)[:1])


def _owners(tables: dict[str, Entities]) -> None:
    """Set `of`: the table whose entities the rows of a table are."""
    order = list(tables.values())
    for table in order:
        table.of = table.name if table.key else ""
        if not table.key:
            continue
        words = table.columns[table.key[0]].words
        mine = name_words(table.name)
        for other in order:
            if other is table or not other.key or len(other.key) > 1:
                continue
            share = len(table.keys & other.keys) / max(len(table.keys), 1)
            back = len(table.keys & other.keys) / max(len(other.keys), 1)
            if share < _REFERS or (len(table.keys) < 2 and name_words(other.name) != words):
                continue
            if name_words(table.name) == other.columns[other.key[0]].words:
                continue  # the other one calls its key by the name of this table
            called = name_words(other.name) == words
            before = order.index(other) < order.index(table)
            if name_words(other.name) != mine and (called or (before and words != mine) or back < _REFERS):
                table.of = other.name
                if called:
                    break
    for table in order:  # a chain of tables has one owner
        seen = {table.name}
        while table.of and tables[table.of].of != table.of and tables[table.of].of not in seen:
            seen.add(table.of)
            table.of = tables[table.of].of
    for table in order:
        if table.key:
            table.columns[table.key[0]].type = table.of


def _references(tables: dict[str, Entities]) -> None:
    """Find aliases, and the columns whose values are keys or aliases of other tables."""
    owners = [table for table in tables.values() if table.key and table.is_type]
    for table in owners:
        for i, column in enumerate(table.columns):
            column.alias = i not in table.key and _is_alias(table, column)
            if column.alias:
                column.type = table.name
    names: list[tuple[str, set[str], bool]] = []
    for table in owners:
        names.append((table.name, {key[0] for key in table.keys}, False))
        names += [
            (table.name, {as_text(value) for cell in column.cells for value in cell}, True)
            for column in table.columns
            if column.alias
        ]
    for table in tables.values():
        for column in table.columns:
            if column.type or column.numeric:
                continue
            values = {as_text(value) for cell in column.cells for value in cell}
            fits = [
                (name in column.words, len(values & known), not coded, name)
                for name, known, coded in names
                if values
                and len(values & known) >= _REFERS * len(values)
                and (len(values) > 1 or name in column.words)
            ]
            if fits:
                _, _, plain, column.type = max(fits)
                column.coded = not plain
        _drop_repeated(table)


def _is_alias(table: Entities, column: Column) -> bool:
    if column.numeric or not column.single or not column.cells:
        return False
    values = [column.text(row) for row in range(len(column.cells))]
    lengths = [len("".join(key)) for key in table.keys]
    short = max(map(len, values)) <= _CODE and sum(lengths) > _CODE * len(lengths)
    called = any(part in folded(column.name) for part in _ALIASES)
    return len(set(values)) == len(values) and (short or called)


def _drop_repeated(table: Entities) -> None:
    """Drop columns that name an entity of the row a second time by its alias: state and state_abbreviation."""
    named = {column.type for column in table.columns if column.type and not column.coded and column.single}
    for column in table.columns:
        column.dropped = column.coded and column.single and column.type in named and not column.alias


def _pair_key(table: Entities) -> None:
    """Find a key of a reference and a name."""
    single = [
        i
        for i, column in enumerate(table.columns)
        if column.cells and column.single and not column.numeric and not column.dropped
    ]
    pairs = [(i, j) for i in single for j in single if table.columns[i].type and not table.columns[j].type]
    pairs.sort(key=lambda pair: "name" not in table.columns[pair[1]].words)
    for pair in pairs:
        rows = {table_row(table, row) for row in range(len(table.columns[0].cells))}
        keys = {tuple(row[c] for c in pair) for row in rows}
        if len(keys) >= 0.98 * len(rows):
            table.key, table.of = pair, table.name
            table.keys = keys
            table.columns[pair[1]].type = table.name
            return


def table_row(table: Entities, row: int) -> tuple[str, ...]:
    """Return a row as texts, to see which are equal."""
    return tuple("|".join(as_text(value) for value in column.cells[row]) for column in table.columns)


def _pair_references(tables: dict[str, Entities]) -> None:
    """Find columns that are names within the entity of their row: the capital of a state is one of its cities."""
    pairs = [table for table in tables.values() if len(table.key) == 2]
    for table in tables.values():
        for column in table.columns:
            if column.type or column.numeric or not column.cells:
                continue
            for other in pairs:
                outer = other.columns[other.key[0]].type
                places = [
                    i for i, c in enumerate(table.columns) if c.type == outer and c.single and not c.alias
                ]
                if other is table or not places:
                    continue
                found = {
                    (table.columns[places[0]].text(row), as_text(value))
                    for row, cell in enumerate(column.cells)
                    for value in cell
                }
                if found and len(found & other.keys) >= _REFERS_IN_PAIRS * len(found):
                    column.type = other.name


def _own_type(tables: dict[str, Entities], table: Entities, column: Column) -> str:
    """Return the name of a type of its own for a column."""
    name = "_".join(column.words) or column.name
    taken: Iterable[str] = (*tables, NUMBER)
    if name not in taken:
        return name
    return f"{table.name}.{name}" if table.key else table.name

"""Worlds: which tuples of values every predicate holds of (CSC 448, §23).

    w(state) = {CA, NY, …}      w(border) = {(CA, NV), (CA, OR), …}

A database becomes a world of unary predicates, one for each type of entity, and binary predicates, one for each
column of a table: state.capital(state, city). Values are numbered, so that sets of them are sets of integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from palmette.tools.semantics.database import Database
from palmette.tools.semantics.schema import NUMBER, Column, Entities, as_text, find_schema
from palmette.tools.semantics.words import name_words

Ids = frozenset[int]
EMPTY: Ids = frozenset()


@dataclass(frozen=True)
class Entity:
    """A thing of a type: its name as the database writes it, and its key, which no other has."""

    type: str
    name: str
    key: tuple[str, ...]

    def __str__(self) -> str:
        return self.name if len(self.key) < 2 else f"{self.name} ({', '.join(self.key[:-1])})"


Value = Entity | float


class Predicate:
    """A set of tuples of values.

    types: of the columns. words: by which questions may name it. label: what it is called beside predicates of the
    same meaning for other types (population of cities and of states).
    """

    def __init__(
        self,
        name: str,
        types: Sequence[str],
        rows: Iterable[tuple[int, ...]],
        words: Sequence[str] = (),
        label: str = "",
    ) -> None:
        self.name = name
        self.types = tuple(types)
        self.rows = frozenset(rows)
        self.words = tuple(words)
        self.label = label or name

    @property
    def arity(self) -> int:
        return len(self.types)

    @cached_property
    def columns(self) -> tuple[Ids, ...]:
        """The values of each column."""
        return tuple(frozenset(row[c] for row in self.rows) for c in range(self.arity))

    @cached_property
    def index(self) -> tuple[dict[int, Ids], dict[int, Ids]]:
        """The second values of each first one, and the first of each second, for a binary predicate."""
        sides: tuple[dict[int, set[int]], dict[int, set[int]]] = ({}, {})
        for a, b in self.rows:
            sides[0].setdefault(a, set()).add(b)
            sides[1].setdefault(b, set()).add(a)
        return tuple({k: frozenset(v) for k, v in side.items()} for side in sides)  # type: ignore[return-value]


class World:
    """Values and predicates.

    >>> world = World.of({"city": [("SF",), ("Reno",)], "loc": [("SF", "CA"), ("Reno", "NV")]})
    >>> sorted(world.show(world.predicates["city"].columns[0]))
    ['Reno', 'SF']
    """

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.types: list[str] = []  # of the values
        self.predicates: dict[str, Predicate] = {}
        self.implied: dict[str, Predicate] = {}  # see `derived`
        self.tables: set[str] = set()  # the types that are tables, not columns
        self.names: dict[str, dict[str, set[int]]] = {}  # by words, by type: what may be called so
        self._ids: dict[tuple[str, tuple[str, ...]] | float, int] = {}

    # Values

    def number(self, value: float) -> int:
        """Return the id of a number."""
        found = self._ids.get(value)
        return self._new(value, value, NUMBER) if found is None else found

    def entity(self, type: str, key: tuple[str, ...], name: str = "") -> int:
        """Return the id of an entity."""
        found = self._ids.get((type, key))
        if found is None:
            found = self._new((type, key), Entity(type, name or key[-1], key), type)
            self.called(key[-1], found)
        return found

    def called(self, words: str, value: int) -> None:
        """Let an entity have another name."""
        self.names.setdefault(words, {}).setdefault(self.types[value], set()).add(value)

    def _new(self, key: tuple[str, tuple[str, ...]] | float, value: Value, type: str) -> int:
        self._ids[key] = len(self.values)
        self.values.append(value)
        self.types.append(type)
        return len(self.values) - 1

    def show(self, ids: Iterable[int]) -> list[str]:
        """Return values as text, in the order of the database."""
        return [show_value(self.values[i]) for i in sorted(ids)]

    # Predicates

    def add(self, predicate: Predicate) -> Predicate:
        self.predicates[predicate.name] = predicate
        return predicate

    def find(self, name: str) -> Predicate | None:
        """Return a predicate of the database, or one that it implies."""
        return self.predicates.get(name) or self.implied.get(name)

    def binary(self) -> Iterator[Predicate]:
        """The binary predicates."""
        return (p for p in self.predicates.values() if p.arity == 2)

    @classmethod
    def of(cls, facts: Mapping[str, Iterable[Sequence[object]]]) -> World:
        """Return a world of predicates as they are, with strings of one type and numbers."""
        world = cls()
        for name, tuples in facts.items():
            rows = [
                tuple(
                    world.number(float(v)) if isinstance(v, int | float) else world.entity("thing", (str(v),))
                    for v in row
                )
                for row in tuples
            ]
            types = [world.types[v] for v in rows[0]] if rows else ["thing"]
            world.add(Predicate(name, types, rows, name_words(name)))
        return world

    @classmethod
    def from_database(cls, database: Database) -> World:
        """Return the world of a database whose columns are understood by `find_schema`."""
        world = cls()
        schema = find_schema(database)
        for table in schema.values():
            world._add_entities(table)
        for table in schema.values():
            world._add_relations(schema, table)
        for name in sorted({type for type in world.types if type != NUMBER} - world.predicates.keys()):
            rows = [(i,) for i, type in enumerate(world.types) if type == name]
            world.add(Predicate(name, [name], rows, name_words(name)))
        return world

    def _add_entities(self, table: Entities) -> None:
        if not table.key or not table.is_type:
            return
        rows = []
        self.tables.add(table.name)
        for row in range(len(table.columns[0].cells)):
            last = table.columns[table.key[-1]]
            found = self.entity(table.name, table.row_key(row), str(last.cells[row][0]))
            rows.append((found,))
            for column in table.columns:
                if column.alias:
                    self.called(column.text(row), found)
        self.add(Predicate(table.name, [table.name], rows, name_words(table.name)))

    def _add_relations(self, schema: Mapping[str, Entities], table: Entities) -> None:
        used = [column for column in table.columns if not column.alias and not column.dropped]
        values = {id(column): self._column_values(schema, table, column) for column in used}
        pairs: list[tuple[Column | None, Column]] = []
        if table.key:
            own = table.key[-1] if table.is_type else table.key[0]
            pairs = [(None, column) for column in used if column is not table.columns[own]]
            pairs += [
                (a, b)
                for i, a in enumerate(used)
                for b in used[i + 1 :]
                if set(a.words) & set(b.words)
                and (a.type == NUMBER) != (b.type == NUMBER)
                and table.columns[own] not in (a, b)
            ]
        else:
            pairs = [(a, b) for i, a in enumerate(used) for b in used[i + 1 :]]
        for a, b in pairs:
            left = self._row_entities(table) if a is None else values[id(a)]
            rows = {(x, y) for xs, ys in zip(left, values[id(b)]) for x in xs for y in ys}
            alone = len(pairs) == 1 and not table.is_type and table.name not in {c.type for c in used}
            short = "_".join(b.words) if len(b.words) < 3 else b.words[0]
            tail = short if a is None else f"{'_'.join(a.words)}.{short}"
            name = table.name if alone else f"{table.name}.{tail}"
            words = (*b.words, *(() if table.is_type else name_words(table.name)))
            types = [table.of if a is None else a.type, b.type]
            self.add(Predicate(name, types, rows, words, table.name if alone else short))

    def _row_entities(self, table: Entities) -> list[list[int]]:
        n = len(table.columns[0].cells)
        return [
            [self.entity(table.of, table.row_key(row) if table.is_type else table.row_key(row)[:1])]
            for row in range(n)
        ]

    def _column_values(
        self, schema: Mapping[str, Entities], table: Entities, column: Column
    ) -> list[list[int]]:
        """Return the values of a column, row by row."""
        if column.type == NUMBER:
            return [[self.number(float(value)) for value in cell] for cell in column.cells]
        owner = schema.get(column.type)
        found = []
        for row, cell in enumerate(column.cells):
            ids = []
            for value in cell:
                text = as_text(value)
                if owner is None or not owner.key:
                    ids.append(self.entity(column.type, (text,), str(value)))
                elif len(owner.key) == 1:
                    known = self.names.get(text, {}).get(owner.name, set())
                    ids.append(min(known) if known else self.entity(owner.name, (text,), str(value)))
                elif owner is table:
                    ids.append(self.entity(owner.name, table.row_key(row)))
                else:
                    outer = owner.columns[owner.key[0]].type
                    place = next(c for c in table.columns if c.type == outer and c.single and not c.alias)
                    ids.append(self.entity(owner.name, (place.text(row), text), str(value)))
            found.append(ids)
        return found


def show_value(value: Value) -> str:
    """Return a value as text.

    >>> show_value(3901.0), show_value(0.5)
    ('3901', '0.5')
    """
    if isinstance(value, Entity):
        return str(value)
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.12g}"

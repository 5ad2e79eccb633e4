"""Facts from Prolog and from tab-separated lines, and what their columns are found to hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette.errors import FormatError
from palmette.tools.semantics.database import Database, parse_prolog, parse_table, read_database
from palmette.tools.semantics.places import add_places
from palmette.tools.semantics.schema import find_schema
from palmette.tools.semantics.world import World

PROLOG = """
/* state(name, abbreviation, capital, area)
   city(state, state_abbreviation, name, population)
   border(state, [states that border it])
   river(name, length, [states through which it flows]) */
% a comment
state('north dakota', 'nd', 'bismarck', 70.7e+3).
state(ohio, oh, columbus, 41.3e+3).
state('new york', ny, albany, 49100).
city('ohio', oh, columbus, 564871).   city(ohio, oh, springfield, 72563).
city('new york', ny, albany, 101727). city('new york', ny, springfield, 1).
city('north dakota', nd, bismarck, 44485).
border(ohio, ['new york']).  border('new york', [ohio]).  border('north dakota', []).
river('it''s', 5, [ohio, 'new york']).
"""


def test_prolog_facts_with_their_columns() -> None:
    database = parse_prolog(PROLOG)
    assert database.n_facts == 12
    assert database.tables["river"].rows == [(("it's",), (5.0,), ("ohio", "new york"))]
    assert database.tables["city"].columns == ["state", "state_abbreviation", "name", "population"]


def test_what_the_columns_hold() -> None:
    tables = find_schema(parse_prolog(PROLOG))
    types = {name: {c.name: c.type for c in table.columns} for name, table in tables.items()}
    assert types["state"] == {"name": "state", "abbreviation": "state", "capital": "city", "area": "number"}
    assert types["city"]["state"] == "state"
    assert tables["city"].key == (0, 2)  # two cities are called springfield
    assert tables["border"].of == "state"
    assert types["river"]["states through which it flows"] == "state"


def test_the_order_of_the_tables_does_not_matter() -> None:
    database = parse_prolog(PROLOG)
    turned = Database(reversed(list(database.tables.values())))
    predicates = World.from_database(database).predicates
    assert {p.name: (p.types, len(p.rows)) for p in World.from_database(turned).predicates.values()} == {
        p.name: (p.types, len(p.rows)) for p in predicates.values()
    }


def test_the_world_of_a_database() -> None:
    world = World.from_database(parse_prolog(PROLOG))
    assert world.predicates["state.capital"].types == ("state", "city")
    assert world.predicates["border"].types == ("state", "state")
    assert world.show(world.predicates["city"].columns[0])[1] == "springfield (ohio)"
    assert set(world.names["springfield"]) == {"city"}
    assert len(world.names["springfield"]["city"]) == 2
    assert world.names["ny"] == world.names["new york"]


def test_tables_of_text(tmp_path: Path) -> None:
    file = tmp_path / "facts.tsv"
    file.write_text("#moon\tname\tyear\tseen by\r\nmoon\tIo\t1610\tGalilei|Marius\nmoon\tLuna\t\t\n\n")
    database = read_database(file)
    assert database.tables["moon"].columns == ["name", "year", "seen by"]
    assert database.tables["moon"].rows[0] == (("Io",), (1610.0,), ("Galilei", "Marius"))
    assert database.tables["moon"].rows[1] == (("Luna",), (), ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a(X) :- b(X).", "2?: expected '.', got ':-'; rules are not read, only facts"),
        ("a(b", "expected '\\)', got the end"),
        ("a(b). a(b, c).", "a has 2 arguments here, and 1 before"),
        ("a.", "expected a fact, got 'a'"),
        ("/* open", "the comment /\\* has no end"),
        ("a(f(b)).", "strings, numbers and lists"),
        ("a(1e999).", "a number must be finite"),
        ("a(" + "[" * 500 + "]" * 500 + ").", "nested more than 100 deep"),
        ("a(b) & c", "is not part of a fact"),
    ],
)
def test_bad_prolog(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message.removeprefix("2?: ")):
        parse_prolog(text, "facts.pl")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("city Paris France", "separate them by tabs"),
        ("city\tParis\ncity\tLyon\tFrance", "facts.tsv:2: city has 2 values here, and 1 column"),
    ],
)
def test_bad_tables(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_table(text, "facts.tsv")


def test_empty_and_cyclic_databases() -> None:
    assert World.from_database(parse_table("")).predicates == {}
    assert not World.from_database(parse_table("#city\tname\tstate\n")).values
    world = World.from_database(parse_table("#part\twhole\tpart\npart\ta\tb\npart\tb\tc\npart\tc\ta\n"))
    assert any(len(p.rows) == 3 and p.arity == 2 for p in world.predicates.values())


def test_where_things_are() -> None:
    world = World.from_database(parse_prolog(PROLOG + "country(usa)."))
    add_places(world)
    where = world.predicates["city.where"].index[0]
    (columbus,) = world.names["columbus"]["city"]
    assert world.show(where[columbus]) == ["ohio", "usa"]
    (ohio,) = world.names["ohio"]["state"]
    assert world.show(world.predicates["state.where"].index[0][ohio]) == ["usa"]  # and not in its capital

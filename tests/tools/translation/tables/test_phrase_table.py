"""Phrase tables against a plain dictionary, and damaged arrays."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import _native
from palmette.errors import FormatError
from palmette.tools.translation.tables import phrase_table
from palmette.tools.translation.tables.phrase_table import STANDARD, PhraseTable, TablePair

pytestmark = pytest.mark.native


def random_pairs(seed: int, n: int = 300, orientations: int = 6) -> list[TablePair]:
    """Distinct pairs of short phrases, some with the same scores."""
    rng = np.random.default_rng(seed)
    found = {}
    while len(found) < n:
        source, target = (
            tuple(f"{side}{k}" for k in rng.integers(0, 6, rng.integers(1, 5))) for side in ("ä", "b")
        )
        i, j = int(rng.integers(len(source))), int(rng.integers(len(target)))
        scores = np.round(-rng.exponential(1, 4), 1).astype(np.float32)
        reordering = np.float32(-rng.exponential(1, orientations))
        counts = tuple(rng.integers(1, 9, 3).tolist())
        found[source, target] = TablePair(
            source, target, tuple(scores.tolist()), tuple(reordering.tolist()), ((i, j),), counts
        )
    return list(found.values())


@pytest.mark.parametrize("orientations", [0, 3, 6])
def test_lookup_against_a_dictionary(orientations: int) -> None:
    pairs = random_pairs(orientations, orientations=orientations)
    table = PhraseTable.from_pairs(pairs)
    wanted: dict[tuple[str, ...], list[TablePair]] = {}
    for pair in pairs:
        wanted.setdefault(pair.source, []).append(pair)
    for source, listed in wanted.items():
        listed.sort(key=lambda pair: (-float(sum(map(np.float32, pair.scores))), pair.target))
        assert table.lookup(source) == listed
        assert table.lookup(" ".join(source), 2) == listed[:2]
    assert sorted(table) == sorted(pairs)
    assert len(table) == len(pairs)
    assert table.lookup("ä0 zzz") == table.lookup("") == []


def test_the_order_of_the_pairs_does_not_matter() -> None:
    pairs = random_pairs(7)
    tables = [PhraseTable.from_pairs(order) for order in (pairs, pairs[::-1])]
    for name, array in tables[0].arrays().items():
        np.testing.assert_array_equal(array, tables[1].arrays()[name], name)
    assert list(tables[0].source_strings) == sorted(tables[1].source_strings)


def test_arrays_give_the_table_again() -> None:
    table = PhraseTable.from_pairs(random_pairs(1))
    again = PhraseTable.from_arrays(
        table.arrays(),
        table.strings(),
        columns=table.columns,
        reordering_columns=table.reordering_columns,
    )
    assert list(again) == list(table)
    assert list(pickle.loads(pickle.dumps(table))) == list(table)
    assert list(table.without_counts()) == [pair._replace(counts=None) for pair in table]


def test_empty_table() -> None:
    table = PhraseTable.from_pairs([])
    assert len(table) == 0
    assert list(table) == table.lookup("a") == []


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("a", "b", [0, 0, 0, 0])] * 2, "occurs twice"),
        ([("", "b", [0, 0, 0, 0])], "1 to 255 words"),
        ([("a", " ".join("b" * 256), [0, 0, 0, 0])], "1 to 255 words"),
        ([("a", "b", [0, 0, 0])], "must have 4 scores"),
        ([("a", "b", [0, 0, 0, 0]), ("a", "c", [0, 0, 0, 0], [0, 0, 0])], "must have 0 orientations"),
        ([("a", "b", [0, 0, np.nan, 0])], "pair 1 has a score that is not a finite number"),
        ([("a", "b", [0, 0, 0, 0], [], [(0, 1)])], "link 0-1 outside"),
        ([("a", "b")], "must be"),
        ([("a", "b", [0] * 4, [], [], [1, 1])], "three counts"),
        ([("a", "b", [0] * 4, [], [], [1, 1, 1]), ("a", "c", [0] * 4)], "all phrase pairs have counts"),
    ],
)
def test_bad_pairs(pairs: list[Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        PhraseTable.from_pairs(pairs)


def test_bad_columns() -> None:
    for columns in ([], ["a", "a"], ["a b"]):
        with pytest.raises(ValueError, match="columns of a phrase table"):
            PhraseTable.from_pairs([("a", "b", [0] * len(columns))], columns=columns)
    with pytest.raises(ValueError, match="columns of orientations"):
        PhraseTable.from_pairs([("a", "b", [0] * 4, [0, 0])], reordering_columns=["to_swap", "from_swap"])


def spoilt(array: np.ndarray[Any, Any], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """An array with one item changed, cut, or of another type."""
    changed = array.copy()
    how = rng.integers(4)
    if how == 0 and changed.size:
        where = tuple(int(rng.integers(n)) for n in changed.shape)
        extreme = np.inf if changed.dtype.kind == "f" else np.iinfo(changed.dtype).max
        changed[where] = extreme if rng.random() < 0.5 else changed[where] + 1
    elif how == 1:
        changed = changed[: rng.integers(len(changed) + 1)]
    elif how == 2:
        changed = np.concatenate([changed, changed[:1]])
    else:
        changed = changed.astype(np.int64)
    return changed


def use(table: PhraseTable, phrases: list[tuple[str, ...]]) -> None:
    for phrase in phrases:
        table.lookup(phrase)


@pytest.mark.parametrize("whole", [True, False])
def test_damaged_arrays_are_refused_or_harmless(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checked as a whole or on use: nothing is read outside the arrays, and what is wrong is a sentence."""
    if not whole:
        monkeypatch.setattr(phrase_table, "_CHECKED_WHOLE", -1)
    table = PhraseTable.from_pairs(random_pairs(3, 60))
    phrases = [pair.source for pair in table]
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        name = str(rng.choice(list(table.arrays())))
        arrays = {**table.arrays(), name: spoilt(table.arrays()[name], rng)}
        try:
            use(
                PhraseTable.from_arrays(
                    arrays,
                    table.strings(),
                    columns=table.columns,
                    reordering_columns=table.reordering_columns,
                ),
                phrases,
            )
        except ValueError as error:
            refused += "phrase table" in str(error)
    assert refused > 200


def test_what_is_missing_or_of_another_shape() -> None:
    table = PhraseTable.from_pairs(random_pairs(3, 20))
    arrays = table.arrays()
    del arrays["links"]
    with pytest.raises(FormatError, match=r"x\.palm: damaged model: the phrase table has no array 'links'"):
        PhraseTable.from_arrays(arrays, table.strings(), columns=STANDARD, path="x.palm")
    with pytest.raises(FormatError, match="no strings"):
        PhraseTable.from_arrays(table.arrays(), {}, columns=STANDARD)
    with pytest.raises(FormatError, match="lacks a name"):
        PhraseTable.from_arrays(table.arrays(), table.strings(), columns=STANDARD)
    with pytest.raises(ValueError, match="wrong type"):
        replace(table, scores=table.scores.astype(np.float64))
    twice = {**table.strings(), "source_strings": ["a"] * len(table.source_strings)}
    with pytest.raises(FormatError, match="twice"):
        PhraseTable.from_arrays(
            table.arrays(), twice, columns=STANDARD, reordering_columns=table.reordering_columns
        )


def test_native_builder_checks_its_arrays() -> None:
    ids, rank, one = np.zeros(1, np.int32), np.zeros(1, np.uint32), np.array([0, 1])
    with pytest.raises(ValueError, match="cut the words"):
        _native.phrase_nodes(np.array([0, 2]), ids, one, ids)
    nodes = _native.phrase_nodes(one, ids, np.array([0, 0]), ids[:0])
    with pytest.raises(ValueError, match="no words on its target side"):
        _native.build_phrase_table(nodes, rank, rank, np.zeros(1, np.float32))
    with pytest.raises(ValueError, match="no rank"):
        _native.build_phrase_table(nodes, rank[:0], rank, np.zeros(1, np.float32))
    with pytest.raises(ValueError, match="has a score"):
        _native.build_phrase_table(nodes, rank, rank, np.zeros(2, np.float32))
    long = np.zeros(300, np.int32)
    nodes = _native.phrase_nodes(np.array([0, 300]), long, one, ids)
    with pytest.raises(ValueError, match="more than 255 words"):
        _native.build_phrase_table(nodes, rank, rank, np.zeros(1, np.float32))
    table = PhraseTable.from_pairs(random_pairs(0, 5))
    with pytest.raises(ValueError, match="kept or not"):
        _native.select_phrase_pairs(table.native, np.ones(4, np.uint8))


def test_equality() -> None:
    table = PhraseTable.from_pairs(random_pairs(0, 5))
    again = PhraseTable.from_pairs(random_pairs(0, 5)[::-1])
    assert table == again
    assert hash(table) == hash(again)
    assert table != PhraseTable.from_pairs(random_pairs(1, 5))
    changed = table.scores.copy()
    changed[0, 0] -= 1
    assert table != replace(table, scores=changed)
    assert table != "a table"


def test_phrases_that_end_in_brackets_are_no_rules(tmp_path: Path) -> None:
    path = tmp_path / "table"
    lines = ["lauter [X] ||| louder [X] ||| 0.5 0.5", "[X] ||| [X] ||| 0.5 0.5", "laut ||| loud ||| 0.5 0.5"]
    path.write_text("".join(f"{line}\n" for line in lines))
    assert len(PhraseTable.read(path)) == 3
    path.write_text("[X] ||| [Y] ||| 0.5 0.5 ||| 0-0\n")
    assert len(PhraseTable.read(path)) == 1
    path.write_text(f"{lines[0]}\n")
    with pytest.raises(FormatError, match="table:1: expected phrase pairs, got rules"):
        PhraseTable.read(path)

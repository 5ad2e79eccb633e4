"""Phrase tables in the format of Moses: what is written is read again, to the last bit; what is wrong is named."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest

from oracles.phrases import random_text
from palmette.errors import FormatError
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.tables.extraction import TableOptions, extract
from palmette.tools.translation.tables.phrase_table import STANDARD, PhraseTable

pytestmark = pytest.mark.native


def same(one: PhraseTable, other: PhraseTable) -> None:
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name], name)
    assert list(one.source_strings) == list(other.source_strings)
    assert list(one.target_strings) == list(other.target_strings)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_round_trip_is_exact(tmp_path: Path, suffix: str) -> None:
    pairs, links = random_text(0, 200)
    options = TableOptions(reordering="hierarchical", smoothing="kneser-ney")
    table = extract(ParallelText.of(pairs), Alignments.of(links), options)
    phrases, orientations = tmp_path / f"table{suffix}", tmp_path / f"reordering{suffix}"
    table.write(phrases, orientations)
    again = PhraseTable.read(phrases, orientations)
    same(table, again)
    assert again.columns == STANDARD
    content = phrases.read_bytes()
    lines = (gzip.decompress(content) if suffix else content).decode().splitlines()
    assert lines == sorted(lines)
    assert len(lines) == len(table)


def test_any_float_comes_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = np.float32(
        [0, -1e-7, -1e-9, 1, -99.5, -300, 12.25, *(-rng.exponential(3, 400)), *(-rng.random(200) * 1e-4)]
    )
    table = PhraseTable.from_pairs([(f"a{k}", "b", [value]) for k, value in enumerate(values)], columns=["x"])
    table.write(tmp_path / "t")
    same(table, PhraseTable.read(tmp_path / "t", columns=["x"]))


def test_few_digits(tmp_path: Path) -> None:
    table = PhraseTable.from_pairs([("a", "b", np.log([0.6, 0.25, 1 / 3, 1]))])
    table.write(tmp_path / "t")
    assert (tmp_path / "t").read_text() == "a ||| b ||| 0.6 0.25 0.33333333 1 ||| ||| ||| |||\n"


def test_bars_unicode_and_bytes_in_order(tmp_path: Path) -> None:
    table = PhraseTable.from_pairs(
        [
            ("das ||| |", "the &| bar", [-1.0] * 4, [], [(1, 1)]),
            ("das", "ß 家", [-2.0] * 4),
            ("das ~", "x", [-2.0] * 4),
            ("das", "x", [-0.5] * 4),
        ]
    )
    table.write(tmp_path / "t")
    lines = (tmp_path / "t").read_bytes().splitlines()
    assert lines == sorted(lines)
    assert b"das &#124;&#124;&#124; &#124; ||| the &&#124; bar |||" in b"\n".join(lines)
    same(table, PhraseTable.read(tmp_path / "t"))


def test_a_table_of_moses(tmp_path: Path) -> None:
    """As Moses writes it: two spaces, counts with fractions, further fields, a fifth score, a zero."""
    (tmp_path / "t").write_text(
        "der  ||| the ||| 0.3 0.4 0.5 0.6 2.718 ||| 0-0 ||| 10 20.4 5 ||| ||| {{Tree}}\n"
        "\n"
        "der Mann ||| the man ||| 0 1e-05 .5 1 2.718 ||| 0-0 1-1 ||| 1 1 1\r\n"
    )
    table = PhraseTable.read(tmp_path / "t")
    assert table.columns == (*STANDARD, "column_5")
    (pair,) = table.lookup("der Mann")
    assert pair.scores == pytest.approx([-100, math.log(1e-5), math.log(0.5), 0, math.log(2.718)])
    assert pair.links == ((0, 0), (1, 1))
    assert [one.counts for one in table.lookup("der")] == [(10, 20, 5)]
    (tmp_path / "r").write_text("der ||| the ||| 0.5 0.25 0.25\nder ||| zzz ||| 1 1 1\n")
    with_orientations = PhraseTable.read(tmp_path / "t", tmp_path / "r")
    assert with_orientations.lookup("der")[0].reordering == pytest.approx(np.log([0.5, 0.25, 0.25]))
    assert with_orientations.lookup("der Mann")[0].reordering == pytest.approx(np.log([1 / 3] * 3))


def test_lines_without_counts_or_links(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("a ||| b ||| 1\na ||| c ||| 0.5 ||| ||| 1 1 1\n")
    table = PhraseTable.read(tmp_path / "t")
    assert table.columns == ("column_1",)
    assert [pair.counts for pair in table] == [None, None]
    (tmp_path / "empty").write_text("")
    assert len(PhraseTable.read(tmp_path / "empty")) == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a ||| b", "needs three fields"),
        ("a b 0.5", "needs three fields"),
        (" ||| b ||| 1 1", "the source phrase has no words"),
        ("a |||  ||| 1 1", "the target phrase has no words"),
        ("a " * 256 + "||| b ||| 1 1", "more than 255 words"),
        ("a ||| b ||| 1", "1 scores, but the lines before have 2"),
        ("a ||| b ||| 1 x", "'x' is not a number"),
        ("a ||| b ||| 1 -0.5", "'-0.5' is not a finite number of at least 0"),
        ("a ||| b ||| 1 nan", "is not a finite number"),
        ("a ||| b ||| 1 inf", "is not a finite number"),
        ("a ||| b ||| 1 1 ||| 0:0", "'0:0' is not a link"),
        ("a ||| b ||| 1 1 ||| 0-1", "link '0-1' is outside phrases of 1 and 1 words"),
        ("a ||| b ||| 1 1 ||| 0-x", "'x' is not the target word of a link"),
        ("a ||| b ||| 1 1 ||| 0-0 ||| 1 y 1", "'y' is not a count"),
        ("a ||| b ||| 1 1 ||| 0-0 ||| 1 -2 1", "count '-2' is not between"),
        ("ok ||| fine ||| 1 1", "the same as pair 1"),
    ],
)
def test_broken_lines(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "table"
    path.write_text(f"ok ||| fine ||| 0.5 1 ||| 0-0 ||| 1 1 1\n{line}\n")
    with pytest.raises(FormatError) as error:
        PhraseTable.read(path)
    assert str(error.value).startswith(f"{path}:2: ")
    assert said in str(error.value)


def test_broken_reordering_and_bytes(tmp_path: Path) -> None:
    path, other = tmp_path / "t", tmp_path / "r"
    path.write_text("a ||| b ||| 1\n")
    for content, said in [
        ("a ||| b\n", r"r:1: .*three fields"),
        ("a ||| b ||| 1 1\n", r"r:1: a reordering table has 3 or 6 orientations, not 2"),
        ("a ||| b ||| 1 1 1\na ||| b ||| 1 1 1 1\n", r"r:2: 4 scores"),
    ]:
        other.write_text(content)
        with pytest.raises(FormatError, match=said):
            PhraseTable.read(path, other)
    path.write_bytes(b"a ||| b ||| 1\n\xff ||| b ||| 1\n")
    with pytest.raises(FormatError, match="t:2: "):
        PhraseTable.read(path)
    path.write_bytes(gzip.compress(b"a ||| b ||| 1\n")[:-4])
    with pytest.raises(FormatError, match="damaged gzip"):
        PhraseTable.read(path)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    table = PhraseTable.from_pairs([("a", "b", [800.0])], columns=["x"])
    with pytest.raises(ValueError, match="cannot be written"):
        table.write(tmp_path / "t")
    assert not (tmp_path / "t").exists()
    with pytest.raises(ValueError, match="no orientations"):
        table.write(tmp_path / "t", tmp_path / "r")
    table = PhraseTable.from_pairs([("a", "b", [0.0])], columns=["x"])
    table.write(tmp_path / "t")
    with pytest.raises(ValueError, match="has 1 column of scores"):
        PhraseTable.read(tmp_path / "t", columns=["x", "y"])

"""Sentence pairs from files and lists."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from palmette.errors import FormatError
from palmette.tools.alignment.text import (
    PairFormat,
    ParallelText,
    TextSide,
    parse_pairs,
    parse_side,
    read_pairs,
)

pytestmark = pytest.mark.native

PAIRS = [(["the", "house"], ["das", "Haus"]), ([], []), (["a"], []), (["é", "|", "x||y"], ["ü\u00a0z"])]


@pytest.mark.parametrize("between", ["\t", " ||| "])
def test_one_file(between: str, tmp_path: Path) -> None:
    text = "".join(f"{' '.join(e)}{between}{' '.join(f)}\n" for e, f in PAIRS)
    (tmp_path / "pairs").write_text(text)
    assert list(read_pairs(tmp_path / "pairs")) == PAIRS
    (tmp_path / "pairs.gz").write_bytes(gzip.compress(text.encode()))
    assert list(read_pairs(tmp_path / "pairs.gz")) == PAIRS
    assert list(parse_pairs(text.replace("\n", "\r\n").encode())) == PAIRS


def test_two_files(tmp_path: Path) -> None:
    for name, side in (("e", 0), ("f", 1)):
        (tmp_path / name).write_text("".join("  \t".join(pair[side]) + " \n" for pair in PAIRS))
    assert list(read_pairs(tmp_path / "e", tmp_path / "f")) == PAIRS
    (tmp_path / "f").write_text("one\n\nthree")
    with pytest.raises(FormatError, match=r"e: 4 lines, but .*f has 3: line k of one must be"):
        read_pairs(tmp_path / "e", tmp_path / "f")
    with pytest.raises(ValueError, match="A format is for pairs in one file"):
        read_pairs(tmp_path / "e", tmp_path / "f", format="tsv")


def test_separators_inside_text() -> None:
    """Bars may stand in a TSV file, and tabs in one with bars; what most lines have decides."""
    assert list(parse_pairs(b"a ||| b\tc\nd\te\n")) == [(["a", "|||", "b"], ["c"]), (["d"], ["e"])]
    assert list(parse_pairs(b"a\tb ||| c\nd ||| e\n")) == [(["a", "b"], ["c"]), (["d"], ["e"])]
    assert list(parse_pairs(b"a\tb ||| c\n", "bars")) == [(["a", "b"], ["c"])]
    assert list(parse_pairs(b"a\tb ||| c\n")) == [(["a"], ["b", "|||", "c"])]
    # In two files neither separates anything.
    assert parse_side(b"a ||| b\tc\n")[0] == ["a", "|||", "b", "c"]


@pytest.mark.parametrize(
    ("data", "format", "fault"),
    [
        (b"a\tb\n\nc\n", None, r"x:3: 1 part between tabs; a line must have two"),
        (b"a\tb\tc\n", "tsv", r"x:1: 3 parts between tabs"),
        (b"a ||| b\nc ||| d ||| e\n", None, r"x:2: 3 parts between \|\|\|"),
        (b"a b c\nd\n", None, r"x: no line has two sentences with a tab or \|\|\| between"),
        (b"a\tb\n\xff\tc\n", None, r"x:2: a byte that is not UTF-8"),
    ],
)
def test_bad_files(data: bytes, format: str | None, fault: str) -> None:
    with pytest.raises(FormatError, match=fault):
        parse_pairs(data, format, path="x")


def test_nothing() -> None:
    assert len(parse_pairs(b"")) == 0
    assert list(parse_pairs(b"\n \n", PairFormat.bars)) == [([], []), ([], [])]
    assert len(ParallelText.of([])) == 0


def test_lists_and_strings() -> None:
    text = ParallelText.of([("a  b", ["c"]), (["b"], "")])
    assert list(text) == [(["a", "b"], ["c"]), (["b"], [])]
    assert ParallelText.of(text) is text
    assert list(ParallelText.of([("a\nb", "c\u00a0d\x1ce\r")])) == [(["a", "b"], ["c\u00a0d\x1ce"])]
    assert TextSide.of(["x y", "y"]).strings == ["x", "y"]


@pytest.mark.parametrize(
    ("pairs", "fault"),
    [
        ("ab", "Sentence pairs are a list of pairs"),
        (["ab"], "Pair 0 is not"),
        ([("a", "b", "c")], "Pair 0 is not"),
        ([(["a", 1], ["b"])], "must be strings"),
        ([(["a b"], ["b"])], "without white space"),
        ([([""], ["b"])], "without white space"),
    ],
)
def test_bad_lists(pairs, fault: str) -> None:
    with pytest.raises((TypeError, ValueError), match=fault):
        ParallelText.of(pairs)


def test_sides_of_different_length() -> None:
    with pytest.raises(ValueError, match="Got 1 and 2"):
        ParallelText(TextSide.of(["a"]), TextSide.of(["b", "c"]))


def test_parts_are_bounded_and_whole() -> None:
    rng = np.random.default_rng(0)
    pairs = [(["a"] * int(length), ["b"] * int(m)) for length, m in rng.integers(0, 9, (50, 2))]
    text = ParallelText.of(pairs)
    for limit in (1, 30, 100, 10**6):
        parts = [text.part(*ends) for ends in text.bounds(limit)]
        assert [pair for part in parts for pair in part] == pairs
        assert all(len(p) == 1 or sum(len(e) * len(f) for e, f in p) <= limit for p in parts)

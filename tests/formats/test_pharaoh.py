"""Alignments as text."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from palmette.errors import FormatError
from palmette.formats.pharaoh import format_pharaoh, parse_pharaoh, read_pharaoh
from samples.corpora import real_file


def test_sure_and_possible_links(tmp_path: Path) -> None:
    first, second, third = parse_pharaoh("0-0 1p2\n\n3-1:0.25 0p0:1e-3\r\n")
    assert first.sure == {(0, 0)}
    assert first.possible == {(0, 0), (1, 2)}
    assert not second.possible
    assert (third.sure, third.possible) == ({(3, 1)}, {(3, 1), (0, 0)})
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"0-0\n"))
    assert len(read_pharaoh(tmp_path / "x.gz")) == 1


@pytest.mark.parametrize("word", ["0", "0-", "-1-2", "a-b", "0-1:x", "0_1", "0-1-2", "9999999-0", "0-1:"])
def test_what_is_no_link(word: str) -> None:
    with pytest.raises(FormatError, match=r"x:2: .* is not a link: write 0-1"):
        list(parse_pharaoh(f"0-0\n0-0 {word}\n", path="x"))


def test_round_trip() -> None:
    links = [(0, 1), (2, 0)]
    (again,) = parse_pharaoh(format_pharaoh(links, [0.5, 0.25]))
    assert again.sure == set(links)


def test_real_file() -> None:
    gold = read_pharaoh(real_file("align_en_fr_hansards/test.align"))
    assert (len(gold), sum(len(one.sure) for one in gold)) == (447, 4038)
    assert sum(len(one.possible - one.sure) for one in gold) == 13400

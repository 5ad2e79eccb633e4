"""Input in pieces without bytes that are no text, and every unit as soon as it is there."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.errors import FormatError
from palmette.formats.batches import Unit, batches, cut, each_unit, units
from palmette.formats.reading import Errors, Reading, decoded

BAD = b"a\tX\n\nb\xff\tY\nc\0\tZ\n\nd\tX\n\n"


def read(
    data: bytes, errors: str, tmp_path: Path, unit: Unit = Unit.sentence
) -> tuple[list[object], Reading]:
    (tmp_path / "x").write_bytes(data)
    reading = Reading(Errors(errors))
    found = list(reading.batches(tmp_path / "x", unit=lambda start: unit))
    return [(batch.data, batch.lines_before) for batch in found], reading


def test_bad_bytes(tmp_path: Path) -> None:
    found, reading = read(BAD, "strict", tmp_path)
    assert (found, reading.summary()) == ([(BAD, 0)], None)
    found, reading = read(BAD, "replace", tmp_path)
    assert found == [(BAD.replace(b"\xff", "\ufffd".encode()).replace(b"\0", "\ufffd".encode()), 0)]
    assert reading.summary() == "put U+FFFD into 2 places where bytes are not UTF-8 text"
    found, reading = read(BAD, "skip", tmp_path)
    assert found == [(b"a\tX\n\n", 0), (b"d\tX\n\n", 5)]
    assert reading.summary() == "skipped 1 sentence with bytes that are not UTF-8 text"
    found, reading = read("\ufffd x\n".encode(), "replace", tmp_path)
    assert (found, reading.summary()) == ([("\ufffd x\n".encode(), 0)], None)


def test_strict_reading_refuses_nul_in_every_unit(tmp_path: Path) -> None:
    for unit in Unit:
        with pytest.raises(FormatError, match=r"x:3: NUL byte in text: .* --errors replace or --errors skip"):
            read(b"(a)\n\n(b \0)\n\n", "strict", tmp_path, unit)
    pieces = Reading().batches(tmp_path / "x", 2, unit=Unit.line)
    assert next(pieces).lines_before == 0
    with pytest.raises(FormatError, match="x:3: NUL byte"):
        list(pieces)
    utf_16 = "a\n".encode("utf-16")
    assert read(utf_16, "strict", tmp_path)[0] == [(utf_16, 0)]  # the parsers say what it is


def test_bad_lines_and_trees(tmp_path: Path) -> None:
    found, reading = read(b"one\n\xe9\ntwo\n", "skip", tmp_path, Unit.text)
    assert found == [(b"one\n", 0), (b"two\n", 2)]
    assert reading.summary() == "skipped 1 line with bytes that are not UTF-8 text"
    found, reading = read(b"(S (A a))\n(S\n (A \xe9))\n(S (A b))\n", "skip", tmp_path, Unit.tree)
    assert found == [(b"(S (A a))", 0), (b"\n(S (A b))", 2), (b"\n", 3)]
    assert reading.skipped == {"tree": 1}


def test_lines_of_errors() -> None:
    with pytest.raises(FormatError, match=r"x:12: byte 0xe9 is not UTF-8: save the file as UTF-8"):
        decoded(b"a\n\xe9", "x", 10)
    assert decoded(b"\xef\xbb\xbfa", "x") == "a"


TREES = st.text("()ab \n", max_size=40)


@given(TREES, st.integers(1, 12), st.sampled_from([Unit.tree, Unit.line, Unit.whole]))
def test_pieces_of_any_unit_are_the_file(text: str, size: int, unit: Unit) -> None:
    data = text.encode()
    found = [batch.data for batch in cut(io.BytesIO(data), size, lambda start: unit)]
    assert b"".join(found) == data
    assert b"".join(units(data, unit)) == data
    for piece in found[:-1]:
        assert unit is not Unit.whole
        assert piece.endswith(b"\n") if unit is Unit.line else piece.count(b"(") == piece.count(b")")


@given(st.text("ab\t#\n", max_size=40), st.sampled_from(list(Unit)))
def test_single_units_are_the_file(text: str, unit: Unit) -> None:
    data = text.encode()
    found = list(each_unit(io.BytesIO(data), lambda start: unit))
    assert b"".join(batch.data for batch in found) == data
    assert [batch.lines_before for batch in found] == [
        data.count(b"\n", 0, sum(len(batch.data) for batch in found[:i])) for i in range(len(found))
    ]


def test_a_unit_is_there_as_soon_as_its_last_line_has_come(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    got, written = threading.Semaphore(0), []

    def write() -> None:
        with (tmp_path / "pipe").open("wb", buffering=0) as pipe:
            for sentence in (b"a\tX\nb\tY\n\n", b"c\tX\n\n"):
                written.append(sentence)
                pipe.write(sentence)
                assert got.acquire(timeout=20)

    writer = threading.Thread(target=write)
    writer.start()
    for number, batch in enumerate(batches(tmp_path / "pipe", each=True)):
        assert written == [b"a\tX\nb\tY\n\n", b"c\tX\n\n"][: number + 1]
        assert batch.data == written[-1]
        got.release()
    writer.join()

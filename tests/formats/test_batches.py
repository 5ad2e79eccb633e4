"""Large files in pieces: the pieces are the file, and end where sentences do."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.errors import FormatError
from palmette.formats.batches import Batch, Unit, batches, cut


def pieces(data: bytes, size: int, text: bool = False) -> list[Batch]:
    unit = Unit.text if text else Unit.sentence
    return list(cut(io.BytesIO(data), size, lambda start: unit))


@given(st.text("ab.\n \r", max_size=60), st.integers(1, 20), st.booleans())
def test_pieces_are_the_file(text: str, size: int, is_text: bool) -> None:
    data = text.encode()
    found = pieces(data, size, is_text)
    assert b"".join(batch.data for batch in found) == data
    at = 0
    for batch in found:
        assert batch.lines_before == data.count(b"\n", 0, at)
        at += len(batch.data)
        if at < len(data):
            assert batch.data.endswith((b"\n", b" ") if is_text else b"\n")
            if not is_text:
                assert not batch.data.rstrip(b" \t\r\n") or batch.data.split(b"\n")[-2].strip() == b""


def test_pieces_stay_small() -> None:
    data = b"a b\nc d\n\n" * 10_000
    found = pieces(data, 1000)
    assert len(found) > 80
    assert max(len(batch.data) for batch in found) <= 2000
    lines = b"One sentence.\n" * 10_000
    assert max(len(batch.data) for batch in pieces(lines, 1000, text=True)) <= 2000
    assert len(pieces(lines, 1000)) == 1  # a column file without empty lines is one sentence


def test_files_gzip_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"a\n\nb\n\n"
    (tmp_path / "x").write_bytes(data)
    with gzip.open(tmp_path / "y", "wb") as file:
        file.write(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    for source in (tmp_path / "x", tmp_path / "y", "-"):
        assert b"".join(batch.data for batch in batches(source, 3)) == data
    (tmp_path / "z").write_bytes((tmp_path / "y").read_bytes()[:-6])
    with pytest.raises(FormatError, match="damaged gzip file"):
        list(batches(tmp_path / "z"))
    (tmp_path / "empty").write_bytes(b"")
    assert list(batches(tmp_path / "empty")) == []

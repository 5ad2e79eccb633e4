"""Files in and out: gzip and standard streams, and never a half-written file."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from pathlib import Path

import pytest

from palmette.formats.errors import FormatError
from palmette.formats.files import display_name, read_bytes, read_text, write_atomically

TEXT = "Zeit fließt\n".encode()


class Streams:
    """Stands in for a standard stream."""

    def __init__(self, data: bytes = b"") -> None:
        self.buffer = io.BytesIO(data)


def test_plain_and_gzipped_files_read_alike(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(TEXT)
    (tmp_path / "packed").write_bytes(gzip.compress(TEXT))
    assert read_bytes(tmp_path / "plain") == read_bytes(str(tmp_path / "packed")) == TEXT


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (TEXT, gzip.compress(TEXT)):
        monkeypatch.setattr(sys, "stdin", Streams(data))
        assert read_bytes("-") == TEXT
    monkeypatch.setattr(sys, "stdin", Streams(b"\x1f\x8bxx"))
    with pytest.raises(FormatError, match="<standard input>: damaged gzip file"):
        read_bytes("-")


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-3], lambda data: data[:12], lambda data: data + b"junk"]
)
def test_damaged_gzip(damage, tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(damage(gzip.compress(TEXT * 100)))
    with pytest.raises(FormatError, match=r"x\.gz: damaged gzip file"):
        read_bytes(tmp_path / "x.gz")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        read_bytes(tmp_path)


def test_writing(tmp_path: Path) -> None:
    for name in ("x.txt", "x.txt.gz"):
        with write_atomically(tmp_path / name) as file:
            file.write(TEXT)
        assert read_bytes(tmp_path / name) == TEXT
    assert (tmp_path / "x.txt.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.txt", "x.txt.gz"]


def test_gzipped_bytes_do_not_depend_on_name_and_time(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with write_atomically(tmp_path / name) as file:
            file.write(TEXT)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file(name: str, error: type[BaseException], tmp_path: Path) -> None:
    target = tmp_path / name
    target.write_bytes(b"old")

    def fail() -> None:
        with write_atomically(target) as file:
            file.write(TEXT)
            raise error

    with pytest.raises(error):
        fail()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_old_file_is_there_until_the_end(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_bytes(b"old")
    with write_atomically(target) as file:
        file.write(TEXT)
        file.flush()
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == TEXT


def test_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    out = Streams()
    monkeypatch.setattr(sys, "stdout", out)
    with write_atomically("-") as file:
        file.write(TEXT)
    assert out.buffer.getvalue() == TEXT


def test_modes(tmp_path: Path) -> None:
    target = tmp_path / "x"
    old = os.umask(0o027)
    try:
        with write_atomically(target):
            pass
        assert stat.S_IMODE(target.stat().st_mode) == 0o640
        target.chmod(0o600)
        with write_atomically(target):
            pass
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
    finally:
        os.umask(old)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    with write_atomically(tmp_path / "link") as file:
        file.write(TEXT)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == TEXT


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    with write_atomically("/dev/null") as file:
        file.write(TEXT)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_targets_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), write_atomically(tmp_path):
        pass
    with pytest.raises(FileNotFoundError) as caught, write_atomically(tmp_path / "no" / "x.palm"):
        pass
    assert caught.value.filename == str(tmp_path / "no" / "x.palm")


def test_names_in_messages() -> None:
    assert display_name("-") == "<standard input>"
    assert display_name(Path("a") / "b") == str(Path("a") / "b")
    assert str(FormatError("odd")) == "<input>: odd"


def test_closed_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(OSError, match="standard input is closed"):
        read_bytes("-")
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OSError, match="standard output is closed"), write_atomically("-"):
        pass


def test_text_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes("ä\n".encode() + b"b\xff")
    with pytest.raises(FormatError, match=r"x:2: byte 4 of the file is not UTF-8"):
        read_text(tmp_path / "x")

"""Files in and out: gzip and standard streams, and never a half-written file."""

from __future__ import annotations

import gzip
import io
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from palmette.errors import FormatError, shortened
from palmette.formats import replacement
from palmette.formats.files import display_name, opened, read_bytes, read_text, write_atomically
from palmette.formats.nbest import read_nbest

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


@pytest.mark.parametrize("n_bytes", [1, 4, 12, 60, -9, -1])
def test_a_stream_of_a_damaged_gzip_file(n_bytes: int, tmp_path: Path) -> None:
    whole = gzip.compress(os.urandom(200_000))
    (tmp_path / "x.gz").write_bytes(whole[:n_bytes] if n_bytes > 1 or n_bytes < 0 else whole[:50] + b"junk")
    for way in (lambda file: file.read(10), lambda file: file.readlines(10), lambda file: file.readline()):
        with pytest.raises(FormatError, match=r"x\.gz: damaged gzip file"), opened(tmp_path / "x.gz") as file:
            list(iter(lambda way=way, file=file: way(file) or None, None))


def test_a_stream_of_a_gzipped_file(tmp_path: Path) -> None:
    text = b"".join(b"line %d\n" % i for i in range(100_000))
    (tmp_path / "x.gz").write_bytes(gzip.compress(text))
    with opened(tmp_path / "x.gz") as file:
        assert b"".join(file) == text
    with opened(tmp_path / "x.gz") as file:
        assert file.read(7) + file.read() == text


def test_lists_of_a_damaged_gzip_file(tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"-1.5\ta/B b/O\n" * 10)[:-4])
    with pytest.raises(FormatError, match=r"x\.gz: damaged gzip file"):
        list(read_nbest(tmp_path / "x.gz"))


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="no unnamed files on this system")
def test_a_killed_writer_leaves_nothing(tmp_path: Path) -> None:
    script = f"""
import os, signal
from palmette.formats.files import write_atomically
with write_atomically({str(tmp_path / "x")!r}) as file:
    file.write(b"x" * 1_000_000)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", script]).returncode == -signal.SIGKILL
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("missing", ["_unnamed", "_link"])
def test_without_unnamed_files(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacement, missing, lambda *arguments: None)
    for content in (b"first", b"second"):
        with write_atomically(tmp_path / "x") as file:
            file.write(content)
        assert read_bytes(tmp_path / "x") == content
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) & 0o600 == 0o600


def test_what_killed_writers_left_is_removed_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacement, "_unnamed", lambda folder: None)
    names = []
    for target in ("x", "x", "y"):
        new = replacement.Replacement(tmp_path / target, target)
        names.append(next(path for path in tmp_path.iterdir() if path not in names))
        new.file.close()
    old, young, other = names
    for path in (old, other):
        os.utime(path, (time.time() - 100_000,) * 2)
    with write_atomically(tmp_path / "x"):
        pass
    assert not old.exists()
    assert young.exists()
    assert other.exists()


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "x"
    target.write_bytes(b"old")
    target.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only") as caught, write_atomically(target):
        pass
    assert caught.value.filename == str(target)
    assert target.read_bytes() == b"old"


def test_the_longest_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / ("ä" * 125 + ".gz")
    for unnamed in (replacement._unnamed, lambda folder: None):
        monkeypatch.setattr(replacement, "_unnamed", unnamed)
        for _ in range(2):
            with write_atomically(target) as file:
                file.write(TEXT)
    assert read_bytes(target) == TEXT


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_names_the_file() -> None:
    with pytest.raises(OSError, match="No space left") as caught, write_atomically("/dev/full") as file:
        file.write(TEXT)
    assert caught.value.filename == "/dev/full"


def test_messages_are_short(tmp_path: Path) -> None:
    name = "x" * 1_000_000
    for message in (f"the label {name!r}: unknown", "ab " * 1_000_000 + ": unknown"):
        text = str(FormatError(message, path="train.conllu", line=3))
        assert len(text) < 1_100
        assert text.startswith("train.conllu:3: ")
        assert text.endswith("unknown")
    assert len(str(FormatError("odd", path=name))) < 300
    assert shortened("as it is") == "as it is"

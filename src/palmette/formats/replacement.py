"""A file that is written out of sight and takes the place of another in one step.

The content has no name until it is complete, where the system has unnamed files (O_TMPFILE): a process that is
killed leaves nothing behind. Elsewhere it lies beside the target under a name that depends on the target; what a
killed process left there is removed by the next one that writes the same target, a day later.
"""

from __future__ import annotations

import io
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path

_DAY = 24 * 60 * 60


class NamedFile(io.FileIO):
    """A file open for writing whose errors name it."""

    def __init__(self, file: int | str, name: str) -> None:
        self._shown = name
        super().__init__(file, "w")

    def write(self, data: object, /) -> int:
        """Write bytes; an OSError says which file could not take them."""
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as error:
            raise named(error, self._shown) from None


def named(error: OSError, name: str) -> OSError:
    """The error with the name of the file that it is about."""
    error.filename = name
    return error


class Replacement:
    """The future content of `path`; errors call it `name`.

    file: where to write. `commit` puts it in place; `discard` forgets it.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._name = name
        self._beside: Path | None = None
        try:
            descriptor = _unnamed(path.parent)
            if descriptor is None:
                descriptor, self._beside = _part_of(path)
        except OSError as error:
            raise named(error, name) from None
        self.file = io.BufferedWriter(NamedFile(descriptor, name))

    def commit(self) -> None:
        """Let the content take the place of the file; it is on the disk when this returns."""
        self.file.flush()
        try:
            descriptor = self.file.fileno()
            os.fsync(descriptor)
            old = self._path.stat() if self._path.exists() else None
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode) if old else _mode_of_new_files())
            if self._beside is None and (old is not None or not _link(descriptor, self._path)):
                self._name_beside(descriptor)
            self.file.close()
            if self._beside is not None:
                self._beside.replace(self._path)
        except OSError as error:
            raise named(error, self._name) from None

    def discard(self) -> None:
        """Forget the content."""
        self.file.raw.close()  # what is still buffered need not reach a disk that may be full
        if self._beside is not None:
            self._beside.unlink(missing_ok=True)

    def _name_beside(self, descriptor: int) -> None:
        """Give the unnamed content a name beside the target; where it can have none, make a copy that has one."""
        prefix = _prefix(self._path)
        _remove_stale(self._path.parent, prefix)
        self._beside = self._path.parent / f"{prefix}{os.urandom(6).hex()}.part"
        if _link(descriptor, self._beside):
            return
        os.lseek(descriptor, 0, os.SEEK_SET)
        with open(descriptor, "rb", closefd=False) as content, self._beside.open("xb") as copy:
            os.fchmod(copy.fileno(), stat.S_IMODE(os.fstat(descriptor).st_mode))
            shutil.copyfileobj(content, copy, 1 << 20)
            copy.flush()
            os.fsync(copy.fileno())


def _unnamed(folder: Path) -> int | None:
    """A new file without a name, where there are such files and they can be named later."""
    flag = getattr(os, "O_TMPFILE", 0)
    if not flag or not Path("/proc/self/fd").is_dir():
        return None
    try:
        return os.open(folder, flag | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        return None  # this file system has none; a folder that cannot be written to says so itself


def _part_of(path: Path) -> tuple[int, Path]:
    """A new file beside `path`, after the old ones of killed processes are gone."""
    prefix = _prefix(path)
    _remove_stale(path.parent, prefix)
    descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=".part")
    return descriptor, Path(beside)


def _prefix(path: Path) -> str:
    """How the temporary names of a target begin; of the same length for all, as names may be 255 bytes long."""
    import hashlib

    return f".palmette-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}-"


def _remove_stale(folder: Path, prefix: str) -> None:
    before = time.time() - _DAY
    for old in folder.glob(f"{prefix}*.part"):
        try:
            if old.stat().st_mtime < before:
                old.unlink()
        except OSError:
            continue  # another process was faster, or it belongs to someone else


def _link(descriptor: int, path: Path) -> bool:
    """Give an unnamed file a name that no file has yet; False if this cannot be done."""
    try:
        # Through the file system of the kernel: a descriptor itself may be linked by the administrator only.
        os.link(f"/proc/self/fd/{descriptor}", path, follow_symlinks=True)
    except OSError:
        return False
    return True


def _mode_of_new_files() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

"""A limit of the memory of a training, which the system keeps.

The limit is RLIMIT_DATA: all private memory that the process asks for, such as arrays, features and the weights.
Files that are mapped do not count, nor does what other machines of a cluster take. What libraries need is taken
before the limit is set, since they end the process where they cannot have it. A training that cannot fit is
refused before it begins.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from palmette.cli.report import human_size
from palmette.errors import UsageError

ROOM = 30_000_000  # bytes with which every training begins: imports, and a first buffer
_WORKER = 40_000_000  # bytes for the threads that look after a worker
# What the usual options of each tool took of corpora of 1 to 8 MB: megabytes at once, and bytes of memory for a
# byte of text of the examples, unpacked. Other options may take half of it, or several times as much.
TAKEN = {
    "tag": (0, 21),
    "morphology": (50, 212),
    "lemmas": (0, 20),
    "induce": (0, 15),
    "history": (500, 10),
    "spans": (50, 108),
    "tokens": (0, 112),
    "depparse": (350, 12),
    "pipeline": (470, 558),
    "parse": (0, 211),
    "align": (0, 69),
    "sentiment": (0, 87),
    "semantics": (0, 162),
}
_OTHERS = (0, 50)
_EXAMPLES = ("train", "source", "target", "subjectivity", "unlabelled", "labelled")  # options with examples
_SCIPY = frozenset("classify induce rerank rules sentiment thesaurus".split())  # tools that import it
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIGNS = re.compile(
    r"failed to map segment|can'?t start new thread|resource temporarily unavailable|bad_alloc|"
    r"(can'?not|can't|unable to) allocate|(not|is there) enough memory|worker process ended",
    re.IGNORECASE,
)


class MemoryLimitError(OSError):
    """A training that needs more memory than it may take."""


def read_size(text: str) -> int:
    """Return bytes.

    >>> read_size("2G"), read_size("500M"), read_size("1.5g")
    (2000000000, 500000000, 1500000000)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)B?", text.upper())
    if found is None or not float(found[1]):
        raise UsageError(f"--memory {text}: expected a size such as 500M or 2G")
    return int(float(found[1]) * _UNITS[found[2]])


def text_size(path: Path) -> int:
    """Return the bytes of a file, or of all files of a folder; what a gzipped file has is read at its end."""
    if path.is_dir():
        return sum(text_size(one) for one in path.rglob("*") if one.is_file())
    if not path.is_file():
        return 0  # standard input, or nothing
    size = path.stat().st_size
    if path.suffix != ".gz" or size < 4:
        return size
    with path.open("rb") as file:
        file.seek(-4, 2)
        return max(size, int.from_bytes(file.read(), "little"))


def expected(tool: str, options: dict[str, Any]) -> int:
    """Return about how many bytes a training takes for its examples."""
    paths: list[str | Path] = []
    for name in _EXAMPLES:
        given = options.get(name)
        paths += given if isinstance(given, list | tuple) else [given] if given else []
    at_once, factor = TAKEN.get(tool, _OTHERS)
    return at_once * 10**6 + factor * sum(text_size(Path(path)) for path in paths)


@contextmanager
def limited(size: str | None, tool: str, options: dict[str, Any], workers: int = 0) -> Iterator[None]:
    """Inside, the process gets no more memory than this; MemoryLimitError says about how much is needed.

    workers: processes or threads of this machine that it starts.
    """
    if size is None:
        yield
        return
    limit = read_size(size)
    try:
        import resource
    except ImportError:  # not on this system
        raise UsageError("--memory needs a system with resource limits, such as Linux") from None
    floor, own = _floor(tool) + ROOM + workers * _WORKER, expected(tool, options)
    about = human_size(floor + own)
    if limit < floor:
        raise MemoryLimitError(
            f"--memory {size} is too little: Palmette takes {human_size(floor)} before it reads anything, and "
            f"this training about {about} in all"
        )
    if limit < floor + own // 2:
        raise MemoryLimitError(
            f"--memory {size} is too little: this training takes about {about}. Give more memory, or less input"
        )
    before = resource.getrlimit(resource.RLIMIT_DATA)
    hard = before[1]
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    try:
        yield
    except Exception as error:
        resource.setrlimit(resource.RLIMIT_DATA, before)
        if not ran_out(error):
            raise
        needed = human_size(max(floor + own, limit * 3 // 2))
        raise MemoryLimitError(
            f"the training needs more than --memory {size}: give {needed} or more, or less input"
        ) from error
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def ran_out(error: BaseException) -> bool:
    """Whether an error, or one behind it, says that there was no memory left."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        if isinstance(one, MemoryError) or (isinstance(one, OSError) and one.errno == errno.ENOMEM):
            return True
        if isinstance(one, ImportError | RuntimeError | OSError) and _SIGNS.search(str(one)):
            return True
        one = one.__cause__ or one.__context__
    return False


def _floor(tool: str) -> int:
    """The private memory of this process once the libraries that the tool may use have theirs."""
    import numpy as np

    import palmette._native  # noqa: F401

    ones = np.ones((64, 64))
    ones = ones @ ones  # now there are buffers for it
    if tool in _SCIPY:
        from scipy.linalg import blas

        blas.dgemm(1.0, ones, ones)
    status = Path("/proc/self/status")
    found = re.search(r"^VmData:\s+(\d+) kB", status.read_text(), re.MULTILINE) if status.exists() else None
    return int(found[1]) * 1024 if found else 0

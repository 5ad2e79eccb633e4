"""An exception as one sentence for a person, and as an exit code."""

from __future__ import annotations

import errno
import os
from typing import Any

import typer

from palmette.cli.report import printable
from palmette.errors import UsageError, shortened

# The root of the errors that typer raises over a command line, wherever this version of it keeps them.
_CommandLineError: type[Exception] = typer.BadParameter.__mro__[2]


# A path in a message stays whole as long as paths are in practice.
_LONGEST_WORD, _LONGEST_SENTENCE = 400, 2_000
# Errors of a write that do not name a file come from standard output: all others name theirs.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def sentence(error: Exception) -> str:
    """What went wrong, on one line, with nothing that could steer a terminal, and at most some lines long."""
    return shortened(printable(" ".join(_text(error).split())), _LONGEST_WORD, _LONGEST_SENTENCE)


def exit_code(error: Exception) -> int:
    """Return 2 for a command that was written wrongly, 1 for everything else."""
    return 2 if isinstance(error, _CommandLineError | UsageError) else 1


def _text(error: Any) -> str:
    if isinstance(error, _CommandLineError):
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "palmette"
        said = error.format_message().rstrip(".").replace(": Value error, ", ": ")  # type: ignore[attr-defined]
        return f"{said} ({path} --help shows how)"
    if isinstance(error, OSError) and error.strerror:
        name = "standard output" if error.filename is None and error.errno in _FULL else error.filename
        where = f"{os.fsdecode(name) if isinstance(name, bytes) else name}: " if name is not None else ""
        return where + error.strerror[:1].lower() + error.strerror[1:]
    if isinstance(error, MemoryError):
        detail = str(error)
        return "not enough memory" if detail in ("", "std::bad_alloc") else f"not enough memory {detail}"
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("palmette"):
        return f"this needs the Python package {error.name!r}, which is not installed"
    # a processor that cannot run the native module, or an extra that is not installed
    if type(error) is ImportError and (error.name is None or "pip install" in str(error)):
        return str(error)
    if isinstance(error, OSError | ValueError | OverflowError) and str(error):
        return str(error)
    return (
        f"internal error, {type(error).__name__}: {error}; this is a bug in Palmette: "
        "run again with PALMETTE_DEBUG=1 to see where, and please report it"
    )

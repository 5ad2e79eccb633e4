"""Command lines as a shell runs them, without processes: `palmette`, `echo`, `cat`, pipes and redirections."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

from palmette.cli import main


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Return the commands of a block, each with its line from 0; a backslash continues a line."""
    held, first = "", 0
    for number, line in enumerate(text.split("\n")):
        first = first if held else number
        held += line
        if held.endswith("\\"):
            held = held[:-1]
            continue
        if held.strip():
            yield first, held.strip()
        held = ""


def run(line: str, more: str = "") -> bytes:
    """Run a command line and return what it prints; RuntimeError with its message if it fails.

    more: options that are added to a command of Palmette
    """
    words = _words(line)
    target = None
    if ">" in words:
        place = words.index(">")
        target, words = words[place + 1], words[:place]
    output = b""
    while words:
        end = words.index("|") if "|" in words else len(words)
        output = _one(words[:end], output, more)
        words = words[end + 1 :]
    if target is not None:
        Path(target).write_bytes(output)
        return b""
    return output


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    return list(lexer)


def _one(words: list[str], given: bytes, more: str) -> bytes:
    name, *arguments = words
    if name == "echo":
        return f"{' '.join(arguments)}\n".encode()
    if name == "cat":
        return b"".join(Path(path).read_bytes() for path in arguments)
    if name != "palmette":
        raise RuntimeError(f"no command is called {name!r} here: mark the block, or let bash run it")
    output, errors = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with (
        redirect_stdout(output),
        redirect_stderr(errors),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")),
    ):
        code = main([*arguments, *shlex.split(more)])
        output.flush()
    if code:
        raise RuntimeError(f"exit code {code}: {errors.getvalue().strip()[-400:]}")
    buffer = output.detach()
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()

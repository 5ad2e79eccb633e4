"""What a command explains: a text on the command line, or a file."""

from __future__ import annotations

from pathlib import Path

from palmette.cli.run import Run
from palmette.errors import UsageError


def text_or_file(text: str | None, file: str | None, noun: str, run: Run) -> tuple[str | None, str | None]:
    """Return the text and None, or None and the file; UsageError unless there is exactly one of them.

    A text that is the name of a file is that file, and a note says so.
    """
    if (text is None) == (file is None):
        raise UsageError(f"expected {noun} to explain: give it as text, or --file FILE")
    if text is not None and text != "-" and _is_file(text):
        run.progress.note(f"reading the file {text}")
        return None, text
    return text, file


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return False

"""Which format a text is in, detected from its beginning, and only where it is certain.

export       the first line is #FORMAT, #BOT or #BOS
conllu       the first line that is not a comment has ten columns and the id of a first word
columns      every line has the same number of columns, and there are empty lines between
discbracket  a bracket and a label come first, brackets are balanced, and every word is position=word
brackets     the same, and not every word is
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from palmette.formats.files import Source, read_bytes
from palmette.formats.registry import Format, format_named, format_of_name

_SAMPLE = 1 << 16  # bytes that are looked at
_FIRST_ID = re.compile(r"1|1-\d+|0\.1")
_TREE = re.compile(r"\s*\((\s*\()?[^\s()]+\s*[^\s)]")
_SYMBOL = re.compile(r"\(\s*[^\s()]*|[^\s()]+")  # what is below a bracket, or a word
_NUMBERED = re.compile(r"\d+=.")


def guess_format(data: bytes) -> Format | None:
    """The format that a text is plainly in, or None.

    >>> guess_format(b"((S (NP I) (VP sleep)))").name
    'brackets'
    >>> guess_format(b"To be or not to be")
    """
    text = data[:_SAMPLE].decode("utf-8", "replace").removeprefix("\ufeff")
    whole = len(data) <= _SAMPLE
    lines = text.splitlines() if whole else text.splitlines()[:-1]
    name = _guess(text, lines, whole)
    return format_named(name) if name else None


def format_of_file(path: Source) -> Format | None:
    """The text format of a file by its name or else by its content; None for a model, or if it cannot be told."""
    named = format_of_name(path)
    if named is not None or not Path(path).is_file():
        return named
    with Path(path).open("rb") as file:
        start = file.read(9)
    # A model begins with the length of its JSON header, which nobody wants to read as text.
    return None if start[8:] == b"{" else guess_format(read_bytes(path))


def _guess(text: str, lines: Sequence[str], whole: bool) -> str | None:
    filled = [line for line in lines if line.strip()]
    if not filled:
        return None
    if re.match(r"#(FORMAT|BOT|BOS)\b", next((line for line in filled if not line.startswith("%%")), "")):
        return "export"
    first = next((line for line in filled if not line.startswith("#")), "").split("\t")
    if len(first) == 10 and _FIRST_ID.fullmatch(first[0]):
        return "conllu"
    has_gaps = len(filled) < len(lines)
    if has_gaps and _are_columns([line.split("\t") for line in filled if "\t" in line or line[0] != "#"]):
        return "columns"
    balanced = text.count("(") == text.count(")") and text.rstrip().endswith(")")
    if _TREE.match(text) and (balanced or not whole):
        words = [symbol for symbol in _SYMBOL.findall(text) if symbol[0] != "("]
        return "discbracket" if all(map(_NUMBERED.match, words)) else "brackets"
    if has_gaps and _are_columns([line.split() for line in filled]):
        return "columns"
    return None


def _are_columns(rows: Sequence[Sequence[str]]) -> bool:
    return len({len(row) for row in rows}) == 1 and len(rows[0]) >= 2

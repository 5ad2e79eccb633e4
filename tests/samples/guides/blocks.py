"""Fenced blocks of a page in Markdown, without those that only illustrate.

A block below `<!-- not run: REASON -->` is not run. Blocks `python` and `sh` are ours; `py` and `bash` belong to
other programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MARK = re.compile(r"<!-- (not run: .+) -->")


class Block(NamedTuple):
    """A fenced block: the line of the page that its code begins on, its language, its text, why it is not run."""

    line: int
    language: str
    text: str
    mark: str = ""


def all_blocks(text: str) -> Iterator[Block]:
    """Return the blocks of a page, also those that only illustrate."""
    mark, language, first = "", "", 0
    held: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if language:
            if line.startswith("```"):
                yield Block(first, language, "\n".join(held) + "\n", mark)
                mark, language = "", ""
            else:
                held.append(line)
        elif line.startswith("```"):
            language, first, held = line[3:].strip() or "text", number + 1, []
        elif line.strip():
            found = _MARK.fullmatch(line.strip())
            mark = found[1] if found else ""


def blocks(text: str) -> Iterator[Block]:
    """Return the blocks of a page that run."""
    return (block for block in all_blocks(text) if not block.mark)

"""A text that comes in pieces, cut into blocks that a tokenizer takes one at a time.

A block is some whole paragraphs, or a part of a long one. How a paragraph is cut depends on nothing but itself, so
the sentences of a text are the same in whatever pieces it comes. Memory is bounded by the pieces and `LONGEST`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

LONGEST = 1 << 16  # characters of a paragraph that are taken at once
AT_ONCE = 1 << 18  # characters of a block of paragraphs

EMPTY_LINE = re.compile(r"\n[^\S\n]*\n")
NEWLINES = {
    "space": None,  # a line end is white space
    "paragraph": EMPTY_LINE,  # an empty line ends a paragraph
    "sentence": re.compile(r"\n"),  # a line end ends a sentence
}


@dataclass
class Block:
    """A part of the text, which begins at `base`; `ends`: where its paragraphs end.

    whole: its last paragraph ends with it. used: set by the tokenizer to the number of characters that it took,
    where the block is not whole.
    """

    text: str
    base: int
    ends: list[int] = field(default_factory=list)
    whole: bool = True
    used: int = 0


def blocks(pieces: Iterable[str], newlines: str) -> Iterator[Block]:
    """Yield the blocks of a text; newlines: one of `NEWLINES`."""
    expression = NEWLINES[newlines]
    text, base = "", 0  # what is not taken yet, and where it begins
    for piece in pieces:
        text += piece
        ends = [] if expression is None else [match.end() for match in expression.finditer(text)]
        taken = k = 0
        while k < len(ends) or len(text) - taken >= LONGEST:
            end = ends[k] if k < len(ends) else len(text)
            if end - taken >= LONGEST:
                block = Block(text[taken : taken + LONGEST], base + taken, whole=False)
                yield block
                taken += block.used
                continue
            first = k
            k += 1
            while k < len(ends) and ends[k] - taken < AT_ONCE and ends[k] - ends[k - 1] < LONGEST:
                k += 1
            inside = [end - taken for end in ends[first:k]]
            yield Block(text[taken : ends[k - 1]], base + taken, inside)
            taken = ends[k - 1]
        text, base = text[taken:], base + taken
    if text.strip():
        yield Block(text, base, [len(text)])


def gathered(pieces: Iterable[str]) -> Iterator[str]:
    """Small pieces of a text joined to larger ones."""
    waiting: list[str] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= AT_ONCE:
            yield "".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield "".join(waiting)

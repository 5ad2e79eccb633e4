"""The words of a line of raw text, and where there was white space between them.

The built-in tokenizer cuts the line. It leaves runs of scripts without spaces whole; here they are cut into
characters with the marks that belong to them, and runs of katakana stay words. Phrases put them together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from palmette.tools.text.spaces import SPACELESS
from palmette.tools.text.tokenizer import Tokenizer

# Marks that belong to the character before them.
_MARKS = (
    "\u0e31\u0e33\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb3\u0eb4-\u0ebc\u0ec8-\u0ece\u0f71-\u0f84\u0f90-\u0fbc\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u17b4-\u17d3\u3099\u309a\ufe00-\ufe0f"
)
_PIECES = re.compile(
    rf"[{SPACELESS}][{_MARKS}]*|[\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f]+|[^{SPACELESS}\u30a0-\u30ff]+|."
)
_ANY = re.compile(rf"[{SPACELESS}\u30a0-\u30ff]")


class Piece(NamedTuple):
    """A word of a line; space: whether white space follows; first: whether it begins a sentence."""

    text: str
    space: bool
    first: bool


def pieces(line: str, tokenizer: Tokenizer) -> Iterator[Piece]:
    """Yield the words of a line.

    >>> [piece.text for piece in pieces("It's 東京タワー.", Tokenizer("en"))]
    ['It', "'s", '東', '京', 'タワー', '.']
    """
    for sentence in tokenizer.sentences(" ".join(line.split())):
        for k, token in enumerate(sentence):
            if not _ANY.search(token.text):
                yield Piece(token.text, token.space_after, k == 0)
                continue
            parts = _PIECES.findall(token.text)
            for i, part in enumerate(parts):
                yield Piece(part, token.space_after and i == len(parts) - 1, k == i == 0)

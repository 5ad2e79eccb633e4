"""Where sentences end: after what a chunk ends with, before what the next chunk begins with.

Both are small classes of a chunk, found once for each distinct chunk, so a decision is a look-up in `_TABLE`.
Closing quotes and brackets are left out of an ending, opening ones out of a beginning. A few decisions need a word
more: numbers of a list (`1. The`), initials (`J. Smith`), `No. 5`, the date and time above a forwarded mail.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from palmette.tools.text.languages import Language
from palmette.tools.text.token_rules import Rules


class Beginning(IntEnum):
    """What a chunk begins with: the columns of the table. FIRST is a word that often begins sentences."""

    SMALL = 0
    CAPITAL = 1
    FIRST = 2
    DIGIT = 3
    OTHER = 4
    ADDRESS = 5
    CLOSING = 6  # a bracket, a smile or more full stops: belongs to what was before


class Ending(IntEnum):
    """What a chunk ends with: the rows of the table."""

    NONE = 0
    STOP = 1
    STRONG = 2  # ! and ?
    QUOTED = 3  # any of these two in quotes or brackets
    DOTS = 4
    TITLE = 5  # Mr.
    ABBREVIATION = 6  # U.S.
    SMILE = 7
    NUMBER = 8  # 1. or A.
    ADDRESS = 9


#       SMALL CAPITAL FIRST DIGIT OTHER ADDRESS CLOSING
_TABLE = tuple(
    tuple(sign == "y" for sign in row.split())
    for row in """
        -     -       -     -     -     -       -
        y     y       y     y     y     y       -
        y     y       y     y     y     y       -
        -     y       y     y     y     y       -
        -     y       y     y     -     y       -
        -     -       -     -     -     -       -
        -     -       y     -     -     -       -
        -     y       y     -     -     -       -
        -     y       y     y     y     y       -
        -     -       y     -     -     y       -
    """.strip().splitlines()
)
_NO_SMALL = (False, *_TABLE[Ending.STOP][1:])


class Chunk(NamedTuple):
    """What the rules say of a chunk. `ends[beginning of the next chunk]`: does a sentence end between them?

    After each piece in `cuts` a sentence ends within the chunk. `special`: see `SentenceRules.resolved`; `number`:
    no sentence ends after it if it is all of the sentence; `dated`: it is a date.
    """

    pieces: tuple[str, ...]
    beginning: int
    ends: tuple[bool, ...]
    cuts: frozenset[int] = frozenset()
    special: bool = False
    number: bool = False
    dated: bool = False


_CLOSING = frozenset("\"'’”»)]}>*“_」』）") | {"''", "’’"}
_OPENING = frozenset("\"'‘“«([{<¿¡*„“_-–—「『（") | {"``", "‘‘", "‘’", "--"}
_STOP = re.compile(r"[.。．।॥։]$|\.\?+$")
_STRONG = re.compile(r"[!?！？؟‼⁇⁈⁉]")
_WIDE = re.compile(r"[。！？]")
_DOTS = re.compile(r"\.{2,}$|…")
_SMILE = re.compile(r"[:;=xX<^(][^\w.,]*[()\[\]DPpOo3*|/\\^]+$|[\u2600-\u27bf\U0001f000-\U0001faff]")
_ADDRESS = re.compile(r"(?:https?|ftp)://|www\d?\.|[^@]+@[^@]+\.")
_DATE = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}$")
_TIME = re.compile(r"\d{1,2}:\d\d$")
_SIGNS = ",;:"


class SentenceRules:
    """Describes chunks and decides between neighbours, for one language."""

    def __init__(self, language: Language, rules: Rules) -> None:
        self.language = language
        self.rules = rules

    def describe(self, text: str) -> Chunk:
        """The tokens of a chunk, and what it begins and ends with."""
        pieces = tuple(self.rules.pieces(text))
        beginning = int(self._beginning(pieces))
        last = text[-1]
        if (last.isalpha() and len(pieces) == 1) or (last in _SIGNS and len(pieces) == 2):
            address = "." in pieces[-1] and _ADDRESS.match(pieces[-1])
            return Chunk(pieces, beginning, _TABLE[Ending.ADDRESS if address else Ending.NONE])
        ending = self._ending(pieces)
        ends = _TABLE[ending]
        if ending in (Ending.STOP, Ending.STRONG) and not self.language.small_starts:
            ends = _NO_SMALL
        return Chunk(
            pieces,
            beginning,
            ends,
            self._cuts(pieces),
            self._is_special(pieces),
            ending == Ending.NUMBER,
            _DATE.match(text) is not None,
        )

    def resolved(self, chunk: Chunk, following: Chunk | None) -> Chunk:
        """A chunk whose full stop belongs to its word or not by what follows: `No. 5`, `J. Smith`."""
        pieces, word = chunk.pieces, chunk.pieces[-1 if len(chunk.pieces) == 1 else -2]
        if word[-1] == ".":  # etc.
            if following is None or following.beginning in (Beginning.CAPITAL, Beginning.FIRST):
                return chunk._replace(pieces=(word[:-1], "."), ends=_TABLE[Ending.STOP])
            return chunk
        if following is None:
            return chunk
        if word.isdigit():
            joins = following.beginning != Beginning.FIRST
        elif len(word) == 1 and word.isupper():
            joins = following.beginning == Beginning.CAPITAL
        else:
            joins = following.beginning == Beginning.DIGIT
        if not joins:
            return chunk
        return chunk._replace(pieces=(*pieces[:-2], word + "."), ends=_TABLE[Ending.TITLE], cuts=frozenset())

    @staticmethod
    def begins_mail(date: Chunk, time: Chunk) -> bool:
        """Whether these are the date and the time that are above a forwarded mail, after its author."""
        return date.dated and _TIME.match(time.pieces[0]) is not None

    def _is_special(self, pieces: tuple[str, ...]) -> bool:
        if len(pieces) == 1:
            return pieces[0] == "etc."
        word = pieces[-2]
        if pieces[-1] != ".":
            return False
        if len(word) == 1 and word.isupper():
            return word != "I"
        if word.isdigit():
            return self.language.ordinals and len(word) <= 2
        return word.lower() in self.language.before_numbers

    def _ending(self, pieces: tuple[str, ...]) -> Ending:
        k = len(pieces) - 1
        while k > 0 and pieces[k] in _CLOSING:
            k -= 1
        last, closed = pieces[k], k < len(pieces) - 1
        if _STRONG.match(last):
            return Ending.QUOTED if closed else Ending.STRONG
        if _DOTS.match(last):
            return Ending.DOTS
        if _STOP.match(last):
            short = k == 1 and (len(pieces[0]) == 1 or (len(pieces[0]) == 2 and pieces[0].isdigit()))
            return Ending.QUOTED if closed else Ending.NUMBER if short else Ending.STOP
        if last[-1] == "." and len(last) > 1:
            return Ending.TITLE if last[:-1].lower() in self.language.titles else Ending.ABBREVIATION
        if _ADDRESS.match(last) and not closed:
            return Ending.ADDRESS
        return Ending.SMILE if _SMILE.match(last) else Ending.NONE

    def _beginning(self, pieces: tuple[str, ...]) -> Beginning:
        first = pieces[0]
        if not first[0].isalnum():
            if first in ")]}」』）" or _SMILE.match(first) or _STOP.match(first) or _STRONG.match(first):
                return Beginning.CLOSING
            k = 0
            while k < len(pieces) - 1 and pieces[k] in _OPENING:
                k += 1
            first = pieces[k]
        if first[0].isdigit():
            return Beginning.DIGIT
        if len(first) > 8 and _ADDRESS.match(first):
            return Beginning.ADDRESS
        if first[0].islower():
            return Beginning.SMALL
        if first[0].isalpha():
            return Beginning.FIRST if first.lower() in self.language.starters else Beginning.CAPITAL
        return Beginning.OTHER

    def _cuts(self, pieces: tuple[str, ...]) -> frozenset[int]:
        """Ends of sentences inside a chunk: 。 and the like, and `end.Next` where a space was forgotten."""
        cuts = []
        for k in range(len(pieces) - 1):
            if _WIDE.match(pieces[k]):
                while k + 1 < len(pieces) and pieces[k + 1] in _CLOSING:
                    k += 1
                if k + 1 < len(pieces):
                    cuts.append(k)
            elif k and pieces[k] in (".", "!", "?") and _is_plain(pieces[k - 1]) and pieces[k + 1].istitle():
                cuts.append(k)
        return frozenset(cuts)


def _is_plain(word: str) -> bool:
    return len(word) > 1 and word.isalpha() and word[1:].islower()

"""Words to a line: where white space belongs between them, as counted in the raw text of the target language.

    score(a, b) = ln (spaces + ½) / (no spaces + ½)     of the pair of kinds, or of marks beside anything

Punctuation marks, and words often joined to letters (`n't`, `l'`), are kinds of their own; other words are
of the kind of their script. Quotes are opening or closing ones in turn. What was never seen has a prior: no space
between characters of scripts without spaces, before closing marks and after opening ones.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from palmette.tools.text.spaces import SPACELESS
from palmette.tools.translation.raw.words import Piece

_SPACELESS = re.compile(rf"[{SPACELESS}\u30a0-\u30ff]")
_CLOSING = frozenset(".,;:!?%)]}»”’…。、，．！？：；）」』】〉》।؟،")
_OPENING = frozenset("([{«„“‘¿¡（「『【〈《$£€#@")
_QUOTES = frozenset("\"'`")

_GENERAL = frozenset({"word", "number", "character", "other"})

Counts = dict[str, tuple[int, int]]  # of a kind, or of two with a tab between: with a space, and without


@dataclass(frozen=True)
class Joiner:
    """How often there is a space after kinds of words, before them, and between two."""

    counts: Counts = field(default_factory=dict)

    @classmethod
    def learn(cls, sentences: Iterable[Iterable[Piece]]) -> Joiner:
        """Return the counts of a text."""
        text = [list(sentence) for sentence in sentences]
        joined: Counter[str] = Counter()
        seen: Counter[str] = Counter()
        for sentence in text:
            for a, b in pairwise(sentence):
                is_joined = not a.space and a.text[-1:].isalnum() and b.text[:1].isalnum()
                for word in (a.text, b.text):
                    seen[word] += 1
                    joined[word] += is_joined and not _SPACELESS.search(word)
        own = {word for word, n in joined.items() if 2 * n > seen[word]}
        found: dict[str, list[int]] = {}
        for sentence in text:
            kinds = _kinds([piece.text for piece in sentence], own)
            for (one, other), piece in zip(pairwise(kinds), sentence):
                for key in (f"{one}\t{other}", f"{one}\t", f"\t{other}"):
                    found.setdefault(key, [0, 0])[not piece.space] += 1
        own_counts = {f"\t\t{word}": (0, joined[word]) for word in own}
        return cls({key: (n, m) for key, (n, m) in sorted(found.items())} | own_counts)

    def join(self, words: Sequence[str]) -> str:
        """Return the line of the words.

        >>> Joiner().join(["Is", "this", "(", "really", ")", "true", "?"])
        'Is this (really) true?'
        """
        kinds = _kinds(words, {key[2:] for key in self.counts if key.startswith("\t\t")})
        parts = []
        for word, a, b in zip(words, kinds, kinds[1:]):
            parts += [word, " " if self._has_space(a, b) else ""]
        return "".join([*parts, *words[-1:]])

    def _has_space(self, a: str, b: str) -> bool:
        pair = self.counts.get(f"{a}\t{b}", (0, 0))
        if pair[0] != pair[1]:
            return pair[0] > pair[1]
        # Words say nothing about a mark beside them.
        seen = [key for kind, key in ((a, f"{a}\t"), (b, f"\t{b}")) if kind not in _GENERAL]
        scores = [math.log((n + 0.5) / (m + 0.5)) for n, m in (self.counts.get(key, (0, 0)) for key in seen)]
        return math.fsum([*scores, _prior(a, b)]) > 0


def _kinds(words: Sequence[str], own: Iterable[str]) -> list[str]:
    """The kind of every word of a sentence."""
    special, opened, kinds = set(own), set[str](), []
    for word in words:
        if word in _QUOTES:
            kinds.append(f"{word}{'>' if word in opened else '<'}")
            opened ^= {word}
        elif word in special or not word.isalnum():
            kinds.append(word if len(word) <= 8 else "other")
        elif _SPACELESS.search(word):
            kinds.append("character")
        else:
            kinds.append("number" if word[0].isdigit() else "word")
    return kinds


def _prior(a: str, b: str) -> float:
    """The score of a pair that was never seen: positive for a space."""
    quote = (b[:-1] in _QUOTES and b.endswith(">")) or (a[:-1] in _QUOTES and a.endswith("<"))
    clitic = b.startswith(("'", "’")) and len(b) > 1
    joined = quote or clitic or b in _CLOSING or a in _OPENING or "character" in (a, b)
    return -0.7 if joined else 0.7

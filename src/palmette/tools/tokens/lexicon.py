"""The tokens that were seen in training, found in a text by rolling hashes.

A window of l characters has the hash Σ c_k · B^(l-1-k) modulo 2^64, mixed; all windows of one length are found by
array operations, O(length of the text · longest token). Two tokens share a hash with a probability of n²/2⁶⁵. A
space inside a token counts as one character.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_NEVER = np.uint64(0x5851F42D4C957F2D)  # in the place of a character that no token has
_LONGEST = 16  # characters of a token that is looked for
_BITS = 20  # of the table that most windows are compared with


class Lexicon:
    """Tokens by their hashes, and how chunks are usually written.

    tokens: sorted hashes of seen tokens; longest: the number of characters of the longest that is looked for.
    lower: words that come in small letters, upper: words that come with a capital inside sentences.
    """

    def __init__(self, tokens: Hashes, longest: int, lower: Iterable[str], upper: Iterable[str]) -> None:
        self.tokens, self.longest = tokens, longest
        self.lower, self.upper = frozenset(lower), frozenset(upper)
        self._table = np.zeros(1 << _BITS, dtype=bool)
        self._table[self._slots(tokens)] = True

    @classmethod
    def of(cls, tokens: Iterable[str], inside: Iterable[str] = ()) -> Lexicon:
        """The lexicon of tokens, and of those of them that are not the first of a sentence."""
        distinct = {token for token in tokens if 2 <= len(token) <= _LONGEST}
        longest = max(map(len, distinct), default=1)
        hashes = np.unique(np.array([hash_of(token) for token in distinct], dtype=np.uint64))
        known = set(inside)
        lower = {token for token in known if token[:1].islower()}
        upper = {token.lower() for token in known if token[:1].isupper()}
        return cls(hashes, longest, lower, upper)

    def profile(self, chunk: str) -> str:
        """What is known of how a chunk begins.

        >>> lexicon = Lexicon.of([], ["house", "Mary"])
        >>> [lexicon.profile(word) for word in ("House", "house", "Mary", "Unknown", "(No", "3", "")]
        ['U.l', 'l', 'U.u', 'U', '(U', '0', '']
        """
        mark = ""
        while chunk and not chunk[0].isalnum():
            mark, chunk = (mark + chunk[0])[:2], chunk[1:]
        if not chunk:
            return mark
        word = chunk
        while not word[-1].isalnum():
            word = word[:-1]
        first = word[0]
        if first.isdigit():
            return mark + "0"
        if not first.isupper():
            return mark + ("l" if first.islower() else "o")
        known = word.lower()
        usual = ".b" if known in self.lower and known in self.upper else ""
        usual = usual or (".l" if known in self.lower else ".u" if known in self.upper else "")
        shape = "A" if len(word) > 1 and word.isupper() else "U"
        return mark + shape + usual

    def matches(
        self, codes: NDArray[np.uint32], spaced: NDArray[np.bool_], last: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """For each character the length of the longest known token that ends with it, that begins with it, and
        that has it and the next one inside.

        spaced: white space follows; last: no token goes beyond this character.
        """
        n = len(codes)
        ends, begins, spans = (np.zeros(n, dtype=np.int32) for _ in range(3))
        if not len(self.tokens) or not n:
            return ends, begins, spans
        values = codes.astype(np.uint64) + np.uint64(1)
        between = np.where(last, _NEVER, np.where(spaced, np.uint64(ord(" ") + 1), np.uint64(0)))
        window = values.copy()
        for length in range(2, min(self.longest, n) + 1):
            gap = between[length - 2 : n - 1]
            window = window[:-1] * _BASE
            window = np.where(gap, (window + gap) * _BASE, window) + values[length - 1 :]
            hits = np.flatnonzero(self._has(window))
            if not len(hits):
                continue
            ends[hits + length - 1] = length
            begins[hits] = length
            for k in range(length - 1):
                spans[hits + k] = length
        return ends, begins, spans

    def _has(self, hashes: Hashes) -> NDArray[np.bool_]:
        found = self._table[self._slots(hashes)]
        maybe = np.flatnonzero(found)
        at = np.minimum(np.searchsorted(self.tokens, hashes[maybe]), len(self.tokens) - 1)
        found[maybe] = self.tokens[at] == hashes[maybe]
        return found

    @staticmethod
    def _slots(hashes: Hashes) -> NDArray[np.int64]:
        return ((hashes * _MIX) >> np.uint64(64 - _BITS)).astype(np.int64)


def hash_of(token: str) -> int:
    """The hash of a token, as `Lexicon.matches` finds it: runs of white space are one space."""
    value = 0
    for character in " ".join(token.split()):
        value = (value * int(_BASE) + ord(character) + 1) & 0xFFFFFFFFFFFFFFFF
    return value

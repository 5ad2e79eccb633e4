"""Words as the lexicalised model sees them: a number for those that it knows, and what each looks like.

Numerals are one word per shape, and a capital that only begins the sentence is taken back where the
lower-case word is the commoner one: fewer words, better counts. What a word looks like (its class of unknown
words, its last letters) decides about tags of words that are rare or new. Each word type is looked at once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.features.unknown_words import unknown_class

N_FEATURES = 4
LOOKS = [[0], [1], [2], [3]]  # the class, then one, two and three last letters
_NUMERAL = re.compile(r"[\d.,/:-]*\d[\d.,/:-]*")


class Tokens(NamedTuple):
    """Token types, by number of the word (-1: unknown) and rows of features; and the type of every token."""

    word: NDArray[np.int32]
    features: NDArray[np.int32]
    tokens: list[list[int]]


class Words:
    """The words and features of the training data.

    words: in the order of their numbers; begins: how often, if it does not begin a sentence, a word was seen
    as it is written; features: the features in the order of their numbers.
    """

    def __init__(self, words: Iterable[str], written: dict[str, int], features: Iterable[str]) -> None:
        self.words = {word: number for number, word in enumerate(words)}
        self.features = {feature: number for number, feature in enumerate(features)}
        self.written = written
        self._cache: dict[tuple[str, bool], tuple[int, tuple[int, ...]]] = {}

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]]) -> Words:
        """The words of sentences."""
        written: Counter[str] = Counter()
        types: dict[tuple[str, bool], None] = {}
        for sentence in sentences:
            for position, word in enumerate(sentence):
                written[word] += position > 0
                types[word, position == 0] = None
        made = cls((), {word: count for word, count in written.items() if count}, ())
        for word, first in types:
            made.words.setdefault(made._known_as(word, first), len(made.words))
            for feature in made._looks(word, first):
                made.features.setdefault(feature, len(made.features))
        return made

    def look_up(self, sentences: Iterable[Sequence[str]]) -> Tokens:
        """Every token of some sentences as its type."""
        rows: dict[tuple[str, bool], int] = {}
        tokens = []
        for sentence in sentences:
            own = []
            for position, word in enumerate(sentence):
                key = (word, position == 0)
                own.append(rows.setdefault(key, len(rows)))
            tokens.append(own)
        types = [self._type(word, first) for word, first in rows]
        numbers = [number for number, _ in types]
        looks = [look for _, own in types for look in own]
        return Tokens(np.array(numbers, dtype=np.int32), np.array(looks, dtype=np.int32), tokens)

    def _type(self, word: str, first: bool) -> tuple[int, tuple[int, ...]]:
        """The number of a word, and those of what it looks like."""
        key = (word, first)
        found = self._cache.get(key)
        if found is None:
            looks = tuple(self.features.get(look, -1) for look in self._looks(word, first))
            found = self._cache[key] = self.words.get(self._known_as(word, first), -1), looks
        return found

    def _known_as(self, word: str, first: bool) -> str:
        """The word under which a token is counted."""
        if first and word[:1].isupper():
            lower = word.lower()
            if self.written.get(lower, 0) > self.written.get(word, 0):
                word = lower
        if _NUMERAL.fullmatch(word):
            return re.sub(r"\d", "0", word) if len(word) <= 4 else "0,0"
        return word

    def _looks(self, word: str, first: bool) -> tuple[str, ...]:
        lower = word.lower()
        return (
            unknown_class(word, 0 if first else 1, self.written),
            "1" + lower[-1:],
            "2" + lower[-2:],
            "3" + lower[-3:],
        )

"""Tags of words, known and unknown: what the word was seen with, and what words that look like it were seen with.

    P(t | w) = (count(t, w) + β P(t | shape of w)) / (count(w) + β)
    P(t | shape) backs off from longer to shorter endings in the same way, counted over rare words

A grammar wants P(w | t), and P(t | w) / P(t) is in proportion to it. Tags may have states: then t is a state of a tag.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LONGEST = 5  # letters of an ending


def shapes(word: str, first: bool) -> list[str]:
    """What a word looks like, from the coarsest to the finest: letters and case, then its endings with them.

    first: whether it begins the sentence, where a capital says little.

    >>> shapes("Opgebeld", False)[:3], shapes("22", True)
    (['C', 'C d', 'C ld'], ['0'])
    """
    if any(sign.isdigit() for sign in word):
        case = "0-" if any(sign.isalpha() for sign in word) else "0"
    elif not any(sign.isalpha() for sign in word):
        case = "."
    elif word[:1].isupper():
        case = "A" if len(word) > 1 and word.isupper() else "F" if first else "C"
    else:
        case = "-" if "-" in word else "a"
    if case in "0.":
        return [case]
    lower = word.lower()
    found = [case, *(f"{case} {lower[-n:]}" for n in range(1, min(LONGEST, len(lower) - 1) + 1))]
    if len(lower) > 5:
        found.insert(4, f"{case} {lower[:2]}+{lower[-2:]}")
    return found


def word_form(word: str, first: bool, known: Mapping[str, int] | frozenset[str]) -> str:
    """The word as the lexicon knows it: in lower case if it begins the sentence and is only known so."""
    if first and word not in known and word.lower() in known:
        return word.lower()
    return word


def terminals(words: Sequence[str], firsts: Sequence[bool], *, rare: int = 2, least: int = 12) -> list[str]:
    """The words, with those seen up to `rare` times as their finest shape that `least` rare words have.

    What states of tags are learned from: a word seen once says little, what it looks like says more.
    """
    counts = Counter(words)
    seen: Counter[str] = Counter()
    for word, first in zip(words, firsts, strict=True):
        if counts[word] <= rare:
            seen.update(shapes(word, first))

    def terminal(word: str, first: bool) -> str:
        if counts[word] > rare:
            return word
        fitting = [shape for shape in shapes(word, first) if seen[shape] >= least]
        return "\t" + (fitting[-1] if fitting else shapes(word, first)[0])

    return [terminal(word, first) for word, first in zip(words, firsts, strict=True)]


@dataclass(eq=False)
class SuffixLexicon:
    """Counts of the columns (tags, or their states) with words and shapes.

    words, shapes: row numbers in the tables of counts. totals: of each column, over all words.
    """

    words: dict[str, int]
    word_counts: Floats
    shapes: dict[str, int]
    shape_counts: Floats
    totals: Floats
    known: float = 1.0  # β of words
    backoff: float = 3.0  # β of shapes
    _cache: dict[tuple[str, bool], Floats] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        firsts: Sequence[bool],
        columns: Iterable[tuple[int, Floats]],
        width: int,
        *,
        rare: int = 8,
        known: float = 1.0,
        backoff: float = 3.0,
    ) -> SuffixLexicon:
        """Counted from words, each with the columns from a first one on that it counts for, and how much."""
        seen = Counter(words)
        word_numbers = {word: i for i, word in enumerate(sorted(seen))}
        rare_shapes = {
            shape
            for word, first in zip(words, firsts, strict=True)
            if seen[word] <= rare
            for shape in shapes(word, first)
        }
        shape_numbers = {shape: i for i, shape in enumerate(sorted(rare_shapes))}
        word_counts = np.zeros((len(word_numbers), width))
        shape_counts = np.zeros((len(shape_numbers), width))
        totals = np.zeros(width)
        for word, is_first, (start, values) in zip(words, firsts, columns, strict=True):
            end = start + len(values)
            word_counts[word_numbers[word], start:end] += values
            totals[start:end] += values
            if seen[word] <= rare:
                for shape in shapes(word, is_first):
                    shape_counts[shape_numbers[shape], start:end] += values
        return cls(word_numbers, word_counts, shape_numbers, shape_counts, totals, known, backoff)

    def tag_given_word(self, word: str, first: bool) -> Floats:
        """P(t | w) of every column."""
        key = (word, first)
        if key not in self._cache:
            self._cache[key] = self._computed(word, first)
        return self._cache[key]

    def _computed(self, word: str, first: bool) -> Floats:
        form = word_form(word, first, self.words)  # type: ignore[arg-type]
        value: Floats = self.totals / self.totals.sum()
        for shape in shapes(word, first):
            row = self.shapes.get(shape)
            if row is not None:
                counts = self.shape_counts[row]
                value = (counts + self.backoff * value) / (counts.sum() + self.backoff)
        if form in self.words:
            counts = self.word_counts[self.words[form]]
            value = (counts + self.known * value) / (counts.sum() + self.known)
        return value

    def emission(self, word: str, first: bool) -> Floats:
        """P(t | w) / P(t) of every column: the weight of the word, up to a factor of its own."""
        return self.tag_given_word(word, first) * (self.totals.sum() / np.maximum(self.totals, 1e-300))

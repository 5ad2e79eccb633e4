"""Tags of words, known and unknown: what the word was seen with, and what words that look like it were seen with.

    P(t | w) = (count(t, w) + β P(t | shape of w)) / (count(w) + β)
    P(t | shape) backs off from longer to shorter endings in the same way, counted over rare words

A grammar wants P(w | t), and P(t | w) / P(t) is in proportion to it. Tags may have states: then t is a state
of a tag.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

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


def word_form(word: str, first: bool, known: Container[str]) -> str:
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


@dataclass(frozen=True, eq=False)
class CountRows:
    """Rows of counts, most of them zero: row i has values[first[i] : first[i + 1]] in columns of these places."""

    first: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]

    @classmethod
    def of(cls, rows: Sequence[Mapping[int, Floats]]) -> CountRows:
        """From rows of {first column: counts of the columns from there on}."""
        columns = [np.arange(c, c + len(row[c])) for row in rows for c in sorted(row)]
        values = [row[c] for row in rows for c in sorted(row)]
        lengths = [sum(map(len, row.values())) for row in rows]
        return cls(
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.concatenate([np.zeros(0), *columns]).astype(np.int32),
            np.concatenate([np.zeros(0), *values]).astype(np.float32),
        )

    def check(self, rows: int, width: int) -> None:
        """ValueError unless this is a table with these numbers of rows and columns."""
        first, n = self.first, len(self.columns)
        fits = len(first) == rows + 1 and len(self.values) == n and first[0] == 0 and first[-1] == n
        if not fits or (np.diff(first) < 0).any():
            raise ValueError("the tables of the lexicon do not fit its words.")
        if n and not (self.columns.min() >= 0 and self.columns.max() < width):
            raise ValueError("the lexicon has a tag that the grammar has not.")
        if not (np.isfinite(self.values).all() and (self.values >= 0).all()):
            raise ValueError("the lexicon has a count that is negative or not finite.")

    def mixed(self, row: int, strength: float, prior: Floats) -> Floats:
        """(counts + strength · prior) / (their sum + strength)."""
        here = slice(self.first[row], self.first[row + 1])
        value = strength * prior
        value[self.columns[here]] += self.values[here]
        return np.asarray(value / (self.values[here].sum(dtype=float) + strength))


@dataclass(frozen=True, eq=False)
class SuffixLexicon:
    """Counts of the columns (tags, or their states) with words and with shapes.

    words, shapes: the numbers of their rows. totals: of each column, over all words. known, backoff: β of
    words, shapes.
    """

    words: Mapping[str, int]
    word_counts: CountRows
    shapes: Mapping[str, int]
    shape_counts: CountRows
    totals: Floats
    known: float = 0.5
    backoff: float = 3.0

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        firsts: Sequence[bool],
        columns: Iterable[tuple[int, Floats]],
        width: int,
        *,
        rare: int = 8,
        known: float = 0.5,
        backoff: float = 3.0,
    ) -> SuffixLexicon:
        """Counted from words, each with the columns from a first one on that it counts for, and how much."""
        seen = Counter(words)
        word_rows: dict[str, dict[int, Floats]] = {word: {} for word in sorted(seen)}
        shape_rows: dict[str, dict[int, Floats]] = {}
        totals = np.zeros(width)
        for word, is_first, (start, values) in zip(words, firsts, columns, strict=True):
            rows = [word_rows[word]]
            if seen[word] <= rare:
                rows += [shape_rows.setdefault(shape, {}) for shape in shapes(word, is_first)]
            for row in rows:
                row[start] = row[start] + values if start in row else values
            totals[start : start + len(values)] += values
        ordered = sorted(shape_rows)
        return cls(
            {word: i for i, word in enumerate(word_rows)},
            CountRows.of(list(word_rows.values())),
            {shape: i for i, shape in enumerate(ordered)},
            CountRows.of([shape_rows[shape] for shape in ordered]),
            totals,
            known,
            backoff,
        )

    def tag_given_word(self, word: str, first: bool) -> Floats:
        """P(t | w) of every column."""
        form = word_form(word, first, self.words)
        value: Floats = self.totals / self.totals.sum()
        for shape in shapes(word, first):
            if (row := self.shapes.get(shape)) is not None:
                value = self.shape_counts.mixed(row, self.backoff, value)
        if (row := self.words.get(form)) is not None:
            value = self.word_counts.mixed(row, self.known, value)
        return value

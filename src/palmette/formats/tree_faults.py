"""Whether the trees of a corpus are trees, and what is wrong where they are not.

A tree has for every word one head, from which one comes to the root, and exactly one word has the root as its
head. Checking costs O(words · log of the longest sentence), in NumPy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.formats.corpus import Corpus
from palmette.formats.listed_corpus import NOTHING, RELATION


@dataclass(frozen=True)
class Fault:
    """What is wrong in a sentence (from 0), at which word (from 1)."""

    sentence: int
    word: int
    message: str

    def error(self, corpus: Corpus, path: str | None = None) -> ValueError:
        """The exception, with the line if the corpus is of a file."""
        if corpus.lines is None:
            return ValueError(f"Sentence {self.sentence + 1}, word {self.word}: {self.message}.")
        return FormatError(self.message, path=path, line=line_of_word(corpus, self.sentence, self.word))


def faults(corpus: Corpus, *, several_roots: bool = False, relations: bool = True) -> Iterator[Fault]:
    """The first thing wrong in every sentence that has something wrong, in the order of sentences.

    Several roots are wrong unless `several_roots`, and words without a relation if `relations`.
    """
    heads = corpus.heads
    assert heads is not None
    of = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    missing, lost = heads < 0, ~reaches_root(heads, corpus.offsets)
    unlabelled = np.zeros(len(heads), dtype=bool)
    if relations:
        column = corpus.column(RELATION)
        unlabelled = np.isin(column.ids, [k for k, name in enumerate(column.strings) if name == NOTHING])
    roots = np.bincount(of[heads == 0], minlength=len(corpus))
    crowded = (heads == 0) & (roots[of] > 1) & (not several_roots)
    for i in np.unique(of[missing | lost | unlabelled | crowded]).tolist():
        words = slice(int(corpus.offsets[i]), int(corpus.offsets[i + 1]))
        yield _first_fault(i, heads[words], missing[words], lost[words], unlabelled[words], crowded[words])


def line_of_word(corpus: Corpus, sentence: int, word: int) -> int | None:
    """The line of the file of a word (from 1); None if the corpus was not read from a file."""
    if corpus.lines is None:
        return None
    comments = len(corpus.comments.of(sentence))
    first, last = corpus.extras.offsets[sentence : sentence + 2]
    extras = int((corpus.extra_after[first:last] < word).sum())
    return int(corpus.lines[sentence]) + comments + extras + word - 1


def reaches_root(heads: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether one comes from each word to the root, by doubling the length of steps; unknown heads do."""
    lengths = np.diff(offsets)
    root = len(heads)  # one more place, which leads to itself
    up = np.where(heads > 0, np.repeat(offsets[:-1], lengths) + heads - 1, root)
    up = np.append(up, root)
    for _ in range(int(lengths.max(initial=1)).bit_length()):
        up = up[up]
    reached: NDArray[np.bool_] = up[:-1] == root
    return reached


def _first_fault(
    i: int,
    heads: NDArray[np.int32],
    missing: NDArray[np.bool_],
    lost: NDArray[np.bool_],
    unlabelled: NDArray[np.bool_],
    crowded: NDArray[np.bool_],
) -> Fault:
    if missing.any():
        return Fault(i, int(missing.argmax()) + 1, "a word without a head, where whole trees are needed")
    if lost.any():
        cycle = _cycle(heads, int(lost.argmax()) + 1)
        path = " → ".join(map(str, [*cycle, cycle[0]]))
        return Fault(i, cycle[0], f"the heads go round in a circle, {path}, and never reach the root")
    if crowded.any():
        first, second = (np.flatnonzero(crowded)[:2] + 1).tolist()
        return Fault(i, second, f"a second root, word {second} after word {first}; a tree has one")
    return Fault(i, int(unlabelled.argmax()) + 1, "a word with a head but no relation")


def _cycle(heads: NDArray[np.int32], word: int) -> list[int]:
    """The circle to which the heads lead from a word, from its smallest word on."""
    for _ in range(len(heads)):
        word = int(heads[word - 1])
    circle = [word]
    while int(heads[circle[-1] - 1]) != word:
        circle.append(int(heads[circle[-1] - 1]))
    k = circle.index(min(circle))
    return circle[k:] + circle[:k]

"""Which words of two analyses of one text are the same, as the CoNLL 2018 shared task decides it.

Words that are tokens are the same if they have the same characters. Around multiword tokens of either analysis
there is a region, the least one that no multiword token reaches out of; in it, words are paired by a longest
common subsequence of their forms in lower case. A region of n and m words costs O(n · m), all else O(words).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.evaluation.text_spans import TextSpans

Ids = NDArray[np.int64]


def align_words(gold: TextSpans, guess: TextSpans) -> tuple[Ids, Ids]:
    """Return the rows of the paired words, in gold and in the guess; both rise."""
    right, tried = _Side(gold), _Side(guess)
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < right.n and j < tried.n:
        if right.multi[i] or tried.multi[j]:
            i, j, end = _start(right, tried, i, j)
            ends = _stop(right, tried, i, j, end)
            pairs += [
                (i + a, j + b) for a, b in common_subsequence(gold.keys[i : ends[0]], guess.keys[j : ends[1]])
            ]
            i, j = ends
        elif right.begin[i] == tried.begin[j] and right.end[i] == tried.end[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif right.begin[i] <= tried.begin[j]:
            i += 1
        else:
            j += 1
    rows = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of places of a longest common subsequence.

    With L[a, b] for the length of that of first[a:] and second[b:],
    L[a, b] = max(L[a+1, b], L[a, b+1], 1 + L[a+1, b+1] if first[a] = second[b]). From (0, 0) on, equal items are
    paired, and else the first one is passed over if that loses nothing.

    >>> common_subsequence("abcd", "xbd")
    [(1, 1), (3, 2)]
    """
    n, m = len(first), len(second)
    if first == second:
        return [(a, a) for a in range(n)]
    if not n or not m:
        return []
    index: dict[str, int] = {}
    ids = [np.array([index.setdefault(text, len(index)) for text in side]) for side in (first, second)]
    keeps = np.empty((n, m), dtype=bool)  # whether L[a, b] = L[a+1, b]
    below = np.zeros(m + 1, dtype=np.int64)
    for a in range(n - 1, -1, -1):
        row = np.maximum(below[:-1], (below[1:] + 1) * (ids[1] == ids[0][a]))
        row = np.maximum.accumulate(row[::-1])[::-1]
        keeps[a] = row == below[:-1]
        below[:-1] = row
    pairs = []
    a = b = 0
    while a < n and b < m:
        if first[a] == second[b]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif keeps[a, b]:
            a += 1
        else:
            b += 1
    return pairs


class _Side:
    """The words of one analysis as lists, which are faster than arrays one item at a time."""

    def __init__(self, spans: TextSpans) -> None:
        self.n = len(spans.words)
        self.begin: list[int] = spans.words[:, 0].tolist()
        self.end: list[int] = spans.words[:, 1].tolist()
        self.multi: list[bool] = spans.in_multiword.tolist()

    def is_past(self, i: int, end: int) -> bool:
        """Whether word i is not in a region with this end; a plain word that reaches out of it is not."""
        if i >= self.n:
            return True
        return self.begin[i] >= end if self.multi[i] else self.end[i] > end


def _start(gold: _Side, guess: _Side, i: int, j: int) -> tuple[int, int, int]:
    """The first words of the region around words of which one is in a multiword token, and the token's end.

    A plain word of the other side that begins before the token is passed over. It is one word only, as in the
    shared task: others before the token belong to its region.
    """
    if gold.multi[i]:
        before = not guess.multi[j] and guess.begin[j] < gold.begin[i]
        return i, j + before, gold.end[i]
    return i + (gold.begin[i] < guess.begin[j]), j, guess.end[j]


def _stop(gold: _Side, guess: _Side, i: int, j: int, end: int) -> tuple[int, int]:
    """The first words after the region; every multiword token in it moves its end."""
    while not (gold.is_past(i, end) and guess.is_past(j, end)):
        if i < gold.n and (j >= guess.n or gold.begin[i] <= guess.begin[j]):
            end = max(end, gold.end[i]) if gold.multi[i] else end
            i += 1
        else:
            end = max(end, guess.end[j]) if guess.multi[j] else end
            j += 1
    return i, j

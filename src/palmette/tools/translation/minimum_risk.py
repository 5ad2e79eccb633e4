"""Minimum risk: the candidate whose expected BLEU is greatest, by posteriors of a list or of a whole search graph.

    list     ŷ = argmax over y of  Σ over y'  p(y') BLEU(y, y')                              O(k² n-grams)
    graph    ŷ = argmax over y of  BLEU(y, expected n-gram counts over all derivations)        O(k n-grams)

BLEU of one sentence adds one to the counts of n-grams longer than a word (Lin and Och 2004). The second is
consensus decoding (DeNero, Chiang and Knight 2009): counts of n-grams are clipped to their expectation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

ORDER = 4
Words = Sequence[str]
Ngram = tuple[str, ...]
Floats = NDArray[np.float64]


class Paths(Protocol):
    """A search graph whose derivations are paths: edge e leads from tails[e] (−1: the beginning) to heads[e].

    Edges are in an order in which all that lead to a node come before those that leave it; they write words[e].
    """

    @property
    def heads(self) -> NDArray[np.int32]: ...
    @property
    def tails(self) -> NDArray[np.int32]: ...
    @property
    def words(self) -> Sequence[Words]: ...


def ngrams(words: Words, order: int = ORDER) -> Counter[Ngram]:
    """Count the n-grams of a sentence up to an order.

    >>> ngrams("a b a".split(), 2)
    Counter({('a',): 2, ('b',): 1, ('a', 'b'): 1, ('b', 'a'): 1})
    """
    found: Counter[Ngram] = Counter()
    for n in range(1, order + 1):
        found.update(tuple(words[k : k + n]) for k in range(len(words) - n + 1))
    return found


def list_risk(candidates: Sequence[Words], p: Floats, order: int = ORDER) -> Floats:
    """Return the expected sentence BLEU of every candidate; p: their probabilities."""
    k = len(candidates)
    counts = [ngrams(words, order) for words in candidates]
    number: dict[Ngram, int] = {}
    for row in counts:
        for gram in row:
            number.setdefault(gram, len(number))
    table = np.zeros((len(number), k), dtype=np.float64)
    for j, row in enumerate(counts):
        for gram, n in row.items():
            table[number[gram], j] = n
    sizes = np.array([len(gram) for gram in number], dtype=np.int64)
    lengths = np.array([len(words) for words in candidates], dtype=np.float64)
    gain = np.zeros(k)
    for i in range(k):
        matched = np.minimum(table, table[:, i : i + 1])
        logs = np.zeros(k)
        for n in range(1, order + 1):
            add = float(n > 1)
            hits = matched[sizes == n].sum(axis=0) + add
            logs += np.log(np.maximum(hits, 1e-9) / max(lengths[i] - n + 1 + add, 1.0)) / order
        brevity = np.minimum(0.0, 1.0 - lengths / max(lengths[i], 1e-9))  # candidate j is the reference
        gain[i] = float(p @ np.exp(logs + brevity)) if lengths[i] else float(p @ (lengths == 0))
    return gain


def consensus(
    candidates: Sequence[Words], expected: Mapping[Ngram, float], length: float, order: int = ORDER
) -> Floats:
    """Return the BLEU of every candidate against expected n-gram counts and an expected length."""
    gain = np.zeros(len(candidates))
    for i, words in enumerate(candidates):
        n_words = len(words)
        if not n_words:
            gain[i] = float(length < 0.5)
            continue
        hits = [float(n > 0) for n in range(order)]
        for gram, n in ngrams(words, order).items():
            hits[len(gram) - 1] += min(n, expected.get(gram, 0.0))
        logs = sum(
            math.log(max(hit, 1e-9) / max(n_words - n + float(n > 0), 1.0)) for n, hit in enumerate(hits)
        )
        gain[i] = math.exp(logs / order + min(0.0, 1.0 - length / n_words))
    return gain


def expected_ngrams(
    graph: Paths, scores: Floats, root: int, order: int = ORDER
) -> tuple[dict[Ngram, float], float]:
    """Return the expected n-gram counts of all paths to the root, by exp of their scores, and the expected length.

    A node is split by the last words before it, so that every n-gram lies on one edge: O(edges · histories).
    """
    tails, heads, values = graph.tails.tolist(), graph.heads.tolist(), scores.tolist()
    # Forward: node to {history: log-sum}; steps are kept for the way back.
    forward: dict[int, dict[Ngram, float]] = {-1: {(): 0.0}}
    steps: list[tuple[int, Ngram, Ngram]] = []
    for e, words in enumerate(graph.words):
        row = forward.get(tails[e])
        if row is None or values[e] == -math.inf:
            continue
        to = forward.setdefault(heads[e], {})
        for history, value in row.items():
            after = (*history, *words)[1 - order :]
            to[after] = _log_add(to.get(after, -math.inf), value + values[e])
            steps.append((e, history, after))
    ends = forward.get(root, {})
    total = -math.inf
    for value in ends.values():
        total = _log_add(total, value)
    backward: dict[tuple[int, Ngram], float] = {(root, history): 0.0 for history in ends}
    counts: dict[Ngram, float] = {}
    for e, history, after in reversed(steps):
        beyond = backward.get((heads[e], after))
        if beyond is None:
            continue
        here = tails[e], history
        backward[here] = _log_add(backward.get(here, -math.inf), values[e] + beyond)
        p = math.exp(forward[tails[e]][history] + values[e] + beyond - total)
        line = (*history, *graph.words[e])
        for end in range(len(history) + 1, len(line) + 1):
            for n in range(1, min(order, end) + 1):
                gram = line[end - n : end]
                counts[gram] = counts.get(gram, 0.0) + p
    return counts, math.fsum(value for gram, value in counts.items() if len(gram) == 1)


def _log_add(a: float, b: float) -> float:
    low, high = (a, b) if a < b else (b, a)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))

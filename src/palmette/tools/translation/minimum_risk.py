"""Minimum risk: the candidate whose expected BLEU is greatest, by posteriors of a list or of a whole search graph.

    list     ŷ = argmax over y of  Σ over y'  p(y') BLEU(y, y')                              O(k² n-grams)
    graph    ŷ = argmax over y of  BLEU(y, expected n-gram counts over all derivations)        O(k n-grams)

BLEU of one sentence adds one to the counts of n-grams longer than a word (Lin and Och 2004). The second is
consensus decoding (DeNero, Chiang and Knight 2009): counts of n-grams are clipped to their expectation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

ORDER = 4
Words = Sequence[str]
Ngram = tuple[str, ...]
Floats = NDArray[np.float64]
# The first and last words of a text; None for the last ones: the first are all of it.
State = tuple[tuple[str, ...], tuple[str, ...] | None]


class Graph(Protocol):
    """A graph of derivations: edge e derives heads[e] from edge_tails[e].

    Edges are in an order in which all that lead to a node come before those that leave it. They write items[e]:
    words, and −1 − t for the words of tail t.
    """

    @property
    def heads(self) -> NDArray[np.int32]: ...
    @property
    def edge_tails(self) -> Sequence[Sequence[int]]: ...
    @property
    def items(self) -> Sequence[Sequence[str | int]]: ...


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
    graph: Graph, scores: Floats, root: int, order: int = ORDER
) -> tuple[dict[Ngram, float], float]:
    """Return the expected n-gram counts of all derivations of the root, by exp of scores, and the expected length.

    A node is split by the first and last words of its text, so that every n-gram is made by one edge: O(edges ·
    products of states). The first words of a text that always comes first do not matter, so that nodes of a path
    have histories alone.
    """
    heads, values = graph.heads.tolist(), scores.tolist()
    first = _always_first(graph, root)
    inside: dict[int, dict[State, float]] = {}
    steps: list[tuple[int, tuple[State, ...], State]] = []
    for e, (tails, items) in enumerate(zip(graph.edge_tails, graph.items)):
        rows = [inside.get(tail, {}) for tail in tails]
        if values[e] == -math.inf:
            continue
        to = inside.setdefault(heads[e], {})
        for states in product(*rows):
            after = _state(_line(items, states)[0], first[heads[e]], order)
            value = values[e] + sum(row[state] for row, state in zip(rows, states))
            to[after] = _log_add(to.get(after, -math.inf), value)
            steps.append((e, states, after))
    ends = inside.get(root, {})
    total = -math.inf
    for value in ends.values():
        total = _log_add(total, value)
    outside: dict[tuple[int, State], float] = {(root, state): 0.0 for state in ends}
    counts: dict[Ngram, float] = {}
    for e, states, after in reversed(steps):
        beyond = outside.get((heads[e], after))
        if beyond is None:
            continue
        tails = graph.edge_tails[e]
        own = [inside[tail][state] for tail, state in zip(tails, states)]
        whole = values[e] + beyond + sum(own)
        for tail, state, value in zip(tails, states, own):
            here = tail, state
            outside[here] = _log_add(outside.get(here, -math.inf), whole - value)
        p = math.exp(whole - total)
        for gram in _made(*_line(graph.items[e], states), order):
            counts[gram] = counts.get(gram, 0.0) + p
    return counts, math.fsum(value for gram, value in counts.items() if len(gram) == 1)


def _always_first(graph: Graph, root: int) -> list[bool]:
    """Say of every node whether its text begins every translation that it is part of."""
    n = 1 + max([root, *graph.heads.tolist()])
    first = [True] * n
    used = [False] * n
    used[root] = True
    heads = graph.heads.tolist()
    for e in range(len(heads) - 1, -1, -1):
        items, head = graph.items[e], heads[e]
        for t, tail in enumerate(graph.edge_tails[e]):
            used[tail] = True
            first[tail] = first[tail] and first[head] and bool(items) and items[0] == -1 - t
    return [a and b for a, b in zip(first, used)]


def _line(items: Sequence[str | int], states: Sequence[State]) -> tuple[list[str | None], list[int]]:
    """Return the words that an edge joins, None for those inside a tail, and the piece that each belongs to."""
    words: list[str | None] = []
    pieces: list[int] = []
    for k, item in enumerate(items):
        if isinstance(item, str):
            words.append(item)
            pieces.append(-1)
            continue
        left, right = states[-1 - item]
        words += left
        pieces += [2 * k] * len(left)
        if right is not None:
            words += [None, *right]
            pieces += [2 * k + 1] * (1 + len(right))
    return words, pieces


def _state(words: list[str | None], first: bool, order: int) -> State:
    """Return what a text means to n-grams that it will be part of: its words, or the first and last of them."""
    if first:
        last = words[max(0, len(words) - order + 1) :]
        return (), tuple(word for word in last if word is not None)
    if len(words) < order and None not in words:
        return tuple(map(str, words)), None
    return tuple(map(str, words[: order - 1])), tuple(map(str, words[len(words) - order + 1 :]))


def _made(words: list[str | None], pieces: list[int], order: int) -> Iterator[Ngram]:
    """Yield the n-grams that no piece has alone."""
    for end in range(1, len(words) + 1):
        for n in range(1, min(order, end) + 1):
            gram = words[end - n : end]
            if gram[0] is None:
                break
            if pieces[end - 1] < 0 or pieces[end - n] != pieces[end - 1]:
                yield tuple(map(str, gram))


def _log_add(a: float, b: float) -> float:
    low, high = (a, b) if a < b else (b, a)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))

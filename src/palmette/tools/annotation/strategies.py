"""Which examples are worth annotating: strategies, and the greedy choice among candidates.

| strategy | takes first |
| --- | --- |
| least-confident | those with the lowest mean probability of what the model decides |
| change | those whose annotation is expected to change the model most (see `confidence.py`); long ones, mostly |
| diverse | those least like all that is chosen or annotated already: greedy k-centre |
| mixed | those with the highest product of doubt and distance, so that no doubt is annotated twice |
| random | any: what the others are compared with |

Doubt is the rank of the confidence among all candidates, from 0 to 1. Distance is 1 - the largest cosine of tf-idf
vectors of words. A choice of n from m candidates costs O(n · m · words of a candidate).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

STRATEGIES = ("mixed", "least-confident", "change", "diverse", "random")
_GREEDY = ("mixed", "diverse")
_MANY = 10_000  # candidates that are kept for a greedy choice

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Candidate:
    """An example that may be chosen. number: from 1; words: what makes it like others; example: the example."""

    number: int
    words: Sequence[str]
    confidence: float
    change: float
    example: Any


def choose(
    candidates: Iterable[Candidate],
    n: int,
    strategy: str = "mixed",
    *,
    annotated: Iterable[Sequence[str]] = (),
    random_state: int = 0,
) -> list[Candidate]:
    """Return the n candidates most worth annotating, the first first; fewer if there are no more.

    annotated: the words of examples that are annotated already: these are not chosen again, and what is like them
    is worth less. Equal examples are chosen once. At most 10,000 candidates, or 20 n, are in memory.
    """
    if strategy not in STRATEGIES:
        raise ValueError(f"The strategy must be one of {', '.join(STRATEGIES)}. Got {strategy!r}.")
    if n < 1:
        raise ValueError(f"The number of examples to choose must be at least 1. Got {n}.")
    known = [list(words) for words in annotated]
    rng = np.random.default_rng(random_state)
    size = max(20 * n, _MANY) if strategy in _GREEDY else n
    kept = _foremost(_new(candidates, known), size, strategy, rng)
    if strategy not in _GREEDY:
        return kept
    kept.sort(key=lambda one: one.number)
    doubt = _ranks(kept) if strategy == "mixed" else np.ones(len(kept))
    return [kept[i] for i in _greedy(kept, known, doubt, n)]


def _new(candidates: Iterable[Candidate], known: Iterable[Sequence[str]]) -> Iterator[Candidate]:
    """Each candidate whose words were not there before."""
    seen = {hash(tuple(words)) for words in known}
    for one in candidates:
        code = hash(tuple(one.words))
        if code not in seen:
            seen.add(code)
            yield one


def _foremost(
    candidates: Iterable[Candidate], size: int, strategy: str, rng: np.random.Generator
) -> list[Candidate]:
    """The candidates with the highest worth by themselves, the highest first; the first of equal ones."""

    def worth(one: Candidate) -> float:
        if strategy == "change":
            return one.change
        return -one.confidence if strategy in ("mixed", "least-confident") else float(rng.random())

    rated = ((worth(one), -one.number, one) for one in candidates)
    return [one for _, _, one in heapq.nlargest(size, rated, key=lambda rating: rating[:2])]


def _ranks(candidates: Sequence[Candidate]) -> Reals:
    """How doubtful each is among all: 1 for the least confident, equal for equal ones."""
    confidence = np.array([one.confidence for one in candidates])
    at_least = len(confidence) - np.searchsorted(np.sort(confidence), confidence, side="left")
    return np.asarray(at_least / max(len(confidence), 1))


def _greedy(
    candidates: Sequence[Candidate], known: Sequence[Sequence[str]], doubt: Reals, n: int
) -> list[int]:
    """The places of n candidates: each the one with the most doubt times distance from those before."""
    if not candidates:
        return []
    vectors = word_vectors([*(one.words for one in candidates), *known])
    own, old = vectors[: len(candidates)], vectors[len(candidates) :]
    nearest = np.zeros(len(candidates))
    for begin in range(0, old.shape[0], 1000):
        block = (own @ old[begin : begin + 1000].T).max(axis=1)
        nearest = np.maximum(nearest, block.toarray().ravel())
    chosen: list[int] = []
    left = np.ones(len(candidates), dtype=bool)
    for _ in range(min(n, len(candidates))):
        i = int(np.argmax(np.where(left, doubt * (1 - nearest), -1.0)))
        chosen.append(i)
        left[i] = False
        nearest = np.maximum(nearest, np.minimum((own @ own[i].T).toarray().ravel(), 1.0))
    return chosen


def word_vectors(rows: Sequence[Sequence[str]]) -> Any:
    """Return a sparse matrix with the tf-idf vector of every row of words, of length 1."""
    from scipy.sparse import csr_matrix

    places: dict[str, int] = {}
    columns: list[int] = []
    counts: list[int] = []
    bounds = [0]
    for words in rows:
        found: dict[int, int] = {}
        for word in words:
            place = places.setdefault(word.lower(), len(places))
            found[place] = found.get(place, 0) + 1
        columns += found.keys()
        counts += found.values()
        bounds.append(len(columns))
    where = np.array(columns, dtype=np.int64)
    rarity = np.log((1 + len(rows)) / (1 + np.bincount(where, minlength=len(places)))) + 1
    values = np.array(counts, dtype=np.float64) * rarity[where]
    matrix = csr_matrix((values, where, np.array(bounds)), shape=(len(rows), max(len(places), 1)))
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    matrix.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(matrix.indptr))
    return matrix

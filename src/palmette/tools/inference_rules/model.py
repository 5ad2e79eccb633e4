"""Trained inference rules: which paths are similar, by which words of their slots, and what to be careful of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from palmette._native import SimilarityIndex
from palmette.messages import counted
from palmette.tools.inference_rules.options import RuleOptions

# Function words that turn a relation round; WordNet has none of them.
_TURNS = frozenset(
    frozenset(pair.split())
    for pair in (
        "to from",
        "up down",
        "in out",
        "on off",
        "with without",
        "before after",
        "for against",
        "over under",
    )
)
_MORE = 1.5  # a path covers another one if it has this times more of its information than the other way round


@dataclass(frozen=True)
class SimilarPath:
    """A path that is similar to another one.

    wording: the path as it reads, with the slots of the other one. x, y: words that both have in a slot, those
    that add most first. direction: "→" if the other path rather implies this one, "←" the reverse, "↔" neither.
    opposite: what tells that the two may exclude each other, or "".
    """

    wording: str
    path: str
    similarity: float
    x: tuple[str, ...]
    y: tuple[str, ...]
    direction: str = "↔"
    opposite: str = ""


@dataclass(frozen=True, eq=False)
class RuleModel:
    """Paths with their instances and the table of information; see `CountedPaths`.

    A place is 2p for path p, and 2p + 1 for path p with its slots exchanged; it is the row of its slot X.
    """

    paths: Sequence[str]
    wordings: Sequence[str]
    readings: Sequence[Sequence[str]]
    words: Sequence[str]
    instances: NDArray[np.int32]
    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    opposites: Mapping[frozenset[str], str]
    options: RuleOptions

    @cached_property
    def index(self) -> SimilarityIndex:
        """The inverted index of slots by words."""
        return SimilarityIndex(self.starts, self.columns, self.values, len(self.words))

    @cached_property
    def word_index(self) -> SimilarityIndex:
        """The inverted index of words by slots: words are similar if they are in the same slots."""
        from scipy.sparse import csr_matrix

        shape = (len(self.starts) - 1, len(self.words))
        turned = csr_matrix((self.values, self.columns, self.starts), shape=shape).tocsc()
        turned.sort_indices()
        return SimilarityIndex(
            turned.indptr.astype(np.int64), turned.indices.astype(np.int32), turned.data, len(self.starts) - 1
        )

    @cached_property
    def _places(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for p, (path, wording) in enumerate(zip(self.paths, self.wordings)):
            for text, place in (
                (path, 2 * p),
                (wording, 2 * p),
                (_plain(path), 2 * p),
                (exchanged(wording), 2 * p + 1),
            ):
                found.setdefault(text.lower(), place)
        for p, readings in enumerate(self.readings):
            for text in readings:
                found.setdefault(text.lower(), 2 * p)
                found.setdefault(exchanged(text).lower(), 2 * p + 1)
        return found

    def find(self, text: str) -> int | None:
        """The place of a path, given as it reads ("X solves Y") or as it is written; None if it is not there."""
        return self._places.get(" ".join(text.split()).lower())

    def place(self, text: str) -> int:
        """The place of a path; ValueError if it is not there."""
        found = self.find(text)
        if found is None:
            near = get_close_matches(" ".join(text.split()).lower(), list(self._places)[:50_000], 1)
            hint = f"; did you mean {_shown(near[0])!r}?" if near else ""
            raise ValueError(
                f"The path {text!r} is not among the {len(self.paths):,} paths that occur at least "
                f"{counted(self.options.min_count, 'time')}: write it as it reads, such as 'X solves Y'{hint}"
            )
        return found

    def wording(self, place: int) -> str:
        """How a path reads at its place."""
        wording = self.wordings[place // 2]
        return exchanged(wording) if place % 2 else wording

    def of(self, place: int) -> NDArray[np.int32]:
        """The instances of a path: the words of X and Y at its place, and their count."""
        a, b = np.searchsorted(self.instances[:, 0], [place // 2, place // 2 + 1])
        order = [2, 1, 3] if place % 2 else [1, 2, 3]
        return np.asarray(self.instances[a:b][:, order])

    def nearest(self, place: int, k: int, measure: str, n_jobs: int = 1) -> list[tuple[int, float]]:
        """The k most similar places, best first; of a path that is there both ways, only the better one."""
        if measure == "sum":
            scores = self.sums(place)
            scores[place // 2 * 2] = scores[place // 2 * 2 + 1] = 0
            order = np.lexsort((np.arange(len(scores)), -scores))[: 2 * k]
            found = [(int(i), float(scores[i])) for i in order if scores[i] > 0]
        else:
            many = 2 * k + 2
            rows, values = self.index.nearest(
                np.array([place], np.int32), "lin", many, paired=True, n_jobs=n_jobs
            )
            found = [(i, score) for i, score in zip(rows.tolist(), values.tolist()) if i >= 0]
        best: dict[int, tuple[int, float]] = {}
        for i, score in found:
            if i // 2 != place // 2:
                best.setdefault(i // 2, (i, score))
        return list(best.values())[:k]

    def similarity(self, a: int, b: int, measure: str) -> float:
        """How similar two paths are."""
        if measure == "sum":
            return float(self.sums(a)[b])
        one, two = (np.array([place], np.int32) for place in (a, b))
        return float(self.index.similarities(one, two, "lin", paired=True)[0])

    def sums(self, place: int) -> NDArray[np.float64]:
        """Eq. 139 with every place: Σ sim(x₁, x₂) over instances of the same Y, Σ sim(y₁, y₂) of the same X."""
        own = self.of(place)
        total = np.zeros(2 * len(self.paths))
        path, x, y = (self.instances[:, i].astype(np.int64) for i in range(3))
        for turned in (0, 1):
            first, second = (y, x) if turned else (x, y)
            for mine, shared, same, other in ((0, 1, second, first), (1, 0, first, second)):
                total += self._sum(own[:, mine], own[:, shared], same, other, 2 * path + turned)
        return total

    def _sum(
        self,
        mine: NDArray[np.int32],
        shared: NDArray[np.int32],
        same: NDArray[np.int64],
        other: NDArray[np.int64],
        place: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Sum sim(mine, other) over the instances whose `same` word is the shared one, by their places."""
        order = np.argsort(same, kind="stable")
        begin, end = (np.searchsorted(same[order], shared, side=side) for side in ("left", "right"))
        many = end - begin
        at = np.repeat(np.arange(len(mine)), many)
        offset = np.arange(int(many.sum())) - np.repeat(np.cumsum(many) - many, many)
        met = order[np.repeat(begin, many) + offset]
        a, b = mine[at].astype(np.int64), other[met]
        pairs, which = np.unique(a * len(self.words) + b, return_inverse=True)
        one, two = (part.astype(np.int32) for part in (pairs // len(self.words), pairs % len(self.words)))
        alike = np.where(one == two, 1.0, self.word_index.similarities(one, two, "lin"))
        found = np.bincount(place[met], weights=alike[which], minlength=2 * len(self.paths))
        return found.astype(np.float64)

    def sum_parts(self, a: int, b: int) -> list[tuple[str, float]]:
        """The terms of eq. 139 by the word that is shared and the two others, the largest first."""
        one, two = self.of(a), self.of(b)
        found: list[tuple[str, int, int]] = []
        for name, same, other in (("Y", 1, 0), ("X", 0, 1)):
            theirs: dict[int, list[int]] = {}
            for row in two.tolist():
                theirs.setdefault(row[same], []).append(row[other])
            for row in one.tolist():
                found += [
                    (f"{name}={self.words[row[same]]}: ", row[other], word)
                    for word in theirs.get(row[same], ())
                ]
        left, right = (np.array([row[i] for row in found], dtype=np.int32) for i in (1, 2))
        alike = np.where(left == right, 1.0, self.word_index.similarities(left, right, "lin")).tolist()
        terms = [
            (f"{text}{self.words[i]}, {self.words[j]}", value) for (text, i, j), value in zip(found, alike)
        ]
        return sorted((term for term in terms if term[1]), key=lambda term: (-term[1], term[0]))

    def shared(self, a: int, b: int) -> list[tuple[str, float, float]]:
        """The words that both places have in slot X, with the information of each; the largest sum first."""
        (mine, own), (theirs, other) = self._row(a), self._row(b)
        both, i, j = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
        left, right = own[i].astype(float), other[j].astype(float)
        order = np.lexsort((both, -(left + right)))
        return [(self.words[int(both[n])], float(left[n]), float(right[n])) for n in order]

    def total(self, place: int) -> float:
        """All information of slot X."""
        return float(self._row(place)[1].astype(np.float64).sum())

    def _row(self, place: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        a, b = self.starts[place], self.starts[place + 1]
        return self.columns[a:b], self.values[a:b]

    def similar(self, place: int, other: int, similarity: float) -> SimilarPath:
        """All that is to say about two similar paths."""
        x, y = self.shared(place, other), self.shared(place ^ 1, other ^ 1)
        covered = [0.0, 0.0]
        for slot, words in ((0, x), (1, y)):
            covered[0] += sum(left for _, left, _ in words) / max(self.total(place ^ slot), 1e-12)
            covered[1] += sum(right for _, _, right in words) / max(self.total(other ^ slot), 1e-12)
        direction = (
            "→" if covered[0] > _MORE * covered[1] else "←" if covered[1] > _MORE * covered[0] else "↔"
        )
        return SimilarPath(
            self.wording(other),
            self.paths[other // 2],
            round(similarity, 6),
            tuple(word for word, _, _ in x),
            tuple(word for word, _, _ in y),
            direction,
            self.opposite(place, other),
        )

    def opposite(self, a: int, b: int) -> str:
        """What tells that two paths may exclude each other, or an empty string."""
        one, two = (_words_of(self.paths[place // 2]) for place in (a, b))
        if ("not" in one) != ("not" in two):
            return "one of them is negated"
        left, right = set(one) - set(two), set(two) - set(one)
        for x in sorted(left):
            for y in sorted(right):
                pair = frozenset((x, y))
                if pair in self.opposites:
                    return f"{x}, {y}: {self.opposites[pair]}"
                if pair in _TURNS:
                    return f"{x}, {y}: they turn a relation round"
        if a % 2 != b % 2 and self.paths[a // 2] == self.paths[b // 2]:
            return "the same path with its slots exchanged"
        return ""


def exchanged(wording: str) -> str:
    """A wording with its slots exchanged.

    >>> exchanged("X solves Y")
    'Y solves X'
    """
    turn = {"X": "Y", "Y": "X"}
    return " ".join(turn.get(word, word) for word in wording.split())


def _words_of(path: str) -> list[str]:
    """The words of a path, prepositions among them.

    >>> _words_of("nsubj< not_look >obl:for")
    ['not', 'look', 'for']
    """
    found = []
    for part in path.split():
        if part.startswith(">") or part.endswith("<"):
            found += part.strip("<>").split(":")[1:]
        else:
            found += part.split("_")
    return [word for word in found if word != "pass"]


def _plain(path: str) -> str:
    """The words of a path between its slots: how it may read in base forms."""
    return " ".join(["X", *_words_of(path), "Y"])


def _shown(text: str) -> str:
    return " ".join(word.upper() if word in ("x", "y") else word for word in text.split())

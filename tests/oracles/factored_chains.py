"""Small random chains of labels that are made of parts, with all their outputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from palmette._native import FactoredProblem


@dataclass(frozen=True, eq=False)
class Factored:
    """Sentences of tokens, a token a set of attributes; labels as sets of parts, each with a class."""

    tokens: list[list[list[int]]]
    gold: list[list[int]]  # -1: not known
    parts: list[list[int]]
    classes: list[int]
    allowed: list[list[list[int]]] | None
    n_attributes: int
    n_parts: int
    weights: list[float] | None

    @property
    def n_classes(self) -> int:
        return max(self.classes) + 1

    @property
    def stride(self) -> int:
        return (self.n_parts + 7) // 8 * 8

    @property
    def n_weights(self) -> int:
        return self.n_attributes * self.stride + (self.n_classes + 1) * self.n_classes

    @cached_property
    def problem(self) -> FactoredProblem:
        flat = [token for sentence in self.tokens for token in sentence]
        allowed = None if self.allowed is None else [one for sentence in self.allowed for one in sentence]
        return FactoredProblem(
            np.cumsum([0, *map(len, self.tokens)]).astype(np.int64),
            np.cumsum([0, *map(len, flat)]).astype(np.int64),
            np.array([a for token in flat for a in token], dtype=np.int32),
            None,
            np.array([y for sentence in self.gold for y in sentence], dtype=np.int32),
            None if self.weights is None else np.array(self.weights, dtype=np.float32),
            None if allowed is None else np.cumsum([0, *map(len, allowed)]).astype(np.int64),
            None if allowed is None else np.array([y for one in allowed for y in one], dtype=np.int32),
            np.cumsum([0, *map(len, self.parts)]).astype(np.int64),
            np.array([p for label in self.parts for p in label], dtype=np.int32),
            np.array(self.classes, dtype=np.int32),
            self.n_attributes,
            self.n_parts,
            self.n_classes,
        )

    def outputs(self, i: int) -> list[tuple[int, ...]]:
        """All label sequences of sentence i."""
        every = range(len(self.parts))
        if self.allowed is None:
            return list(product(every, repeat=len(self.tokens[i])))
        return list(product(*(one or every for one in self.allowed[i])))

    def features(self, i: int) -> NDArray[np.float64]:
        """Φ of every output, [outputs, weights]."""
        outputs = self.outputs(i)
        table = np.zeros((len(outputs), self.n_weights))
        shared = self.n_attributes * self.stride
        for row, y in zip(table, outputs):
            before = self.n_classes  # the row of beginnings
            for token, label in zip(self.tokens[i], y):
                for attribute in token:
                    for part in self.parts[label]:
                        row[attribute * self.stride + part] += 1
                row[shared + before * self.n_classes + self.classes[label]] += 1
                before = self.classes[label]
        return table

    def losses(self, i: int) -> NDArray[np.float64]:
        gold = self.gold[i]
        wrong = [sum(g not in (-1, label) for g, label in zip(gold, y)) for y in self.outputs(i)]
        return np.array(wrong, dtype=float)


def random_factored(
    seed: int,
    lengths: tuple[int, ...] = (3, 1, 2, 3),
    n_labels: int = 5,
    n_parts: int = 6,
    n_classes: int = 3,
    *,
    unknown: float = 0.0,
    restricted: bool = False,
    weighted: bool = False,
) -> Factored:
    rng = np.random.default_rng(seed)
    parts = [
        sorted(rng.choice(n_parts, size=rng.integers(1, 4), replace=False).tolist()) for _ in range(n_labels)
    ]
    gold = [
        [-1 if rng.random() < unknown else int(rng.integers(n_labels)) for _ in range(n)] for n in lengths
    ]
    allowed = None
    if restricted:
        allowed = [
            [
                [] if y < 0 or rng.random() < 0.5 else sorted({y, int(rng.integers(n_labels))})
                for y in sentence
            ]
            for sentence in gold
        ]
    return Factored(
        [[rng.choice(4, size=rng.integers(1, 3), replace=False).tolist() for _ in range(n)] for n in lengths],
        gold,
        parts,
        [y % n_classes for y in range(n_labels)],
        allowed,
        4,
        n_parts,
        rng.uniform(0.5, 2, size=len(lengths)).tolist() if weighted else None,
    )


def separable_factored() -> Factored:
    """Every word has one label, of two parts, and its own attribute."""
    words = [[[0], [1], [2]], [[3], [2]], [[1], [0]], [[2], [3], [1], [0]]]
    gold = [[token[0] for token in sentence] for sentence in words]
    return Factored(words, gold, [[0, 2], [0, 3], [1, 2], [1, 3]], [0, 0, 1, 1], None, 4, 4, None)

"""Small chain problems whose outputs can all be listed: the learners' oracle.

Φ is written out here as a dense vector, from the layout of the weights alone, so nothing comes from the core.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from palmette import _native

Vector = NDArray[np.float64]
Labels = tuple[int, ...]


@dataclass
class SmallChain:
    """Sentences as lists of tokens, a token as a list of (attribute, value); -1 is an unknown label."""

    sentences: list[list[list[tuple[int, float]]]]
    labels: list[list[int]]
    n_labels: int
    n_attributes: int
    order: int = 1
    weights: list[float] | None = None

    @property
    def stride(self) -> int:
        return (self.n_labels + 7) // 8 * 8

    @property
    def n_weights(self) -> int:
        contexts = sum(self.n_labels**h for h in range(1, self.order + 1))
        return (self.n_attributes + contexts) * self.stride

    def weight(self, i: int) -> float:
        return 1.0 if self.weights is None else self.weights[i]

    def problem(self) -> _native.ChainProblem:
        tokens = [token for sentence in self.sentences for token in sentence]
        pairs = [pair for token in tokens for pair in token]
        return _native.ChainProblem(
            _boundaries(self.sentences),
            _boundaries(tokens),
            np.array([a for a, _ in pairs], dtype=np.int32),
            np.array([v for _, v in pairs], dtype=np.float32),
            None,
            None,
            None,
            np.array([y for labels in self.labels for y in labels], dtype=np.int32),
            None,
            None if self.weights is None else np.array(self.weights, dtype=np.float32),
            self.n_attributes,
            0,
            self.n_labels,
            self.order,
            None,
            None,
            None,
        )

    def outputs(self, i: int) -> list[Labels]:
        return list(product(range(self.n_labels), repeat=len(self.sentences[i])))

    def phi(self, i: int, y: Labels) -> Vector:
        L, S = self.n_labels, self.stride
        vector = np.zeros(self.n_weights)
        for t, token in enumerate(self.sentences[i]):
            for attribute, value in token:
                vector[attribute * S + y[t]] += value
            at = self.n_attributes * S
            for h in range(1, min(t, self.order) + 1):
                context = 0
                for label in y[t - h : t]:
                    context = context * L + label
                vector[at + context * S + y[t]] += 1
                at += L**h * S
        return vector

    def loss(self, i: int, y: Labels) -> float:
        return float(sum(g not in (-1, z) for g, z in zip(self.labels[i], y)))

    def best(self, i: int, w: Vector, cost: float = 0.0) -> Labels:
        return max(self.outputs(i), key=lambda y: w @ self.phi(i, y) + cost * self.loss(i, y))

    def gold(self, i: int, w: Vector) -> Labels:
        """The best output that agrees with the labels."""
        agreeing = [y for y in self.outputs(i) if self.loss(i, y) == 0]
        return max(agreeing, key=lambda y: w @ self.phi(i, y))

    def difference(self, i: int, gold: Labels, guess: Labels) -> Vector:
        return self.phi(i, gold) - self.phi(i, guess)

    def hinge(self, w: Vector) -> float:
        total = 0.0
        for i in range(len(self.sentences)):
            gold = w @ self.phi(i, self.gold(i, w))
            top = max(self.loss(i, y) + w @ self.phi(i, y) for y in self.outputs(i))
            total += self.weight(i) * (top - gold)
        return total


def random_chain(
    seed: int, *, n: int = 6, length: int = 3, n_labels: int = 3, n_attributes: int = 8, order: int = 1,
    weighted: bool = False, unknown: float = 0.0, separable: bool = False,
) -> SmallChain:  # fmt: skip
    """Random sentences; values are irregular, so that no two outputs tie once w has moved."""
    rng = np.random.default_rng(seed)
    sentences, labels = [], []
    for _ in range(n):
        size = int(rng.integers(1, length + 1))
        sentences.append(
            [
                [
                    (int(a), float(np.float32(rng.normal())))
                    for a in rng.choice(n_attributes, 3, replace=False)
                ]
                for _ in range(size)
            ]
        )
        labels.append([int(y) for y in rng.integers(0, n_labels, size)])
    weights = [float(np.float32(x)) for x in rng.uniform(0.5, 2, n)] if weighted else None
    chain = SmallChain(sentences, labels, n_labels, n_attributes, order, weights)
    if separable:
        teacher = rng.normal(size=chain.n_weights)
        chain.labels = [list(chain.best(i, teacher)) for i in range(n)]
    if unknown:
        chain.labels = [[-1 if rng.random() < unknown else y for y in ys] for ys in chain.labels]
    return chain


def _boundaries(groups: list) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(g) for g in groups], dtype=np.int64)]).astype(np.int64)

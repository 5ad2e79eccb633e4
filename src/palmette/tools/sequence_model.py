"""A trained model of label sequences: a map of features, labels, an order and weights.

What `Tagger` and `SpanTagger` share once they are trained. The weights lie as the native core wants them: rows of
`stride` labels (see `native/chain_problem.hpp`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import ChainProblem
from palmette.features import Instances
from palmette.features.saving import AnyMap
from palmette.learning.problem import Weights
from palmette.structures.schemes import transitions

UNKNOWN = -1


def stride(n_labels: int) -> int:
    """The length of a row of weights: the number of labels rounded up to a multiple of 8."""
    return -(-n_labels // 8) * 8


@dataclass(frozen=True, eq=False)
class SequenceStructure:
    """GEN for tagged sentences: labels, how many previous ones a label sees, and what their scheme allows.

    local: scores are normalised token by token, as those of a MEMM.
    """

    labels: tuple[str, ...]
    order: int = 1
    scheme: str | None = None
    local: bool = False

    @cached_property
    def masks(self) -> tuple[NDArray[np.float32] | None, ...]:
        """Zero where the scheme allows a first label, a last label, a pair; minus infinity elsewhere."""
        if self.scheme is None:
            return None, None, None
        start, pairs, end = transitions(list(self.labels), self.scheme)
        return self._mask(start), self._mask(end), self._mask(pairs)

    def problem(
        self,
        instances: Instances,
        labels: NDArray[np.int32] | None = None,
        *,
        allowed: NDArray[np.bool_] | None = None,
        weights: NDArray[np.float32] | None = None,
    ) -> ChainProblem:
        """The sentences as the learners and the decoder see them; labels that are not known are -1."""
        if labels is None:
            labels = np.full(instances.n_tokens, UNKNOWN, dtype=np.int32)
        start, end, pairs = self.masks
        return ChainProblem(
            instances.offsets,
            instances.rows,
            instances.attributes,
            instances.values,
            instances.pair_rows,
            instances.pair_attributes,
            instances.pair_values,
            labels,
            None if allowed is None else np.ascontiguousarray(allowed, dtype=np.uint8).reshape(-1),
            weights,
            instances.n_attributes,
            instances.n_pair_attributes,
            len(self.labels),
            self.order,
            start,
            end,
            pairs,
            self.local,
        )

    def n_weights(self, n_attributes: int, n_pair_attributes: int) -> int:
        """How many weights a model of this structure has."""
        n = len(self.labels)
        ngrams = sum(int(n**h) for h in range(1, self.order + 1))
        return stride(n) * (n_attributes + n_pair_attributes * n + ngrams)

    def _mask(self, allowed: NDArray[np.bool_]) -> NDArray[np.float32]:
        n = len(self.labels)
        mask = np.zeros((*allowed.shape[:-1], stride(n)), dtype=np.float32)
        mask[..., :n][~allowed] = -np.inf
        return mask.reshape(-1)


@dataclass(frozen=True, eq=False)
class SequenceModel:
    """A structure with features and weights."""

    structure: SequenceStructure
    features: AnyMap
    weights: Weights

    def decode(self, instances: Instances, n_jobs: int = 1) -> NDArray[np.int32]:
        """The best label of every token, in one row."""
        labels, _ = self.structure.problem(instances).decode(self.weights, n_jobs)
        return labels

    def probabilities(self, instances: Instances, n_jobs: int = 1) -> NDArray[np.float32]:
        """The probability of every label for every token."""
        found, _ = self.structure.problem(instances).probabilities(self.weights, n_jobs)
        return found.reshape(-1, len(self.structure.labels))

    @property
    def rows(self) -> NDArray[np.float32]:
        """The weights of attributes, one row each, one column per label."""
        n, width = len(self.structure.labels), stride(len(self.structure.labels))
        count = self.features.n_attributes
        return self.weights[: count * width].reshape(count, width)[:, :n]

    @property
    def pair_rows(self) -> NDArray[np.float32]:
        """The weights of pair attributes: [attribute, previous label, label]."""
        n, width = len(self.structure.labels), stride(len(self.structure.labels))
        begin, count = self.features.n_attributes * width, self.features.n_pair_attributes
        return self.weights[begin : begin + count * n * width].reshape(count, n, width)[..., :n]

    def ngrams(self, length: int) -> NDArray[np.float32]:
        """The weights of label n-grams of `length` + 1 labels, as a table with the oldest label first."""
        n, width = len(self.structure.labels), stride(len(self.structure.labels))
        begin = width * (self.features.n_attributes + self.features.n_pair_attributes * n)
        begin += width * sum(n**h for h in range(1, length))
        table = self.weights[begin : begin + n**length * width].reshape((n,) * length + (width,))
        return table[..., :n]

    def name_of(self, index: int) -> tuple[str, str]:
        """What a weight stands for: the name of its feature, and the labels it is for."""
        n, width = len(self.structure.labels), stride(len(self.structure.labels))
        labels, row, y = self.structure.labels, index // width, index % width
        count = self.features.n_attributes
        if row < count:
            return self.features.names([row])[0], labels[y]
        row -= count
        if row < self.features.n_pair_attributes * n:
            return self.pair_name(row // n), f"{labels[row % n]} → {labels[y]}"
        row -= self.features.n_pair_attributes * n
        length = 1
        while row >= n**length:
            row, length = row - n**length, length + 1
        before = [labels[row // n**k % n] for k in reversed(range(length))]
        return "labels", " → ".join([*before, labels[y]])

    def pair_name(self, attribute: int) -> str:
        """The name of a pair attribute."""
        names: Any = getattr(self.features, "pair_names", None)
        return str(names([attribute])[0]) if names is not None else f"pair:{attribute}"

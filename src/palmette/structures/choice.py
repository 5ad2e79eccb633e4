"""Choices: GEN(x) = a set of labels, of which one is taken. A chain of one token and order 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from palmette.structures.chain import Chain, Labeling
from palmette.structures.chain_scores import ChainScores, Floats, Labels, Reals


class Choice:
    """One decision, binary or among many labels. Every method takes the scores of the labels, [L], or those of
    many decisions as rows, [n, L]; one result per row comes back, and without the axis n for one decision.

    >>> choice = Choice(["no", "yes"])
    >>> scores = np.log([0.2, 0.6])
    >>> choice.labels[choice.best(scores)], choice.probabilities(scores).round(2).tolist()
    ('yes', [0.25, 0.75])
    """

    def __init__(self, labels: Sequence[str] | int = 2) -> None:
        self._chain = Chain(labels, order=0)

    @property
    def labels(self) -> tuple[str, ...]:
        return self._chain.labels

    @property
    def n_labels(self) -> int:
        return self._chain.n_labels

    @staticmethod
    def binary(margins: npt.ArrayLike) -> Floats:
        """Scores of two labels, [0, margin], from one number per decision: P(1) = 1 / (1 + e^-margin)."""
        margin = np.asarray(margins, dtype=np.float64)
        return np.stack([np.zeros_like(margin), margin], axis=-1)

    def best(self, scores: npt.ArrayLike, *, allowed: npt.ArrayLike | None = None) -> Labels:
        """The label with the highest score; ties go to the smaller one."""
        rows, single = self._rows(scores)
        labels, _ = self._chain.batch(rows, allowed=self._allowed(allowed, single)).best()
        return labels[0] if single else labels

    def kbest(self, scores: npt.ArrayLike, k: int) -> list[Labeling]:
        """The k best labels of one decision, each with its score."""
        rows, single = self._rows(scores)
        if not single:
            raise ValueError("kbest takes the scores of one decision, a one-dimensional array")
        return self._chain.kbest(rows.unary, k)

    def log_z(self, scores: npt.ArrayLike, *, allowed: npt.ArrayLike | None = None) -> Floats:
        """log Σ_y e^score(y)."""
        rows, single = self._rows(scores)
        values = self._chain.batch(rows, allowed=self._allowed(allowed, single)).log_z()
        return values[0] if single else values

    def probabilities(self, scores: npt.ArrayLike, *, allowed: npt.ArrayLike | None = None) -> Reals:
        """P(y): softmax. These are the marginals of the one label, and `marginals` is another name of it."""
        rows, single = self._rows(scores)
        _, values = self._chain.batch(rows, allowed=self._allowed(allowed, single)).marginals()
        return values[0] if single else values

    marginals = probabilities

    def log_probability(self, scores: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
        """log P(y)."""
        rows, single = self._rows(scores)
        batch = self._chain.batch(rows)
        values = batch.scores(np.atleast_1d(y)) - batch.log_z()
        return values[0] if single else values

    def entropy(self, scores: npt.ArrayLike) -> Floats:
        """The entropy of the label, in nats."""
        p = np.asarray(self.probabilities(scores), dtype=np.float64)
        values: Floats = -(p * np.log(np.where(p > 0, p, 1.0))).sum(axis=-1) + 0.0
        return values

    def sample(
        self, scores: npt.ArrayLike, n: int = 1, random_state: int | np.random.Generator = 0
    ) -> Labels:
        """n labels drawn for every decision, the last axis."""
        rows, single = self._rows(scores)
        drawn = self._chain.sample(rows.unary, n, random_state).T
        return drawn[0] if single else drawn

    def minimum_risk(self, scores: npt.ArrayLike, loss: npt.ArrayLike | None = None) -> Labels:
        """The label of least expected loss; loss[y, guess] is 1 for every mistake unless given."""
        p = np.asarray(self.probabilities(scores), dtype=np.float64)
        if loss is None:
            return np.asarray(p.argmax(axis=-1), dtype=np.int32)
        table = np.asarray(loss, dtype=np.float64)
        if table.shape != (self.n_labels, self.n_labels):
            raise ValueError(f"loss must have the shape {self.n_labels} × {self.n_labels}, got {table.shape}")
        return np.asarray((p @ table).argmin(axis=-1), dtype=np.int32)

    def _rows(self, scores: npt.ArrayLike) -> tuple[ChainScores, bool]:
        """The scores as sentences of one token, and whether there was one decision without its axis."""
        array = np.asarray(scores)
        single = array.ndim == 1
        rows = array[None] if single else array
        if rows.ndim != 2:
            raise ValueError(f"scores must have one or two dimensions, got {array.ndim}")
        return ChainScores(rows, offsets=np.arange(len(rows) + 1)), single

    @staticmethod
    def _allowed(allowed: npt.ArrayLike | None, single: bool) -> npt.ArrayLike | None:
        return np.asarray(allowed)[None] if single and allowed is not None else allowed

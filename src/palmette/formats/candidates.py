"""Candidates: GEN(x) written out, the best few outputs of a first model, of which one is to be chosen.

A list has outputs (trees, or tagged sequences as tuples of (word, label)), each with the log-probability that the
first model gave it. Where the right output is known, every candidate has counts (gold, guessed, right) of what is
compared: brackets of trees, spans or labels of sequences. The right output may be missing from the list: those
with the highest F1 are then the ones to learn.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.trees.tree import Tree

_ROUNDING = 1e-3  # of the log of a sum of probabilities, which a first model may have made of floats
Tagged = tuple[tuple[str, str], ...]
Output = Tree | Tagged
Counts = NDArray[np.int64]
Reals = NDArray[np.float64]


class Candidates:
    """The outputs of one input, best first by the first model, their log-probabilities, and the right output.

    counts: of every output the (gold, guessed, right) things, where the right output was compared with it; see
    `palmette.evaluation.candidates.measured`. A candidate that the first model holds impossible (minus infinity: a
    tree of fragments) counts as its least probable one.

    >>> words = ("time", "NN"), ("flies", "VBZ")
    >>> found = Candidates([words, (("time", "NN"), ("flies", "NNS"))], [-0.3, -1.4])
    >>> len(found), found.outputs[0][1], found.gold
    (2, ('flies', 'VBZ'), None)
    """

    def __init__(
        self,
        outputs: Sequence[Any],
        log_probabilities: ArrayLike,
        gold: Any = None,
        counts: Counts | None = None,
    ) -> None:
        self.outputs: tuple[Output, ...] = tuple(
            _output(output, f"Candidate {k}") for k, output in enumerate(outputs)
        )
        self.gold: Output | None = None if gold is None else _output(gold, "The right output")
        values = np.array(log_probabilities, dtype=np.float64).reshape(-1)
        if len(values) != len(self.outputs):
            raise ValueError(
                f"Candidates need one log-probability each; got {len(values)} for {len(self.outputs)}."
            )
        if np.isnan(values).any() or (values == np.inf).any():
            raise ValueError("The log-probabilities of candidates must be numbers, or minus infinity.")
        values[np.isneginf(values)] = values[np.isfinite(values)].min(initial=0.0)
        self.log_probabilities: Reals = values
        if counts is not None and np.shape(counts) != (len(self.outputs), 3):
            raise ValueError(
                f"Counts must have the shape {len(self.outputs)} × 3. Got {np.shape(counts)} instead."
            )
        self.counts = counts

    def with_gold(self, gold: Output | None) -> Candidates:
        """The same candidates with another right output, not compared yet."""
        return Candidates(self.outputs, self.log_probabilities, gold)

    def with_counts(self, counts: Counts) -> Candidates:
        """The same candidates, compared with the right output."""
        return Candidates(self.outputs, self.log_probabilities, self.gold, counts)

    def __len__(self) -> int:
        return len(self.outputs)

    @cached_property
    def f1(self) -> Reals:
        """F1 of every candidate; 1 where there is nothing to find and nothing was guessed."""
        gold, guessed, right = self._known.T
        return np.where(gold + guessed > 0, 2 * right / np.maximum(1, gold + guessed), 1.0)

    @cached_property
    def oracle(self) -> int:
        """The candidate of the highest F1, the earlier of equals."""
        return int(np.argmax(self.f1))

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """The candidates that count as right: those of the highest F1."""
        return np.asarray(self.f1 == self.f1.max(initial=0.0))

    @cached_property
    def losses(self) -> Reals:
        """0 for those that count as right; of others what is wrong or missing beyond that, 1 at least."""
        gold, guessed, right = self._known.T
        errors: Reals = (gold + guessed - 2 * right).astype(np.float64)
        if not len(errors):
            return errors
        losses: Reals = np.where(self.right, 0.0, np.maximum(1.0, errors - errors[self.oracle]))
        return losses

    @cached_property
    def size(self) -> int:
        """The nodes of the largest tree, or the words of the longest sequence, of the right output too."""
        outputs = self.outputs if self.gold is None else (*self.outputs, self.gold)
        return max(map(_size, outputs), default=0)

    @property
    def has_gold(self) -> bool:
        """Whether a candidate has no mistake."""
        return bool(len(self) and self.f1[self.oracle] == 1.0)

    @property
    def baseline(self) -> int:
        """The candidate that the first model likes best, the earlier of equals."""
        return int(np.argmax(self.log_probabilities))

    @property
    def has_probabilities(self) -> bool:
        """Whether the log-probabilities may be such: their probabilities sum to one at most, but for rounding."""
        return bool(np.logaddexp.reduce(self.log_probabilities) < _ROUNDING)

    @property
    def _known(self) -> Counts:
        if self.counts is None:
            raise ValueError("The right output of this list of candidates is not known.")
        return self.counts


def _size(output: Output) -> int:
    if not isinstance(output, Tree):
        return len(output)
    return sum(isinstance(item, Tree) for item in output.upwards())


def spans_of(tagged: Tagged) -> list[tuple[int, int, str]]:
    """The spans (begin, end, type) of labels such as B-PER, read as `structures.schemes` does.

    >>> spans_of((("New", "B-LOC"), ("York", "I-LOC"), ("is", "O"), ("big", "JJ")))
    [(0, 2, 'LOC')]
    """
    found: list[tuple[int, int, str]] = []
    begin, kind, ended = 0, "", True
    for i, (_, label) in enumerate(tagged):
        letter, dash, own = label.partition("-")
        if dash != "-" or letter not in _LETTERS:
            own = ""
        if kind and (own != kind or ended or letter in "BSU"):
            found.append((begin, i, kind))
            kind = ""
        if own and not kind:
            begin, kind = i, own
        ended = letter in "ESLU"
    return [*found, (begin, len(tagged), kind)] if kind else found


_LETTERS = frozenset("BIESLU")


def _output(given: Any, name: str) -> Output:
    if isinstance(given, Tree):
        return given
    pairs: Tagged | None = None
    with contextlib.suppress(TypeError, ValueError):
        pairs = tuple((word, label) for word, label in given)
    if pairs is None or not all(isinstance(part, str) for pair in pairs for part in pair):
        raise TypeError(f"{name} must be a Tree or a sequence of pairs (word, label).")
    return pairs

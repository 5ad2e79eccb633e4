"""The kernel of tagged sequences: all fragments of states, each with its word or without (Collins & Duffy 2002).

A fragment is a run of states; at each it has the label alone, the label with the word, or the label with the
word's shape (its capitals, digits). Two states with the same label have

    Δ(i, j) = (1 + π(word_i, word_j)) (1 + λ Δ(i+1, j+1)),    K = Σ_ij Δ(i, j)

fragments that begin there in common, where π is 1 for equal words, 0.5 for words of the same shape, and 0
otherwise; a fragment of s states weighs λ^(s−1). O(s t) for two sequences. A sum over many supports is made for
all of them at once, and a list of candidates shares what its labels share
(`native/features/kernels/tagged_supports.hpp`). Where fragments have a few states at most, the sum is a table of
them, and a list costs the same however many supports there are (`native/features/kernels/fragment_table.hpp`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette import _native
from palmette.errors import numbered
from palmette.features.kernels.kernel import (
    Features,
    Kernel,
    Prepared,
    Reals,
    check_few,
    check_length,
    checked_decay,
)
from palmette.features.kernels.supports import Supports

_LONGEST = 6  # a run of 6 states has 3 + 9 + … + 729 fragments


def capitalization(word: str) -> str:
    """The spelling features of a word: where its capitals are, and whether it has digits.

    >>> [capitalization(word) for word in ("elba", "Elba", "ELBA", "McKay", "1914", "Flight-93", "--")]
    ['lower', 'initial', 'upper', 'mixed', 'digits', 'initial digits', 'other']
    """
    digits = any(c.isdigit() for c in word)
    if word.isupper():
        case = "upper" if len(word) > 1 else "initial"
    elif word.islower():
        case = "lower"
    elif word[:1].isupper() and not any(c.isupper() for c in word[1:]):
        case = "initial"
    elif any(c.isupper() for c in word):
        case = "mixed"
    else:
        return "digits" if digits else "other"
    return f"{case} digits" if digits else case


@dataclass(frozen=True)
class TaggedSequenceKernel(Kernel):
    """Common fragments of two sequences of (word, label) pairs.

    `shape` is what words share that π counts half; None takes only equal words. `longest`: the states that a
    fragment may have, up to six; None: any number.

    >>> one = [("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]
    >>> two = [("a", "A"), ("b", "B"), ("e", "C"), ("e", "E")]
    >>> TaggedSequenceKernel(shape=None)(one, two)  # Δ(A, A) = 10, Δ(B, B) = 4, Δ(C, C) = 1
    15.0
    >>> TaggedSequenceKernel(shape=None, longest=2)(one, two)  # without the runs A B C, which are four
    11.0
    """

    decay: float = 1.0
    shape: Callable[[str], str] | None = capitalization
    longest: int | None = None

    def __post_init__(self) -> None:
        checked_decay(self.decay, "decay")
        if self.longest is not None:
            check_length(self.longest, "longest", _LONGEST)

    @property
    def form(self) -> Hashable:
        return ("tagged", self.shape)

    def is_item(self, given: Any) -> bool:
        if isinstance(given, Prepared) or not isinstance(given, list | tuple) or not given:
            return not isinstance(given, list | Prepared)
        first = given[0]
        return isinstance(first, tuple | list) and len(first) == 2 and all(isinstance(x, str) for x in first)

    def _data(self, items: list[Any]) -> _native.SequenceSet:
        labels: list[object] = []
        words: list[list[str]] = []
        for i, item in enumerate(items):
            pairs = [_checked(pair, i) for pair in item]
            words.append([word for word, _ in pairs])
            labels.append([label for _, label in pairs])
        columns: list[list[object]] = [labels, [*words]]
        if self.shape is not None:
            shapes = {word: self.shape(word) for word in set(itertools.chain.from_iterable(words))}
            columns.append([[shapes[word] for word in sentence] for sentence in words])
        return _native.SequenceSet(columns)

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        _native.tagged_gram(a, b, *self._parameters(), n_jobs, out)

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return _native.tagged_diagonal(a, *self._parameters(), n_jobs)

    def _parameters(self) -> tuple[float, list[float], int]:
        return float(self.decay), self._weights(), self.longest or 0

    def _weights(self) -> list[float]:
        # Equal words have equal shapes: half for the word and half for the shape make 1, 0.5 and 0.
        return [1.0] if self.shape is None else [0.5, 0.5]

    def supports(self) -> MergedSequences:
        return MergedSequences(self)

    def _states(self, item: Any) -> list[list[tuple[str, str, str]]]:
        """Every state by its label alone, with its word, and with the word's shape."""
        shape = self.shape
        return [
            [(label, "label", ""), (label, "word", word)]
            + ([] if shape is None else [(label, "shape", shape(word))])
            for word, label in item
        ]

    def features(self, item: Any) -> Features:
        """Fragments as tuples of (label, kind, text), kind being "label", "word" or "shape"."""
        roots = [1.0, *map(math.sqrt, self._weights())]
        states = [list(zip(kinds, roots)) for kinds in self._states(item)]
        n, k = len(states), 2 if self.shape is None else 3
        longest = n if self.longest is None else min(n, self.longest)
        check_few(sum((n - s + 1) * float(k) ** s for s in range(1, min(longest, 40) + 1)), self)
        found: Features = {}
        for start in range(n):
            for end in range(start + 1, min(n, start + longest) + 1):
                scale = math.sqrt(self.decay) ** (end - start - 1)
                for fragment in itertools.product(*states[start:end]):
                    name = tuple(part for part, _ in fragment)
                    value = scale * math.prod(weight for _, weight in fragment)
                    found[name] = found.get(name, 0.0) + value
        return found


class MergedSequences(Supports):
    """Supports in a row, equal ones once, or a table of their fragments where these are short.

    Candidates with the same words share what their labels share.
    """

    kernel: TaggedSequenceKernel
    _sum: _native.TaggedSupports | _native.FragmentTable

    def __init__(self, kernel: TaggedSequenceKernel) -> None:
        super().__init__(kernel)
        merged = _native.TaggedSupports if kernel.longest is None else _native.FragmentTable
        self._sum = merged(*kernel._parameters())

    @property
    def n_distinct(self) -> int:
        """How many distinct sequences the supports have, or how many fragments."""
        return len(self._sum)

    def amounts(self, item: Any) -> Features:
        """What each fragment of an item, named as in `features`, adds to its score, where fragments are short."""
        if not isinstance(self._sum, _native.FragmentTable):
            raise ValueError("Amounts are known where the kernel has a longest fragment.")
        states = self.kernel._states(item)
        found: Features = {}
        for begin, kinds, amount in self._sum.amounts(self.kernel.prepare([item]).data, 0):
            name = tuple(states[begin + i][kind] for i, kind in enumerate(kinds))
            found[name] = found.get(name, 0.0) + amount
        return found

    def _add(self, prepared: Prepared, which: np.ndarray[Any, Any], alphas: Reals) -> None:
        self._sum.add(prepared.data, which, alphas)

    def _score(self, prepared: Prepared, n_jobs: int) -> Reals:
        return self._sum.score(prepared.data, n_jobs)


def _checked(pair: Any, i: int) -> tuple[str, str]:
    if isinstance(pair, tuple | list) and len(pair) == 2:
        word, label = pair
        if isinstance(word, str) and isinstance(label, str):
            return word, label
    raise TypeError(
        f"{numbered(i, 'Item')} must be a sequence of pairs (word, label) of strings. Got {pair!r}."
    )

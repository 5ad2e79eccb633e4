"""String kernels: what two strings, or two sequences of tokens, have in common.

| kernel              | features                                                   | cost of a pair |
|---------------------|------------------------------------------------------------|----------------|
| `SpectrumKernel`    | how often each n-gram is there                             | O(n (s + t))   |
| `SubsequenceKernel` | subsequences of n symbols, weighing λ^(their stretch)      | O(n s t)       |
| `MismatchKernel`    | n-grams, each counted where up to m of its symbols differ  | O(s t)         |

An item is a string (its symbols are characters) or a tuple or list of tokens; of k(a, b), a list is a
collection. Leslie et al. 2002 and 2004 (spectrum, mismatch), Lodhi et al. 2002 (subsequences).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from palmette import _native
from palmette.errors import numbered
from palmette.features.kernels.kernel import Features, Kernel, Reals, check_few, check_length, checked_decay
from palmette.features.kernels.supports import Supports, WeightVector


@dataclass(frozen=True)
class SpectrumKernel(Kernel):
    """Σ over n-grams of their number in one string times that in the other; `least` counts shorter ones too.

    >>> SpectrumKernel(2)("banana", "ananas"), SpectrumKernel(2, least=1)("ab", "abab")
    (8.0, 6.0)
    """

    n: int = 3
    least: int | None = None

    def __post_init__(self) -> None:
        check_length(self.n, "n")
        if self.least is not None:
            check_length(self.least, "least")
            if self.least > self.n:
                raise ValueError(f"The 'least' must not be above n = {self.n}. Got {self.least} instead.")

    @property
    def form(self) -> Hashable:
        return ("n-grams", self.n, self.least)

    def _data(self, items: list[Any]) -> _native.SparseSet:
        least = self.n if self.least is None else self.least
        return _native.SparseSet.of_ngrams(_sequences(items), least, self.n)

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        _native.sparse_gram(a, b, n_jobs, out)

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return _native.sparse_diagonal(a)

    def features(self, item: Sequence[str]) -> Features:
        least = self.n if self.least is None else self.least
        symbols = tuple(item)
        grams = (symbols[i : i + k] for k in range(least, self.n + 1) for i in range(len(symbols) - k + 1))
        return {gram: float(count) for gram, count in Counter(grams).items()}

    def supports(self) -> Supports:
        return WeightVector(self, lambda prepared: prepared.data)


@dataclass(frozen=True)
class SubsequenceKernel(Kernel):
    """Σ over common subsequences of n symbols, gaps allowed, of λ^(stretch in the one + stretch in the other).

    A stretch goes from the first symbol of the subsequence to the last: "ct" stretches over three symbols of
    "cat".

    >>> SubsequenceKernel(2, decay=0.5)("cat", "car") == 0.5 ** 4
    True
    """

    n: int = 3
    decay: float = 0.5

    def __post_init__(self) -> None:
        check_length(self.n, "n")
        checked_decay(self.decay, "decay")

    @property
    def form(self) -> Hashable:
        return "sequences"

    def _data(self, items: list[Any]) -> _native.SequenceSet:
        return _sequences(items)

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        _native.gappy_gram(a, b, self.n, float(self.decay), n_jobs, out)

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return _native.gappy_diagonal(a, self.n, float(self.decay), n_jobs)

    def features(self, item: Sequence[str]) -> Features:
        symbols = tuple(item)
        check_few(math.comb(len(symbols), self.n), self)
        found: Features = {}
        for places in itertools.combinations(range(len(symbols)), self.n):
            name = tuple(symbols[i] for i in places)
            found[name] = found.get(name, 0.0) + self.decay ** (places[-1] - places[0] + 1)
        return found


@dataclass(frozen=True)
class MismatchKernel(Kernel):
    """Σ over all n-grams w of (n-grams of s within m symbols of w) · (those of t).

    `alphabet` has the symbols that w is made of, or says how many there are. The symbols of the strings must
    be in it.

    >>> MismatchKernel(2, mismatches=1, alphabet="ab")("ab", "ba")
    2.0
    """

    n: int = 4
    mismatches: int = 1
    alphabet: int | Collection[str] = 26

    def __post_init__(self) -> None:
        check_length(self.n, "n")
        if not isinstance(self.mismatches, int) or not 0 <= self.mismatches <= self.n:
            raise ValueError(
                f"The 'mismatches' must be an int in the range [0, {self.n}]. Got {self.mismatches!r} instead."
            )
        if self._size < 1:
            raise ValueError(f"The 'alphabet' must have at least one symbol. Got {self.alphabet!r} instead.")

    @property
    def form(self) -> Hashable:
        return "sequences" if isinstance(self.alphabet, int) else ("sequences", tuple(sorted(self.alphabet)))

    @property
    def _size(self) -> int:
        return self.alphabet if isinstance(self.alphabet, int) else len(set(self.alphabet))

    def _data(self, items: list[Any]) -> _native.SequenceSet:
        if not isinstance(self.alphabet, int):
            known = set(self.alphabet)
            for i, item in enumerate(items):
                for symbol in item:
                    if symbol not in known:
                        raise ValueError(f"String {i} has {symbol!r}, which is not in the alphabet.")
        return _sequences(items)

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        _native.mismatch_gram(a, b, self.n, self._shared(), n_jobs, out)

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return _native.mismatch_diagonal(a, self.n, self._shared(), n_jobs)

    def _shared(self) -> list[float]:
        """Count, for every d, the n-grams w within m symbols of both of two n-grams that differ in d places.

        Among the d places, w agrees with the first in a, with the second in b, and with neither in c. Among the
        other places, it differs from both in e.
        """
        n, m, k = self.n, self.mismatches, self._size
        shared = []
        for d in range(min(n, 2 * m) + 1):
            total = 0
            for a in range(d + 1):
                for b in range(d - a + 1):
                    c = d - a - b
                    for e in range(n - d + 1):
                        if b + c + e <= m and a + c + e <= m:
                            ways = math.comb(d, a) * math.comb(d - a, b) * math.comb(n - d, e)
                            total += ways * max(k - 2, 0) ** c * (k - 1) ** e
            shared.append(float(total) if total < 1e300 else math.inf)
        return shared

    def features(self, item: Sequence[str]) -> Features:
        if isinstance(self.alphabet, int):
            raise ValueError("The features of a MismatchKernel need the alphabet itself, not its size.")
        symbols = tuple(item)
        near = sum(math.comb(self.n, e) * (self._size - 1) ** e for e in range(self.mismatches + 1))
        check_few(near * max(len(symbols) - self.n + 1, 0), self)
        found: Features = {}
        for i in range(len(symbols) - self.n + 1):
            for name in self._neighbours(symbols[i : i + self.n]):
                found[name] = found.get(name, 0.0) + 1.0
        return found

    def _neighbours(self, gram: tuple[str, ...]) -> set[tuple[str, ...]]:
        assert not isinstance(self.alphabet, int)
        found = {gram}
        for _ in range(self.mismatches):
            found |= {(*g[:i], c, *g[i + 1 :]) for g in found for i in range(self.n) for c in self.alphabet}
        return found


def _sequences(items: list[Any]) -> _native.SequenceSet:
    for i, item in enumerate(items):
        if not isinstance(item, str | tuple | list):
            raise TypeError(
                f"{numbered(i, 'Item')} must be a string or a sequence of tokens. Got {type(item).__name__}."
            )
    return _native.SequenceSet([items])

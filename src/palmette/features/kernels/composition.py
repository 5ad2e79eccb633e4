"""Kernels made of kernels: sums, products, multiples, normalised ones, and kernels of a part of the items.

| new kernel            | K(a, b)                          | Φ(a)                         |
|-----------------------|----------------------------------|------------------------------|
| `k1 + k2`             | K₁ + K₂                          | Φ₁ and Φ₂ side by side       |
| `k1 * k2`             | K₁ K₂                            | all pairs of features        |
| `c * k`, c ≥ 0        | c K                              | √c Φ                         |
| `k.normalized`        | K / √(K(a, a) K(b, b))           | Φ / ‖Φ‖                      |
| `k.on(part)`          | K(part(a), part(b))              | Φ(part(a))                   |

Polynomials and Gaussians of another kernel: `PolynomialKernel(of=k)`, `GaussianKernel(of=k)`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette.features.kernels.kernel import Features, Kernel, Prepared, Reals, check_few, check_finite
from palmette.features.kernels.supports import Supports
from palmette.features.kernels.vectors import LinearKernel


def with_log_probability(kernel: Kernel, beta: float = 1.0) -> Kernel:
    """K(a, b) + β L(a) L(b) for pairs (item, log-probability L): a reranker then starts from the first ranking.

    >>> from palmette.features.kernels import SpectrumKernel
    >>> with_log_probability(SpectrumKernel(1), 0.5)(("ab", -2.0), ("bc", -3.0))
    4.0
    """
    return kernel.on(0) + beta * LinearKernel().on(1)


@dataclass(frozen=True)
class _Pair(Kernel):
    one: Kernel
    two: Kernel

    @property
    def form(self) -> Hashable:
        return (self.one.form, self.two.form)

    def is_item(self, given: Any) -> bool:
        return self.one.is_item(given)

    def _data(self, items: list[Any]) -> Any:
        first = self.one.prepare(items)
        # One preparation serves both where they read the same.
        return first, first if self.two.form == first.form else self.two.prepare(items)


class Sum(_Pair):
    """K₁ + K₂."""

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        self.one._matrix(a[0].data, b[0].data, out, n_jobs)
        other = np.empty_like(out)
        self.two._matrix(a[1].data, b[1].data, other, n_jobs)
        out += other

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return self.one._diagonal(a[0].data, n_jobs) + self.two._diagonal(a[1].data, n_jobs)

    def features(self, item: Any) -> Features:
        return {
            (i, name): value
            for i, k in enumerate((self.one, self.two))
            for name, value in k.features(item).items()
        }

    def supports(self) -> Supports:
        return _SumOfSupports(self, self.one.supports(), self.two.supports())


class Product(_Pair):
    """K₁ K₂."""

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        self.one._matrix(a[0].data, b[0].data, out, n_jobs)
        other = np.empty_like(out)
        self.two._matrix(a[1].data, b[1].data, other, n_jobs)
        out *= other

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return self.one._diagonal(a[0].data, n_jobs) * self.two._diagonal(a[1].data, n_jobs)

    def features(self, item: Any) -> Features:
        one, two = self.one.features(item), self.two.features(item)
        check_few(len(one) * len(two), self)
        return {(x, y): v * w for x, v in one.items() for y, w in two.items()}


@dataclass(frozen=True)
class _Around(Kernel):
    kernel: Kernel

    @property
    def form(self) -> Hashable:
        return self.kernel.form

    def is_item(self, given: Any) -> bool:
        return self.kernel.is_item(given)

    def _data(self, items: list[Any]) -> Any:
        return self.kernel._data(items)


@dataclass(frozen=True)
class Scaled(_Around):
    """c K."""

    factor: float

    def __post_init__(self) -> None:
        if not (self.factor >= 0 and math.isfinite(self.factor)):
            raise ValueError(
                f"A kernel may be multiplied by a number that is not negative. Got {self.factor!r}."
            )

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        self.kernel._matrix(a, b, out, n_jobs)
        out *= self.factor

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return self.factor * self.kernel._diagonal(a, n_jobs)

    def features(self, item: Any) -> Features:
        return {name: math.sqrt(self.factor) * value for name, value in self.kernel.features(item).items()}

    def supports(self) -> Supports:
        inner = self.kernel.supports()
        return _Reweighted(self, inner, lambda of, n_jobs: np.full(len(of), math.sqrt(self.factor)))


class Normalized(_Around):
    """K / √(K(a, a) K(b, b))."""

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        self.kernel._matrix(a, b, out, n_jobs)
        rows = self._factors(a, n_jobs)
        out *= rows[:, None]
        out *= rows if a is b else self._factors(b, n_jobs)

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return np.where(self.kernel._diagonal(a, n_jobs) > 0, 1.0, 0.0)

    def _factors(self, a: Any, n_jobs: int) -> Reals:
        with np.errstate(over="ignore"):
            squares = self.kernel._diagonal(a, n_jobs)
        check_finite(squares, self.kernel)
        factors: Reals = np.zeros(len(squares))
        factors[squares > 0] = 1 / np.sqrt(squares[squares > 0])
        return factors

    def features(self, item: Any) -> Features:
        found = self.kernel.features(item)
        length = math.sqrt(math.fsum(value * value for value in found.values()))
        return {name: value / length for name, value in found.items()} if length else {}

    def supports(self) -> Supports:
        return _Reweighted(self, self.kernel.supports(), lambda of, n_jobs: self._factors(of.data, n_jobs))


@dataclass(frozen=True)
class On(_Around):
    """K of a part of the items."""

    part: int | str | Callable[[Any], Any]

    @property
    def form(self) -> Hashable:
        return ("on", self.part, self.kernel.form)

    def is_item(self, given: Any) -> bool:
        return Kernel.is_item(self, given)  # what items are like is known to `part` alone

    def _data(self, items: list[Any]) -> Any:
        take = self._take()
        return self.kernel.prepare([take(item) for item in items])

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        self.kernel._matrix(a.data, b.data, out, n_jobs)

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return self.kernel._diagonal(a.data, n_jobs)

    def features(self, item: Any) -> Features:
        return self.kernel.features(self._take()(item))

    def supports(self) -> Supports:
        return _OfParts(self, self.kernel.supports())

    def _take(self) -> Callable[[Any], Any]:
        if callable(self.part):
            return self.part
        if isinstance(self.part, str):
            return operator.attrgetter(self.part)
        return operator.itemgetter(self.part)


class _SumOfSupports(Supports):
    def __init__(self, kernel: Kernel, one: Supports, two: Supports) -> None:
        super().__init__(kernel)
        self.one, self.two = one, two

    def _add(self, prepared: Prepared, which: np.ndarray[Any, Any], alphas: Reals) -> None:
        self.one._add(prepared.data[0], which, alphas)
        self.two._add(prepared.data[1], which, alphas)

    def _score(self, prepared: Prepared, n_jobs: int) -> Reals:
        return self.one._score(prepared.data[0], n_jobs) + self.two._score(prepared.data[1], n_jobs)


class _Reweighted(Supports):
    """Those of K(a, b) f(a) f(b): α takes up the factor of a support, and a score that of its item."""

    def __init__(self, kernel: Kernel, inner: Supports, factors: Callable[[Prepared, int], Reals]) -> None:
        super().__init__(kernel)
        self.inner, self.factors = inner, factors

    def _add(self, prepared: Prepared, which: np.ndarray[Any, Any], alphas: Reals) -> None:
        self.inner._add(prepared, which, alphas * self.factors(prepared, 1)[which])

    def _score(self, prepared: Prepared, n_jobs: int) -> Reals:
        return self.inner._score(prepared, n_jobs) * self.factors(prepared, n_jobs)


class _OfParts(Supports):
    def __init__(self, kernel: Kernel, inner: Supports) -> None:
        super().__init__(kernel)
        self.inner = inner

    def _add(self, prepared: Prepared, which: np.ndarray[Any, Any], alphas: Reals) -> None:
        self.inner._add(prepared.data, which, alphas)

    def _score(self, prepared: Prepared, n_jobs: int) -> Reals:
        return self.inner._score(prepared.data, n_jobs)

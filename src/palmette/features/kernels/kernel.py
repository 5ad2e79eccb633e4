"""What a kernel is: K(a, b) = Φ(a) · Φ(b) for some feature vectors Φ, which need not be finite or written down.

    k(a, b)          the kernel of two items; of two collections, their Gram matrix, as scikit-learn's SVC asks
    k.gram(A, B)     all pairs in native code; B left out, the symmetric matrix of A at half the cost
    k.prepare(A)     a collection in the form that the native code reads, for those who ask more than once
    k.supports()     Σ_i α_i K(x_i, x) with supports merged wherever the kernel allows it
    k.features(x)    Φ(x) as {name: value}, where it is finite and small
    k.normalized     K(a, b) / √(K(a, a) K(b, b));  k + k, k * k, 0.5 * k and k.on(part) are kernels too

A kernel is a value: its parameters are checked when it is made and do not change. Collections prepared apart
can be compared: what is equal is known by 64-bit hashes of the strings.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette.threads import n_threads

if TYPE_CHECKING:
    from palmette.features.kernels.supports import Supports

Reals = NDArray[np.float64]
Features = dict[Any, float]
MOST_FEATURES = 200_000


@dataclass(frozen=True, eq=False)
class Prepared:
    """Items as native code reads them. Kernels of the same `form` can share them, whatever their parameters."""

    form: Hashable
    data: Any
    items: list[Any]

    def __len__(self) -> int:
        return len(self.items)


class Kernel(ABC):
    """Φ(a) · Φ(b). A new kernel says how items are prepared, and what the matrix and its diagonal are."""

    @property
    @abstractmethod
    def form(self) -> Hashable:
        """What `prepare` depends on."""

    @abstractmethod
    def _data(self, items: list[Any]) -> Any:
        """The items in the form that `_matrix` and `_diagonal` take."""

    @abstractmethod
    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        """Writes K of all pairs; `a is b` where the matrix is symmetric."""

    @abstractmethod
    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        """K(x, x) of every item."""

    def _distances(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        """Writes ‖Φ(x) − Φ(y)‖² = K(x, x) + K(y, y) − 2 K(x, y) of all pairs."""
        self._matrix(a, b, out, n_jobs)
        rows = self._diagonal(a, n_jobs)
        columns = rows if a is b else self._diagonal(b, n_jobs)
        check_finite(rows, self)
        check_finite(columns, self)
        out *= -2.0
        out += rows[:, None]
        out += columns

    def features(self, item: Any) -> Features:
        """Φ(item) as {name: value}: K(a, b) is the inner product of two of them."""
        raise ValueError(f"{self} has no feature map that is finite and small.")

    def supports(self) -> Supports:
        """An empty sum Σ_i α_i K(x_i, ·)."""
        from palmette.features.kernels.supports import ListedSupports

        return ListedSupports(self)

    def is_item(self, given: Any) -> bool:
        """Whether this is one item, not a collection of them."""
        return not isinstance(given, list | Prepared | np.ndarray) and not hasattr(given, "iloc")

    # What users call

    def __call__(self, a: Any, b: Any) -> Any:
        """K(a, b) as a float; of two collections, their Gram matrix."""
        if isinstance(a, Prepared) or isinstance(b, Prepared):
            return self.gram(a, b)
        kinds = self.is_item(a), self.is_item(b)
        if kinds == (True, True):
            return float(self.gram([a], [b])[0, 0])
        if kinds == (False, False):
            return self.gram(a, b)
        raise TypeError(
            "A kernel takes two items or two collections; got one of each. Put the item into a list."
        )

    def prepare(self, items: Iterable[Any] | Prepared) -> Prepared:
        """A collection in the form that native code reads."""
        if isinstance(items, Prepared):
            if items.form != self.form:
                raise ValueError(f"The items were prepared for {items.form}; {self} takes {self.form}.")
            return items
        listed = self._listed(items)
        return Prepared(self.form, self._data(listed), listed)

    def gram(self, A: Any, B: Any = None, n_jobs: int = 1) -> Reals:
        """K of all pairs at [i, j]; without B those of A with itself. -1 jobs are all processors."""
        jobs = n_threads(n_jobs)
        a = self.prepare(A)
        b = a if B is None or B is A else self.prepare(B)
        out: Reals = np.empty((len(a), len(b)))
        self._matrix(a.data, b.data, out, jobs)
        # No value exceeds those of its items with themselves, so a symmetric matrix shows it on the diagonal.
        check_finite(np.diagonal(out) if a is b else out, self)
        return out

    def diagonal(self, A: Any, n_jobs: int = 1) -> Reals:
        """K(x, x) of every item."""
        found = self._diagonal(self.prepare(A).data, n_threads(n_jobs))
        check_finite(found, self)
        return found

    def _listed(self, items: Iterable[Any]) -> list[Any]:
        if isinstance(items, str | bytes):
            raise TypeError(f"{self} takes a collection here; got one string.")
        return items if type(items) is list else list(items)

    # New kernels from old ones

    @property
    def normalized(self) -> Kernel:
        """K(a, b) / √(K(a, a) K(b, b)); 0 where an item has no features."""
        from palmette.features.kernels.composition import Normalized

        return Normalized(self)

    def on(self, part: int | str | Callable[[Any], Any]) -> Kernel:
        """The kernel of a part of the items: at an index, of a name (attribute), or what a function says."""
        from palmette.features.kernels.composition import On

        return On(self, part)

    def __add__(self, other: object) -> Kernel:
        from palmette.features.kernels.composition import Sum

        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: object) -> Kernel:
        from palmette.features.kernels.composition import Product, Scaled

        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(self, float(other)) if isinstance(other, int | float) else NotImplemented

    __rmul__ = __mul__


def checked_decay(value: object, name: str) -> float:
    """A decay factor as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating) or not 0 < value <= 1:
        raise ValueError(f"The '{name}' must be a number in the range (0, 1]. Got {value!r} instead.")
    return float(value)


def check_length(n: object, name: str, most: int = 4096) -> None:
    """ValueError unless n is a whole number from 1 to `most`."""
    if not isinstance(n, int | np.integer) or isinstance(n, bool) or not 1 <= n <= most:
        raise ValueError(f"The '{name}' must be an int in the range [1, {most}]. Got {n!r:.60} instead.")


def check_finite(values: Reals, kernel: Kernel) -> None:
    """ValueError where a value is too large for a double."""
    with np.errstate(all="ignore"):
        if not math.isfinite(values.sum()) and not all(
            np.isfinite(row).all() for row in np.atleast_2d(values)
        ):
            raise ValueError(
                f"A value of {kernel} is too large for a double; take a smaller decay or scale the items down."
            )


def check_few(n: float, kernel: Kernel) -> None:
    """ValueError where an item has too many features to be written down."""
    if n > MOST_FEATURES:
        raise ValueError(
            f"The item has {n:.3g} features under {kernel}; at most {MOST_FEATURES:,} are written down."
        )


def inner_product(one: Features, two: Features) -> float:
    """Φ(a) · Φ(b) of two feature maps."""
    return math.fsum(value * two[name] for name, value in one.items() if name in two)

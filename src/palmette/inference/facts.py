"""Facts: the weighted axioms of a deduction, from Python tuples or NumPy columns, as rows of 32-bit values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from palmette import _native

Value: TypeAlias = int | str


class Item(NamedTuple):
    """An item or a fact: the name of its predicate (empty for `[...]`) and its arguments.

    >>> print(Item("", ("NP", 0, 2)), Item("word", ("flies", 1)), Item("goal", ()))
    [NP, 0, 2] word(flies, 1) goal
    """

    name: str
    arguments: tuple[Value, ...]

    def __str__(self) -> str:
        inner = ", ".join(map(str, self.arguments))
        if not self.name:
            return f"[{inner}]"
        return f"{self.name}({inner})" if self.arguments else self.name


class Columns:
    """Facts of one predicate as columns: one array of integers or strings per argument, and weights (1 if None).

    >>> Columns(["S", "NP"], [0, 1], weights=[0.5, 0.25]).n
    2
    """

    def __init__(self, *columns: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> None:
        self.columns = [np.asarray(column) for column in columns]
        lengths = {len(column) for column in self.columns if column.ndim == 1}
        if any(column.ndim != 1 for column in self.columns) or len(lengths) != 1:
            raise ValueError("columns must be one-dimensional and of the same length, at least one of them")
        self.n = lengths.pop()
        self.weights = None if weights is None else np.asarray(weights)
        if self.weights is not None and self.weights.shape != (self.n,):
            raise ValueError(f"expected {self.n} weights, got an array of shape {self.weights.shape}")


FactSource: TypeAlias = Mapping[Any, float] | Iterable[Any] | Columns


class Symbols:
    """Symbols and integers as 32-bit values, and back."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._names: list[str] = []

    def encode(self, value: object) -> int:
        """The value of a symbol (new ones are numbered) or of an integer."""
        if isinstance(value, str):
            number = self._ids.get(value)
            if number is None:
                number = self._ids[value] = len(self._names)
                self._names.append(value)
            return _native.SYMBOL + number
        if isinstance(value, int | np.integer) and not isinstance(value, bool):
            if abs(int(value)) < _native.SYMBOL:
                return int(value)
            raise ValueError(f"{value} is too large: integers must be below 2^30")
        raise ValueError(f"{value!r} is neither an integer nor a string")

    def encode_column(self, column: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """A whole column; strings are looked up once per distinct one."""
        if column.dtype.kind in "iu":
            if column.size and max(abs(int(column.min())), abs(int(column.max()))) >= _native.SYMBOL:
                raise ValueError("a column has integers of 2^30 or more")
            return column.astype(np.int32)
        if column.dtype.kind == "U":
            distinct, where = np.unique(column, return_inverse=True)
            values = np.array([self.encode(str(text)) for text in distinct], dtype=np.int32)
            return values[where]
        return np.array([self.encode(value) for value in column.tolist()], dtype=np.int32)

    def decode(self, value: int) -> Value:
        return self._names[value - _native.SYMBOL] if value >= _native.SYMBOL else value


@dataclass
class FactTable:
    """The facts of one predicate: encoded values, one fact a row, and their scores (logs of weights)."""

    values: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    first_part: int = 0

    @property
    def n(self) -> int:
        return len(self.scores)


def encode_facts(
    facts: Mapping[str, FactSource], symbols: Symbols, *, log: bool
) -> dict[tuple[str, int], FactTable]:
    """All facts by (name, arity), their parts numbered in the order in which they come."""
    tables: dict[tuple[str, int], FactTable] = {}
    part = 0
    for name, source in facts.items():
        encoded = (
            [_columns(name, source, symbols, log)]
            if isinstance(source, Columns)
            else _rows(name, source, symbols, log)
        )
        for table in encoded:
            tables[name, table.values.shape[1]] = table
            table.first_part = part
            part += table.n
    return tables


def _columns(name: str, source: Columns, symbols: Symbols, log: bool) -> FactTable:
    try:
        values = np.stack([symbols.encode_column(column) for column in source.columns], axis=1)
    except ValueError as error:
        raise ValueError(f"facts of {_shown(name)}: {error}") from None
    if source.weights is None:
        return FactTable(values, np.zeros(source.n))
    return FactTable(values, scores_of(source.weights, log, f"a weight of {_shown(name)}"))


def _rows(
    name: str, source: Mapping[Any, float] | Iterable[Any], symbols: Symbols, log: bool
) -> Iterator[FactTable]:
    """One table for every number of arguments."""
    if isinstance(source, str | bytes) or not isinstance(source, Iterable):
        raise ValueError(
            f"facts of {_shown(name)}: expected a list of facts or a mapping from facts to weights, got {source!r}"
        )
    rows: dict[int, list[list[int]]] = {}
    weights: dict[int, list[object]] = {}
    for row in source:
        arguments: Sequence[Any] = row if isinstance(row, tuple | list) else (row,)
        try:
            encoded = [symbols.encode(value) for value in arguments]
        except ValueError as error:
            raise ValueError(f"fact {Item(name, tuple(arguments))}: {error}") from None
        rows.setdefault(len(encoded), []).append(encoded)
        if isinstance(source, Mapping):
            weights.setdefault(len(encoded), []).append(source[row])
    for arity, block in rows.items():
        values = np.array(block, dtype=np.int32).reshape(len(block), arity)
        scores = np.zeros(len(block))
        if isinstance(source, Mapping):
            scores = scores_of(weights[arity], log, f"a weight of {_shown(name)}")
        yield FactTable(values, scores)


def _shown(name: str) -> str:
    return name or "[...]"


def scores_of(weights: Sequence[object] | npt.NDArray[Any], log: bool, what: str) -> npt.NDArray[np.float64]:
    """Logs of weights, which must be finite and not negative; scores as they are where `log` is true."""
    if not (isinstance(weights, np.ndarray) and weights.dtype.kind in "biuf"):
        weights = weights.tolist() if isinstance(weights, np.ndarray) else weights
        for weight in weights:
            if not isinstance(weight, int | float | np.integer | np.floating):
                raise ValueError(f"{what} is {weight!r}, which is not a number")
    try:
        array = np.asarray(weights, dtype=np.float64)
    except OverflowError:
        array = np.array([math.inf])
    good = (array < math.inf) if log else (array >= 0) & (array < math.inf)
    if not good.all():
        bad = array[int(np.argmin(good))]
        if log:
            raise ValueError(f"{what} is {bad}; scores must be below infinity")
        hint = "; if the weights are logs, say so with log=True or --log" if bad < 0 else ""
        raise ValueError(f"{what} is {bad}; weights must be finite and not negative{hint}")
    if log:
        return array
    with np.errstate(divide="ignore"):
        return np.log(array)

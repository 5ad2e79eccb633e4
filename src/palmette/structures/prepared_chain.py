"""Scores and constraints put together as the native core takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from palmette import _native
from palmette.errors import numbered
from palmette.structures.chain_scores import (
    Bools,
    ChainScores,
    Reals,
    checked_bools,
    checked_offsets,
    checked_reals,
    real_type,
)


@dataclass(frozen=True, eq=False)
class PreparedChain:
    """Checked arrays. Forbidden transitions are -inf in the tables; `first` and `last` are scores that are added
    at the ends of every sentence; `begin` has the tables of positions 1 .. order - 1.
    """

    n_labels: int
    order: int
    offsets: npt.NDArray[np.int64]
    unary: Reals
    allowed: Bools | None
    first: Reals | None
    last: Reals | None
    begin: tuple[Reals, ...]
    table: Reals
    per_position: bool

    @cached_property
    def core(self) -> Any:
        """The native object."""
        kind = _native.FloatChains if self.unary.dtype == np.float32 else _native.DoubleChains
        flat = [table.ravel() for table in self.begin]
        return kind(
            self.n_labels,
            self.order,
            self.offsets,
            self.unary.ravel(),
            None if self.allowed is None else self.allowed.ravel().view(np.uint8),
            self.first,
            self.last,
            np.concatenate(flat) if flat else np.zeros(0, self.unary.dtype),
            self.table.ravel(),
            self.per_position,
        )

    @property
    def n_sentences(self) -> int:
        return len(self.offsets) - 1

    def effective_unary(self) -> Reals:
        """The unary scores with what is allowed and the ends added, for all sentences."""
        unary = self.unary.copy()
        if self.allowed is not None:
            unary[~self.allowed] = -np.inf
        full = np.flatnonzero(np.diff(self.offsets) > 0)
        if self.first is not None:
            unary[self.offsets[full]] += self.first
        if self.last is not None:
            unary[self.offsets[full + 1] - 1] += self.last
        return unary

    def table_at(self, token: int, position: int) -> Reals:
        """The table of a token that is at a position i ≥ 1 of its sentence, [contexts, labels]."""
        if position < self.order:
            return self.begin[position - 1].reshape(-1, self.n_labels)
        table: Reals = self.table[token] if self.per_position else self.table
        return table.reshape(-1, self.n_labels)

    def dead_end(self, sentence: int) -> int:
        """The first position to which no allowed labels lead; the length of the sentence if there is none."""
        L = self.n_labels
        start, end = int(self.offsets[sentence]), int(self.offsets[sentence + 1])
        possible = self.effective_unary()[start:end] > -np.inf
        alive = np.ones(1, dtype=bool)  # contexts of min(i, order) labels
        for i in range(end - start):
            steps = np.broadcast_to(possible[i], (len(alive), L))
            if i and self.order:
                steps = steps & (self.table_at(start + i, i) > -np.inf)
            reached = alive[:, None] & steps
            if not reached.any():
                return i
            if self.order == 0:
                continue
            # The oldest label of a full context is forgotten.
            alive = reached.ravel() if i + 1 <= self.order else reached.reshape(L, -1).any(axis=0)
        return end - start

    def infeasible(self, sentence: int) -> ValueError:
        """The error for a sentence without any allowed labels."""
        where = f"{numbered(sentence)}, {numbered(self.dead_end(sentence), 'position')}"
        return ValueError(f"{where}: no label is allowed there after any allowed labels before it")


def prepared(
    n_labels: int,
    order: int,
    scores: ChainScores | npt.ArrayLike,
    allowed: npt.ArrayLike | None,
    ends: tuple[Bools | None, Bools | None, Bools | None],
) -> PreparedChain:
    """Checks scores and adds constraints; `ends` is which labels may begin, follow each other, and end."""
    given = scores if isinstance(scores, ChainScores) else ChainScores(scores)
    start, pairs, end = ends
    dtype = real_type(given.unary)
    shape = np.shape(given.unary)
    n = shape[0] if shape else 0
    if n == 0 and np.size(given.unary) == 0:
        unary = np.zeros((0, n_labels), dtype)
    else:
        unary = checked_reals(given.unary, "unary scores", dtype, (n, n_labels))
    first = None if start is None else np.where(start, 0, -np.inf).astype(dtype)
    table, per_position = _table(given.transitions, n_labels, order, n, dtype, pairs)
    begins = _begins(given.begin, n_labels, order, dtype, pairs)
    if begins and begins[0] is not None:
        first = begins[0] if first is None else first + begins[0]
    return PreparedChain(
        n_labels=n_labels,
        order=order,
        offsets=checked_offsets(given.offsets, n),
        unary=unary,
        allowed=None if allowed is None else checked_bools(allowed, "allowed labels", (n, n_labels)),
        first=first,
        last=None if end is None else np.where(end, 0, -np.inf).astype(dtype),
        begin=tuple(begin for begin in begins[1:] if begin is not None),
        table=table,
        per_position=per_position,
    )


def _table(
    transitions: npt.ArrayLike | None, L: int, order: int, n: int, dtype: Any, pairs: Bools | None
) -> tuple[Reals, bool]:
    if order == 0:
        if transitions is not None:
            raise ValueError("a chain of order 0 has no transitions")
        return np.zeros(0, dtype), False
    shape = (L,) * (order + 1)
    if transitions is None:
        table, per_position = np.zeros(shape, dtype), False
    else:
        per_position = np.ndim(transitions) == order + 2
        table = checked_reals(transitions, "transitions", dtype, (n, *shape) if per_position else shape)
    return (table if pairs is None else np.where(pairs, table, dtype(-np.inf))), per_position


def _begins(
    begin: Sequence[npt.ArrayLike | None], L: int, order: int, dtype: Any, pairs: Bools | None
) -> list[Reals | None]:
    """The tables of positions 0 .. order - 1; the first may be None."""
    if len(begin) > order:
        raise ValueError(f"a chain of order {order} has begin tables for {order} positions, got {len(begin)}")
    tables: list[Reals | None] = []
    for i in range(order):
        given = begin[i] if i < len(begin) else None
        shape = (L,) * (i + 1)
        table = None if given is None else checked_reals(given, f"begin[{i}]", dtype, shape)
        if i > 0:
            table = np.zeros(shape, dtype) if table is None else table
            table = table if pairs is None else np.where(pairs, table, dtype(-np.inf))
        tables.append(table)
    return tables

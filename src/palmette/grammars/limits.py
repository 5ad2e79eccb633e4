"""How large the tables are that grammars are worked with, unless more is allowed.

    with allowing(max_matrix=100_000_000):
        grammar.cnf()

Closures of unary rules, left corners and the like are dense matrices over nonterminals, whose size grows with the
square of their number, and the time to invert them with the cube. A right side of n symbols is binarized with
n - 1 new nonterminals, each named by the symbols that it derives, n² in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MAX_MATRIX = 25_000_000  # numbers in a matrix, 8 bytes each
MAX_RIGHT = 1_000  # symbols on a right side

_matrix: ContextVar[int] = ContextVar("max_matrix", default=MAX_MATRIX)
_right: ContextVar[int] = ContextVar("max_right", default=MAX_RIGHT)


@contextmanager
def allowing(*, max_matrix: int | None = None, max_right: int | None = None) -> Iterator[None]:
    """Other limits inside the block: numbers in a matrix, and symbols on a right side that is binarized."""
    given = [(_matrix, max_matrix), (_right, max_right)]
    tokens = [(limit, limit.set(value)) for limit, value in given if value is not None]
    try:
        yield
    finally:
        for limit, token in tokens:
            limit.reset(token)


def check_matrix(what: str, *shape: int) -> None:
    """Raise ValueError if a matrix of this shape has more numbers than are allowed."""
    size = 1
    for length in shape:
        size *= length
    if size > _matrix.get():
        raise ValueError(
            f"{what} {'×'.join(f'{length:,}' for length in shape)} numbers ({size * 8 / 1e9:.1f} GB), and at most "
            f"{_matrix.get():,} are allowed: raise max_matrix (--max-matrix)"
        )


def check_right(n: int) -> None:
    """Raise ValueError if a right side of n symbols is too long to be binarized."""
    if n > _right.get():
        raise ValueError(
            f"a rule has {n:,} symbols on its right side, and at most {_right.get():,} are binarized: "
            "raise max_right (--max-right)"
        )

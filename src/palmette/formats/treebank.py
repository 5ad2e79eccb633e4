"""What every reader of trees returns: the trees, and what it skipped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from palmette.formats.errors import FormatError
from palmette.trees import Tree


class Skipped(NamedTuple):
    """A tree that a lenient reader left out: the line of what is wrong with it, and what that is."""

    line: int
    message: str


class Treebank(list[Tree]):
    """A list of trees that remembers, in `skipped`, what its reader left out.

    A strict reader raises FormatError at the first problem, so `skipped` is empty; a lenient one
    (`lenient=True`) goes on with the next tree and notes the problem here.
    """

    def __init__(self, trees: Iterable[Tree] = (), skipped: Iterable[tuple[int, str]] = ()) -> None:
        super().__init__(trees)
        self.skipped = [Skipped(line, message) for line, message in skipped]


def strict_or_lenient(
    trees: list[Tree], problems: list[tuple[int, str]], *, lenient: bool, path: str | None
) -> Treebank:
    """A treebank of what was read; its first problem as an exception, unless `lenient`."""
    if problems and not lenient:
        line, message = problems[0]
        raise FormatError(message, path=path, line=line)
    return Treebank(trees, problems)

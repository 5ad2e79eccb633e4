"""What every reader of trees returns, and what every writer of trees does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from palmette.formats.files import Source, write_atomically
from palmette.formats.skipped import Skipped, strict_or_lenient
from palmette.trees import Tree


class Treebank(list[Tree]):
    """A list of trees that remembers where its reader found them and what it left out.

    `lines` has the line on which each tree begins. A strict reader raises FormatError at the first problem;
    a lenient one (`lenient=True`) goes on with the next tree: `skipped` lists the first hundred problems, and
    `n_skipped` counts them all.
    """

    def __init__(
        self,
        trees: Iterable[Tree] = (),
        lines: Iterable[int] = (),
        skipped: Iterable[Skipped] = (),
        n_skipped: int = 0,
    ) -> None:
        super().__init__(trees)
        self.lines = list(lines)
        self.skipped = list(skipped)
        self.n_skipped = n_skipped


def to_treebank(
    found: tuple[list[Tree], Any, list[tuple[int, str]], int],
    *,
    lenient: bool,
    path: str | None,
    nothing: str,
) -> Treebank:
    """The treebank that a native reader found; its first problem as an exception, unless `lenient`."""
    trees, lines, problems, n_problems = found
    skipped = strict_or_lenient(
        problems, n_problems, len(trees), lenient=lenient, path=path, noun="trees", nothing=nothing
    )
    return Treebank(trees, lines.tolist(), skipped, n_problems)


def write_trees(trees: Iterable[Tree], text_of: Callable[[Tree], str], target: Source) -> None:
    """Writes the text of each tree. The file appears only when it is whole."""
    with write_atomically(target) as file:
        for tree in trees:
            file.write(text_of(tree).encode())

"""What every reader of trees returns, and what every writer of trees does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from palmette.formats.files import Source, write_atomically
from palmette.formats.given import listed
from palmette.formats.skipped import Skipped, strict_or_lenient
from palmette.trees.tree import Tree


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
    """Write the text of each tree. The file appears only when it is whole."""
    with write_atomically(target) as file:
        for tree in checked_trees(trees):
            file.write(text_of(tree).encode())


def listed_trees(trees: Any) -> Sequence[Any]:
    """Return the trees as a sequence; TypeError for one tree, whose children would be taken for trees."""
    if isinstance(trees, Tree):
        raise TypeError("Trees are given as a list of Tree. Got one Tree.")
    return listed(trees, "Trees")


def checked_trees(trees: Iterable[Tree]) -> Iterator[Tree]:
    """Yield the trees; TypeError for a single tree in place of a list, and for an item that is not a tree."""
    if isinstance(trees, (Tree, str)):
        raise TypeError(f"Trees are written from a list of Tree. Got one {type(trees).__name__}.")
    for number, tree in enumerate(trees, 1):
        if not isinstance(tree, Tree):
            hint = "; a sentence without words has no tree: leave it out" if tree is None else ""
            raise TypeError(f"Trees are written from a list of Tree. Number {number} is {tree!r:.60}{hint}.")
        yield tree

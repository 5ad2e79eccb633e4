"""What is known of a tree before it is searched for: brackets that it must have, and others that it must not."""

from __future__ import annotations

from collections.abc import Sequence

from palmette.tools.constituency.model import Bracket, Constraints
from palmette.tools.constituency.treebank import ROOTS
from palmette.trees.tree import Tree

ANY = "X"  # in trees that are given as constraints, the label that stands for any


def constraints_of(tree: Tree, *, root: str = "TOP") -> Constraints:
    """The brackets of a tree as required ones: those of tags and of the root apart; the label X stands for any.

    >>> constraints_of(Tree.parse("(TOP (NP (NN time) (NN flies)) (X (IN like) (NN wind)))")).required
    (Bracket(start=0, end=2, label='NP'), Bracket(start=2, end=4, label=None))
    """
    found: list[Bracket] = []
    for node in tree.preorder():
        if node.is_preterminal or node.label in ROOTS or node.label == root:
            continue
        segments = node.segments
        if len(segments) > 1:
            raise ValueError(f"A required bracket has no gaps, and {node.label} over words {segments} has.")
        found.append(Bracket(*segments[0], None if node.label == ANY else node.label))
    return Constraints(tuple(found))


def checked_constraints(
    known: Sequence[Constraints | Tree | None], sentences: Sequence[Sequence[str]]
) -> list[Constraints]:
    """Return one for each sentence; ValueError, with its number, for brackets that no tree can have."""
    if len(known) != len(sentences):
        raise ValueError(f"There are {len(sentences)} sentences and constraints for {len(known)}.")
    checked = []
    for number, (given, words) in enumerate(zip(known, sentences), 1):
        one = constraints_of(given) if isinstance(given, Tree) else Constraints() if given is None else given
        if not isinstance(one, Constraints):
            raise TypeError(
                f"Sentence {number}: what is known is a Constraints or a Tree. Got {type(one).__name__}."
            )
        required = tuple(_bracket(bracket, len(words), number) for bracket in one.required)
        forbidden = tuple(_bracket(bracket, len(words), number) for bracket in one.forbidden)
        _check_nesting(required, number)
        checked.append(Constraints(required, forbidden))
    return checked


def _bracket(given: object, n: int, number: int) -> Bracket:
    try:
        bracket = Bracket(*given)  # type: ignore[misc]
        start, end = int(bracket.start), int(bracket.end)
    except (TypeError, ValueError):
        raise TypeError(f"Sentence {number}: a bracket is (start, end, label). Got {given!r}.") from None
    if not 0 <= start < end <= n:
        raise ValueError(
            f"Sentence {number} has {n} words, and no bracket from {start} to {end} (words are 0 to n - 1)."
        )
    if bracket.label is not None and not isinstance(bracket.label, str):
        raise TypeError(f"Sentence {number}: the label of a bracket is a string or None. Got {given!r}.")
    return Bracket(start, end, bracket.label)


def _check_nesting(required: Sequence[Bracket], number: int) -> None:
    open_: list[Bracket] = []
    for bracket in sorted(required, key=lambda b: (b.start, -b.end)):
        while open_ and open_[-1].end <= bracket.start:
            open_.pop()
        if open_ and bracket.end > open_[-1].end:
            raise ValueError(
                f"Sentence {number}: the required brackets {_shown(open_[-1])} and {_shown(bracket)} cross."
            )
        open_.append(bracket)


def _shown(bracket: Bracket) -> str:
    return f"{bracket.label or ANY} over words {bracket.start} to {bracket.end - 1}"

"""Trees and parsers that methods with syntax need beside the text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from palmette.formats.brackets import parse_brackets
from palmette.formats.files import Source, display_name, read_text
from palmette.formats.given import is_path
from palmette.messages import counted
from palmette.trees.tree import Tree


def loaded_parser(given: Any) -> Any:
    """Return a parser, from its file if that is given; None if nothing is. ValueError if it cannot parse."""
    if given is None:
        return None
    if is_path(given):
        from palmette.tools.constituency.parser import ConstituencyParser

        return ConstituencyParser.load(given)
    if not callable(getattr(given, "predict", None)):
        raise ValueError(f"A parser is a ConstituencyParser, or its file. Got {given!r:.100}.")
    return given


def read_trees(source: Source) -> list[Tree | None]:
    """Read trees in brackets: one on each line, an empty line for a sentence without one; or on several lines.

    FormatError if the brackets do not match.
    """
    text, path = read_text(source), display_name(source)
    lines = text.removesuffix("\n").split("\n") if text else []
    if any(line.strip() and line.count("(") != line.count(")") for line in lines):  # trees on several lines
        return list(parse_brackets(text, path=path))
    found = iter(parse_brackets(text, path=path))
    trees = [next(found, None) if line.strip() else None for line in lines]
    more = list(found)
    return [*(tree for tree in trees if tree is not None), *more] if more else trees


def given_tree(given: Tree | str | None) -> Tree | None:
    """Return a tree, from its brackets if these are given; None for none or a blank text."""
    if isinstance(given, str):
        return Tree.parse(given) if given.strip() else None
    return given


def checked_trees(
    given: Iterable[Any], rows: Sequence[Sequence[str]], side: str, noun: str = "tree"
) -> list[Tree | None]:
    """Return trees that were given, one for each sentence of a side; ValueError if one does not cover it.

    Trees may write words in another way; see `tree_notes` if most of their words are others.
    """
    trees = [given_tree(tree) for tree in given]
    if len(trees) != len(rows):
        have, want = counted(len(trees), noun), counted(len(rows), f"{side} sentence")
        raise ValueError(f"Every sentence needs a tree, or an empty line: there are {want}, but {have}.")
    for number, (tree, words) in enumerate(zip(trees, rows), 1):
        if tree is not None and len(tree.leaves) != len(words):
            raise ValueError(
                f"{noun.capitalize()} {number} does not cover its sentence: it has "
                f"{counted(len(tree.leaves), 'word')}, and the sentence has {len(words)}."
            )
    return trees


def tree_notes(trees: Sequence[Tree | None], rows: Sequence[Sequence[str]], side: str) -> list[str]:
    """Return notes on the trees of sentences: how many have none, and whether trees are of another text."""
    missing = same = total = 0
    for tree, words in zip(trees, rows, strict=True):
        missing += tree is None and bool(words)
        if tree is not None:
            total += len(words)
            same += sum(one.lower() == other.lower() for one, other in zip(tree.words, words))
    notes = []
    if missing:
        notes.append(
            f"{missing:,} of {len(rows):,} sentences have no tree, and no rules are extracted from them"
        )
    if 2 * same < total:
        notes.append(
            f"only {same:,} of {total:,} words of the trees are those of the {side} sentences: "
            "they may be of another text"
        )
    return notes

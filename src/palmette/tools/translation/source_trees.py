"""Trees and parsers that methods with syntax need beside the text."""

from __future__ import annotations

from typing import Any

from palmette.formats.brackets import parse_brackets
from palmette.formats.files import Source, display_name, read_text
from palmette.formats.given import is_path
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

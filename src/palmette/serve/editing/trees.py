"""Phrase structure trees under constraints: brackets that a person wants, or does not want."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from palmette.cli.tools.sequence.prediction import tokens
from palmette.formats.brackets import bracket_printer
from palmette.serve.limits import RequestError
from palmette.tools.constituency.known_brackets import constraints_of
from palmette.tools.constituency.model import Bracket, Constraints
from palmette.trees.tree import Tree

_BRACKET = re.compile(r"([^\s():]+):(\d+)-(\d+)")


def fixed_brackets(fixed: dict[str, Any], given: Mapping[str, Any], n_words: int) -> None:
    """Add a bracket to what is fixed, or take one away: `bracket` "NP:1-2", `must` true, false or null."""
    found = _BRACKET.fullmatch(str(given.get("bracket")))
    if found is None or not 1 <= int(found[2]) <= int(found[3]) <= n_words:
        raise RequestError(400, f"bracket must be LABEL:first-last, of words from 1 to {n_words}")
    fixed.pop("tree", None)
    name, must = found[0], given.get("must")
    if must is None:
        fixed.pop(name, None)
    elif isinstance(must, bool):
        fixed[name] = must
    else:
        raise RequestError(400, "must is true, false or null")


def decoded_tree(parser: Any, words: list[str], fixed: Mapping[str, Any]) -> dict[str, Any]:
    """The best tree that has the brackets that are fixed, and none of those that are refused."""
    if "tree" in fixed:
        known = constraints_of(Tree.parse(fixed["tree"]))
    else:
        brackets = {_bracket(name): must for name, must in fixed.items()}
        known = Constraints(
            tuple(one for one, must in brackets.items() if must),
            tuple(one for one, must in brackets.items() if not must),
        )
    parse = parser.parse([words], known=[known])[0]
    if parse is None:
        raise RequestError(400, "the sentence has no words")
    text = bracket_printer()(parse.tree).rstrip("\n")
    return {"tree": text, "tokens": tokens(parse.tree.words, tag=parse.tree.tags), "note": parse.note}


def _bracket(name: str) -> Bracket:
    label, first, last = _BRACKET.fullmatch(name).groups()  # type: ignore[union-attr]
    return Bracket(int(first) - 1, int(last), label)

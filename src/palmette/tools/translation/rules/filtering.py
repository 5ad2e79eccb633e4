"""The part of a rule table that a text may use, so that a decoder for a known text loads less."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.tools.alignment.text import TextSide
from palmette.tools.translation.rules.assembling import select
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.tree_arrays import tree_arrays
from palmette.trees.tree import Tree

_OTHER = 2**32 - 2  # a production that the table does not have


def filtered(table: RuleTable, sentences: Iterable[str | Sequence[str] | Tree]) -> RuleTable:
    """Return the rules of a table that match one of the sentences; scores stay as they are.

    sentences: words between white space, or lists of words; for a table over trees, trees. A rule over strings
    matches if its words are in a sentence, in its order, and there is a word for each nonterminal; labels and the
    other rules play no part. A rule over trees matches if its fragment is part of a tree.
    """
    given = list(sentences)
    if table.kind == "trees":
        return select(table, _matching_trees(table, given))
    rows: list[list[str]] = []
    for number, one in enumerate(given, 1):
        if isinstance(one, Tree):
            raise TypeError(f"A table over strings is filtered by sentences. Number {number} is a tree.")
        rows.append(one.split() if isinstance(one, str) else list(one))
    number_of = {word: k for k, word in enumerate(table.source_strings)}
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    ids = np.array([number_of.get(word, -1) for row in rows for word in row], np.int32)
    return select(table, table.native.matching_sentences(offsets, ids).view(bool))


def _matching_trees(table: RuleTable, given: list[Any]) -> NDArray[np.bool_]:
    trees: list[Tree] = []
    for number, one in enumerate(given, 1):
        tree = Tree.parse(one) if isinstance(one, str) else one
        if not isinstance(tree, Tree):
            raise TypeError(f"A table over trees is filtered by trees. Number {number} is {one!r:.60}.")
        trees.append(tree)
    side = TextSide.of([tree.words for tree in trees])
    found = tree_arrays(trees, side)
    number_of = {text: p for p, text in enumerate(table.productions)}
    numbers = np.array([number_of.get(text, _OTHER) for text in found.productions], np.uint32)
    production = numbers[found.production] if len(numbers) else found.production
    kept = table.native.matching_trees(
        side.offsets, found.at, found.label, production, found.begin, found.end, found.next
    )
    return kept.view(bool)

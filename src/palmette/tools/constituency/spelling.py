"""Brackets and quotation marks as a treebank spells them.

The Penn Treebank writes `(` as -LRB-, and `"` as `` or '', which no text does; a parser that was trained on it has
never seen the signs that people write. So words are spelt in the treebank's way for the model, and trees get the
words back as they were given.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palmette.trees.tree import Tree, unchecked_leaf, unchecked_tree

_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "{": "-LCB-", "}": "-RCB-"}
_QUOTES = {"“": "``", "”": "''", "„": "``", "«": "``", "»": "''"}
_EITHER = '"'  # opens and closes


@dataclass(frozen=True)
class Spelling:
    """brackets: they are written as codes; quotes: as two signs each.

    >>> Spelling(brackets=True, quotes=True).spelt(['"', "Stay", '"', "(", "here", ")"])
    ['``', 'Stay', "''", '-LRB-', 'here', '-RRB-']
    """

    brackets: bool = False
    quotes: bool = False

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> Spelling:
        """How a treebank spells them."""
        seen: set[str] = set()
        for tree in trees:
            seen.update(tree.words)
        return cls("-LRB-" in seen and "(" not in seen, "``" in seen and _EITHER not in seen)

    def spelt(self, words: Sequence[str]) -> list[str]:
        """The words in the treebank's spelling; as many as before."""
        table = (_BRACKETS if self.brackets else {}) | (_QUOTES if self.quotes else {})
        found = [table.get(word, word) for word in words]
        if self.quotes:
            marks = ["``", "''"]
            for i, word in enumerate(found):
                if word == _EITHER:
                    found[i] = marks[0]
                    marks.reverse()
        return found


def with_words(trees: Sequence[Tree], words: Sequence[str]) -> list[Tree]:
    """Trees of one sentence over other words, as many; subtrees that they share are made once."""
    leaves = [unchecked_leaf(word, position) for position, word in enumerate(words)]
    made: dict[int, Tree] = {}
    for tree in trees:
        todo = [tree]
        while todo:
            node = todo[-1]
            new = [child for child in node.children if isinstance(child, Tree) and id(child) not in made]
            if new:
                todo += new
                continue
            below = [made[id(c)] if isinstance(c, Tree) else leaves[c.position] for c in node.children]
            made[id(node)] = unchecked_tree(node.label, tuple(below), node.note)
            todo.pop()
    return [made[id(tree)] for tree in trees]

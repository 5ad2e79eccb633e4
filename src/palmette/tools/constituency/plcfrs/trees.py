"""Between sentences and what the native parser of LCFRS takes and gives: kept words, and flat trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palmette.grammars.lcfrs_extraction import label_of
from palmette.grammars.lcfrs_table import LcfrsTable
from palmette.tools.constituency.model import Contribution, contribution
from palmette.tools.constituency.plcfrs.punctuation import PunctuationRule
from palmette.transforms.binarization import is_made, unbinarized
from palmette.trees.tree import Child, Leaf, Tree

UNKNOWN_TAG = "X"  # of a word that the grammar has no tag for


@dataclass(frozen=True)
class Kept:
    """A sentence without its signs. places: the positions of the words that are left; words, tags: these."""

    sentence: list[str]
    signs: dict[int, str]
    places: list[int]
    words: list[str]
    tags: list[str]

    def whole(self, root: str, tree: Tree | None, punctuation: PunctuationRule) -> Tree:
        """Return the tree over all words; without a tree, there are only signs."""
        if tree is None:
            return Tree(root, [Tree(tag, [Leaf(self.sentence[i], i)]) for i, tag in self.signs.items()])
        return punctuation.restored(tree, self.sentence, self.signs)


def kept_words(words: Sequence[str], tags: Sequence[str] | None, punctuation: PunctuationRule) -> Kept:
    """Return a sentence without its signs."""
    if not words:
        raise ValueError("A sentence without words has no tree.")
    if tags is not None and len(tags) != len(words):
        raise ValueError(f"{len(tags)} tags for {len(words)} words.")
    known = list(tags) if tags is not None else [""] * len(words)
    found = [punctuation.sign_tag(word, tag) for word, tag in zip(words, known, strict=True)]
    signs = {i: tag for i, tag in enumerate(found) if tag is not None}
    places = [i for i in range(len(words)) if i not in signs]
    return Kept(list(words), signs, places, [words[i] for i in places], [known[i] for i in places])


def flat_tree(table: LcfrsTable, flat: Any, words: Sequence[str]) -> Tree:
    """The tree of a derivation in postorder, as the native parser gives it; made nodes are still in it."""
    _, symbols, shape, _ = flat
    stack: list[Child] = []
    for symbol, arity in zip(symbols, shape, strict=True):
        label = label_of(table.names[symbol]) if symbol >= 0 else UNKNOWN_TAG
        if arity < 0:
            stack.append(Tree(label, [Leaf(words[-1 - arity], -1 - arity)]))
        else:
            children = stack[-arity:]
            del stack[-arity:]
            stack.append(Tree(label, children))
    (tree,) = stack
    assert isinstance(tree, Tree)
    return tree


def joined(root: str, trees: Sequence[Tree]) -> Tree:
    """One tree of the derivation of a sentence, or of the fragments that it was left in, without made nodes."""
    if len(trees) == 1 and trees[0].label == root:
        return unbinarized(trees[0])
    return unbinarized(Tree(root, trees))


def flat_contributions(table: LcfrsTable, flat: Any, kept: Kept) -> list[Contribution]:
    """What each rule of a derivation adds to its score, from the root down."""
    _, symbols, shape, amounts = flat
    stack: list[tuple[str, int, int]] = []
    found: list[Contribution] = []
    for symbol, arity, amount in zip(symbols, shape, amounts, strict=True):
        name = table.names[symbol] if symbol >= 0 else UNKNOWN_TAG
        if arity < 0:
            here = kept.places[-1 - arity]
            node, feature = (name, here, here + 1), f"{label_of(name)} -> {kept.sentence[here]}"
        else:
            below = stack[-arity:]
            del stack[-arity:]
            node = (name, min(child[1] for child in below), max(child[2] for child in below))
            feature = f"{_shown(name)} -> {' '.join(_shown(child[0]) for child in below)}"
        stack.append(node)
        found.append(contribution(feature, amount, node[1], node[2]))
    return found[::-1]


def _shown(name: str) -> str:
    return label_of(name) if name.endswith("/0") or is_made(name) else name

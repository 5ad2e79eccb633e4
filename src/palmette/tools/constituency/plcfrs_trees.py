"""Between sentences and what the native parser of LCFRS takes and gives: parts of sentences, and flat trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palmette.grammars.lcfrs_extraction import label_of
from palmette.grammars.lcfrs_table import LcfrsTable
from palmette.tools.constituency.model import Contribution
from palmette.tools.constituency.plcfrs_punctuation import PunctuationRule
from palmette.transforms.binarization import is_made, unbinarized
from palmette.transforms.punctuation import at_positions
from palmette.trees import Child, Leaf, Tree

UNKNOWN_TAG = "X"  # of a word that the grammar has no tag for


@dataclass(frozen=True)
class Part:
    """Words that are parsed at once; the first is the one of number `start` of those that are kept."""

    start: int
    words: list[str]
    tags: list[str]


@dataclass(frozen=True)
class Pieces:
    """A sentence without its signs, cut where it is too long. kept: the positions of what is left."""

    words: list[str]
    kept: list[int]
    signs: dict[int, str]
    parts: list[Part]

    def whole(self, root: str, trees: Sequence[Tree], punctuation: PunctuationRule) -> Tree:
        """The tree over all words, made of those of the parts."""
        if not trees:
            return Tree(root, [Tree(tag, [Leaf(self.words[i], i)]) for i, tag in self.signs.items()])
        children: list[Child] = []
        for part, tree in zip(self.parts, trees, strict=True):
            moved = (
                at_positions(tree, range(part.start, part.start + len(part.words))) if part.start else tree
            )
            children += moved.children
        return punctuation.restored(Tree(root, children), self.words, self.signs)


def pieces_of(
    words: Sequence[str], tags: Sequence[str] | None, punctuation: PunctuationRule, longest: int
) -> Pieces:
    """The parts of a sentence of at most so many words each; none if there are only signs."""
    if not words:
        raise ValueError("A sentence without words has no tree.")
    if tags is not None and len(tags) != len(words):
        raise ValueError(f"{len(tags)} tags for {len(words)} words.")
    known = list(tags) if tags is not None else [""] * len(words)
    found = [punctuation.sign_tag(word, tag) for word, tag in zip(words, known, strict=True)]
    signs = {i: tag for i, tag in enumerate(found) if tag is not None}
    kept = [i for i in range(len(words)) if i not in signs]
    n_parts = -(-len(kept) // longest)
    parts = []
    for k in range(n_parts):
        start, end = k * len(kept) // n_parts, (k + 1) * len(kept) // n_parts
        here = kept[start:end]
        parts.append(Part(start, [words[i] for i in here], [known[i] for i in here]))
    return Pieces(list(words), kept, signs, parts)


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


def flat_contributions(table: LcfrsTable, flat: Any, pieces: Pieces) -> list[Contribution]:
    """What each rule of a derivation adds to its score, from the root down."""
    _, symbols, shape, amounts = flat
    stack: list[tuple[str, int, int]] = []
    found: list[Contribution] = []
    for symbol, arity, amount in zip(symbols, shape, amounts, strict=True):
        name = table.names[symbol] if symbol >= 0 else UNKNOWN_TAG
        if arity < 0:
            here = pieces.kept[-1 - arity]
            node, feature = (name, here, here + 1), f"{label_of(name)} -> {pieces.words[here]}"
        else:
            below = stack[-arity:]
            del stack[-arity:]
            node = (name, min(child[1] for child in below), max(child[2] for child in below))
            feature = f"{_shown(name)} -> {' '.join(_shown(child[0]) for child in below)}"
        stack.append(node)
        found.append(Contribution(feature, amount, node[1], node[2]))
    return found[::-1]


def _shown(name: str) -> str:
    return label_of(name) if name.endswith("/0") or is_made(name) else name

"""The log-probability of a given tree under a treebank grammar, rule by rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import inf

from palmette.tools.constituency.lexicon import Lexicon
from palmette.tools.constituency.model import Contribution, contribution
from palmette.tools.constituency.pcfg.grammar import TreeGrammar
from palmette.transforms.binarization import Binarization
from palmette.trees.tree import Leaf, Tree


class TreeScorer:
    """Looks up the rules of trees in a grammar."""

    def __init__(self, lexicon: Lexicon, grammar: TreeGrammar, binarization: Binarization) -> None:
        self.lexicon = lexicon
        self.grammar = grammar
        self.binarization = binarization

    @cached_property
    def _weights(self) -> dict[tuple[str, ...], float]:
        """By the names of parent and children, those of tags with a space before them."""
        names = [f" {name}" if k < self.grammar.n_tags else name for k, name in enumerate(self.grammar.names)]
        two = zip(self.grammar.binary.T.tolist(), self.grammar.binary_weights.tolist())
        one = zip(self.grammar.unary.T.tolist(), self.grammar.unary_weights.tolist())
        found: dict[tuple[str, ...], float] = {}
        for rule, weight in (*two, *one):
            found[tuple(names[k] for k in rule)] = weight
        return found

    def _rules(self, words: Sequence[str], tree: Tree) -> Iterator[tuple[Tree, tuple[str, ...], float]]:
        weights = self._weights
        for node in self.binarization(tree).preorder():
            if node.is_preterminal:
                word = words[node.first]
                yield node, (node.label, word), self.lexicon.log_weight(word, node.first, node.label)
                continue
            rule = (node.label, *(_name(child) for child in node.children))
            yield node, rule, weights.get(rule, -inf)

    def score(self, words: Sequence[str], tree: Tree) -> float:
        """The sum of the logs; -inf if the grammar has not all the rules."""
        return sum(weight for _, _, weight in self._rules(words, tree))

    def contributions(self, words: Sequence[str], tree: Tree) -> list[Contribution]:
        """Every rule as text with its log, and where it is."""
        found = []
        for node, rule, weight in self._rules(words, tree):
            parent, *below = (name.strip() for name in rule)
            leaves = node.positions
            found.append(contribution(f"{parent} → {' '.join(below)}", weight, leaves[0], leaves[-1] + 1))
        return found


def _name(child: Tree | Leaf) -> str:
    if isinstance(child, Leaf):
        return child.word
    return f" {child.label}" if child.is_preterminal else child.label

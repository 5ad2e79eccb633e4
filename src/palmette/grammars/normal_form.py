"""Chomsky normal form, A → B C or A → a, with the same weight for every string, and derivations mapped back.

Three conversions, one after the other: `binarize`, `empty_rules`, `unary_rules`. Where the grammar derives the
empty string, the new start symbol alone has a rule for it, and is on no right side.
"""

from __future__ import annotations

from dataclasses import dataclass

from palmette.grammars.binarize import binarized
from palmette.grammars.conversion import Conversion
from palmette.grammars.derivation import LeftmostDerivation
from palmette.grammars.empty_rules import without_empty
from palmette.grammars.grammar import Grammar
from palmette.grammars.unary_rules import without_unaries
from palmette.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class NormalForm:
    """A grammar in Chomsky normal form.

    `grammar` has the weights that sum: every string has the weight that it has in `source`. `best` is the same
    grammar with the weights of best derivations: its best derivation of a string has the weight of the best one
    of `source`, and `original` gives it.
    """

    source: Grammar
    grammar: Grammar
    best: Grammar
    steps: tuple[Conversion, ...]

    def original(self, derivation: LeftmostDerivation | Tree) -> LeftmostDerivation:
        """The best derivation of `source` that a derivation, or tree, of the normal form stands for."""
        if isinstance(derivation, Tree):
            derivation = LeftmostDerivation.of_tree(self.grammar, derivation)
        elif derivation.grammar not in (self.grammar, self.best):
            raise ValueError("This derivation is of another grammar.")
        numbers = list(derivation.numbers)
        for step in reversed(self.steps):
            numbers = step.original(numbers)
        return LeftmostDerivation(self.source, tuple(numbers))


def normal_form(grammar: Grammar) -> NormalForm:
    """The normal form; ValueError if no string is derived, or if unary rules in a circle have no finite weight.

    >>> form = normal_form(Grammar("S -> NP VP\\nNP -> 'I'\\nVP -> V [0.5] | V NP [0.5]\\nV -> 'sleep'"))
    >>> print(form.grammar, end="")
    1.0: S -> NP VP
    1.0: NP -> 'I'
    0.5: VP -> V NP
    0.5: VP -> 'sleep'
    1.0: V -> 'sleep'
    >>> print(form.original(Tree.parse("(S (NP I) (VP sleep))")).tree())
    (S (NP I) (VP (V sleep)))
    """
    first = binarized(grammar)
    second = without_empty(first.grammar, first.best)
    third = without_unaries(second.grammar, second.best)
    return NormalForm(grammar, third.grammar, third.grammar.with_weights(third.best), (first, second, third))

"""Trees and strings drawn from a grammar, each in proportion to its weight.

Where the weights do not sum to one, or not all probability comes to an end, the draws are from what does: a rule
A → β is taken with the probability w Π Z(β) / Z(A), the grammar `tightened`. Native, linear in what is drawn.
"""

from __future__ import annotations

import math

from palmette.grammars.derivation import LeftmostDerivation
from palmette.grammars.grammar import Grammar
from palmette.grammars.partition import named_divergence


def samples(grammar: Grammar, n: int = 1, *, random_state: int = 0) -> list[LeftmostDerivation]:
    """n independent derivations; the same for the same random_state. ValueError where nothing is derived.

    >>> samples(Grammar("S -> 'a' S [0.5] | 'b' [0.5]"), random_state=3)[0].words[-1]
    'b'
    """
    with named_divergence(grammar):
        if n and grammar.graph.log_z(grammar.log_weights) == -math.inf:
            raise ValueError(f"The start symbol {grammar.start} derives no string: there is nothing to draw.")
        found = grammar.graph.samples(grammar.log_weights, n, random_state=random_state)
    return [LeftmostDerivation(grammar, tuple(derivation.parts.tolist())) for derivation in found]

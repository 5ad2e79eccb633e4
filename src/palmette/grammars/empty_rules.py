"""Grammars without rules A → ε, with the same weights: whatever may be empty is also left out.

With E(A), the weight with which A derives the empty string, A → B C (w) also gives A → B (w E(C)) and A → C (w
E(B)). E is the partition function of the rules without words. The empty string itself, where the grammar derives
it, is left to a start symbol of its own. The rules must have at most two symbols on the right (`binarize`).
"""

from __future__ import annotations

import numpy as np

from palmette.grammars.conversion import Builder, Conversion, new_name
from palmette.grammars.grammar import Floats, Grammar
from palmette.grammars.partition import empty_weights
from palmette.inference.hypergraph import Hypergraph
from palmette.transforms.binarization import MADE


def without_empty(grammar: Grammar, best: Floats | None = None) -> Conversion:
    """The grammar without empty rules, but for one of the start symbol; `best`: weights for best derivations.

    >>> print(without_empty(Grammar("S -> A A\\nA -> 'a' [0.5] | ε [0.5]")).grammar, end="")
    1.0: @S -> S
    0.25: @S -> ε
    1.0: S -> A A
    1.0: S -> A
    0.5: A -> 'a'
    """
    best = grammar.weights if best is None else best
    empty = empty_weights(grammar)
    ways = _best_ways(grammar, empty, best)
    start_is_empty = empty[0] > 0
    start = new_name(MADE + grammar.start, grammar.nonterminals) if start_is_empty else grammar.start
    builder = Builder(grammar, start)
    if start_is_empty:
        builder.add(start, (grammar.start,), 1.0, 1.0, ())
        share, way = ways[grammar.start]
        builder.add(start, (), float(empty[0]), share, way)
    for number, rule in enumerate(grammar.rules):
        total, value = rule.weight, float(best[number])
        if len(rule.right) == 1:
            builder.add(rule.left, rule.right, total, value, (number,))
        elif rule.right:
            if len(rule.right) > 2 or len(rule.nonterminals) < 2:
                raise ValueError(f"The grammar must be binarized first; it has the rule {rule.arrow()}.")
            first, second = rule.nonterminals
            builder.add(rule.left, rule.right, total, value, (number,))
            if second in ways:
                share, way = ways[second]
                weight = total * float(empty[grammar.number_of(second)])
                builder.add(rule.left, (first,), weight, value * share, (number,), way)
            if first in ways:
                share, way = ways[first]
                weight = total * float(empty[grammar.number_of(first)])
                builder.add(rule.left, (second,), weight, value * share, (number, *way))
    return builder.conversion()


def _best_ways(grammar: Grammar, empty: Floats, best: Floats) -> dict[str, tuple[float, tuple[int, ...]]]:
    """For what may be empty the best derivation of ε: its weight and its rules."""
    found: dict[str, tuple[float, tuple[int, ...]]] = {}
    silent = [n for n, rule in enumerate(grammar.rules) if len(rule.nonterminals) == len(rule.right)]
    tails = [[grammar.number_of(name) for name in grammar.rules[n].nonterminals] for n in silent]
    with np.errstate(divide="ignore"):
        scores = np.log(best)
    for node in np.flatnonzero(empty > 0).tolist():
        graph = Hypergraph(
            grammar.lefts[silent],
            np.cumsum([0, *map(len, tails)]),
            np.array([t for row in tails for t in row], dtype=np.int32),
            labels=np.array(silent, dtype=np.int32),
            n_nodes=len(grammar.nonterminals),
            n_parts=len(grammar.rules),
            root=node,
        )
        derivation = graph.best(scores)
        if derivation is not None:
            name = grammar.nonterminals[node]
            found[name] = float(np.exp(derivation.score)), tuple(derivation.parts.tolist())
    return found

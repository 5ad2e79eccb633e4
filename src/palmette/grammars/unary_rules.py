"""Grammars without rules A → B, with the same weights: chains of them are summed into the rules below.

With U the matrix of the weights of A → B, chains from A to B have the total weight U*_AB, U* = I + U + U² + … =
(I - U)⁻¹, cycles included, so that A → β gets Σ_B U*_AB w(B → β). The sums exist where the spectral radius of U
is below one. The best chain is found by relaxation; no cycle gains. The result may be larger by a factor of the
number of nonterminals.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from palmette.grammars.conversion import Builder, Conversion, Numbers
from palmette.grammars.grammar import Floats, Grammar
from palmette.grammars.limits import check_matrix
from palmette.grammars.rule import symbol_text
from palmette.grammars.spectrum import blocks


def without_unaries(grammar: Grammar, best: Floats | None = None) -> Conversion:
    """The grammar without rules A → B; `best`: the weights for best derivations.

    >>> print(without_unaries(Grammar("S -> S [0.5] | 'a' [0.5]")).grammar, end="")
    S -> 'a'
    """
    best = grammar.weights if best is None else best
    unary = [n for n, rule in enumerate(grammar.rules) if len(rule.right) == 1 and rule.nonterminals]
    if not unary:
        builder = Builder(grammar, grammar.start)
        for n, rule in enumerate(grammar.rules):
            builder.add(*rule, float(best[n]), (n,))
        return builder.conversion()
    _check_cycles(grammar, unary)
    steps: dict[str, list[int]] = {}
    for n in unary:
        steps.setdefault(grammar.rules[n].left, []).append(n)
    involved = sorted(
        {grammar.number_of(s) for n in unary for s in (grammar.rules[n].left, *grammar.rules[n].nonterminals)}
    )
    place = {grammar.nonterminals[node]: i for i, node in enumerate(involved)}
    check_matrix("The unary rules need a matrix of", len(involved), len(involved))
    U = np.zeros((len(involved), len(involved)))
    for n in unary:
        U[place[grammar.rules[n].left], place[grammar.rules[n].nonterminals[0]]] += grammar.weights[n]
    closure = np.linalg.inv(np.eye(len(involved)) - U)
    others: dict[str, list[int]] = {}
    is_unary = set(unary)
    for n, rule in enumerate(grammar.rules):
        if n not in is_unary:
            others.setdefault(rule.left, []).append(n)
    builder = Builder(grammar, grammar.start)
    used = {name for numbers in others.values() for n in numbers for name in grammar.rules[n].nonterminals}
    for left in grammar.nonterminals:
        if left not in used and left != grammar.start:
            continue  # only unary rules lead there
        for below, (weight, chain) in _chains(grammar, left, steps, best).items():
            total = float(closure[place[left], place[below]]) if left in place else 1.0
            for n in others.get(below, ()):
                rule = grammar.rules[n]
                builder.add(left, rule.right, total * rule.weight, weight * float(best[n]), (*chain, n))
    return builder.conversion()


def _chains(
    grammar: Grammar, left: str, steps: dict[str, list[int]], best: Floats
) -> dict[str, tuple[float, Numbers]]:
    """The best chain of unary rules from a nonterminal to everything that it reaches, itself among it."""
    found: dict[str, tuple[float, Numbers]] = {left: (1.0, ())}
    todo = deque([left])
    while todo:
        name = todo.popleft()
        weight, chain = found[name]
        for n in steps.get(name, ()):
            child = grammar.rules[n].nonterminals[0]
            value = weight * float(best[n])
            if value > 0 and (child not in found or value > found[child][0]):
                found[child] = value, (*chain, n)
                todo.append(child)
    return found


def _check_cycles(grammar: Grammar, unary: list[int]) -> None:
    """ValueError where chains of unary rules have no finite total weight."""
    chains = Grammar.of_good_rules([grammar.rules[n] for n in unary], grammar.rules[unary[0]].left)
    for block in blocks(chains):
        if block.radius >= 1:
            names = " -> ".join(symbol_text(chains.nonterminals[node]) for node in block.nodes[:5].tolist())
            raise ValueError(f"The unary rules of {names} go in a circle and have no finite total weight.")

"""Do the probabilities of all strings sum to one, and how large is a derivation on average? CSC 448, §9.4.

E[N after n steps] = (Cᵀ)ⁿ S, with C the expectation matrix and S the start vector: the numbers of nonterminals die
out where the spectral radius of C is below one, and then Σ_s P(s) = 1. Above one some derivations never end. The
expected number of uses of every nonterminal in a whole derivation is Σ_n (Cᵀ)ⁿ S = (I - Cᵀ)⁻¹ S.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from palmette.grammars.grammar import Grammar
from palmette.grammars.partition import partition
from palmette.grammars.rule import Terminal, symbol_text
from palmette.grammars.spectrum import blocks
from palmette.grammars.trimming import productive, reachable

_CRITICAL = 1e-12  # how near to one a radius is taken for one


@dataclass(frozen=True)
class Consistency:
    """What can be said of a grammar as a distribution over strings; printing says it in words.

    spectral_radius: of the expectation matrix, over what the start symbol reaches; component: the nonterminals
    that have it. total: the sum of the weights of all strings, inf where it diverges. is_proper: the weights of
    every left side sum to one; worst, worst_sum: where they are farthest from it. unproductive: reached, but
    deriving no string.
    """

    spectral_radius: float
    component: tuple[str, ...]
    total: float
    error: float
    is_proper: bool
    worst: str
    worst_sum: float
    unproductive: tuple[str, ...]

    @property
    def is_consistent(self) -> bool:
        """Whether the weights of all strings sum to one, as far as numbers can tell."""
        return abs(self.total - 1) <= max(1e-9, 10 * self.error)

    @property
    def is_critical(self) -> bool:
        """Whether the radius is one: derivations come to an end, but their expected size is infinite."""
        return abs(self.spectral_radius - 1) <= _CRITICAL

    def __str__(self) -> str:
        verdict = "consistent" if self.is_consistent else "not consistent"
        names = "of " + ", ".join(symbol_text(name) for name in self.component[:5])
        more = f" and {len(self.component) - 5} more" if len(self.component) > 5 else ""
        if self.spectral_radius == 0:
            names, more = "nothing is recursive", ""
        lines = [
            f"{verdict}: the strings have a total probability of {self.total:.10g}",
            f"spectral radius {self.spectral_radius:.10g} ({names}{more})"
            + (", critical: sizes have no finite mean" if self.is_critical else ""),
        ]
        if not self.is_proper:
            lines.append(f"not proper: the weights of {symbol_text(self.worst)} sum to {self.worst_sum:g}")
        if self.unproductive:
            shown = ", ".join(symbol_text(name) for name in self.unproductive[:5])
            lines.append(f"{len(self.unproductive)} nonterminals derive no string: {shown}")
        return "\n".join(lines)


def consistency(grammar: Grammar) -> Consistency:
    """The check of §9.4, and the sum itself.

    >>> print(consistency(Grammar("S -> S S [0.75] | 'a' [0.25]")))
    not consistent: the strings have a total probability of 0.3333333333
    spectral radius 1.5 (of S)
    """
    worst, worst_sum = max(grammar.sums.items(), key=lambda pair: abs(pair[1] - 1))
    used = _used(grammar)
    good = productive(used)
    radius, nodes = max(
        ((block.radius, tuple(block.nodes.tolist())) for block in blocks(used)),
        key=lambda pair: pair[0],
    )
    total, error = 0.0, 0.0
    if used.start in good:
        try:
            found = partition(used)
            total, error = found.total, found.error
        except ValueError:
            total = math.inf
    return Consistency(
        spectral_radius=radius,
        component=tuple(used.nonterminals[node] for node in nodes),
        total=total,
        error=error,
        is_proper=grammar.is_proper,
        worst=worst,
        worst_sum=worst_sum,
        unproductive=tuple(name for name in used.nonterminals if name not in good),
    )


def expected_counts(grammar: Grammar) -> dict[str, float]:
    """How often a derivation rewrites each nonterminal on average: (I - Cᵀ)⁻¹ S; inf where there is no average.

    For weights that are not probabilities, or a grammar that is not consistent, ask `grammar.tightened()`.

    >>> expected_counts(Grammar("S -> 'a' S [0.75] | 'b' [0.25]"))
    {'S': 4.0}
    """
    used = _used(grammar)
    counts = np.zeros(len(used.nonterminals))
    counts[0] = 1.0
    for block in reversed(blocks(used)):  # what is above comes first, and its uses are counted already
        nodes = block.nodes
        if block.radius >= 1 - _CRITICAL:
            counts[nodes] = np.inf
        elif len(block.values) and np.isfinite(counts[nodes]).all():
            counts[nodes] = np.linalg.solve(np.eye(len(nodes)) - block.matrix.T, counts[nodes])
        if np.isinf(counts[nodes]).any():
            counts[nodes] = counts[block.below] = np.inf
        elif len(block.below):
            rows, columns, values = block.outer
            np.add.at(counts, columns, counts[nodes][rows] * values)
    found = dict(zip(used.nonterminals, counts.tolist()))
    return {name: found.get(name, 0.0) for name in grammar.nonterminals}


def expected_length(grammar: Grammar) -> float:
    """How many words a string has on average."""
    counts = expected_counts(grammar)
    return sum(
        counts[rule.left] * rule.weight * words
        for rule in grammar.rules
        if rule.weight > 0 and (words := sum(isinstance(symbol, Terminal) for symbol in rule.right))
    )


def _used(grammar: Grammar) -> Grammar:
    """What the start symbol reaches by rules that have a weight, whether or not it derives a string."""
    found = reachable(grammar)
    rules = [rule for rule in grammar.rules if rule.weight > 0 and rule.left in found]
    if len(rules) == len(grammar.rules):
        return grammar
    if not any(rule.left == grammar.start for rule in rules):
        raise ValueError(f"All rules of the start symbol {symbol_text(grammar.start)} have weight zero.")
    return Grammar.of_good_rules(rules, grammar.start)

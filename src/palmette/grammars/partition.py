"""The total weight of everything that a nonterminal derives: the least solution of

    Z(A) = Σ_{A → β} w(A → β) Π_{B in β} Z(B)

component by component, each by Newton's method (Etessami and Yannakakis 2009; Nederhof and Satta 2008), which is
the inside pass of the general engine over the graph of the grammar. For a PCFG, Z(A) is the probability that a
derivation from A comes to an end; S → S S (p) | a (1 - p) has Z = min(1, (1 - p) / p).

In the critical case (p = 1/2) Newton's method has only half of the digits. Where a component is proper and its
spectral radius is at most one, Z is known to be one and is given as such; elsewhere `error` says what to expect.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palmette.grammars.checks import SLACK
from palmette.grammars.grammar import Floats, Grammar
from palmette.grammars.rule import Rule, symbol_text
from palmette.grammars.spectrum import blocks
from palmette.inference.hypergraph import CycleError, Hypergraph
from palmette.inference.semiring import REAL

Bools = npt.NDArray[np.bool_]

_EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Partition:
    """Z of every nonterminal, that of the start symbol as `total`, and the relative error to expect of them."""

    values: Mapping[str, float]
    total: float
    error: float


def partition(grammar: Grammar) -> Partition:
    """The total weights; ValueError if one of them is infinite.

    >>> round(partition(Grammar("S -> S S [0.75] | 'a' [0.25]")).total, 12)
    0.333333333333
    >>> partition(Grammar("S -> S S [0.5] | 'a' [0.5]")).total
    1.0
    """
    z = totals(grammar)
    proper = np.zeros(len(z), dtype=bool)
    for name, total in grammar.sums.items():
        proper[grammar.number_of(name)] = abs(total - 1) <= SLACK
    certain = np.zeros(
        len(z), dtype=bool
    )  # proper, above such components only, productive, not supercritical
    for block in blocks(grammar):
        nodes = block.nodes
        sure = proper[nodes].all() and certain[block.below].all() and (np.abs(z[nodes] - 1) <= 1e-6).all()
        certain[nodes] = sure and block.radius <= 1 + SLACK
    if np.abs(z[certain] - 1).max(initial=0.0) > 1e-12:
        z = totals(grammar, certain)  # what is above critical components must not inherit their errors
    z[certain] = 1.0
    errors = np.full(len(z), _EPSILON)
    for block in blocks(grammar, z):
        if not certain[block.nodes].any():
            given = float(errors[block.below].max(initial=_EPSILON))
            gap = 1 - block.radius  # how far from critical the component is
            errors[block.nodes] = min(math.sqrt(given), given / gap if gap > 0 else math.inf)
    values = dict(zip(grammar.nonterminals, z.tolist()))
    return Partition(values, values[grammar.start], float(errors.max()))


def totals(grammar: Grammar, certain: Bools | None = None) -> Floats:
    """Z as Newton's method leaves it, in the order of the nonterminals; those that are `certain` count as one."""
    graph = grammar.graph
    if certain is not None:
        kept = ~certain[graph.tails]
        edges = np.repeat(np.arange(graph.n_edges), np.diff(graph.tail_start))[kept]
        n_tails = np.bincount(edges, minlength=graph.n_edges)
        graph = Hypergraph(
            graph.heads,
            np.concatenate([[0], np.cumsum(n_tails)]),
            graph.tails[kept],
            labels=graph.labels,
            n_nodes=graph.n_nodes,
            n_parts=graph.n_parts,
        )
    with named_divergence(grammar):
        z = np.array(graph.inside(grammar.weights, REAL), dtype=np.float64)
    if not np.isfinite(z).all():
        name = symbol_text(grammar.nonterminals[int(np.argmin(np.isfinite(z)))])
        raise ValueError(f"The derivations of {name} have a total weight above 10^308.")
    return z


def empty_weights(grammar: Grammar) -> Floats:
    """The total weight with which each nonterminal derives the empty string: Z of the rules without words."""
    silent = [
        rule if len(rule.nonterminals) == len(rule.right) else Rule(rule.left, rule.right, 0.0)
        for rule in grammar.rules
    ]
    if not any(rule.weight and not rule.right for rule in silent):
        return np.zeros(len(grammar.nonterminals))
    return totals(Grammar.of_good_rules(silent, grammar.start))


def tightened(grammar: Grammar) -> Grammar:
    """The trimmed PCFG with the same proportions between trees: w(A → β) Π Z(β) / Z(A) (Chi 1999).

    >>> tightened(Grammar("S -> S S [0.75] | 'a' [0.25]")).weights.round(12).tolist()
    [0.25, 0.75]
    """
    grammar = grammar.trimmed()
    z = partition(grammar).values
    return grammar.with_weights(
        [
            rule.weight * math.prod(z[name] for name in rule.nonterminals) / z[rule.left]
            for rule in grammar.rules
        ]
    ).normalised()


@contextmanager
def named_divergence(grammar: Grammar) -> Iterator[None]:
    """A sum that does not exist, said with the names of the nonterminals."""
    try:
        yield
    except CycleError as problem:
        nodes = problem.args[1] if len(problem.args) > 1 else []
        shown = ", ".join(symbol_text(grammar.nonterminals[node]) for node in nodes[:8])
        more = ", …" if len(nodes) > 8 else ""
        raise ValueError(f"The derivations of {shown}{more} have no finite total weight.") from None

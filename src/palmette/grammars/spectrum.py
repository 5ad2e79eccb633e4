"""The expectation matrix C_AB = E[number of B in β | A → β], its components and largest eigenvalue. Seed 4, §9.4.

The spectral radius of a non-negative matrix is the largest of those of its irreducible blocks, the strongly
connected components of the grammar. Within one, Noda's iteration

    λ = max_i (C x)_i / x_i,      x ← (λ I - C)⁻¹ x

converges quadratically from above, and min_i (C x)_i / x_i is a bound from below (Collatz 1942; Noda 1971). O(n³)
for a block of n nonterminals.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from palmette.grammars.grammar import Floats, Grammar

_STEPS = 60
_AGREE = 4e-15

Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Block:
    """A strongly connected component: its nonterminals, its part of the matrix, and what it uses from outside."""

    nodes: Nodes
    matrix: Floats
    below: Nodes


def expectation_matrix(grammar: Grammar) -> Floats:
    """C, by the numbers of the nonterminals; for a weighted grammar with weights in place of probabilities.

    >>> expectation_matrix(Grammar("S -> S S [0.3] | A [0.7]\\nA -> 'a'")).tolist()
    [[0.6, 0.7], [0.0, 0.0]]
    """
    n = len(grammar.nonterminals)
    rows, columns, values = _entries(grammar, None)
    C = np.zeros((n, n))
    np.add.at(C, (rows, columns), values)
    return C


def blocks(grammar: Grammar, z: Floats | None = None) -> list[Block]:
    """The components of C, what is below first; with z > 0 those of the Jacobian ∂f_A / ∂Z(B) at z instead.

    f_A(z) = Σ w Π z(B), of which C is the derivative at z = 1.
    """
    n = len(grammar.nonterminals)
    order = grammar.graph.order
    # An acyclic graph keeps no components: every node is one.
    acyclic = grammar.graph.is_acyclic
    bounds = np.arange(n + 1) if acyclic else np.asarray(grammar.graph.core.component_start)
    component = np.empty(n, dtype=np.int64)
    component[order] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n) - np.repeat(bounds[:-1], np.diff(bounds))
    rows, columns, values = _entries(grammar, z)
    by_component = np.argsort(component[rows], kind="stable")
    ends = np.searchsorted(component[rows], np.arange(len(bounds)), sorter=by_component)
    found = []
    for c, (first, last) in enumerate(pairwise(bounds.tolist())):
        mine = by_component[ends[c] : ends[c + 1]]
        inner = component[columns[mine]] == c
        matrix = np.zeros((last - first, last - first))
        at = mine[inner]
        np.add.at(matrix, (place[rows[at]], place[columns[at]]), values[at])
        found.append(Block(order[first:last], matrix, np.unique(columns[mine[~inner]])))
    return found


def _entries(grammar: Grammar, z: Floats | None) -> tuple[Nodes, Nodes, Floats]:
    """Row, column and value for every nonterminal on a right side, of rules that have a weight."""
    graph = grammar.graph
    edges = np.repeat(np.arange(graph.n_edges), np.diff(graph.tail_start))
    values = grammar.weights[graph.labels[edges]]
    if z is not None:
        product = np.ones(graph.n_edges)
        np.multiply.at(product, edges, z[graph.tails])
        values = values * np.divide(
            product[edges], z[graph.tails], out=np.zeros(len(edges)), where=z[graph.tails] > 0
        )
    kept = values > 0
    return graph.heads[edges[kept]], graph.tails[kept], values[kept]


def spectral_radius(block: Floats) -> float:
    """The largest eigenvalue of a non-negative matrix, irreducible up to zero entries.

    >>> round(spectral_radius(np.array([[0.0, 2.0], [0.5, 0.0]])), 12)
    1.0
    """
    n = len(block)
    if n <= 1:
        return float(block[0, 0]) if n else 0.0
    x = np.ones(n)
    upper = np.inf
    for _ in range(_STEPS):
        growth = (block @ x) / x
        lower, above = float(growth.min()), float(growth.max())
        if above - lower <= _AGREE * above or above >= upper:
            return min(above, upper)
        upper = above
        try:
            y = np.abs(np.linalg.solve(above * np.eye(n) - block, x))
        except np.linalg.LinAlgError:
            return above
        if not np.isfinite(y).all() or not (y > 0).all():
            break  # reducible after all (rules of weight zero), or of too wide a range
        x = y / y.max()
    return float(np.abs(np.linalg.eigvals(block)).max())

"""The expectation matrix C_AB = E[number of B in β | A → β], its components and largest eigenvalue. CSC 448, §9.4.

The spectral radius of a non-negative matrix is the largest of those of its irreducible blocks, the strongly
connected components of the grammar. For every x > 0 it lies between min_i (C x)_i / x_i and max_i (C x)_i / x_i
(Collatz 1942), so an iteration may stop when the two agree:

    x ← (C + I) x            the power method, O(entries) a step
    x ← (λ I - C)⁻¹ x        Noda's, with λ the bound from above: quadratic, O(n³) a step (Noda 1971)

Small blocks take the second at once, large ones after the first has slowed down.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from palmette.grammars.grammar import Floats, Grammar
from palmette.grammars.limits import check_matrix

_SMALL = 64
_STEPS = 1000
_NODA_STEPS = 100
_AGREE = 1e-14

Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Block:
    """A strongly connected component: its nonterminals, its part of the matrix, and what it uses from outside.

    Rows and columns are places among the nodes; those of `outer` are a place and the number of a nonterminal.
    """

    nodes: Nodes
    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    values: Floats
    below: Nodes
    outer: tuple[npt.NDArray[np.int64], Nodes, Floats]

    @property
    def matrix(self) -> Floats:
        """The block as a dense matrix."""
        n = len(self.nodes)
        check_matrix("The rules that use each other need a matrix of", n, n)
        dense = np.zeros((n, n))
        np.add.at(dense, (self.rows, self.columns), self.values)
        return dense

    @cached_property
    def radius(self) -> float:
        """Its spectral radius."""
        return spectral_radius(self)


def expectation_matrix(grammar: Grammar) -> Floats:
    """C, by the numbers of the nonterminals; for a weighted grammar with weights in place of probabilities.

    >>> expectation_matrix(Grammar("S -> S S [0.3] | A [0.7]\\nA -> 'a'")).tolist()
    [[0.6, 0.7], [0.0, 0.0]]
    """
    n = len(grammar.nonterminals)
    rows, columns, values = _entries(grammar, None)
    check_matrix("The expectations of this grammar are a matrix of", n, n)
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
        at, out = mine[inner], mine[~inner]
        outer = (place[rows[out]], columns[out], values[out])
        below = np.unique(columns[out])
        found.append(Block(order[first:last], place[rows[at]], place[columns[at]], values[at], below, outer))
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


def spectral_radius(block: Block) -> float:
    """The largest eigenvalue of a block."""
    n = len(block.nodes)
    if n == 1 or not len(block.values):
        return float(block.values.sum())
    x, lower, upper = np.ones(n), 0.0, np.inf
    if n > _SMALL:
        for _ in range(_STEPS):
            y: Floats = np.bincount(block.rows, block.values * x[block.columns], n).astype(np.float64)
            lower, upper = float((y / x).min()), float((y / x).max())
            if upper - lower <= _AGREE * upper:
                return upper
            y = y + x
            x = y / y.max()
    return _noda(block.matrix, x)


def _noda(C: Floats, x: Floats) -> float:
    """The radius of a dense block, from a positive vector."""
    n = len(C)
    upper = np.inf
    for _ in range(_NODA_STEPS):
        growth = (C @ x) / x
        lower, above = float(growth.min()), float(growth.max())
        if above - lower <= _AGREE * above or above >= upper:
            return min(above, upper)
        upper = above
        try:
            y = np.abs(np.linalg.solve(above * np.eye(n) - C, x))
        except np.linalg.LinAlgError:
            return above
        if not np.isfinite(y).all() or not (y > 0).all():
            break  # of too wide a range
        x = y / y.max()
    return float(np.abs(np.linalg.eigvals(C)).max())

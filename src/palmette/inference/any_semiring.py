"""The inside and the outside pass in a semiring that is written in Python: any object with zero, one, plus, times.

    inside(v) = ⊕ over edges e of v of  value(e) ⊗ inside(t₁) ⊗ inside(t₂) ⊗ …

O(edges + tails) operations of the semiring; outside takes O(edges · tails²). A node that is its own tail is solved
by `star`, where the semiring has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from palmette import _native
from palmette.inference.semiring import Semiring, Values

CycleError = _native.CycleError


def inside_in_python(graph: _native.Hypergraph, values: Values, semiring: Semiring[Any]) -> list[Any]:
    """Return the ⊕ over all derivations of each node; values: one for each part."""
    return _inside(graph, _plain_values(graph, values), semiring)


def outside_in_python(graph: _native.Hypergraph, values: Values, semiring: Semiring[Any]) -> list[Any]:
    """Return the ⊕ over all ways to complete each node to a derivation of the root."""
    plain = _plain_values(graph, values)
    if not graph.is_acyclic:
        raise CycleError("outside in this semiring needs an acyclic hypergraph", graph.find_cycle())
    s, inside = semiring, _inside(graph, plain, semiring)
    edge_start, tail_start, all_tails, labels = graph.edge_start, graph.tail_start, graph.tails, graph.labels
    total = [s.zero] * graph.n_nodes
    if graph.root >= 0:
        total[graph.root] = s.one
    for node in reversed(graph.order.tolist()):
        for edge in range(edge_start[node], edge_start[node + 1]):
            tails = all_tails[tail_start[edge] : tail_start[edge + 1]].tolist()
            for i, t in enumerate(tails):
                product = s.times(total[node], plain[labels[edge]])
                for j, other in enumerate(tails):
                    if j != i:
                        product = s.times(product, inside[other])
                total[t] = s.plus(total[t], product)
    return total


def _plain_values(graph: _native.Hypergraph, values: Values) -> Sequence[Any]:
    if len(values) != graph.n_parts:
        raise ValueError(f"expected one value for each of the {graph.n_parts} parts, got {len(values)}")
    # Python's numbers in place of NumPy's, which overflow.
    one_dimensional = isinstance(values, np.ndarray) and values.ndim == 1
    return values.tolist() if one_dimensional else values  # type: ignore[no-any-return]


def _inside(graph: _native.Hypergraph, values: Sequence[Any], semiring: Semiring[Any]) -> list[Any]:
    s, order = semiring, graph.order
    edge_start, tail_start, all_tails, labels = graph.edge_start, graph.tail_start, graph.tails, graph.labels
    for first, last in pairwise(graph.component_start.tolist()):
        if last - first > 1:
            nodes = sorted(order[first:last].tolist())
            raise CycleError("this semiring needs an acyclic hypergraph", nodes)
    total = [s.zero] * graph.n_nodes
    for node in order.tolist():
        loop = None  # the ⊕ of what a self-loop multiplies by
        for edge in range(edge_start[node], edge_start[node + 1]):
            tails = all_tails[tail_start[edge] : tail_start[edge + 1]].tolist()
            product = values[labels[edge]]
            for t in tails:
                if t != node:
                    product = s.times(product, total[t])
            if node in tails:
                if tails.count(node) > 1 or not hasattr(s, "star"):
                    raise CycleError("this semiring needs an acyclic hypergraph", [node])
                loop = product if loop is None else s.plus(loop, product)
            else:
                total[node] = s.plus(total[node], product)
        if loop is not None:
            total[node] = s.times(s.star(loop), total[node])  # type: ignore[attr-defined]
    return total

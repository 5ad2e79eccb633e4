"""Random hypergraphs with all that a careless algorithm trips over, and some with known answers.

Nodes in no topological order, shared subderivations, edges that use a tail twice, arities 0 to 5, parallel
edges, labels shared by edges, parts without edges, scores of -inf, nodes that nothing derives and nodes that
the root does not use. The acyclic ones have few enough derivations to enumerate.
"""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from oracles.enumeration import Floats
from palmette.inference.hypergraph import Hypergraph

Edge = tuple[int, list[int], int]  # head, tails, label
MOST = 400  # derivations


def count_derivations(edges: list[Edge], n_nodes: int) -> list[int]:
    """How many each node has, where tails are smaller numbers than heads."""
    counts = [0] * n_nodes
    for head, tails, _ in sorted(edges, key=lambda edge: edge[0]):
        counts[head] += prod(counts[t] for t in tails)
    return counts


def renumbered(edges: list[Edge], numbers: list[int], n_parts: int, root: int) -> Hypergraph:
    """The graph with node v called numbers[v]."""
    return Hypergraph.from_edges(
        [(numbers[head], [numbers[t] for t in tails], label) for head, tails, label in edges],
        n_nodes=len(numbers),
        n_parts=n_parts,
        root=numbers[root],
    )


def random_hypergraph(rng: np.random.Generator, *, max_nodes: int = 10) -> tuple[Hypergraph, Floats]:
    """A graph and part scores, of which one in ten is -inf."""
    while True:
        n_nodes, n_parts = int(rng.integers(1, max_nodes + 1)), int(rng.integers(1, 16))
        edges: list[Edge] = []
        for _ in range(int(rng.integers(0, 3 * n_nodes))):
            head = int(rng.integers(0, n_nodes))
            arity = int(rng.choice(6, p=[0.3, 0.25, 0.25, 0.1, 0.05, 0.05])) if head else 0
            tails = rng.integers(0, head, size=arity).tolist() if head else []
            edges.append((head, tails, int(rng.integers(0, n_parts))))
            if rng.random() < 0.1:
                edges.append(edges[-1])
        if max(count_derivations(edges, n_nodes)) <= MOST:
            break
    order = rng.permutation(len(edges))
    graph = renumbered([edges[i] for i in order], rng.permutation(n_nodes).tolist(), n_parts, n_nodes - 1)
    scores = np.where(rng.random(n_parts) < 0.1, -np.inf, rng.normal(size=n_parts) * rng.choice([0.1, 1, 10]))
    return graph, scores


def random_cases(n: int, seed: int) -> list[tuple[Hypergraph, Floats]]:
    """n graphs with their scores; most have derivations, some have none."""
    rng = np.random.default_rng(seed)
    return [random_hypergraph(rng) for _ in range(n)]


SCORES = st.one_of(st.floats(-8, 8, width=32), st.sampled_from([0.0, 1.0, -np.inf]))


@st.composite
def hypergraphs(draw: st.DrawFn, scores: st.SearchStrategy[float] = SCORES) -> tuple[Hypergraph, Floats]:
    """The same as a Hypothesis strategy, which shrinks to the smallest graph that fails."""
    n_nodes, n_parts = draw(st.integers(1, 6)), draw(st.integers(1, 8))
    edges: list[Edge] = []
    for head in draw(st.lists(st.integers(0, n_nodes - 1), max_size=12)):
        tails = draw(st.lists(st.integers(0, head - 1), max_size=4)) if head else []
        edges.append((head, tails, draw(st.integers(0, n_parts - 1))))
    assume(max(count_derivations(edges, n_nodes)) <= MOST)
    numbers = draw(st.permutations(range(n_nodes)))
    graph = renumbered(edges, numbers, n_parts, draw(st.integers(0, n_nodes - 1)))
    return graph, np.array(draw(st.lists(scores, min_size=n_parts, max_size=n_parts)))


# Graphs with a known answer


def chain(n: int, width: int = 1) -> Hypergraph:
    """n nodes in a row, each with `width` edges to the one before; part = edge. width^n derivations."""
    heads = np.repeat(np.arange(n), width)
    tail_start = np.concatenate([np.zeros(width, int), np.arange(width * (n - 1) + 1)])
    return Hypergraph(heads, tail_start, heads[width:] - 1, n_nodes=n)


def binary_forest(n: int) -> Hypergraph:
    """CKY over n words without labels: one node per span, one edge per split. catalan(n - 1) derivations."""
    spans = [(i, i + width) for width in range(1, n + 1) for i in range(n - width + 1)]
    number = {span: v for v, span in enumerate(spans)}
    edges: list[tuple[int, list[int]]] = []
    for (i, j), v in number.items():
        splits = [[number[i, k], number[k, j]] for k in range(i + 1, j)]
        edges += [(v, tails) for tails in splits or [[]]]
    return Hypergraph.from_edges(edges)


# Graphs with cycles


def pair_graph() -> Hypergraph:
    """S -> S S (part 0), S -> a (part 1)."""
    return Hypergraph.from_edges([(0, [0, 0]), (0, [])])


def random_cyclic(rng: np.random.Generator) -> Hypergraph:
    """Any edges at all; part = edge."""
    n = int(rng.integers(1, 9))
    edges = [
        (int(rng.integers(0, n)), rng.integers(0, n, size=rng.choice(4, p=[0.4, 0.3, 0.2, 0.1])).tolist())
        for _ in range(int(rng.integers(1, 4 * n)))
    ]
    return Hypergraph.from_edges(edges, n_nodes=n, root=n - 1)

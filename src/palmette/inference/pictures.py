"""Pictures of hypergraphs, forests and proofs: what can be reached from the root, the likelier the darker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from palmette.drawing.graphs import Hyperedge, check_size, draw_hypergraph_svg

if TYPE_CHECKING:
    from palmette.inference.forest import Forest, Proof
    from palmette.inference.hypergraph import Hypergraph

Name = Callable[[int], str]


def graph_svg(
    graph: Hypergraph,
    *,
    name_of: Name = str,
    label_of: Name | None = None,
    hidden: Callable[[int], bool] = lambda node: False,
    scores: npt.ArrayLike | None = None,
    least: float = 0.0,
    title: str = "",
) -> str:
    """Return what can be reached from the root of a graph as an SVG image.

    name_of: of a node; label_of: of a part, by default its number; hidden: nodes that are left out, which must be
    leaves. scores: of parts; an edge is then as dark as the probability of its use, and those
    below `least` are left out.
    """
    label_of = label_of or (lambda part: f"part {part}")
    labels = graph.labels.tolist()

    def is_given(edge: int) -> bool:
        """Say whether an edge without tails says what its node is."""
        return label_of(labels[edge]) == name_of(int(graph.heads[edge]))

    likely = np.ones(graph.n_edges) if scores is None else np.clip(graph.marginals(scores).edges, 0, 1)
    nodes, edges = _reached(graph, hidden, is_given, (likely >= least).tolist())
    check_size(len(nodes), len(edges), "graph")
    place = {node: i for i, node in enumerate(nodes)}
    drawn = [
        Hyperedge(place[head], [place[t] for t in tails], label_of(labels[e]), float(likely[e]))
        for e, head, tails in edges
    ]
    return draw_hypergraph_svg([name_of(node) for node in nodes], drawn, title=title or repr(graph)[1:-1])


def forest_svg(forest: Forest) -> str:
    """Return a forest with the names of its items; the facts at edges are their labels."""
    graph = forest.graph
    names = [forest.item(node) for node in range(graph.n_nodes)]

    def label(part: int) -> str:
        fact = forest.fact(part)
        return "" if fact is None else str(fact)

    return graph_svg(
        graph,
        name_of=lambda node: "goal" if node == graph.root and not names[node].arguments else str(names[node]),
        label_of=label,
        hidden=lambda node: names[node].name == "weight of the rule",
        scores=forest.scores if forest.is_product and graph.is_acyclic else None,
        title=repr(forest)[1:-1],
    )


def proof_svg(proof: Proof) -> str:
    """Return a proof: every item above its premises, with the fact of its step beside."""
    steps = list(proof.preorder())
    check_size(len(steps), len(steps), "proof")
    number = {id(step): i for i, (step, _) in enumerate(steps)}
    edges = [
        Hyperedge(number[id(step)], [number[id(child)] for child in step.children], _label(step))
        for step, _ in steps
        if step.children
    ]
    return draw_hypergraph_svg([str(step.item) for step, _ in steps], edges, title=repr(proof)[1:-1])


def _label(step: Proof) -> str:
    return "" if step.label is None or step.label == step.item else str(step.label)


def _reached(
    graph: Hypergraph, hidden: Callable[[int], bool], is_given: Callable[[int], bool], kept: Sequence[bool]
) -> tuple[list[int], list[tuple[int, int, list[int]]]]:
    """Return the nodes below the root, and their edges with heads and tails, but those of given nodes."""
    if graph.root < 0:
        return [], []
    nodes, seen, edges = [graph.root], {graph.root}, []
    start, tail_start, tails = graph.edge_start.tolist(), graph.tail_start.tolist(), graph.tails.tolist()
    for node in nodes:
        for e in range(start[node], start[node + 1]):
            if not kept[e]:
                continue
            below = [t for t in tails[tail_start[e] : tail_start[e + 1]] if not hidden(t)]
            if below or not is_given(e):
                edges.append((e, node, below))
            for t in below:
                if t not in seen:
                    seen.add(t)
                    nodes.append(t)
    return nodes, edges

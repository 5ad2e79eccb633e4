"""Max-rule product: the tree of the greatest product of the probabilities of its anchored rules.

    argmax over trees y of  Σ over rules A → B C over i, j, k of y of  log P(the rule there | words)

The second flavour of minimum risk (Petrov & Klein 2007): unlike labelled recall, the result is a tree of the
grammar. A rule of more than two children was split at made symbols; given a made item, what is below it does not
depend on what is above, so the probability of the whole rule is that of its topmost edge times
P(edge) / P(made item) of the others. Where unary rules run in cycles, P is the expected number of uses, at most 1.
O(edges of the forest).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from palmette.inference.hypergraph import Derivation
from palmette.structures.chart.agenda import Kept, Problem
from palmette.trees.tree import Tree

if TYPE_CHECKING:
    from palmette.structures.chart.chart import Chart


def best_rules(chart: Chart, words: tuple[str, ...], kept: Kept) -> tuple[Tree, float]:
    """The tree among those of the kept items, and the log of its product. There must be a tree."""
    problem = Problem.of(chart, words)
    forest = problem.run(kept=kept)
    graph = forest.graph
    marginals = forest.marginals()
    items = [forest.item(node).arguments for node in range(graph.n_nodes)]
    step = len(words) + 1
    made = np.array([len(item) == 3 and chart.is_made(int(item[0]) // step) for item in items], dtype=bool)
    with np.errstate(divide="ignore"):
        edges, nodes = np.log(marginals.edges), np.log(marginals.nodes)
    scores = edges - np.where(made & np.isfinite(nodes), nodes, 0.0)[graph.heads]
    by_edge = graph.relabelled(np.arange(graph.n_edges), graph.n_edges)
    best = by_edge.best(np.minimum(scores, 0.0))
    if best is None:
        raise ValueError(f"The probabilities of the trees of {' '.join(words[:8])!r} are too small.")
    proof = forest.proof(Derivation(graph, best.score, best.edges))
    return problem.tree(proof), best.score

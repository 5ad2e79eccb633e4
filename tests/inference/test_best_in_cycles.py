"""The best derivation where nodes form cycles: Knuth's algorithm, relaxation, cycles of positive score."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.inference.hypergraph import CycleError, Hypergraph
from palmette.inference.semiring import MAX
from samples.random_hypergraphs import random_cyclic

pytestmark = pytest.mark.native


def bellman_ford(graph: Hypergraph, scores: np.ndarray) -> np.ndarray | None:
    """Best scores by plain iteration, or None where they keep rising."""
    best = np.full(graph.n_nodes, -math.inf)
    for _ in range(graph.n_nodes + 2):
        before = best.copy()
        for edge, head in enumerate(graph.heads):
            best[head] = max(best[head], scores[graph.labels[edge]] + best[graph.tails_of(edge)].sum())
        if np.array_equal(best, before):
            return best
    return None


def best_through(graph: Hypergraph, scores: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """The score of the best derivation through each edge, from the root down by plain iteration."""
    outside = np.where(np.arange(graph.n_nodes) == graph.root, 0.0, -math.inf)
    through = np.full(graph.n_edges, -math.inf)
    for _ in range(graph.n_nodes + 2):
        for edge, head in enumerate(graph.heads):
            tails = graph.tails_of(edge)
            own = outside[head] + scores[graph.labels[edge]]
            for i, t in enumerate(tails):
                if inside[t] > -math.inf:
                    outside[t] = max(outside[t], own + np.delete(inside[tails], i).sum())
            through[edge] = own + inside[tails].sum()
    return through


def check(graph: Hypergraph, scores: np.ndarray) -> None:
    want = bellman_ford(graph, scores)
    if want is None:
        with pytest.raises(CycleError, match="a cycle has a positive score"):
            graph.best(scores)
        return
    np.testing.assert_allclose(graph.inside(scores, MAX), want, atol=1e-9)
    best = graph.best(scores)
    if best is None:
        assert want[graph.root] == -math.inf
        return
    assert best.score == pytest.approx(want[graph.root])
    assert scores[best.parts].sum() == pytest.approx(want[graph.root])
    best.tree()  # is well-formed
    np.testing.assert_allclose(graph.max_marginals(scores), best_through(graph, scores, want), atol=1e-9)
    np.testing.assert_allclose(graph.max_marginals(scores)[best.edges], best.score)


@given(st.integers(0, 2**32 - 1))
def test_knuth_where_no_score_is_positive(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_cyclic(rng)
    check(graph, np.where(rng.random(graph.n_parts) < 0.1, -math.inf, -rng.integers(0, 4, graph.n_parts)))


@given(st.integers(0, 2**32 - 1))
def test_relaxation_where_some_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_cyclic(rng)
    check(graph, rng.integers(-6, 2, graph.n_parts).astype(float))


def test_the_best_derivation_through_an_edge_may_go_round_a_cycle() -> None:
    graph = Hypergraph.from_edges([(0, []), (0, [1]), (1, [0])], root=0)
    assert graph.max_marginals([-1.0, -2.0, -3.0]).tolist() == [-1.0, -6.0, -6.0]


def test_a_positive_cycle_is_refused_by_name() -> None:
    graph = Hypergraph.from_edges([(0, []), (1, [0]), (1, [2]), (2, [1]), (3, [2])])
    with pytest.raises(CycleError, match="infinite, since a cycle has a positive score") as error:
        graph.best([0.0, 0.0, 1.0, -0.5, 0.0])
    assert sorted(error.value.args[1]) == [1, 2]
    best = graph.best([0.0, 0.0, 1.0, -1.0, 0.0])
    assert best is not None
    assert best.edges.tolist() == [4, 3, 1, 0]


@pytest.mark.parametrize("start", [0.0, 1e-30, -1.0, 1e6])
def test_a_cycle_that_is_positive_only_by_rounding_comes_to_rest(start: float) -> None:
    assert 0.1 + 0.2 - 0.3 > 0.0
    graph = Hypergraph.from_edges([(0, []), (1, [0]), (2, [1]), (0, [2])], root=0)
    best = graph.best([start, 0.1, 0.2, -0.3])
    assert best is not None
    assert best.edges.tolist() == [0]
    assert graph.max_marginals([start, 0.1, 0.2, -0.3])[0] == pytest.approx(start)


def test_best_stands_where_sums_diverge() -> None:
    graph = Hypergraph.from_edges([(0, []), (0, [0]), (0, [0, 0])])
    best = graph.best([0.0, 0.0, 0.0])
    assert best is not None
    assert best.edges.tolist() == [0]
    assert graph.prune([0.0, -1.0, -5.0], margin=2.0).n_edges == 2

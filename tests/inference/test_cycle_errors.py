"""Cycles that have no sum, cycles that do no harm, and what needs an acyclic graph."""

from __future__ import annotations

import math

import numpy as np
import pytest

from palmette.inference.hypergraph import CycleError, Hypergraph
from palmette.inference.semiring import BOOLEAN, REAL, KBest
from samples.random_hypergraphs import pair_graph

pytestmark = pytest.mark.native


# What has no sum


def test_divergence_names_its_nodes() -> None:
    # A harmless loop on node 1; nodes 2 and 3 feed each other; 4 stands above.
    edges = [(0, []), (1, [0]), (1, [1]), (2, [1]), (2, [3]), (3, [2]), (4, [2])]
    graph = Hypergraph.from_edges(edges)
    scores = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    for ask in (graph.log_z, graph.marginals, graph.samples, graph.entropy):
        with pytest.raises(CycleError, match="the sum over derivations diverges") as error:
            ask(scores)
        assert error.value.args[1] == [2, 3]
        assert str(error.value) == "the sum over derivations diverges: nodes 2, 3"
    scores[4] = -0.1
    assert math.isfinite(graph.log_z(scores))


@pytest.mark.parametrize("scores", [[0.0, math.log(0.2500001)], [0.0, 0.0], [50.0, 50.0], [-1.0, 900.0]])
def test_a_quadratic_without_a_root_diverges(scores: list[float]) -> None:
    with pytest.raises(CycleError, match="diverges") as error:
        pair_graph().log_z(scores)
    assert error.value.args[1] == [0]


@pytest.mark.parametrize("loop", [1.0, 1 + 1e-9, 2.0, 1e300])
def test_a_loop_that_does_not_shrink_diverges(loop: float) -> None:
    graph = Hypergraph.from_edges([(0, []), (0, [0])])
    with pytest.raises(CycleError, match="diverges"):
        graph.inside([1.0, loop], REAL)


def test_a_large_component_that_diverges() -> None:
    n = 1500
    edges = [(v, [(v + 1) % n]) for v in range(n)] + [(v, [v]) for v in range(n)] + [(0, [])]
    graph = Hypergraph.from_edges(edges, root=0)
    with pytest.raises(CycleError, match="diverges"):
        graph.inside(np.concatenate([np.full(2 * n, 0.51), [1.0]]), REAL)
    assert graph.inside(np.concatenate([np.full(2 * n, 0.49), [1.0]]), REAL)[0] == pytest.approx(1 / 0.51)


# Cycles that nothing derives


def test_cycles_that_nothing_derives_are_harmless() -> None:
    # 1 and 2 derive only each other; 4 and 5 do too, since 5 needs 1; 3 is derived by 0.
    edges = [(0, []), (1, [2]), (2, [1]), (3, [0]), (3, [1]), (4, [5]), (5, [4, 1]), (4, [0]), (3, [4])]
    graph = Hypergraph.from_edges(edges, root=3)
    zeros = np.zeros(9)
    assert graph.log_z(zeros) == pytest.approx(math.log(2))
    assert graph.count() == 2
    marginals = graph.marginals(zeros)
    np.testing.assert_allclose(marginals.nodes, [1.0, 0.0, 0.0, 1.0, 0.5, 0.0])
    for scores in (zeros, np.ones(9)):
        best = graph.best(scores)
        assert best is not None
        assert best.score == 3 * scores[0]
        assert np.isfinite(graph.max_marginals(scores)).sum() == 4
    assert graph.inside(np.ones(9, bool), BOOLEAN).tolist() == [True, False, False, True, True, False]
    assert len(graph.samples(zeros, 5)) == 5


def test_a_root_in_a_cycle_that_nothing_derives() -> None:
    graph = Hypergraph.from_edges([(0, [1]), (1, [0]), (0, [0])], root=0)
    for scores in (np.zeros(3), np.ones(3)):
        assert graph.log_z(scores) == -math.inf
        assert graph.marginals(scores).parts.tolist() == [0.0, 0.0, 0.0]
        assert graph.best(scores) is None
        assert graph.max_marginals(scores).tolist() == [-math.inf] * 3
    assert graph.count() == 0


def test_counting_beyond_64_bits_beside_a_cycle_that_nothing_derives() -> None:
    edges = [(0, [])] + [(v, [v - 1]) for v in range(1, 101) for _ in range(2)] + [(101, [102]), (102, [101])]
    assert Hypergraph.from_edges(edges, root=100).count() == 2**100


def test_counting_says_which_nodes_have_infinitely_many() -> None:
    graph = Hypergraph.from_edges([(0, []), (1, [0]), (1, [2]), (2, [1])], root=1)
    with pytest.raises(CycleError, match="there are infinitely many derivations") as error:
        graph.count()
    assert sorted(error.value.args[1]) == [1, 2]


# What needs an acyclic graph


def test_what_needs_an_acyclic_graph_says_which_cycle_it_met() -> None:
    graph = Hypergraph.from_edges([(0, []), (1, [0]), (1, [3]), (2, [1]), (3, [2]), (4, [1])], root=4)
    scores = np.full(6, -1.0)
    for what, ask in {
        "k-best": lambda: graph.kbest(scores, 2),
        "the covariance": lambda: graph.covariance(scores, scores),
        "this semiring": lambda: graph.inside(scores, KBest(2)),
    }.items():
        with pytest.raises(CycleError, match=f"{what} needs an acyclic hypergraph") as error:
            ask()
        cycle = error.value.args[1]
        assert sorted(cycle) == [1, 2, 3]
        # In the order of derivation: each has the next one as a tail.
        tails = {1: [0, 3], 2: [1], 3: [2]}
        assert all(after in tails[v] for v, after in zip(cycle, cycle[1:] + cycle[:1]))

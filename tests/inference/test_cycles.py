"""Sums over cycles of unary edges: geometric series and linear systems, on any scale."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from hypothesis import given
from hypothesis import strategies as st

from palmette.inference.hypergraph import CycleError, Hypergraph
from palmette.inference.semiring import BOOLEAN, REAL
from samples.random_hypergraphs import pair_graph, random_cyclic

pytestmark = pytest.mark.native


def matrix_graph(A: np.ndarray, b: np.ndarray) -> tuple[Hypergraph, np.ndarray]:
    """x = A x + b as a graph with a unary edge per entry of A and a leaf per entry of b, and its weights."""
    rows, columns = np.nonzero(A)
    leaves = np.flatnonzero(b)
    edges = [(int(i), [int(j)]) for i, j in zip(rows, columns)] + [(int(i), []) for i in leaves]
    graph = Hypergraph.from_edges(edges, n_nodes=len(b), root=0, n_parts=len(edges))
    return graph, np.concatenate([A[rows, columns], b[leaves]])


# Linear components


@pytest.mark.parametrize("loop", [0.5, 0.999, 1 - 1e-6, 1 - 1e-10, 1e-300])
def test_a_self_loop_is_a_geometric_series(loop: float) -> None:
    graph = Hypergraph.from_edges([(0, []), (0, [0])])
    weights = np.array([3.0, loop])
    want = 3 / (1 - loop)
    assert graph.inside(weights, REAL)[0] == pytest.approx(want, rel=1e-12)
    # A score of log(loop) holds 1 - loop only to so many digits.
    digits = 1e-13 / (1 - loop)
    assert graph.log_z(np.log(weights)) == pytest.approx(math.log(want), abs=digits)
    marginals = graph.marginals(np.log(weights))
    np.testing.assert_allclose(marginals.parts, [1.0, loop / (1 - loop)], rtol=digits)
    np.testing.assert_allclose(marginals.nodes, [1 / (1 - loop)], rtol=digits)


@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_unary_rules_are_a_matrix_inverse(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.random((n, n)) * (rng.random((n, n)) < 0.4)
    A *= 0.95 / max(1.0, np.abs(np.linalg.eigvals(A)).max())
    b = rng.random(n) * (rng.random(n) < 0.6)
    graph, weights = matrix_graph(A, b)
    inverse = np.linalg.inv(np.eye(n) - A)
    inside = graph.inside(weights, REAL)
    np.testing.assert_allclose(inside, inverse @ b, rtol=1e-9, atol=1e-12)
    derived = inside > 0
    logs = graph.inside(np.log(weights))
    assert np.array_equal(logs > -math.inf, derived)
    np.testing.assert_allclose(logs[derived], np.log((inverse @ b)[derived]), rtol=1e-9, atol=1e-9)
    outside = graph.outside(weights, REAL)
    np.testing.assert_allclose(outside[derived], inverse[0][derived], rtol=1e-9, atol=1e-12)


def test_a_component_beyond_elimination_agrees_with_a_sparse_solver() -> None:
    n, rng = 1500, np.random.default_rng(10)
    ring = np.arange(n)
    rows = np.concatenate([ring, rng.integers(0, n, 2 * n)])
    columns = np.concatenate([(ring + 1) % n, rng.integers(0, n, 2 * n)])
    weights = rng.random(3 * n) * 0.3
    edges = [(int(i), [int(j)]) for i, j in zip(rows, columns)] + [(int(v), []) for v in ring]
    graph = Hypergraph.from_edges(edges, root=0)
    A = scipy.sparse.csr_array((weights, (rows, columns)), shape=(n, n))
    system = scipy.sparse.eye_array(n, format="csc") - A.tocsc()
    want = scipy.sparse.linalg.spsolve(system, np.ones(n))
    values = np.concatenate([weights, np.ones(n)])
    np.testing.assert_allclose(graph.inside(values, REAL), want, rtol=1e-10)
    unit = np.zeros(n)
    unit[0] = 1.0
    outside = scipy.sparse.linalg.spsolve(system.T.tocsc(), unit)
    np.testing.assert_allclose(graph.marginals(np.log(values)).nodes, want * outside / want[0], rtol=1e-9)


@pytest.mark.parametrize("backwards", [False, True])
def test_a_long_ring(backwards: bool) -> None:
    n = 20_000
    edges = [(v, [(v - 1) % n if backwards else (v + 1) % n]) for v in range(n)] + [(n // 2, [])]
    graph = Hypergraph.from_edges(edges, root=0)
    scores = np.full(n + 1, -0.001)
    around = math.exp(-0.001 * n)
    assert graph.log_z(scores) == pytest.approx(-0.001 * (n // 2 + 1) - math.log1p(-around), rel=1e-9)
    best = graph.best(scores)
    assert best is not None
    assert best.score == pytest.approx(-0.001 * (n // 2 + 1))
    assert len(best.edges) == n // 2 + 1
    assert graph.marginals(scores).nodes[0] == pytest.approx(1 / (1 - around))
    assert graph.inside(np.ones(n + 1, dtype=bool), BOOLEAN).all()


@pytest.mark.parametrize("n", [300, 1500])
@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9])
def test_components_close_to_divergence(n: int, gap: float) -> None:
    """Rows of A that sum to 1 - gap have (I - A)⁻¹ 1 = 1 / gap."""
    rng = np.random.default_rng(12)
    degree = 4
    columns = rng.integers(0, n, size=(n, degree))
    columns[:, 0] = (np.arange(n) + 1) % n
    weights = rng.random((n, degree))
    weights *= (1 - gap) / weights.sum(axis=1, keepdims=True)
    edges = [(v, [int(t)]) for v in range(n) for t in columns[v]] + [(v, []) for v in range(n)]
    graph = Hypergraph.from_edges(edges, root=0)
    inside = graph.inside(np.concatenate([weights.ravel(), np.ones(n)]), REAL)
    np.testing.assert_allclose(inside, 1 / gap, rtol=1e-13 / gap)
    with pytest.raises(CycleError, match="diverges"):
        graph.inside(np.concatenate([weights.ravel() * (1 + 2 * gap), np.ones(n)]), REAL)


def test_many_small_components() -> None:
    n = 50_000
    edges = [(v, [v - 1] * (v > 0)) for v in range(n)] + [(v, [v]) for v in range(n)]
    graph = Hypergraph.from_edges(edges)
    scores = np.full(2 * n, math.log(0.5))
    marginals = graph.marginals(scores)
    assert marginals.log_z == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_allclose(marginals.nodes, 2.0)
    assert (
        graph.inside(np.full(2 * n, 0.5), REAL)[-1] == graph.outside(np.full(2 * n, 0.5), REAL)[0] / 2 == 1.0
    )
    assert graph.best(scores) is not None
    assert graph.inside(np.ones(2 * n, dtype=bool), BOOLEAN).all()


def test_the_nodes_of_a_component_stand_together_in_the_order() -> None:
    rng = np.random.default_rng(13)
    for _ in range(50):
        graph = random_cyclic(rng)
        reach = np.eye(graph.n_nodes, dtype=bool)
        for edge, head in enumerate(graph.heads):
            reach[head, graph.tails_of(edge)] = True
        for k in range(graph.n_nodes):
            reach |= np.outer(reach[:, k], reach[k])
        place = np.argsort(graph.order)
        for v in range(graph.n_nodes):
            for u in range(graph.n_nodes):
                if reach[v, u] and not reach[u, v]:
                    assert place[u] < place[v]


def test_booleans_say_where_the_sums_are_not_zero() -> None:
    rng = np.random.default_rng(14)
    for _ in range(50):
        graph = random_cyclic(rng)
        scores = rng.normal(-4.0, 1.0, size=graph.n_parts)  # low enough for all sums to exist
        truths = np.ones(graph.n_parts, dtype=bool)
        derived = graph.inside(scores) > -math.inf
        assert np.array_equal(graph.inside(truths, BOOLEAN), derived)
        used = graph.outside(scores) > -math.inf
        assert np.array_equal(graph.outside(truths, BOOLEAN)[derived], used[derived])


# Scales


@pytest.mark.parametrize("far", [-1000.0, -20.0, 1000.0, -1e5])
def test_nodes_of_one_component_on_different_scales(far: float) -> None:
    """A -> a, A -> B (weight e^-1 / e^far), B -> A (e^far): B is worth e^far times A."""
    graph = Hypergraph.from_edges([(0, []), (0, [1]), (1, [0])], root=0)
    scores = [0.0, -1.0 - far, far]
    log_z = -math.log1p(-math.exp(-1))
    np.testing.assert_allclose(graph.inside(scores), [log_z, log_z + far], rtol=1e-10)
    np.testing.assert_allclose(graph.outside(scores), [log_z, log_z - 1 - far], rtol=1e-10)
    ratio = math.exp(-1) / (1 - math.exp(-1))
    np.testing.assert_allclose(graph.marginals(scores).parts, [1.0, ratio, ratio], rtol=1e-9)


@pytest.mark.parametrize("far", [-1000.0, -1e5])
def test_a_side_road_of_a_cycle_hardly_ever_taken(far: float) -> None:
    graph = Hypergraph.from_edges([(0, []), (0, [1]), (1, [0])], root=0)
    scores = [0.0, -1.0, far]
    np.testing.assert_allclose(graph.inside(scores), [0.0, far], atol=1e-12)
    np.testing.assert_allclose(graph.outside(scores), [0.0, -1.0], atol=1e-12)
    np.testing.assert_allclose(graph.marginals(scores).parts, [1.0, 0.0, 0.0], atol=1e-12)


def test_values_outside_the_range_of_a_double() -> None:
    graph = Hypergraph.from_edges([(0, []), (1, [0]), (1, [1])])
    for score in (-1000.0, -1e5, 1e4):
        assert graph.log_z([score, 0.0, math.log(0.5)]) == pytest.approx(score + math.log(2))
    # S -> S S | a with a tiny S: the square is no part of it.
    assert pair_graph().log_z([0.0, -1000.0]) == pytest.approx(-1000.0)
    assert pair_graph().log_z([1000.0, -1002.0]) == pytest.approx(
        math.log((1 - math.sqrt(1 - 4 * math.exp(-2))) / 2) - 1000
    )


def test_plain_numbers_beyond_the_range_are_refused() -> None:
    graph = Hypergraph.from_edges([(0, [], 0), (1, [0, 0], 1), (2, [1], 1), (2, [2], 2)])
    with pytest.raises(ValueError, match="range"):
        graph.inside([1e200, 1.0, 0.5], REAL)
    above = Hypergraph.from_edges([(0, [], 0), (0, [0], 2), (1, [0, 0, 0], 1)])
    assert above.inside([1e200, 1.0, 0.5], REAL).tolist() == [2e200, math.inf]
    with pytest.raises(ValueError, match="range"):
        above.outside([1e200, 1.0, 0.5], REAL)
    with pytest.raises(ValueError, match="sums over cycles need weights that are not negative"):
        above.inside([1.0, 1.0, -0.5], REAL)
    # Elsewhere they may be.
    assert above.inside([1.0, -1.0, 0.5], REAL).tolist() == [2.0, -8.0]

"""Sums over cycles of edges with several tails: the smaller roots of polynomials, and samples of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.enumeration import gradient
from palmette.inference.hypergraph import Hypergraph
from palmette.inference.semiring import LOG, REAL
from samples.random_hypergraphs import pair_graph, random_cyclic

pytestmark = pytest.mark.native


# Components with products


@pytest.mark.parametrize("p", [0.1, 0.3, 0.49, 0.499999, 0.5 - 1e-12, 0.5, 0.7])
def test_a_branching_process_dies_out_with_the_smaller_root(p: float) -> None:
    """x = p x² + (1 - p): 1 where p <= 1/2, else (1 - p) / p."""
    want = min(1.0, (1 - p) / p)
    tolerance = 1e-6 if abs(p - 0.5) < 1e-3 else 1e-12
    assert pair_graph().inside([p, 1 - p], REAL)[0] == pytest.approx(want, rel=tolerance)
    assert pair_graph().log_z(np.log([p, 1 - p])) == pytest.approx(math.log(want), abs=tolerance)


@given(st.floats(0.01, 0.97), st.floats(-6, 3))
def test_the_smaller_root_of_a_quadratic(discriminant: float, log_b: float) -> None:
    b = math.exp(log_b)
    a = (1 - discriminant) / (4 * b)
    want = (1 - math.sqrt(discriminant)) / (2 * a)
    assert pair_graph().inside([a, b], REAL)[0] == pytest.approx(want, rel=1e-10)


@pytest.mark.parametrize("n", [100, 1200])
@pytest.mark.parametrize("p", [0.3, 0.49, 0.6])
def test_many_branching_processes_in_one_component(n: int, p: float) -> None:
    rng = np.random.default_rng(15)
    edges = [(v, [(v + 1) % n, int(rng.integers(0, n))], 0) for v in range(n)] + [
        (v, [], 1) for v in range(n)
    ]
    graph = Hypergraph.from_edges(edges, root=0)
    np.testing.assert_allclose(graph.inside([p, 1 - p], REAL), min(1.0, (1 - p) / p), rtol=1e-11)
    # The total progeny again, with the share p' of pairs among the derivations that end.
    share = min(p, 1 - p)
    np.testing.assert_allclose(
        graph.marginals(np.log([p, 1 - p])).nodes.sum(), 1 / (1 - 2 * share), rtol=1e-9
    )


def test_expected_sizes_of_a_branching_process() -> None:
    # A derivation of S has 1 / (1 - 2p) nodes on average.
    p = 0.3
    marginals = pair_graph().marginals(np.log([p, 1 - p]))
    assert marginals.nodes[0] == pytest.approx(1 / (1 - 2 * p))
    np.testing.assert_allclose(marginals.edges, [p / (1 - 2 * p), (1 - p) / (1 - 2 * p)])


def fixpoint(graph: Hypergraph, weights: np.ndarray) -> np.ndarray:
    x = np.zeros(graph.n_nodes)
    for _ in range(2000):
        y = np.zeros(graph.n_nodes)
        for edge, head in enumerate(graph.heads):
            y[head] += weights[graph.labels[edge]] * np.prod(x[graph.tails_of(edge)])
        if np.array_equal(x, y):
            break
        x = y
    return x


def test_random_cyclic_graphs_against_plain_iteration_and_finite_differences() -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        graph = random_cyclic(rng)
        scores = rng.normal(-4.0, 1.0, size=graph.n_parts)  # low enough for all sums to exist
        want = fixpoint(graph, np.exp(scores))
        np.testing.assert_allclose(graph.inside(np.exp(scores), REAL), want, rtol=1e-10)
        np.testing.assert_allclose(np.exp(graph.inside(scores, LOG)), want, rtol=1e-10)
        if want[graph.root] > 0:
            marginals = graph.marginals(scores)
            slopes = gradient(graph.log_z, scores)
            np.testing.assert_allclose(marginals.parts, slopes, rtol=1e-5, atol=1e-7)
            # What flows into a node flows out of it.
            np.testing.assert_allclose(
                np.bincount(graph.heads, marginals.edges, graph.n_nodes), marginals.nodes, atol=1e-12
            )


def test_the_entropy_of_a_geometric_distribution() -> None:
    graph = Hypergraph.from_edges([(0, []), (0, [0])])
    for q in (0.5, 0.9):
        want = -(q * math.log(q) + (1 - q) * math.log(1 - q)) / (1 - q)
        assert graph.entropy(np.log([1.0, q])) == pytest.approx(want)


# Samples


def test_samples_of_a_cyclic_graph_have_the_right_mean_length() -> None:
    n, p = 4000, 0.3
    scores = np.log([p, 1 - p])
    graph = pair_graph()
    samples = graph.samples(scores, n, random_state=1)
    sizes = np.array([len(d.edges) for d in samples])
    # Mean 1 / (1 - 2p); the variance of the total progeny is 4 p (1 - p) / (1 - 2p)³.
    deviation = math.sqrt(4 * p * (1 - p) / (1 - 2 * p) ** 3 / n)
    assert abs(sizes.mean() - 1 / (1 - 2 * p)) < 4 * deviation
    for sample in samples[:50]:
        assert sample.score == pytest.approx(scores[sample.parts].sum() - graph.log_z(scores), abs=1e-9)

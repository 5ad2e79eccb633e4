"""Sums take plain doubles where all values fit and scaled ones elsewhere; nobody may see the difference.

The expectation semiring always runs on scaled numbers, so it is the other side of every comparison.
"""

from __future__ import annotations

import numpy as np
import pytest

from palmette.inference.hypergraph import Hypergraph
from palmette.inference.semiring import EXPECTATION
from samples.random_hypergraphs import binary_forest

pytestmark = pytest.mark.native

LIMIT = 255 * np.log(2)  # of one plain value


def scaled_logs(graph: Hypergraph, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    pairs = np.stack([scores, np.zeros_like(scores)], axis=1)
    return graph.inside(pairs, EXPECTATION)[:, 0], graph.outside(pairs, EXPECTATION)[:, 0]


def assert_same(graph: Hypergraph, scores: np.ndarray) -> None:
    inside, outside = scaled_logs(graph, scores)
    np.testing.assert_allclose(graph.inside(scores), inside, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(graph.outside(scores), outside, rtol=1e-12, atol=1e-9)
    marginals = graph.marginals(scores)
    total = inside[graph.root]
    assert marginals.log_z == pytest.approx(total)
    np.testing.assert_allclose(marginals.nodes, np.exp(inside + outside - total), atol=1e-9)
    by_part = np.bincount(graph.labels, marginals.edges, graph.n_parts)
    np.testing.assert_allclose(marginals.parts, by_part, atol=1e-9)


@pytest.mark.parametrize("scale", [0.01, 1.0, 5.0, 20.0, 60.0, 170.0, 180.0, 1000.0])
@pytest.mark.parametrize("sign", [-1, 0, 1])
def test_the_sums_are_those_of_scaled_numbers(scale: float, sign: int) -> None:
    graph = binary_forest(7)
    scores = np.random.default_rng(int(scale) + 1 + sign).normal(
        sign * scale, 0.1 + scale / 10, graph.n_parts
    )
    assert_same(graph, scores)


@pytest.mark.parametrize(
    "score", [-LIMIT, LIMIT, -LIMIT * (1 + 1e-9), LIMIT * (1 + 1e-9), -700.0, -800.0, 700.0]
)
def test_around_the_limits_of_a_plain_value(score: float) -> None:
    graph = binary_forest(4)
    for part in range(graph.n_parts):
        scores = np.zeros(graph.n_parts)
        scores[part] = score
        assert_same(graph, scores)


def test_a_tiny_alternative_keeps_its_marginal() -> None:
    # Two edges for one node, one of them e^-600 of the other: too little for plain values, and not nothing.
    graph = Hypergraph.from_edges([(0, []), (0, [])])
    assert graph.marginals([0.0, -600.0]).parts[1] == pytest.approx(np.exp(-600.0), rel=1e-9)


def test_log_zero_stays_zero() -> None:
    graph = binary_forest(5)
    scores = np.full(graph.n_parts, -1.0)
    scores[0] = -np.inf
    inside, _ = scaled_logs(graph, scores)
    np.testing.assert_array_equal(np.isfinite(graph.inside(scores)), np.isfinite(inside))
    assert graph.marginals(scores).parts[0] == 0.0

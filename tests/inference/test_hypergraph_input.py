"""Empty graphs, impossible graphs, and graphs and scores that are refused in one clear sentence."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

from palmette.inference.hypergraph import Hypergraph
from palmette.inference.semiring import KBest

pytestmark = pytest.mark.native

TWO = Hypergraph.from_edges([(0, []), (1, [0])])

NOTHING = {
    "no nodes": Hypergraph([], [0], []),
    "no root": Hypergraph.from_edges([(0, []), (1, [0])], root=-1),
    "a root without edges": Hypergraph.from_edges([(0, []), (1, [0])], n_nodes=3),
    "a root of unproductive tails": Hypergraph.from_edges([(0, []), (2, [0, 1])]),
    "a forbidden leaf": Hypergraph.from_edges([(0, [], 0), (1, [0], 1)]),
}


@pytest.mark.parametrize("name", NOTHING)
def test_where_there_is_no_derivation(name: str) -> None:
    graph = NOTHING[name]
    scores = np.full(graph.n_parts, -math.inf) if name == "a forbidden leaf" else np.zeros(graph.n_parts)
    assert graph.log_z(scores) == -math.inf
    assert graph.best(scores) is None
    assert graph.kbest(scores, 3) == []
    assert graph.mbr(scores) is graph.mbr(scores, over="nodes") is None
    assert graph.count() == (name == "a forbidden leaf")
    marginals = graph.marginals(scores)
    assert marginals.log_z == -math.inf
    for numbers in (marginals.parts, marginals.nodes, marginals.edges):
        assert (numbers == 0).all()
    assert graph.entropy(scores) == graph.expectation(scores, np.ones(graph.n_parts)) == 0.0
    assert (graph.covariance(scores, np.ones(graph.n_parts)) == 0).all()
    assert (graph.entropy_gradient(scores) == 0).all()
    assert (graph.max_marginals(scores) == -math.inf).all()
    assert graph.prune(scores, 1.0).n_edges == 0
    assert len(graph.outside(scores)) == graph.n_nodes
    with pytest.raises(ValueError, match="there is no derivation to sample from"):
        graph.samples(scores)


def test_marginals_are_arrays_of_the_right_length() -> None:
    graph = Hypergraph.from_edges([(0, [])], n_nodes=5, n_parts=7, root=0)
    marginals = graph.marginals(np.zeros(7))
    assert (len(marginals.parts), len(marginals.nodes), len(marginals.edges)) == (7, 5, 1)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0], [0, 0], []), {"n_nodes": -1}, "must not be negative"),
        (([0], [0, 0], []), {"n_parts": -1}, "must not be negative"),
        (([0], [0, 0], []), {"root": 1}, "root 1 is not one of the 1 nodes"),
        (([0], [0, 0], []), {"root": -2}, "root -2 is not one of the 1 nodes"),
        (([0], [0, 0], []), {"n_nodes": 2**31}, "n_nodes must be below 2\\^31, got 2147483648"),
        (([0], [0, 0], []), {"n_parts": 2**40}, "n_parts must be below 2\\^31"),
        (([0], [0, 0], []), {"root": -(2**40)}, "root must be below 2\\^31"),
        (([3], [0, 0], []), {"n_nodes": 2}, "edge 0 has head 3, but there are 2 nodes"),
        (([0], [0, 1], [9]), {"n_nodes": 2}, "an edge has tail 9, but there are 2 nodes"),
        (([0], [0, 0], []), {"labels": [4], "n_parts": 2}, "edge 0 has label 4, but there are 2 parts"),
        (([0], [0, 0], []), {"labels": [0.0]}, "labels must be a one-dimensional array of integers"),
        (([0], [0, 0], []), {"labels": [True]}, "labels must be a one-dimensional array of integers"),
        (([0], [0, 0], []), {"labels": [0, 1]}, "must describe the same number of edges"),
        (([0.5], [0, 0], []), {}, "heads must be a one-dimensional array of integers"),
        (([[0]], [0, 0], []), {}, "heads must be a one-dimensional array of integers"),
        (([-1], [0, 0], []), {}, "heads must lie between 0 and 2\\^31 - 2; found -1 to -1"),
        (([0], [0, 1], [2**31]), {}, "tails must lie between 0 and 2\\^31 - 2"),
        (([0], [0, 1], [2**31 - 1]), {}, "tails must lie between 0 and 2\\^31 - 2"),
        (([0], [0], []), {}, "must describe the same number of edges"),
        (([0], [], []), {}, "must describe the same number of edges"),
        (([0], [0, 1], []), {}, "tail starts must begin at 0 and end at the number of tails"),
        (([0], [1, 1], [0]), {}, "tail starts must begin at 0 and end at the number of tails"),
        (([0, 0], [0, 2, 1], [0]), {"n_nodes": 1}, "tail starts must not decrease"),
        (([0, 0], [0, -5, 1], [0]), {"n_nodes": 1}, "tail starts must not decrease"),
        (([0], [0.0, 1.0], [0]), {}, "tail_start must be a one-dimensional array of integers"),
    ],
)
def test_graphs_that_are_none(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Hypergraph(*arguments, **options)


def test_edges_of_two_kinds() -> None:
    with pytest.raises(ValueError, match="all \\(head, tails\\) or all \\(head, tails, label\\)"):
        Hypergraph.from_edges([(0, []), (1, [0], 3)])


def test_a_root_that_is_no_integer() -> None:
    with pytest.raises(TypeError, match="integer"):
        Hypergraph.from_edges([(0, [])], root=0.0)  # type: ignore[arg-type]
    assert Hypergraph.from_edges([(0, [])], root=np.int64(0)).root == 0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.0, math.nan], "the score of part 1 is nan$"),
        ([math.inf, 0.0], "the score of part 0 is inf; log-zero is -inf$"),
        ([0.0, 2e12], "the score of part 1 is 2000000000000.0, beyond 1e\\+12$"),
        ([0.0], "expected one value for each of the 2 parts, got 1"),
        ([0.0] * 3, "expected one value for each of the 2 parts, got 3"),
        ([[0.0, 0.0]], "scores must be one-dimensional, one per part; got an array of shape \\(1, 2\\)"),
        (0.0, "scores must be one-dimensional|expected one value"),
    ],
)
def test_scores_that_are_none(scores: Any, message: str) -> None:
    for ask in (
        TWO.log_z,
        TWO.marginals,
        TWO.max_marginals,
        TWO.best,
        lambda s: TWO.kbest(s, 2),
        TWO.samples,
        TWO.mbr,
        TWO.entropy,
        TWO.entropy_gradient,
        lambda s: TWO.covariance(s, [0.0, 0.0]),
        lambda s: TWO.expectation(s, [0.0, 0.0]),
        lambda s: TWO.prune(s, 1.0),
    ):
        with pytest.raises(ValueError, match=message):
            ask(scores)


def test_values_that_are_none() -> None:
    for ask in (TWO.expectation, TWO.covariance):
        with pytest.raises(ValueError, match="the value of part 1 is -inf; values are finite"):
            ask([0.0, 0.0], [0.0, -math.inf])
        with pytest.raises(ValueError, match="expected one value for each of the 2 parts, got 3"):
            ask([0.0, 0.0], [0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="the value of part 0 is nan"):
        TWO.mbr([0.0, 0.0], [math.nan, 1.0])


def test_other_arguments() -> None:
    with pytest.raises(ValueError, match="'k' parameter must be an int"):
        TWO.kbest([0.0, 0.0], 0)
    with pytest.raises(ValueError, match="'n' parameter must be an int"):
        TWO.samples([0.0, 0.0], -1)
    with pytest.raises(TypeError, match=r"k must be an integer, got 2\.0"):
        TWO.kbest([0.0, 0.0], 2.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"k must be an integer, got 2\.0"):
        KBest(2.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"n must be an integer, got None"):
        TWO.samples([0.0, 0.0], None)  # type: ignore[arg-type]
    for margin in (-0.1, math.nan):
        with pytest.raises(ValueError, match="margin must not be negative"):
            TWO.prune([0.0, 0.0], margin)
    with pytest.raises(ValueError, match="keep must have one entry per edge, 2; got shape \\(3,\\)"):
        TWO.restricted([True] * 3)
    with pytest.raises(ValueError, match="must describe the same number of edges"):
        TWO.relabelled([0])


def test_scores_may_be_any_sequence_of_numbers() -> None:
    for scores in ([1, 2], (1.0, 2.0), np.array([1, 2], dtype=np.float32), np.array([1.0, 9.0, 2.0])[::2]):
        assert TWO.log_z(scores) == pytest.approx(3.0)


def test_more_than_there_are() -> None:
    assert [d.score for d in TWO.kbest([1.0, 2.0], 2**80)] == [3.0]
    assert TWO.inside([1.0, 2.0], KBest(2**80))[TWO.root] == (3.0,)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph))]
)
def test_copies(copied: Any) -> None:
    edges = [(3, [0, 1], 4), (0, [], 2), (3, [0], 0), (0, [], 1), (1, [1], 3), (1, [], 0)]
    for graph in (
        Hypergraph.from_edges(edges, root=3, n_parts=7, n_nodes=5),
        Hypergraph([], [0], []),
        Hypergraph.from_edges(edges, root=-1),
    ):
        twin = copied(graph)
        assert (twin.n_nodes, twin.n_parts, twin.root) == (graph.n_nodes, graph.n_parts, graph.root)
        for name in ("edge_start", "tail_start", "tails", "labels", "order"):
            np.testing.assert_array_equal(getattr(twin, name), getattr(graph, name))
        scores = -np.arange(1.0, graph.n_parts + 1)
        assert twin.log_z(scores) == graph.log_z(scores)

"""Sums over derivations, and the graphs made from a graph, against the oracle's enumeration."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.enumeration import (
    Enumeration,
    Floats,
    contexts,
    count_uses,
    derivations,
    enumerate_hypergraph,
    gradient,
)
from palmette.inference.hypergraph import Hypergraph
from palmette.inference.semiring import MAX
from samples.random_hypergraphs import binary_forest, chain, hypergraphs, random_cases

pytestmark = pytest.mark.native

CASES = random_cases(60, seed=1)


def close(have: object, want: object) -> None:
    np.testing.assert_allclose(np.asarray(have), np.asarray(want), rtol=1e-10, atol=1e-10)


def check_sums(graph: Hypergraph, scores: Floats) -> None:
    have, want = graph.marginals(scores), enumerate_hypergraph(graph, scores)
    found = derivations(graph)
    close(have.log_z, want.log_z)
    close(graph.log_z(scores), want.log_z)
    close(have.parts, want.marginals())
    close(have.edges, want.marginals(count_uses(found, graph.n_edges)))
    close(have.nodes, want.marginals(count_uses([graph.heads[list(d)] for d in found], graph.n_nodes)))
    assert graph.count() == want.count


def check_inside(graph: Hypergraph, scores: Floats) -> None:
    every = [enumerate_hypergraph(graph, scores, node) for node in range(graph.n_nodes)]
    close(graph.inside(scores), [e.log_z for e in every])
    close(graph.inside(scores, MAX), [e.best_score for e in every])


def check_outside(graph: Hypergraph, scores: Floats) -> None:
    every = [
        Enumeration([graph.labels[list(edges)] for edges in contexts(graph, node)], scores)
        for node in range(graph.n_nodes)
    ]
    close(graph.outside(scores), [e.log_z for e in every])
    close(graph.outside(scores, MAX), [e.best_score for e in every])


def check_expectations(graph: Hypergraph, scores: Floats, values: Floats) -> None:
    want = enumerate_hypergraph(graph, scores)
    close(graph.expectation(scores, values), want.expectation(values))
    close(graph.covariance(scores, values), want.covariance(values))
    close(graph.entropy(scores), want.entropy)
    close(graph.entropy_gradient(scores), want.entropy_gradient())


def check_max_marginals(graph: Hypergraph, scores: Floats) -> None:
    want = enumerate_hypergraph(graph, scores)
    close(graph.max_marginals(scores), want.max_marginals(count_uses(derivations(graph), graph.n_edges)))


def check_prune(graph: Hypergraph, scores: Floats, margin: float) -> None:
    pruned, want = graph.prune(scores, margin), enumerate_hypergraph(graph, scores)
    through = want.max_marginals(count_uses(derivations(graph), graph.n_edges))
    assert pruned.n_edges == np.count_nonzero((through >= want.best_score - margin) & (through > -math.inf))
    assert (pruned.n_nodes, pruned.n_parts, pruned.root) == (graph.n_nodes, graph.n_parts, graph.root)
    kept = enumerate_hypergraph(pruned, scores).scores
    assert np.count_nonzero(kept >= want.best_score - margin) == np.count_nonzero(
        want.scores[want.scores > -math.inf] >= want.best_score - margin
    )


CHECKS = [check_sums, check_inside, check_outside, check_max_marginals]


@pytest.mark.parametrize("check", CHECKS)
def test_seeded_graphs(check) -> None:
    for graph, scores in CASES:
        check(graph, scores)


@pytest.mark.parametrize("check", CHECKS)
def test_any_graph(check) -> None:
    given(hypergraphs())(lambda case: check(*case))()


def test_expectations_of_seeded_graphs() -> None:
    rng = np.random.default_rng(2)
    for graph, scores in CASES:
        check_expectations(graph, scores, rng.normal(size=graph.n_parts))


@given(hypergraphs(), st.integers(0, 2**32 - 1))
def test_expectations_of_any_graph(case: tuple[Hypergraph, Floats], seed: int) -> None:
    check_expectations(*case, np.random.default_rng(seed).normal(size=case[0].n_parts))


WHOLE = st.sampled_from([-np.inf, 0.0, 1.0, 2.0, 3.5])


@given(hypergraphs(WHOLE), st.sampled_from([0.0, 0.5, 2.0, math.inf]))
def test_pruning_keeps_what_comes_close(case: tuple[Hypergraph, Floats], margin: float) -> None:
    check_prune(*case, margin)


def test_gradients_are_those_of_finite_differences() -> None:
    rng = np.random.default_rng(4)
    for graph, scores in CASES[:25]:
        if graph.log_z(scores) == -math.inf:
            continue
        values = rng.normal(size=graph.n_parts)
        near = {"rtol": 1e-5, "atol": 1e-6}
        np.testing.assert_allclose(gradient(graph.log_z, scores), graph.marginals(scores).parts, **near)
        mean = gradient(partial(graph.expectation, values=values), scores)
        np.testing.assert_allclose(mean, graph.covariance(scores, values), **near)
        entropy = gradient(graph.entropy, scores)
        np.testing.assert_allclose(entropy, graph.entropy_gradient(scores), **near)


@given(hypergraphs(), st.randoms(use_true_random=False))
def test_a_restricted_graph_has_the_derivations_that_stay(case, random) -> None:
    graph, scores = case
    keep = np.array([random.random() < 0.7 for _ in range(graph.n_edges)], dtype=bool)
    number = np.cumsum(keep) - 1
    want = [tuple(int(number[e]) for e in d) for d in derivations(graph) if keep[list(d)].all()]
    smaller = graph.restricted(keep)
    assert derivations(smaller) == want
    check_sums(smaller, scores)


@given(hypergraphs())
def test_a_relabelled_graph_has_the_same_derivations(case) -> None:
    graph, _ = case
    by_head = graph.relabelled(graph.heads, graph.n_nodes)
    assert derivations(by_head) == derivations(graph)
    scores = np.linspace(-1, 1, graph.n_nodes)
    want = Enumeration([graph.heads[list(d)] for d in derivations(graph)], scores)
    close(by_head.marginals(scores).parts, want.marginals())


@given(hypergraphs())
def test_the_order_has_tails_before_heads(case) -> None:
    graph, _ = case
    place = np.argsort(graph.order)
    assert sorted(graph.order.tolist()) == list(range(graph.n_nodes))
    assert graph.is_acyclic
    for edge, head in enumerate(graph.heads):
        assert (place[graph.tails_of(edge)] < place[head]).all()


def test_edges_are_kept_grouped_by_head_in_the_order_given() -> None:
    edges = [(2, [0, 1], 7), (0, [], 3), (2, [1], 5), (1, [0, 0], 3), (0, [], 1)]
    graph = Hypergraph.from_edges(edges, root=2)
    assert graph.heads.tolist() == [0, 0, 1, 2, 2]
    assert graph.labels.tolist() == [3, 1, 3, 7, 5]
    assert [graph.tails_of(e).tolist() for e in range(5)] == [[], [], [0, 0], [0, 1], [1]]
    assert graph.edge_start.tolist() == [0, 2, 3, 5]
    assert graph.n_parts == 8
    assert repr(graph) == "<Hypergraph: 3 nodes, 5 edges, 8 parts, acyclic>"


def test_the_arrays_cannot_be_written_through() -> None:
    with pytest.raises(ValueError, match="read-only"):
        chain(3).labels[0] = 5


@pytest.mark.parametrize(("graph", "count"), [(chain(10, 3), 3**10), (binary_forest(9), 1430)])
def test_uniform_scores_give_the_log_of_the_count(graph: Hypergraph, count: int) -> None:
    scores = np.zeros(graph.n_parts)
    assert graph.count() == count
    close(graph.log_z(scores), math.log(count))
    close(graph.entropy(scores), math.log(count))

"""Single derivations: the best, the k best, samples and least risk, against the oracle's enumeration."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from oracles.enumeration import Floats, count_uses, derivations, enumerate_hypergraph
from palmette.inference.hypergraph import Derivation, Hypergraph
from palmette.inference.semiring import KBest
from samples.random_hypergraphs import binary_forest, chain, hypergraphs, random_cases

pytestmark = pytest.mark.native

TIES = st.sampled_from([-np.inf, -1.0, 0.0, 1.0])


def score_of(derivation: Derivation, scores: Floats) -> float:
    return math.fsum(scores[derivation.parts])


@given(hypergraphs())
def test_best(case: tuple[Hypergraph, Floats]) -> None:
    graph, scores = case
    have, want = graph.best(scores), enumerate_hypergraph(graph, scores)
    if want.best is None:
        assert have is None
        return
    assert have is not None
    assert have.score == pytest.approx(want.best_score)
    assert score_of(have, scores) == pytest.approx(want.best_score)
    assert tuple(have.edges.tolist()) in derivations(graph)


@given(hypergraphs(TIES))
def test_among_equals_best_takes_the_first_edges(case: tuple[Hypergraph, Floats]) -> None:
    graph, scores = case
    have, want = graph.best(scores), enumerate_hypergraph(graph, scores)
    if have is not None:
        assert tuple(have.parts.tolist()) == want.best


@pytest.mark.parametrize("scores_of", [TIES, st.floats(-8, 8, width=32)])
def test_kbest_is_the_sorted_enumeration(scores_of: st.SearchStrategy[float]) -> None:
    @given(hypergraphs(scores_of), st.integers(1, 500))
    def check(case: tuple[Hypergraph, Floats], k: int) -> None:
        graph, scores = case
        have, want = graph.kbest(scores, k), enumerate_hypergraph(graph, scores)
        found = [tuple(d.edges.tolist()) for d in have]
        every = dict(zip(derivations(graph), want.scores))
        np.testing.assert_allclose([d.score for d in have], want.kbest_scores(k), atol=1e-9)
        np.testing.assert_allclose([every[d] for d in found], want.kbest_scores(k), atol=1e-9)
        assert len(set(found)) == len(found)
        in_order = [d.score for d in have]
        assert in_order == sorted(in_order, reverse=True)
        # The lazy lists and the semiring add the same numbers up in the same order.
        assert in_order == list(graph.inside(scores, KBest(k))[graph.root])

    check()


def test_kbest_of_a_forest_with_a_closed_form_count() -> None:
    graph = binary_forest(8)
    scores = np.random.default_rng(5).normal(size=graph.n_parts)
    have = graph.kbest(scores, 10**6)
    assert len(have) == 429
    want = enumerate_hypergraph(graph, scores).kbest_scores(429)
    np.testing.assert_allclose([d.score for d in have], want)


def test_kbest_of_a_wide_edge() -> None:
    graph = Hypergraph.from_edges([(v, []) for v in range(6) for _ in range(3)] + [(6, [*range(6)])], root=6)
    scores = np.random.default_rng(6).normal(size=graph.n_parts)
    have = graph.kbest(scores, 3**6)
    np.testing.assert_allclose(
        [d.score for d in have], enumerate_hypergraph(graph, scores).kbest_scores(729), atol=1e-12
    )


def test_deep_chains_have_best_and_kbest() -> None:
    n = 100_000
    graph = chain(n, width=2)
    scores = np.tile([0.0, -1.0], n)
    best = graph.best(scores)
    assert best is not None
    assert best.score == 0.0
    assert best.parts.tolist() == list(range(2 * n - 2, -1, -2))
    assert [d.score for d in graph.kbest(scores, 4)] == [0.0, -1.0, -1.0, -1.0]
    assert [len(d.edges) for d in graph.samples(scores, 2)] == [n, n]
    edge, children = best.tree()
    assert edge == 2 * n - 2
    assert len(children) == 1


def test_a_derivation_reads_as_a_tree() -> None:
    graph = Hypergraph.from_edges([(0, []), (1, []), (2, [0, 1]), (3, [2, 0, 1])])
    best = graph.best(np.zeros(4))
    assert best is not None
    assert best.tree() == (3, ((2, ((0, ()), (1, ()))), (0, ()), (1, ())))
    assert best.nodes.tolist() == [3, 2, 0, 1, 0, 1]


# Samples


@pytest.mark.parametrize("seed", range(4))
def test_samples_have_the_probabilities_of_the_derivations(seed: int) -> None:
    n = 4000
    for graph, scores in random_cases(8, seed=seed):
        want = enumerate_hypergraph(graph, scores)
        if want.log_z == -math.inf:
            continue
        have = graph.samples(scores, n, random_state=seed)
        probability = dict(zip(derivations(graph), want.probabilities))
        counts = Counter(tuple(d.edges.tolist()) for d in have)
        for derivation, sample in zip(counts, have):
            assert probability[derivation] > 0
            want_score = math.log(probability[tuple(sample.edges.tolist())])
            assert sample.score == pytest.approx(want_score, abs=1e-9)
        common = [d for d, p in probability.items() if p * n >= 5]
        observed = np.array([counts[d] for d in common] + [n - sum(counts[d] for d in common)])
        expected = np.array([probability[d] * n for d in common])
        expected = np.append(expected, max(n - expected.sum(), 1e-6))
        statistic = ((observed - expected) ** 2 / np.maximum(expected, 5)).sum()
        assert stats.chi2.sf(statistic, len(common)) > 1e-4


def test_the_same_seed_gives_the_same_samples() -> None:
    graph = binary_forest(12)
    scores = np.random.default_rng(7).normal(size=graph.n_parts)

    def draw(seed: int) -> list[list[int]]:
        return [d.edges.tolist() for d in graph.samples(scores, 5, random_state=seed)]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)
    assert draw(-1) == draw(2**64 - 1)
    assert graph.samples(scores, 0) == []


def test_the_score_of_a_sample_stays_exact_where_scores_are_large() -> None:
    n = 1000
    graph = chain(n, width=2)
    scores = np.full(2 * n, -1e5)
    for sample in graph.samples(scores, 3):
        assert sample.score == pytest.approx(-n * math.log(2), rel=1e-9)


# Least risk


@given(hypergraphs(), st.integers(0, 2**32 - 1))
def test_mbr_over_parts(case: tuple[Hypergraph, Floats], seed: int) -> None:
    graph, scores = case
    gains = np.random.default_rng(seed).normal(size=graph.n_parts)
    have, want = graph.mbr(scores, gains), enumerate_hypergraph(graph, scores)
    check_risk(have, want.bayes_gain(gains))
    if have is not None:
        assert score_of(have, scores) > -math.inf
        assert have.score == pytest.approx(float((gains * want.marginals())[have.parts].sum()), abs=1e-9)


@given(hypergraphs(TIES))
def test_mbr_over_nodes(case: tuple[Hypergraph, Floats]) -> None:
    graph, scores = case
    have, want = graph.mbr(scores, over="nodes"), enumerate_hypergraph(graph, scores)
    uses = count_uses([graph.heads[list(d)] for d in derivations(graph)], graph.n_nodes)
    check_risk(have, want.bayes_gain(np.ones(graph.n_nodes), uses))
    if have is not None:
        assert score_of(have, scores) > -math.inf


def check_risk(have: Derivation | None, gain: float) -> None:
    assert (have is None) == (gain == -math.inf)
    if have is not None:
        assert have.score == pytest.approx(gain, abs=1e-9)


def test_mbr_says_what_it_takes() -> None:
    graph = chain(2)
    with pytest.raises(ValueError, match="over must be 'parts' or 'nodes', got 'arcs'"):
        graph.mbr([0.0, 0.0], over="arcs")
    with pytest.raises(ValueError, match="expected 2 gains, got an array of shape \\(3,\\)"):
        graph.mbr([0.0, 0.0], [1.0, 1.0, 1.0])

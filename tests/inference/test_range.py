"""Numbers that leave the range of a double, deep graphs, and counts of any size."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from oracles.enumeration import catalan
from palmette.inference.hypergraph import Hypergraph
from palmette.inference.semiring import COUNTING, EXPECTATION, MAX
from samples.random_hypergraphs import binary_forest, chain

pytestmark = pytest.mark.native


def squares(depth: int) -> Hypergraph:
    """A leaf, and nodes that use the one below them twice: 2^depth leaves."""
    return Hypergraph.from_edges([(0, [], 0), *((v, [v - 1, v - 1], 1) for v in range(1, depth + 1))])


@pytest.mark.parametrize("score", [-1e5, -1.0, 0.0, 1e4])
def test_a_deep_chain_of_extreme_scores(score: float) -> None:
    n = 100_000
    graph = chain(n, width=2)
    scores = np.tile([score, score + math.log(3)], n)
    want = n * (score + math.log(4))
    marginals = graph.marginals(scores)
    assert marginals.log_z == pytest.approx(want, rel=1e-12, abs=1e-6)
    np.testing.assert_allclose(marginals.parts, np.tile([0.25, 0.75], n), rtol=1e-6)
    np.testing.assert_allclose(marginals.nodes, 1.0, rtol=1e-6)
    np.testing.assert_allclose(graph.outside(scores)[0], want - score - math.log(4), rtol=1e-12, atol=1e-6)
    assert graph.inside(scores, MAX)[-1] == pytest.approx(n * (score + math.log(3)))
    entropy = n * (math.log(4) - 0.75 * math.log(3))
    assert graph.entropy(scores) == pytest.approx(entropy, rel=1e-6)


def test_the_expected_value_along_a_deep_chain() -> None:
    n = 20_000
    graph = chain(n, width=2)
    scores = np.tile([-1e5, -1e5 + math.log(3)], n)
    values = np.tile([1.0, 0.0], n)
    assert graph.expectation(scores, values) == pytest.approx(n / 4)
    pairs = graph.inside(np.stack([scores, values], axis=1), EXPECTATION)
    assert pairs[-1][1] == pytest.approx(n / 4)
    # The choices are independent, so each varies with the sum as with itself.
    np.testing.assert_allclose(graph.covariance(scores, values), np.tile([3 / 16, -3 / 16], n), rtol=1e-6)


@given(st.lists(st.floats(-1e5, 1e4), min_size=1, max_size=30))
def test_a_mixture_of_magnitudes(scores: list[float]) -> None:
    graph = Hypergraph.from_edges([(0, [])] * len(scores))
    assert graph.log_z(scores) == pytest.approx(logsumexp(scores), rel=1e-13, abs=1e-9)
    np.testing.assert_allclose(graph.marginals(scores).parts, np.exp(scores - logsumexp(scores)), atol=1e-9)


MAGNITUDES = st.sampled_from([-1e5, -700.0, -178.0, -177.0, 0.0, 88.0, 89.0, 1e4])


@given(st.lists(MAGNITUDES, min_size=1, max_size=12))
def test_products_of_a_mixture_of_magnitudes(scores: list[float]) -> None:
    # One edge with all leaves as tails, beside its own leaf.
    n = len(scores)
    graph = Hypergraph.from_edges([*((v, []) for v in range(n)), (n, [*range(n)]), (n, [])])
    total = math.fsum(scores)
    for other in (0.0, total, total - 1.0):
        want = logsumexp([total, other])
        have = graph.marginals([*scores, 0.0, other])
        assert have.log_z == pytest.approx(want, rel=1e-12, abs=1e-9)
        np.testing.assert_allclose(have.parts[:n], math.exp(total - want), rtol=1e-8, atol=1e-300)


def test_shared_tails_square_a_value_again_and_again() -> None:
    for depth in (10, 20, 60, 100, 300):
        graph, scores = squares(depth), [math.log(0.5), 0.0]
        want = 2.0**depth * math.log(0.5)
        assert graph.log_z(scores) == pytest.approx(want, rel=1e-12)
        assert graph.inside(scores, MAX)[depth] == pytest.approx(want, rel=1e-12)
        if depth <= 20:
            uses = 2.0 ** np.arange(depth, -1, -1)
            np.testing.assert_allclose(graph.marginals(scores).nodes, uses, rtol=1e-8)


def test_a_derivation_larger_than_any_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 2\\^27 edges"):
        squares(60).best([0.0, 0.0])


# Counts


def test_counts_beyond_64_bits_are_exact() -> None:
    for n in (63, 64, 65, 200):
        assert chain(n, width=2).count() == 2**n
    for n in (40, 41, 200):
        assert chain(n, width=3).count() == 3**n


def test_a_count_of_exactly_64_ones() -> None:
    # 2^64 - 1 = 2^63 + 2^62 + ... + 1: the largest number that 64 bits hold.
    edges = [(0, [])] + [(v, [v - 1]) for v in range(1, 64) for _ in range(2)]
    edges += [(64, [v]) for v in range(64)]
    assert Hypergraph.from_edges(edges).count() == 2**64 - 1
    assert Hypergraph.from_edges([*edges, (64, [0])]).count() == 2**64


@pytest.mark.parametrize("n", [5, 36, 37, 38, 60])
def test_binary_forests_have_catalan_many_trees(n: int) -> None:
    graph = binary_forest(n)
    assert graph.count() == catalan(n - 1)
    if n < 60:
        assert graph.log_z(np.zeros(graph.n_parts)) == pytest.approx(math.log(catalan(n - 1)))


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=12), st.integers(1, 4))
def test_sums_of_products_of_large_counts(counts: list[int], arity: int) -> None:
    # Node v = one leaf; the root takes each `arity` times over.
    n = len(counts)
    edges = [(v, [], v) for v in range(n)] + [(n, [v] * arity, n) for v in range(n)]
    graph = Hypergraph.from_edges(edges)
    values = np.array([*counts, 1], dtype=np.uint64)
    assert graph.inside(values, COUNTING)[n] == sum(c**arity for c in counts)


def test_carries_run_through_all_limbs() -> None:
    # (2^64 - 1)^k: every limb of every product is full.
    largest = 2**64 - 1
    graph = Hypergraph.from_edges([(0, [], 0), *((v, [v - 1, 0], 1) for v in range(1, 40))])
    counts = np.array([largest, 1], dtype=np.uint64)
    assert graph.inside(counts, COUNTING) == [largest**k for k in range(1, 41)]
    # ... and one more way makes the sum carry through all of them.
    more = Hypergraph.from_edges([(0, [], 0), (0, [], 1), *((v, [v - 1, v - 1], 1) for v in range(1, 8))])
    assert more.inside(counts, COUNTING)[7] == (2**64) ** 128


def test_a_count_that_fits_nowhere_is_refused() -> None:
    def two_to_the_two_to_the(depth: int) -> Hypergraph:
        return Hypergraph.from_edges([(0, []), (0, []), *((v, [v - 1, v - 1]) for v in range(1, depth + 1))])

    assert two_to_the_two_to_the(15).count() == 2**32768
    with pytest.raises(ValueError, match="too many to count exactly"):
        two_to_the_two_to_the(80).count()


def test_the_entropy_of_what_hardly_ever_happens() -> None:
    graph = Hypergraph.from_edges([(0, []), (0, [])], root=0)
    assert graph.entropy([0.0, -740.0]) == pytest.approx(0.0, abs=1e-300)

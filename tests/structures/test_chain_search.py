"""The searches of the notes on chains: exact ones agree with Viterbi, the others keep what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores
from palmette.structures.chain_search import METHODS, ChainSearch
from samples.random_chains import SmallChain, small_chains

pytestmark = pytest.mark.native


@given(small_chains())
@settings(max_examples=300)
def test_exact_searches_find_the_best(small: SmallChain) -> None:
    for method in ("viterbi", "dijkstra", "astar"):
        if not small.is_feasible:
            with pytest.raises(ValueError, match="position"):
                small.chain.search(small.scores, method, allowed=small.allowed)
            continue
        found = small.chain.search(small.scores, method, allowed=small.allowed)
        assert found.exact
        assert found.score == pytest.approx(small.every.best_score, rel=1e-9, abs=1e-9)
        assert small.score(tuple(found.labels.tolist())) == pytest.approx(found.score, rel=1e-9, abs=1e-9)


@given(small_chains(constraints=False), st.integers(1, 4), st.floats(0, 10))
def test_inexact_searches_say_so(small: SmallChain, top: int, width: float) -> None:
    for search in (ChainSearch("top-k", top), ChainSearch("beam", width)):
        found = small.chain.search(small.scores, search)
        assert small.score(tuple(found.labels.tolist())) == pytest.approx(found.score, rel=1e-9, abs=1e-9)
        assert found.score <= small.every.best_score + 1e-9 * abs(small.every.best_score)
        if found.exact:
            assert found.score == pytest.approx(small.every.best_score, rel=1e-9, abs=1e-9)
    everything = small.chain.search(small.scores, "top-k=1000000")
    assert everything.exact
    assert everything.score == pytest.approx(small.every.best_score, rel=1e-9, abs=1e-9)


@given(small_chains(constraints=False, orders=(1, 2)), st.floats(1, 5))
def test_weighted_a_star_keeps_its_bound(small: SmallChain, weight: float) -> None:
    """With scores that are not positive the cost is minus the score: at most `weight` times the least."""
    scores = ChainScores(
        np.asarray(small.scores.unary) - 5000,
        small.scores.transitions,
        small.scores.begin,
    )
    found = small.chain.search(scores, ChainSearch("weighted-astar", weight))
    least = 5000 * small.n - small.every.best_score if small.n else 0.0
    assert -found.score <= weight * least + 1e-6
    assert found.exact == (weight <= 1)


def trellis(peak: float) -> ChainScores:
    """25 tokens and 45 labels, one of which is better by `peak` at every position."""
    generator = np.random.default_rng(5)
    unary = generator.normal(size=(25, 45))
    unary[np.arange(25), generator.integers(0, 45, 25)] += peak
    return ChainScores(unary, generator.normal(size=(45, 45)))


@pytest.mark.parametrize("peak", [0.0, 5.0, 20.0])
def test_a_star_touches_fewer_states_than_dijkstra(peak: float) -> None:
    chain, scores = Chain(45), trellis(peak)
    touched = {}
    for method in METHODS:
        found = chain.search(scores, method)
        touched[method] = found.states_touched
        if method in ("viterbi", "dijkstra", "astar"):
            assert found.labels.tolist() == chain.best(scores).labels.tolist()
    assert touched["astar"] <= touched["dijkstra"] <= 25 * 45
    assert touched["weighted-astar"] <= touched["dijkstra"]
    assert touched["top-k"] == 24 * 8 + 1
    if peak == 20.0:
        assert touched["astar"] < touched["dijkstra"]
        assert touched["viterbi"] < 100  # its search among predecessors is bounded


def test_every_method_agrees_with_the_general_engine() -> None:
    chain, scores = Chain(45), trellis(3.0)
    general = chain.hypergraph(scores)
    best = general.graph.best(general.scores)
    assert best is not None
    for method in ("viterbi", "dijkstra", "astar"):
        assert chain.search(scores, method).score == pytest.approx(best.score)


def test_a_beam_that_loses_everything_is_an_error() -> None:
    """The best first label leads nowhere."""
    chain = Chain(2)
    scores = ChainScores([[5.0, 0.0], [0.0, 0.0]], [[-np.inf, -np.inf], [0.0, 0.0]])
    assert chain.search(scores, "astar").labels.tolist() == [1, 0]
    with pytest.raises(ValueError, match="top-k=1 pruned every allowed label sequence; widen it"):
        chain.search(scores, "top-k=1")
    with pytest.raises(ValueError, match="beam=1 pruned every"):
        chain.search(scores, "beam=1")


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ("greedy", "search must be one of viterbi, .*, beam; got 'greedy'"),
        ("top-k=0", "top-k: the number of states must be a finite number of at least 1; got 0"),
        ("top-k=2.5", "the number of states must be a whole number; got 2.5"),
        ("beam=-1", "beam: the width must be a finite number of at least 0; got -1"),
        ("beam=inf", "beam: the width must be a finite number"),
        ("beam=wide", "expected NAME=NUMBER; got 'beam=wide'"),
        ("weighted-astar=0.5", "at least 1"),
        ("weighted-astar=nan", "at least 1"),
        ("constant-astar=-1", "the cost of a step must be a finite number of at least 0"),
        ("astar=2", "astar takes no number; got 2"),
    ],
)
def test_bad_searches(search: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Chain(2).search(np.zeros((2, 2)), search)


def test_a_search_reads_what_it_writes() -> None:
    for name in METHODS:
        search = ChainSearch(name)
        assert ChainSearch.of(str(search)) == search


@given(small_chains(constraints=False, orders=(1, 2)), st.floats(0, 50))
def test_a_constant_cost_is_a_bound_or_none(small: SmallChain, cost: float) -> None:
    """With h = c (N - i) what is found is never better than the best, and certain only without h."""
    found = small.chain.search(small.scores, ChainSearch("constant-astar", cost))
    assert small.score(tuple(found.labels.tolist())) == pytest.approx(found.score, rel=1e-9, abs=1e-9)
    assert found.score <= small.every.best_score + 1e-9 * max(1.0, abs(small.every.best_score))
    assert found.exact == (cost == 0)

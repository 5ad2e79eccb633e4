"""Best, k best, sums and marginals of chains, against enumeration and the general engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores
from samples.random_chains import SmallChain, small_chains

pytestmark = pytest.mark.native
Close = {"rtol": 1e-9, "atol": 1e-9}


def feasible(small: SmallChain) -> bool:
    """Whether there is a sequence; if not, every output is refused."""
    if small.is_feasible:
        return True
    for ask in (small.chain.best, small.chain.marginals, small.chain.posterior):
        with pytest.raises(ValueError, match="position"):
            ask(small.scores, allowed=small.allowed)
    with pytest.raises(ValueError, match="position"):
        small.chain.kbest(small.scores, 2, allowed=small.allowed)
    assert small.chain.log_z(small.scores, allowed=small.allowed) == -np.inf
    return False


@given(small_chains())
@settings(max_examples=300)
def test_best_is_the_highest_of_all(small: SmallChain) -> None:
    if not feasible(small):
        return
    best = small.chain.best(small.scores, allowed=small.allowed)
    np.testing.assert_allclose(best.score, small.every.best_score, **Close)
    np.testing.assert_allclose(small.score(tuple(best.labels.tolist())), small.every.best_score, **Close)


@given(small_chains())
@settings(max_examples=300)
def test_k_best_are_the_highest_of_all_and_differ(small: SmallChain) -> None:
    if not feasible(small):
        return
    for k in (1, 2, 7, 1000):
        found = small.chain.kbest(small.scores, k, allowed=small.allowed)
        want = small.every.kbest_scores(k)
        np.testing.assert_allclose([one.score for one in found], want, **Close)
        sequences = [tuple(one.labels.tolist()) for one in found]
        assert len(set(sequences)) == len(sequences)
        np.testing.assert_allclose([small.score(y) for y in sequences], want, **Close)


@given(small_chains())
@settings(max_examples=300)
def test_sums_and_marginals(small: SmallChain) -> None:
    if not feasible(small):
        return
    chain, n, L = small.chain, small.n, small.chain.n_labels
    np.testing.assert_allclose(chain.log_z(small.scores, allowed=small.allowed), small.every.log_z, **Close)
    marginals = chain.marginals(small.scores, allowed=small.allowed)
    assert marginals.shape == (n, L)
    for i in range(n):
        for y in range(L):
            want = small.probability(lambda seq, i=i, y=y: seq[i] == y)
            np.testing.assert_allclose(marginals[i, y], want, **Close)


def test_marginals_stay_finite_where_few_and_unlikely_sequences_are_left() -> None:
    no = -np.inf
    unary = np.array([[no, 206.8, -150.2, no], [no, 79.3, 20.3, no], [239.9, 205.1, -26.0, no]])
    transitions = np.array([[no] * 4, [-199.3, no, no, no], [no, -20.6, no, no], [no, no, no, 249.4]])
    allowed = np.array([[True, False, True, True], [True, True, True, False], [True, False, True, False]])
    marginals = Chain(4).marginals(ChainScores(unary, transitions), allowed=allowed)
    np.testing.assert_allclose(marginals, [[0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]])


@given(small_chains())
def test_marginals_of_n_grams(small: SmallChain) -> None:
    if not feasible(small):
        return
    order, n = small.chain.order, small.n
    grams = small.chain.ngram_marginals(small.scores, allowed=small.allowed)
    want = np.zeros((n, *[small.chain.n_labels] * (order + 1)))
    for y, p in zip(small.sequences, small.every.probabilities):
        for i in range(n):
            before = (0,) * max(order - i, 0)
            want[(i, *before, *y[max(i - order, 0) : i + 1])] += p
    np.testing.assert_allclose(grams, want, **Close)


@given(small_chains())
def test_floats_agree_with_doubles(small: SmallChain) -> None:
    if not feasible(small):
        return
    narrow = ChainScores(
        np.asarray(small.scores.unary, dtype=np.float32), small.scores.transitions, small.scores.begin
    )
    got = small.chain.marginals(narrow, allowed=small.allowed)
    assert got.dtype == np.float32
    want = small.chain.marginals(small.scores, allowed=small.allowed)
    largest = np.abs(np.where(np.isfinite(small.every.scores), small.every.scores, 0)).max()
    np.testing.assert_allclose(got, want, atol=1e-5 + 2e-6 * largest)


@given(small_chains())
def test_the_general_engine_agrees(small: SmallChain) -> None:
    if not small.is_feasible:
        return
    general = small.chain.hypergraph(small.scores, allowed=small.allowed)
    graph, scores = general.graph, general.scores
    assert graph.count() == small.chain.n_labels**small.n
    np.testing.assert_allclose(
        small.chain.log_z(small.scores, allowed=small.allowed), graph.log_z(scores), **Close
    )
    best = graph.best(scores)
    assert best is not None
    np.testing.assert_allclose(
        small.chain.best(small.scores, allowed=small.allowed).score, best.score, **Close
    )
    np.testing.assert_allclose(small.score(tuple(general.labels_of(best).tolist())), best.score, **Close)
    parts = graph.marginals(scores).parts
    want = np.zeros((small.n, small.chain.n_labels))
    np.add.at(want, (general.position[:-1], general.label[:-1]), parts[:-1])
    np.testing.assert_allclose(small.chain.marginals(small.scores, allowed=small.allowed), want, **Close)
    np.testing.assert_allclose(
        small.chain.entropy(small.scores, allowed=small.allowed), graph.entropy(scores), **Close
    )


@given(small_chains())
def test_score_and_probability_of_a_sequence(small: SmallChain) -> None:
    if not small.is_feasible:
        return
    for y, want in list(zip(small.sequences, small.every.scores))[:50]:
        np.testing.assert_allclose(small.chain.score(small.scores, y, allowed=small.allowed), want, **Close)
        got = small.chain.log_probability(small.scores, y, allowed=small.allowed)
        np.testing.assert_allclose(got, want - small.every.log_z, **Close)


def test_a_prefix_that_underflows_and_wins_later_is_not_lost() -> None:
    """Label 0 falls behind by e^-85 in each of ten steps, then everything else falls behind by more."""
    n = 20
    unary = np.zeros((n, 2))
    unary[:10, 0] = -85
    unary[10:, 1] = -86
    apart = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    chain = Chain(2)
    want = np.logaddexp(-850, -860)
    for scale in (1, 8):  # within the range of floats at a position, and not
        for dtype in (np.float32, np.float64):
            scores = ChainScores((scale * unary).astype(dtype), apart)
            log_z = np.logaddexp(-850.0 * scale, -860.0 * scale)
            np.testing.assert_allclose(chain.log_z(scores), log_z, rtol=1e-6)
            p = np.exp(-850.0 * scale - log_z)
            np.testing.assert_allclose(chain.marginals(scores)[:, 0], np.full(n, p), rtol=1e-5)
    assert want < -849


@pytest.mark.parametrize("n_labels", [40, 45, 64])
@pytest.mark.parametrize("peak", [0.0, 15.0])
def test_many_labels_take_a_bounded_search_that_agrees(n_labels: int, peak: float) -> None:
    generator = np.random.default_rng(n_labels)
    chain = Chain(n_labels)
    for _ in range(20):
        n = int(generator.integers(1, 30))
        unary = generator.integers(-3, 4, (n, n_labels)).astype(float)
        unary[np.arange(n), generator.integers(0, n_labels, n)] += peak
        table = generator.integers(-3, 4, (n_labels, n_labels)).astype(float)
        table[generator.random(table.shape) < 0.3] = -np.inf
        shared = chain.best(ChainScores(unary, table))
        apart = chain.best(ChainScores(unary, np.broadcast_to(table, (n, *table.shape))))
        assert shared.score == apart.score
        assert shared.labels.tolist() == apart.labels.tolist()  # the same ties


def test_many_labels_against_the_general_engine() -> None:
    generator = np.random.default_rng(1)
    chain = Chain(41)
    scores = ChainScores(generator.normal(size=(6, 41)), generator.normal(size=(41, 41)))
    general = chain.hypergraph(scores)
    np.testing.assert_allclose(chain.log_z(scores), general.graph.log_z(general.scores))
    best = general.graph.best(general.scores)
    assert best is not None
    assert chain.best(scores).labels.tolist() == general.labels_of(best).tolist()
    k_best = [d.score for d in general.graph.kbest(general.scores, 50)]
    np.testing.assert_allclose([one.score for one in chain.kbest(scores, 50)], k_best)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_an_empty_sentence_has_one_sequence(order: int) -> None:
    chain = Chain(3, order)
    scores = np.zeros((0, 3))
    assert chain.best(scores).labels.tolist() == []
    assert [one.score for one in chain.kbest(scores, 5)] == [0.0]
    assert chain.log_z(scores) == 0
    assert chain.marginals(scores).shape == (0, 3)
    assert chain.entropy(scores) == 0
    assert chain.sample(scores, 2).shape == (2, 0)
    assert chain.minimum_risk(scores, legal=True).labels.tolist() == []


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_one_label_only(order: int) -> None:
    chain, scores = Chain(["X"], order), np.full((4, 1), 2.5)
    assert chain.best(scores).labels.tolist() == [0, 0, 0, 0]
    assert chain.log_z(scores) == pytest.approx(10.0)
    assert chain.marginals(scores).tolist() == [[1.0]] * 4
    assert len(chain.kbest(scores, 3)) == 1
    assert chain.entropy(scores) == 0


@pytest.mark.parametrize("order", [1, 2])
def test_a_sentence_of_100_000_tokens(order: int) -> None:
    """All labels alike: log Z = n log L, exactly known; and a rotation that only one sequence follows."""
    n, L = 100_000, 5
    chain = Chain(L, order)
    unary = np.zeros((n, L))
    assert chain.log_z(unary) == pytest.approx(n * np.log(L), rel=1e-12)
    np.testing.assert_allclose(chain.marginals(unary), 1 / L)
    want = np.arange(n) % L
    unary[np.arange(n), want] = 30.0
    assert chain.best(unary).labels.tolist() == want.tolist()
    found = chain.kbest(unary, 3)
    assert [one.score for one in found] == [30.0 * n, 30.0 * (n - 1), 30.0 * (n - 1)]
    np.testing.assert_allclose(chain.marginals(unary)[np.arange(n), want], 1.0, atol=1e-12)

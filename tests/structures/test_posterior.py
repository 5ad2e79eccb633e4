"""Segments, samples, entropy and least risk of chains, against enumeration."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores
from samples.random_chains import SmallChain, small_chains

pytestmark = pytest.mark.native
Close = {"rtol": 1e-8, "atol": 1e-9}


@given(small_chains(), st.data())
@settings(max_examples=200)
def test_segments(small: SmallChain, data: st.DataObject) -> None:
    if not small.is_feasible:
        return
    begin = data.draw(st.integers(0, small.n))
    end = data.draw(st.integers(begin, small.n))
    labels = st.lists(st.integers(0, small.chain.n_labels - 1), min_size=1, max_size=3)
    sets = [data.draw(labels) for _ in range(begin, end)]
    posterior = small.chain.posterior(small.scores, allowed=small.allowed)
    want = small.probability(lambda y: all(y[begin + k] in some for k, some in enumerate(sets)))
    np.testing.assert_allclose(posterior.segment_probability(begin, sets), want, **Close)


@given(small_chains())
def test_entropy(small: SmallChain) -> None:
    if small.is_feasible:
        got = small.chain.entropy(small.scores, allowed=small.allowed)
        np.testing.assert_allclose(got, small.every.entropy, **Close)


@given(small_chains(scale=1.0))
@settings(max_examples=25)
def test_samples_come_as_often_as_they_should(small: SmallChain) -> None:
    if not small.is_feasible:
        return
    drawn = small.chain.sample(small.scores, 4000, random_state=3, allowed=small.allowed)
    counts = Counter(map(tuple, drawn.tolist()))
    for y, p in zip(small.sequences, small.every.probabilities):
        # Six standard deviations, and ten more draws for rare ones, whose counts have longer tails.
        assert abs(counts[y] - 4000 * p) <= 6 * np.sqrt(4000 * p * (1 - p)) + 10 * (p > 0)


def test_the_same_seed_gives_the_same_samples() -> None:
    chain, scores = Chain(3), np.random.default_rng(0).normal(size=(8, 3))
    assert chain.sample(scores, 5, 7).tolist() == chain.sample(scores, 5, 7).tolist()
    assert chain.sample(scores, 5, 7).tolist() != chain.sample(scores, 5, 8).tolist()


@given(small_chains())
@settings(max_examples=200)
def test_fewest_expected_errors(small: SmallChain) -> None:
    if not small.is_feasible:
        return
    marginals = small.chain.marginals(small.scores, allowed=small.allowed)

    def right(y: tuple[int, ...]) -> float:
        return float(sum(marginals[i, label] for i, label in enumerate(y)))

    loose = small.chain.minimum_risk(small.scores, allowed=small.allowed)
    np.testing.assert_allclose(loose.score, max(map(right, small.sequences)), **Close)
    legal = small.chain.minimum_risk(small.scores, legal=True, allowed=small.allowed)
    assert small.score(tuple(legal.labels.tolist())) > -np.inf
    possible = [y for y, p in zip(small.sequences, small.every.probabilities) if p > 0]
    np.testing.assert_allclose(legal.score, max(map(right, possible)), **Close)
    np.testing.assert_allclose(right(tuple(legal.labels.tolist())), legal.score, **Close)


def test_the_likeliest_labels_need_not_be_a_legal_sequence() -> None:
    """Three sequences: 00 with 0.4, 11 with 0.3, 21 with 0.3; the likeliest labels are 0 and then 1."""
    table = np.full((3, 3), -np.inf)
    table[0, 0], table[1, 1], table[2, 1] = np.log([0.4, 0.3, 0.3])
    chain, scores = Chain(3), ChainScores(np.zeros((2, 3)), table)
    assert chain.minimum_risk(scores).labels.tolist() == [0, 1]
    legal = chain.minimum_risk(scores, legal=True)
    assert legal.labels.tolist() == [1, 1]
    assert legal.score == pytest.approx(0.3 + 0.6)


def test_a_segment_outside_the_sentence_is_refused() -> None:
    posterior = Chain(2).posterior(np.zeros((3, 2)))
    assert posterior.segment_probability(1, []) == 1.0
    with pytest.raises(ValueError, match="exceeds the sentence of 3"):
        posterior.segment_probability(2, [0, 1])
    with pytest.raises(ValueError, match="between 0 and 1"):
        posterior.segment_probability(0, [2])

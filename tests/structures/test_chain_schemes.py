"""Chains that know a scheme: no illegal sequence has a probability, and spans agree with the reader of schemes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.structures.chain import Chain
from palmette.structures.schemes import first_violation, spans
from palmette.structures.span_marginals import Boundaries

LABELS = {
    "IOB1": ["O", "B-X", "I-X", "I-Y"],
    "IOB2": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "IOBES": ["O", "B-X", "I-X", "E-X", "S-X"],
}


@pytest.mark.parametrize("scheme", LABELS)
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_exactly_the_legal_sequences_are_allowed(scheme: str, order: int, n: int) -> None:
    names = LABELS[scheme]
    chain = Chain(names, order, scheme)
    scores = np.zeros((n, len(names)))
    legal = {
        y
        for y in product(range(len(names)), repeat=n)
        if first_violation(np.array(y, dtype=np.int32), names, [0, n], scheme) is None
    }
    found = {tuple(one.labels.tolist()) for one in chain.kbest(scores, 10_000)}
    assert found == legal
    assert chain.log_z(scores) == pytest.approx(np.log(len(legal)), abs=1e-12)


@pytest.mark.parametrize("scheme", LABELS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=40)
def test_what_is_decoded_or_drawn_is_legal(scheme: str, seed: int) -> None:
    names = LABELS[scheme]
    chain = Chain(names, 1, scheme)
    scores = np.random.default_rng(seed).normal(scale=4, size=(12, len(names)))
    rows = [
        chain.best(scores).labels,
        chain.minimum_risk(scores, legal=True).labels,
        *chain.sample(scores, 5),
    ]
    for y in rows:
        assert first_violation(y, names, [0, len(y)], scheme) is None


@given(st.lists(st.sampled_from("O B-X I-X E-X S-X B-Y I-Y E-Y S-Y".split()), max_size=12))
def test_spans_agree_with_the_reader_of_schemes(labels: list[str]) -> None:
    names = sorted(set(labels)) or ["O"]
    y = [names.index(label) for label in labels]
    assert Boundaries(tuple(names)).spans(y) == spans(labels)


def test_spans_of_a_legal_chain_share_out_the_probability() -> None:
    """Every token is outside or in exactly one span."""
    chain = Chain(LABELS["IOBES"], 1, "IOBES")
    scores = np.random.default_rng(4).normal(size=(9, 5))
    inside = np.zeros(9)
    for span in chain.span_marginals(scores):
        inside[span.begin : span.end] += span.probability
    np.testing.assert_allclose(inside, 1 - chain.marginals(scores)[:, 0])


def test_an_unknown_scheme_is_an_error() -> None:
    with pytest.raises(ValueError, match="IOB3"):
        Chain(["O", "B-X"], 1, "IOB3")
    with pytest.raises(ValueError, match="order 0"):
        Chain(["O", "B-X"], 0, "IOB2")

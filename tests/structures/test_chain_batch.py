"""Many sentences at once give what each gives alone, in both precisions and with any number of threads."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores

pytestmark = pytest.mark.native


@given(
    lengths=st.lists(st.integers(0, 6), max_size=12),
    order=st.integers(0, 3),
    per_position=st.booleans(),
    n_jobs=st.sampled_from([1, 2, 5]),
    narrow=st.booleans(),
    seed=st.integers(0, 1000),
)
@settings(max_examples=100)
def test_a_batch_is_its_sentences(
    lengths: list[int], order: int, per_position: bool, n_jobs: int, narrow: bool, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    L, n = 3, sum(lengths)
    unary = generator.normal(size=(n, L)).astype(np.float32 if narrow else np.float64)
    table = (
        generator.normal(size=(*[n] * (per_position and order > 0), *[L] * (order + 1))) if order else None
    )
    begin = [generator.normal(size=[L] * (i + 1)) for i in range(order)]
    allowed = generator.random((n, L)) > 0.2
    allowed[:, 0] = True
    offsets = np.cumsum([0, *lengths])
    chain = Chain(L, order, start=[True, True, False], end=[True, False, True])
    batch = chain.batch(ChainScores(unary, table, begin, offsets), allowed=allowed, n_jobs=n_jobs)
    labels, scores = batch.best()
    log_z, marginals = batch.marginals()
    assert len(batch) == len(lengths)
    assert marginals.dtype == unary.dtype
    np.testing.assert_array_equal(log_z, batch.log_z())
    close = {"rtol": 1e-4, "atol": 1e-4} if narrow else {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(batch.scores(labels), scores, **close)
    for k, (first, last) in enumerate(pairwise(offsets.tolist())):
        own = table[first:last] if per_position and table is not None else table
        one = ChainScores(unary[first:last], own, begin)
        best = chain.best(one, allowed=allowed[first:last])
        assert labels[first:last].tolist() == best.labels.tolist()
        assert scores[k] == best.score
        assert log_z[k] == chain.log_z(one, allowed=allowed[first:last])
        np.testing.assert_array_equal(
            marginals[first:last], chain.marginals(one, allowed=allowed[first:last])
        )
    rows = batch.sentences(labels)
    assert [len(row) for row in rows] == lengths or not lengths


def test_sentences_may_come_as_a_list() -> None:
    generator = np.random.default_rng(2)
    unaries = [generator.normal(size=(n, 4)) for n in (3, 0, 5)]
    table = generator.normal(size=(4, 4))
    batch = Chain(4).batch(ChainScores.of_sentences(unaries, table))
    assert batch.offsets.tolist() == [0, 3, 3, 8]
    want = [Chain(4).log_z(ChainScores(unary, table)) for unary in unaries]
    assert batch.log_z().tolist() == want


def test_the_same_numbers_from_any_number_of_threads() -> None:
    generator = np.random.default_rng(3)
    offsets = np.arange(0, 3001, 10)
    scores = ChainScores(generator.normal(size=(3000, 9)), generator.normal(size=(9, 9)), offsets=offsets)
    chain = Chain(9)
    one, two = chain.batch(scores).marginals(), chain.batch(scores, n_jobs=2).marginals()
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])


def test_an_infeasible_sentence_is_named() -> None:
    chain = Chain(2, pairs=[[True, False], [True, True]])
    allowed = np.ones((7, 2), dtype=bool)
    allowed[4] = [True, False]  # sentence 1, position 1: only label 0 ...
    allowed[5] = [False, True]  # ... which label 1 cannot follow
    batch = chain.batch(ChainScores(np.zeros((7, 2)), offsets=[0, 3, 7]), allowed=allowed)
    assert batch.log_z()[1] == -np.inf
    for ask in (batch.best, batch.marginals):
        with pytest.raises(ValueError, match="sentence 2, position 3: no label is allowed there"):
            ask()


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0, 2], "ascend from 0 to the number of tokens, 3; got 0 to 2"),
        ([1, 3], "ascend from 0"),
        ([0, 2, 1, 3], "ascend from 0"),
        ([], "one-dimensional array of integers"),
        ([0.0, 3.0], "one-dimensional array of integers"),
    ],
)
def test_bad_offsets(offsets: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Chain(2).batch(ChainScores(np.zeros((3, 2)), offsets=np.array(offsets)))


def test_bad_numbers_of_threads_and_labels() -> None:
    scores = ChainScores(np.zeros((3, 2)), offsets=[0, 3])
    with pytest.raises(ValueError, match="or -1 for all processors"):
        Chain(2).batch(scores, n_jobs=0)
    assert len(Chain(2).batch(scores, n_jobs=-1)) == 1
    with pytest.raises(ValueError, match="between 0 and 1"):
        Chain(2).batch(scores).scores([0, 1, 2])
    with pytest.raises(ValueError, match="expected 3 labels"):
        Chain(2).batch(scores).scores([0, 1])
    with pytest.raises(ValueError, match=r"use chain\.batch"):
        Chain(2).best(scores)
    with pytest.raises(ValueError, match="as many labels; got 2, 3"):
        ChainScores.of_sentences([np.zeros((1, 2)), np.zeros((1, 3))])

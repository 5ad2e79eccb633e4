"""Bad and extreme scores of trees: every one has a clear answer."""

from __future__ import annotations

import numpy as np
import pytest

from palmette.structures.arborescence import ProjectiveTrees, SpanningTrees
from samples.random_arcs import structure

pytestmark = pytest.mark.native
KINDS = [(projective, single) for projective in (True, False) for single in (True, False)]


@pytest.mark.parametrize(("projective", "single"), KINDS)
def test_an_empty_sentence(projective: bool, single: bool) -> None:
    trees, scores = structure(projective, single), np.zeros((1, 1))
    assert trees.best(scores).heads.tolist() == []
    assert trees.best(scores).score == 0
    assert [tree.score for tree in trees.kbest(scores, 3)] == [0]
    assert trees.log_z(scores) == 0
    assert trees.entropy(scores) == 0
    assert trees.marginals(scores).tolist() == [[0]]
    assert trees.minimum_risk(scores).score == 0
    assert trees.sample(scores, 2).shape == (2, 0)
    assert trees.score(scores, []) == 0
    assert trees.log_probability(scores, []) == 0


@pytest.mark.parametrize(("projective", "single"), KINDS)
def test_one_word(projective: bool, single: bool) -> None:
    trees, scores = structure(projective, single), np.array([[np.nan, 2.0], [np.inf, np.nan]])
    assert trees.best(scores).heads.tolist() == [0]
    assert trees.best(scores).score == 2
    assert [tree.score for tree in trees.kbest(scores, 3)] == [2]
    assert trees.log_z(scores) == 2
    assert trees.entropy(scores) == 0
    assert trees.marginals(scores).tolist() == [[0, 1], [0, 0]]
    assert trees.sample(scores, 2).tolist() == [[0], [0]]


@pytest.mark.parametrize(("projective", "single"), KINDS)
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((3, 4)), "shape"),
        (np.zeros(9), "shape"),
        (np.zeros((0, 0)), "shape"),
        (np.zeros((2, 2, 2)), "shape"),
        (3.0, "shape"),
        ([["a", "b"], ["c", "d"]], "numbers"),
        ([[0, 1], [2]], "numbers"),
        (None, "numbers|shape"),
        (np.array([[0, np.nan], [0, 0]]), "from 0 to 1 is not a number"),
        (np.array([[0, np.inf], [0, 0]], dtype=np.float32), r"from 0 to 1 is \+inf"),
        (np.array([[0, 1e305], [0, 0]]), "too large"),
    ],
)
def test_bad_scores(projective: bool, single: bool, scores: object, message: str) -> None:
    trees = structure(projective, single)
    for ask in (trees.best, trees.log_z, trees.marginals, trees.entropy, trees.minimum_risk, trees.sample):
        with pytest.raises(ValueError, match=message):
            ask(scores)
    with pytest.raises(ValueError, match=message):
        trees.kbest(scores, 2)


def test_constraints_may_be_arrays_or_iterators() -> None:
    trees, scores = SpanningTrees(), np.zeros((4, 4))
    assert trees.best(scores, required=np.array([[3, 1], [0, 2]])).heads.tolist()[:2] == [3, 0]
    assert trees.best(scores, forbidden=((h, 1) for h in (0, 2))).heads[0] == 3


def test_bad_values_are_found_where_only_one_tree_is_asked_for() -> None:
    with pytest.raises(ValueError, match="finite"):
        SpanningTrees().score([[0, np.nan], [0, 0]], [0])


@pytest.mark.parametrize(
    "scores", [[[0, 1], [5, 0]], np.array([[0, 1], [5, 0]]), np.array([[0, 5], [1, 0.0]]).T]
)
def test_any_array_of_numbers_will_do(scores: object) -> None:
    assert ProjectiveTrees().best(scores).score == 1


@pytest.mark.parametrize(("projective", "single"), KINDS)
def test_bad_constraints(projective: bool, single: bool) -> None:
    trees, scores = structure(projective, single), np.zeros((4, 4))
    for arc in [(0, 0), (1, 1), (0, 4), (4, 1), (-1, 2)]:
        with pytest.raises(ValueError, match="there is no arc"):
            trees.best(scores, required=[arc])
        with pytest.raises(ValueError, match="there is no arc"):
            trees.best(scores, forbidden=[arc])
    for bad in [(1,), (1, 2, 3), "xy", 3, (1, None)]:
        with pytest.raises(ValueError, match="pairs"):
            trees.best(scores, required=[bad])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="no tree can have the required arc from 0 to 1"):
        trees.best(scores, required=[(0, 1), (2, 1)])
    with pytest.raises(ValueError, match="no tree can have the required arc"):
        trees.best(scores, required=[(0, 1)], forbidden=[(0, 1)])
    with pytest.raises(ValueError, match=r"no .*tree"):
        trees.best(scores, required=[(1, 2), (2, 1)])
    if single:
        with pytest.raises(ValueError, match="one root word"):
            trees.marginals(scores, required=[(0, 1), (0, 2)])


@pytest.mark.parametrize(("projective", "single"), KINDS)
def test_bad_heads_and_counts(projective: bool, single: bool) -> None:
    trees, scores = structure(projective, single), np.zeros((3, 3))
    for heads in ([0], [0, 1, 1], [0.0, 1.0]):
        with pytest.raises(ValueError, match="2 words"):
            trees.score(scores, heads)
    for heads in ([0, 3], [-1, 0]):
        with pytest.raises(ValueError, match="between 0 and 2"):
            trees.score(scores, heads)
    with pytest.raises(ValueError, match="k"):
        trees.kbest(scores, 0)
    with pytest.raises(ValueError, match="n_jobs"):
        trees.best_batch([scores], n_jobs=0)


@pytest.mark.parametrize(("projective", "single"), KINDS)
def test_batches(projective: bool, single: bool) -> None:
    rng = np.random.default_rng(5)
    trees = structure(projective, single)
    matrices = [rng.normal(size=(n + 1, n + 1)) for n in (3, 0, 1, 12, 7)]
    flat = np.concatenate([matrix.ravel() for matrix in matrices])
    lengths = [len(matrix) - 1 for matrix in matrices]
    for jobs in (1, 2, -1):
        for batch in (trees.best_batch(matrices, n_jobs=jobs), trees.best_batch(flat, lengths, n_jobs=jobs)):
            assert len(batch) == 5
            for k, matrix in enumerate(matrices):
                alone = trees.best(matrix)
                assert batch[k].heads.tolist() == alone.heads.tolist()
                assert batch[k].score == alone.score
        log_z, marginals = trees.marginals_batch(matrices, n_jobs=jobs)
        np.testing.assert_array_equal(log_z, trees.log_z_batch(flat, lengths, n_jobs=jobs))
        for matrix, have, value in zip(matrices, marginals, log_z):
            np.testing.assert_array_equal(have, trees.marginals(matrix))
            assert value == trees.log_z(matrix)
    banned = trees.best_batch(flat, lengths, forbidden=[[(0, 1)], [], [], [], []])
    assert banned[0].heads[0] != 0
    assert len(trees.best_batch([])) == 0
    assert trees.best_batch([m.astype(np.float32) for m in matrices]).heads.tolist() == batch.heads.tolist()


def test_bad_batches() -> None:
    trees, flat = SpanningTrees(), np.zeros(20)
    for lengths in ([3], [3, 1, 1], [-1, 3, 1], [3, 2]):
        with pytest.raises(ValueError, match=r"scores each|cannot have"):
            trees.best_batch(flat, lengths)
        with pytest.raises(ValueError, match=r"scores each|cannot have"):
            trees.best_batch(flat, lengths, required=[[]] * len(lengths))
    for lengths in ([[3, 1]], [3.0, 1.0]):
        with pytest.raises(ValueError, match="lengths must be"):
            trees.best_batch(flat, lengths)
    with pytest.raises(ValueError, match="one flat array"):
        trees.best_batch(flat.reshape(4, 5), [3, 1])
    with pytest.raises(ValueError, match="each of 2 sentences"):
        trees.best_batch(flat, [3, 1], required=[[]])
    flat[17] = np.nan
    with pytest.raises(ValueError, match="sentence 2: the score of the arc from 0 to 1"):
        trees.best_batch(flat, [3, 1])
    flat[17] = -np.inf
    with pytest.raises(ValueError, match="sentence 2: no dependency tree"):
        trees.best_batch(flat, [3, 1])
    assert trees.log_z_batch(flat, [3, 1])[1] == -np.inf


@pytest.mark.parametrize(("projective", "single"), KINDS)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0, 1e4, 1e8])
def test_scores_of_any_scale(projective: bool, single: bool, scale: float) -> None:
    """Also where weights leave the range of numbers. A shift of a word's scores shifts log Z and no more."""
    n = 12
    rng = np.random.default_rng(2)
    trees, scores = structure(projective, single), rng.normal(size=(n + 1, n + 1)) * scale
    marginals, log_z = trees.marginals(scores), trees.log_z(scores)
    np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0, atol=1e-10)
    best = trees.best(scores)
    assert log_z >= best.score - 1e-9 * abs(best.score)
    if scale >= 1e4:  # one tree has it all
        np.testing.assert_allclose(log_z, best.score, rtol=1e-12)
        np.testing.assert_allclose(marginals[best.heads, np.arange(1, n + 1)], 1.0)
        assert trees.entropy(scores) < 1e-6
        assert trees.sample(scores, 3).tolist() == [best.heads.tolist()] * 3
    shift = rng.normal(size=n + 1) * scale
    np.testing.assert_allclose(trees.marginals(scores + shift), marginals, atol=1e-6)
    np.testing.assert_allclose(trees.log_z(scores + shift), log_z + shift[1:].sum(), rtol=1e-9)
    if single:
        scores[0] -= 1000 * scale  # a root that nobody likes is still needed once
        np.testing.assert_allclose(trees.marginals(scores), marginals, atol=1e-6)


@pytest.mark.parametrize(("projective", "single"), KINDS)
@pytest.mark.parametrize("scale", [1e15, 1e20, 1e290])
def test_scores_too_large_for_sums_do_no_harm(projective: bool, single: bool, scale: float) -> None:
    """Where a score is not known to one, a sum over e^score says little, but comes back; maxima stay exact."""
    trees, scores = structure(projective, single), np.random.default_rng(2).integers(-9, 9, (9, 9)) / 1.0
    marginals = trees.marginals(scores * scale)
    assert ((marginals >= 0) & (marginals <= 1)).all()
    np.testing.assert_allclose(trees.best(scores * scale).score, trees.best(scores).score * scale)
    np.testing.assert_allclose(
        [tree.score for tree in trees.kbest(scores * scale, 9)],
        [tree.score * scale for tree in trees.kbest(scores, 9)],
    )
    trees.sample(scores * scale, 3)
    with pytest.raises(ValueError, match="too large"):
        trees.best(np.full((3, 3), -1e36, dtype=np.float32))


def test_sums_of_plain_and_scaled_numbers_agree() -> None:
    """A sentence just short enough for plain sums, and the same with words that change nothing."""
    rng = np.random.default_rng(4)
    n, more = 149, 4
    scores = rng.normal(size=(n + 1, n + 1)) * 3
    longer = np.full((n + more + 1, n + more + 1), -np.inf)
    longer[: n + 1, : n + 1] = scores
    longer[n, n + 1 :] = 0.0  # hang on the last word, whatever that hangs on
    for single in (True, False):
        trees = ProjectiveTrees(single)
        np.testing.assert_allclose(trees.log_z(longer), trees.log_z(scores), rtol=1e-12)
        have = trees.marginals(longer)[: n + 1, : n + 1]
        np.testing.assert_allclose(have, trees.marginals(scores), atol=1e-11)


@pytest.mark.parametrize(("projective", "single"), KINDS)
def test_a_thousand_words(projective: bool, single: bool) -> None:
    n = 1000
    trees = structure(projective, single)
    scores = np.random.default_rng(0).normal(size=(n + 1, n + 1)).astype(np.float32)
    chain = np.arange(n)  # every word on the one before it
    scores[chain, chain + 1] += 100
    assert trees.best(scores).heads.tolist() == chain.tolist()
    if not projective:
        marginals = trees.marginals(scores)
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0, atol=1e-3)
        assert len(trees.kbest(scores, 3)) == 3

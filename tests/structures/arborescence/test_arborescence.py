"""Best, k best, sums, risk and samples of dependency trees, against enumeration and the general engine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.enumeration import gradient, projective_trees, single_root_trees, spanning_trees
from palmette.inference.deduction import Deduction
from palmette.inference.facts import Columns
from palmette.structures.arborescence import ProjectiveTrees, SpanningTrees
from samples.random_arcs import SmallArcs, all_trees, small_arcs, structure

pytestmark = pytest.mark.native
Close = {"rtol": 1e-9, "atol": 1e-9}
KINDS = [(projective, single) for projective in (True, False) for single in (True, False)]


def feasible(small: SmallArcs) -> bool:
    """Whether there is a tree; if not, every output is refused."""
    if small.is_feasible:
        return True
    trees = small.trees
    for ask in (trees.best, trees.marginals, trees.minimum_risk, trees.entropy, trees.sample):
        with pytest.raises(ValueError, match=r"no .*tree"):
            ask(small.scores)
    with pytest.raises(ValueError, match=r"no .*tree"):
        trees.kbest(small.scores, 3)
    assert trees.log_z(small.scores) == -np.inf
    return False


@given(small_arcs(6))
@settings(max_examples=300, deadline=None)
def test_best_is_the_highest_of_all(small: SmallArcs) -> None:
    if not feasible(small):
        return
    heads, score = small.trees.best(small.scores)
    np.testing.assert_allclose(score, small.every.best_score, **Close)
    assert tuple(heads.tolist()) in all_trees(small.n, small.projective, small.single_root)
    np.testing.assert_allclose(small.score(heads), score, **Close)
    narrow = small.trees.best(small.scores.astype(np.float32))
    np.testing.assert_allclose(small.score(narrow.heads), score, rtol=1e-5, atol=1e-4)


@given(small_arcs())
@settings(max_examples=300, deadline=None)
def test_k_best_are_the_highest_of_all_and_differ(small: SmallArcs) -> None:
    if not feasible(small):
        return
    for k in (1, 2, 7, 3000):
        found = small.trees.kbest(small.scores, k)
        want = small.every.kbest_scores(k)
        np.testing.assert_allclose([tree.score for tree in found], want, **Close)
        heads = [tuple(tree.heads.tolist()) for tree in found]
        assert len(set(heads)) == len(heads)
        assert set(heads) <= set(all_trees(small.n, small.projective, small.single_root))
        np.testing.assert_allclose([small.score(y) for y in heads], want, **Close)


@given(small_arcs())
@settings(max_examples=300, deadline=None)
def test_sums_marginals_entropy_and_risk(small: SmallArcs) -> None:
    if not feasible(small):
        return
    trees, width = small.trees, small.n + 1
    np.testing.assert_allclose(trees.log_z(small.scores), small.every.log_z, **Close)
    marginals = trees.marginals(small.scores)
    want = small.every.marginals().reshape(width, width)
    np.testing.assert_allclose(marginals, want, **Close)
    np.testing.assert_allclose(trees.marginals(small.scores.astype(np.float32)), want, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(trees.entropy(small.scores), small.every.entropy, rtol=1e-7, atol=1e-7)
    risk = trees.minimum_risk(small.scores)
    np.testing.assert_allclose(risk.score, small.every.bayes_gain(np.ones(width * width)), **Close)
    np.testing.assert_allclose(want[risk.heads, np.arange(1, width)].sum(), risk.score, **Close)


@given(small_arcs(4))
@settings(deadline=None)
def test_one_tree(small: SmallArcs) -> None:
    if not feasible(small):
        return
    for heads, score in zip(all_trees(small.n, small.projective, small.single_root), small.every.scores):
        np.testing.assert_allclose(small.trees.score(small.scores, heads), score, **Close)
        log_p = small.trees.log_probability(small.scores, heads)
        np.testing.assert_allclose(log_p, score - small.every.log_z, **Close)


@pytest.mark.parametrize(("projective", "single"), KINDS)
def test_what_is_no_tree_has_no_score(projective: bool, single: bool) -> None:
    trees, possible = structure(projective, single), set(all_trees(3, projective, single))
    for heads in np.ndindex(4, 4, 4):
        assert (trees.score(np.zeros((4, 4)), heads) == 0) == (heads in possible)


@given(small_arcs(4), st.data())
@settings(max_examples=200, deadline=None)
def test_constraints_are_kept(small: SmallArcs, data: st.DataObject) -> None:
    arcs = [(h, m) for h in range(small.n + 1) for m in range(1, small.n + 1) if h != m]
    forbidden = data.draw(st.lists(st.sampled_from(arcs), max_size=2))
    required = data.draw(st.lists(st.sampled_from(arcs), max_size=2))
    left = [
        (y, s)
        for y, s in zip(all_trees(small.n, small.projective, small.single_root), small.every.scores)
        if s > -np.inf
        and all(y[m - 1] == h for h, m in required)
        and not any(y[m - 1] == h for h, m in forbidden)
    ]
    kept = {"required": required, "forbidden": forbidden}
    if not left:
        with pytest.raises(ValueError, match=r"no .*tree"):
            small.trees.best(small.scores, **kept)
        return
    np.testing.assert_allclose(small.trees.best(small.scores, **kept).score, max(s for _, s in left), **Close)
    found = small.trees.kbest(small.scores, 5000, **kept)
    assert {tuple(tree.heads.tolist()) for tree in found} == {y for y, _ in left}
    np.testing.assert_allclose(
        small.trees.log_z(small.scores, **kept), np.logaddexp.reduce([s for _, s in left]), **Close
    )
    drawn = small.trees.sample(small.scores, 5, **kept)
    assert {tuple(row) for row in drawn.tolist()} <= {y for y, _ in left}
    batch = small.trees.best_batch([small.scores], required=[required], forbidden=[forbidden])
    np.testing.assert_allclose(batch[0].score, max(s for _, s in left), **Close)


@pytest.mark.parametrize(("projective", "single"), KINDS)
def test_marginals_are_the_derivatives_of_log_z(projective: bool, single: bool) -> None:
    trees, n = structure(projective, single), 9
    scores = np.random.default_rng(1).normal(size=(n + 1, n + 1)) * 2
    slopes = gradient(lambda flat: trees.log_z(flat.reshape(n + 1, n + 1)), scores.ravel())
    np.testing.assert_allclose(trees.marginals(scores).ravel(), slopes, atol=1e-8)


@pytest.mark.parametrize(("projective", "single"), KINDS)
@pytest.mark.parametrize("n", [1, 2, 5, 20, 60, 170])
def test_counts_of_trees(projective: bool, single: bool, n: int) -> None:
    """Where all scores are zero, Z is how many trees there are."""
    if projective:
        count = projective_trees(n, single_root=single)
    else:
        count = single_root_trees(n) if single else spanning_trees(n)
    trees = structure(projective, single)
    np.testing.assert_allclose(trees.log_z(np.zeros((n + 1, n + 1))), math.log(count), rtol=1e-11)
    np.testing.assert_allclose(trees.entropy(np.zeros((n + 1, n + 1))), math.log(count), rtol=1e-11)


@pytest.mark.parametrize(("projective", "single"), KINDS)
def test_samples_have_their_probabilities(projective: bool, single: bool) -> None:
    small = SmallArcs(np.random.default_rng(7).normal(size=(4, 4)), projective, single)
    count = 20000
    drawn = small.trees.sample(small.scores, count, random_state=3)
    np.testing.assert_array_equal(drawn, small.trees.sample(small.scores, count, random_state=3))
    names = all_trees(3, projective, single)
    shares = np.array([(drawn == y).all(axis=1).mean() for y in names])
    np.testing.assert_allclose(shares.sum(), 1.0)
    p = small.every.probabilities
    assert (np.abs(shares - p) < 5 * np.sqrt(p * (1 - p) / count) + 1e-4).all()


def test_samples_where_walks_would_not_end() -> None:
    """Two words that hold each other nearly always: head by head from the marginals."""
    for single in (True, False):
        scores = np.zeros((4, 4))
        scores[1, 2] = scores[2, 1] = 60.0
        small = SmallArcs(scores, False, single)
        drawn = small.trees.sample(scores, 4000, random_state=0)
        for y, p in zip(all_trees(3, False, single), small.every.probabilities):
            assert abs((drawn == y).all(axis=1).mean() - p) < 0.04


RULES = """
    right[i, i]     <- ?word(i)
    left[i, i]      <- ?word(i)
    arc_right[i, k] <- arc(i, k) * right[i, j] * left[j+1, k]
    arc_left[i, k]  <- arc(k, i) * right[i, j] * left[j+1, k]
    right[i, k]     <- arc_right[i, j] * right[j, k]
    left[i, k]      <- left[i, j] * arc_left[j, k]
"""
GOALS = {
    True: "    tree[r] <- ?length(n) * arc(0, r) * left[1, r] * right[r, n]\n    goal tree[r]",
    False: "    goal right[0, n] <- ?length(n)",
}


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("n", [1, 4, 9])
def test_projective_trees_agree_with_the_general_engine(n: int, single: bool) -> None:
    scores = np.random.default_rng(n).normal(size=(n + 1, n + 1))
    heads, words = np.nonzero(~np.eye(n + 1, dtype=bool) & (np.arange(n + 1) > 0))
    forest = Deduction(RULES + GOALS[single]).run(
        {
            "arc": Columns(heads, words, weights=scores[heads, words]),
            "word": range(1 if single else 0, n + 1),
            "length": [n],
        },
        log=True,
    )
    trees = ProjectiveTrees(single)
    assert forest.count() == projective_trees(n, single_root=single)
    np.testing.assert_allclose(trees.log_z(scores), forest.log_z(), **Close)
    best = forest.best()
    assert best is not None
    np.testing.assert_allclose(trees.best(scores).score, best.score, **Close)
    have = [tree.score for tree in trees.kbest(scores, 50)]
    np.testing.assert_allclose(have, [proof.score for proof in forest.kbest(50)], **Close)
    marginals = trees.marginals(scores)
    for name, p in forest.fact_marginals().items():
        if name.name == "arc":
            h, m = map(int, name.arguments)
            np.testing.assert_allclose(marginals[h, m], p, **Close)


def test_a_projective_tree_is_a_tree() -> None:
    scores = np.random.default_rng(0).normal(size=(31, 31))
    for single in (True, False):
        assert SpanningTrees(single).best(scores).score >= ProjectiveTrees(single).best(scores).score
        assert SpanningTrees(single).log_z(scores) > ProjectiveTrees(single).log_z(scores)

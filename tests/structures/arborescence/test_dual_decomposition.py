"""Dual decomposition against enumeration: the bound holds, and what has a certificate is the best."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.structures.arborescence import SpanningTrees
from palmette.structures.arborescence.dual_decomposition import dual_decomposition
from samples.random_arcs import all_trees

pytestmark = pytest.mark.native
Floats = npt.NDArray[np.float64]


def score_of(heads: tuple[int, ...], scores: Floats, siblings: Floats) -> float:
    total = 0.0
    for h in range(len(heads) + 1):
        below = [m for m, its in enumerate(heads, 1) if its == h]
        for side in ([m for m in below if m > h], [m for m in reversed(below) if m < h]):
            for p, m in zip([h, *side], side):
                total += scores[h, m] + siblings[h, m, p]
    return total


@given(
    st.integers(1, 5),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.3, 1.0, 3.0]),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_certified_trees_are_the_best(n: int, seed: int, strength: float, single: bool, holes: bool) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n + 1, n + 1))
    siblings = rng.normal(size=(n + 1,) * 3) * strength
    if holes:
        scores[rng.random(scores.shape) < 0.2] = -np.inf
        siblings[rng.random(siblings.shape) < 0.1] = -np.inf
    best = max(score_of(heads, scores, siblings) for heads in all_trees(n, False, single))
    try:
        found = dual_decomposition(scores, siblings, single_root=single)
    except ValueError:
        assert holes
        return
    assert tuple(found.heads.tolist()) in all_trees(n, False, single)
    np.testing.assert_allclose(found.score, score_of(tuple(found.heads), scores, siblings), atol=1e-9)
    assert found.bound >= best - 1e-7
    assert found.score <= best + 1e-7
    if found.certificate:
        np.testing.assert_allclose(found.score, best, atol=1e-6)


def test_most_trees_have_a_certificate() -> None:
    rng = np.random.default_rng(0)
    found = [
        dual_decomposition(rng.normal(size=(n + 1, n + 1)) * 2, rng.normal(size=(n + 1,) * 3) * 0.5)
        for n in (5, 10, 15)
        for _ in range(10)
    ]
    assert np.mean([tree.certificate for tree in found]) >= 0.8
    assert all(tree.bound >= tree.score - 1e-9 for tree in found)


def test_without_siblings_it_is_the_spanning_tree() -> None:
    scores = np.random.default_rng(1).normal(size=(13, 13))
    for single in (True, False):
        found = dual_decomposition(scores, np.zeros((13, 13, 13)), single_root=single, max_iter=2000)
        best = SpanningTrees(single).best(scores)
        assert found.bound >= best.score - 1e-9
        if found.certificate:
            np.testing.assert_allclose(found.score, best.score)


def test_constraints_and_bad_input() -> None:
    scores, siblings = np.zeros((4, 4)), np.zeros((4, 4, 4))
    assert dual_decomposition(scores, siblings, required=[(0, 2)]).heads[1] == 0
    assert dual_decomposition(np.zeros((1, 1)), np.zeros((1, 1, 1))).certificate
    with pytest.raises(ValueError, match="no dependency tree with one root word"):
        dual_decomposition(scores, siblings, required=[(0, 1), (0, 2)])
    with pytest.raises(ValueError, match="shape 4 × 4 × 4"):
        dual_decomposition(scores, np.zeros((4, 4)))
    with pytest.raises(ValueError, match="finite or -inf"):
        dual_decomposition(scores, np.full((4, 4, 4), np.nan))
    with pytest.raises(ValueError, match="not a number"):
        dual_decomposition(np.full((4, 4), np.nan), siblings)
    with pytest.raises(ValueError, match="max_iter"):
        dual_decomposition(scores, siblings, max_iter=0)
    siblings[0] = -np.inf
    with pytest.raises(ValueError, match="no dependency tree"):
        dual_decomposition(scores, siblings)

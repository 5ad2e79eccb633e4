"""Kernels as `SVC(kernel=…)`: on lists of trees, in grid searches and pipelines."""

from __future__ import annotations

import random

import numpy as np
import pytest

from palmette.features.kernels import SubsequenceKernel, TreeKernel
from palmette.trees.tree import Tree


def trees(seed: int, n: int) -> tuple[list[Tree], list[str]]:
    """Questions that ask for a person or for a place; only the fragment of their second word tells."""
    rng = random.Random(seed)
    found, labels = [], []
    for _ in range(n):
        label = rng.choice(["person", "place"])
        wh = "who" if label == "person" else "where"
        noun, verb = rng.choice(["dog", "cat", "king"]), rng.choice(["sleeps", "sings", "eats"])
        words = f"(SBARQ (WHNP (WP {wh})) (SQ (VBZ {verb}) (NP (DT the) (NN {noun}))))"
        found.append(Tree.parse(words))
        labels.append(label)
    return found, labels


def test_a_support_vector_machine_on_trees() -> None:
    svm = pytest.importorskip("sklearn.svm")
    (train, labels), (test, gold) = trees(0, 40), trees(1, 20)
    kernel = TreeKernel(decay=0.4).normalized
    guess = svm.SVC(kernel=kernel).fit(train, labels).predict(test)
    assert guess.tolist() == gold
    same = svm.SVC(kernel="precomputed").fit(kernel.gram(train), labels).predict(kernel.gram(test, train))
    assert np.array_equal(guess, same)


def test_a_grid_of_kernels() -> None:
    svm = pytest.importorskip("sklearn.svm")
    selection = pytest.importorskip("sklearn.model_selection")
    train, labels = trees(0, 40)
    grid = {"kernel": [TreeKernel(decay=0.1), TreeKernel("partial").normalized], "C": [1.0]}
    search = selection.GridSearchCV(svm.SVC(), grid, cv=3).fit(train, labels)
    assert search.best_score_ == 1.0
    assert search.predict(trees(1, 10)[0]).tolist() == trees(1, 10)[1]


def test_a_clone_is_an_equal_kernel() -> None:
    base = pytest.importorskip("sklearn.base")
    svm = pytest.importorskip("sklearn.svm")
    kernel = TreeKernel(decay=0.3) + SubsequenceKernel(2).on(str)
    assert base.clone(svm.SVC(kernel=kernel)).kernel == kernel


def test_support_vectors_scored_by_merged_supports() -> None:
    svm = pytest.importorskip("sklearn.svm")
    (train, labels), (test, _) = trees(0, 40), trees(1, 20)
    kernel = TreeKernel(decay=0.4)
    fitted = svm.SVC(kernel=kernel).fit(train, labels)
    supports = kernel.supports()
    supports.add([train[i] for i in fitted.support_], fitted.dual_coef_[0])
    np.testing.assert_allclose(
        supports.score(test) + fitted.intercept_[0], fitted.decision_function(test), rtol=1e-9
    )

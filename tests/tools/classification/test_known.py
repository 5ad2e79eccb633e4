"""Classes that items may have: predictions, probabilities and k best keep to them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palmette.features.kernels.vectors import LinearKernel
from palmette.learning.kernel_perceptron import KernelPerceptron
from palmette.learning.kernel_svm import KernelSVM
from palmette.learning.loglinear import CRF
from palmette.learning.neighbours import NearestNeighbours
from palmette.tools.classification.classifier import Classifier

pytestmark = pytest.mark.native
RNG = np.random.default_rng(3)
X = [row.tolist() for row in RNG.normal(size=(40, 3))]
Y = [("a", "b", "c", "d")[int(np.argmax([*row, 0.0]))] for row in X]
MADE: dict[str, Any] = {
    "linear": lambda: Classifier(CRF(l2=0.1)),
    "svm": lambda: Classifier(KernelSVM(), kernel=LinearKernel()),
    "voted": lambda: Classifier(KernelPerceptron(voted=True), kernel=LinearKernel()),
    "knn": lambda: Classifier(NearestNeighbours(k=3)),
}
KNOWN = [None, "b", {"a", "c"}, ["d"], ("a", "b", "c", "d")] * 8


@pytest.mark.parametrize("kind", MADE)
def test_only_allowed_classes(kind: str) -> None:
    classifier = MADE[kind]().fit(X, Y)
    scores, free = classifier.decision_function(X), classifier.predict(X)
    found = classifier.predict(X, known=iter(KNOWN))
    ranked = classifier.kbest(X, 9, known=KNOWN)
    for i, may in enumerate(KNOWN):
        allowed = (
            list(classifier.classes_.tolist())
            if may is None
            else [may]
            if isinstance(may, str)
            else sorted(may)
        )
        columns = [classifier.classes_.tolist().index(label) for label in allowed]
        assert found[i] in allowed
        assert scores[i, classifier.classes_.tolist().index(found[i])] == scores[i, columns].max()
        assert sorted(one.output for one in ranked[i]) == allowed
        assert ranked[i][0].output == found[i]
        if len(allowed) == 4:
            assert found[i] == free[i]
    if classifier.model_.probabilities_from is None:
        return
    p, all_of_it = classifier.predict_proba(X, known=KNOWN), classifier.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    for i, may in enumerate(KNOWN):
        allowed = (
            list(classifier.classes_.tolist())
            if may is None
            else [may]
            if isinstance(may, str)
            else sorted(may)
        )
        columns = [classifier.classes_.tolist().index(label) for label in allowed]
        if all_of_it[i, columns].sum() > 0:
            np.testing.assert_allclose(p[i, columns], all_of_it[i, columns] / all_of_it[i, columns].sum())


def test_what_cannot_be_known() -> None:
    classifier = Classifier(CRF(n_iter=2)).fit(X, Y)
    for known, message in (
        (["a"], "40 items and known classes for 1"),
        ([None] * 39 + ["z"], "Item 40: 'z' is not a class of this model: a, b, c, d"),
        ([None] * 39 + [[]], "Item 40: not one class is allowed"),
    ):
        with pytest.raises(ValueError, match=message):
            classifier.predict(X, known=known)

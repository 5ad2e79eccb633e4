"""Taggers among scikit-learn's own: clone, grid search, pipelines."""

from __future__ import annotations

import numpy as np
import pytest

from palmette.learning.loglinear import CRF
from palmette.tools.spans import SpanTagger
from palmette.tools.tagger import Tagger
from sequence_data import random_sentences

pytestmark = [pytest.mark.native, pytest.mark.filterwarnings("default")]

pytest.importorskip("sklearn")


def test_clone() -> None:
    from sklearn.base import clone

    tagger = SpanTagger(CRF(l2=0.3), templates="ner", order=2, min_count=2, scheme="IOB2", lenient=True)
    copy = clone(tagger)
    assert copy is not tagger
    assert copy.get_params() == tagger.get_params()
    assert not hasattr(copy, "model_")
    X, y = random_sentences(20)
    fitted = Tagger(CRF(n_iter=2)).fit(X, y)
    assert not hasattr(clone(fitted), "model_")


def test_parameters() -> None:
    tagger = Tagger(CRF(l2=0.3))
    assert tagger.get_params()["learner__l2"] == 0.3
    assert tagger.set_params(learner__l2=2.0, order=0).learner.l2 == 2.0
    assert tagger.order == 0
    with pytest.raises(ValueError, match="no parameter 'l2'"):
        tagger.set_params(l2=1)
    with pytest.raises(ValueError, match="must be a number in the range"):
        tagger.set_params(learner__l2=-1.0)
    assert Tagger().set_params(learner__l2=5.0).learner == CRF(l2=5.0)
    assert repr(Tagger(order=2)) == "Tagger(order=2)"


def test_grid_search() -> None:
    from sklearn.model_selection import GridSearchCV, cross_val_score

    X, y = random_sentences(60)
    grid = GridSearchCV(Tagger(CRF(n_iter=3), templates="w[0]\ny"), {"learner__l2": [0.01, 100.0]}, cv=3)
    grid.fit(X, y)
    assert grid.best_params_ == {"learner__l2": 0.01}
    assert grid.best_score_ > 0.6
    assert len(cross_val_score(Tagger(CRF(n_iter=2)), X, y, cv=2)) == 2


def test_pipeline() -> None:
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    X, y = random_sentences(40)
    shout = FunctionTransformer(lambda rows: [[word.upper() for word in row] for row in rows])
    line = Pipeline([("shout", shout), ("tag", Tagger(CRF(l2=0.1), templates="w[0]\ny"))]).fit(X, y)
    assert line.score(X, y) > 0.6
    assert "w[0]=X" in line.named_steps["tag"].model_.features.names()
    assert np.shape(line.predict(X)[0]) == np.shape(y[0])

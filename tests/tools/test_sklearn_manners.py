"""Tools among scikit-learn's own: clone, grid search, cross validation, pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import (
    CRF,
    EM,
    Aligner,
    Classifier,
    ConstituencyParser,
    Corpus,
    DependencyParser,
    Perceptron,
    Reranker,
    Sentiment,
    SpanTagger,
    Tagger,
    TagInducer,
    Translator,
)
from samples.phrase_treebank import garden as phrase_garden
from samples.ranking_lists import random_lists
from samples.sequences import random_sentences
from samples.treebank import garden_trees

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


@pytest.mark.parametrize(
    "scoring", ["accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "recall_micro"]
)
def test_scorers_of_scikit_learn_measure_classifiers(scoring: str) -> None:
    from sklearn.model_selection import cross_val_score

    X, y = ["How far is it ?", "Who ran ?", "How long is it ?", "Who came ?"] * 4, ["NUM", "HUM"] * 8
    assert cross_val_score(Classifier(), X, y, cv=2, scoring=scoring, error_score="raise").tolist() == [1, 1]


@pytest.mark.parametrize("tool", [Classifier(CRF(n_iter=5)), Sentiment()], ids=["Classifier", "Sentiment"])
@pytest.mark.parametrize("labels", [["NUM", "HUM", "LOC"], ["NUM", "HUM"], [2, 1]], ids=str)
def test_scorers_of_scikit_learn_measure_probabilities(tool: Any, labels: list[Any]) -> None:
    """The columns of predict_proba are in the order of classes_, which is that of scikit-learn."""
    from sklearn.base import clone
    from sklearn.metrics import make_scorer, roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    texts = ["How far is it ?", "Who ran ?", "Where is it ?"][: len(labels)]
    X, y = [text for text in texts for _ in range(4)], [label for label in labels for _ in range(4)]
    folds = StratifiedKFold(4)
    have = cross_val_score(tool, X, y, cv=folds, scoring="neg_log_loss", error_score="raise")
    want = []
    for train, test in folds.split(X, y):
        fitted = clone(tool).fit([X[i] for i in train], [y[i] for i in train])
        rows = fitted.predict_proba([X[i] for i in test])
        columns = [fitted.classes_.tolist().index(y[i]) for i in test]
        want.append(np.log(rows[np.arange(len(test)), columns]).mean())
    np.testing.assert_allclose(have, want, rtol=1e-4)
    assert cross_val_score(tool, X, y, cv=folds, scoring="accuracy", error_score="raise").shape == (4,)
    if len(labels) == 2:
        area = make_scorer(roc_auc_score, response_method="predict_proba")
        assert cross_val_score(tool, X, y, cv=3, scoring=area, error_score="raise").tolist() == [1, 1, 1]


def test_a_measure_of_evaluate_is_a_scorer() -> None:
    from sklearn.model_selection import GridSearchCV, cross_val_score

    X, y = random_sentences(40)
    tagger = Tagger(CRF(n_iter=2), templates="w[0]\ny")

    def accuracy(tool: Tagger, X: Any, y: Any) -> float:
        return float(tool.evaluate(X, y).accuracy)

    have = cross_val_score(tagger, X, y, cv=2, scoring=accuracy)
    np.testing.assert_array_equal(have, cross_val_score(tagger, X, y, cv=2))
    grid = GridSearchCV(tagger, {"learner__l2": [0.01, 100.0]}, cv=2, scoring=accuracy).fit(X, y)
    assert grid.best_params_ == {"learner__l2": 0.01}
    with pytest.raises(ValueError, match="Sequence of sequences are no longer supported"):
        cross_val_score(tagger, X, y, cv=2, scoring="accuracy", error_score="raise")


def test_pipeline() -> None:
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    X, y = random_sentences(40)
    shout = FunctionTransformer(lambda rows: [[word.upper() for word in row] for row in rows])
    line = Pipeline([("shout", shout), ("tag", Tagger(CRF(l2=0.1), templates="w[0]\ny"))]).fit(X, y)
    assert line.score(X, y) > 0.6
    assert "w[0]=X" in line.named_steps["tag"].model_.features.names()
    assert np.shape(line.predict(X)[0]) == np.shape(y[0])


def _objects(rows: list[Any]) -> Any:
    row = np.empty(len(rows), dtype=object)
    for i, value in enumerate(rows):
        row[i] = value
    return row


def _cases() -> dict[str, tuple[Any, Any, Any, dict[str, list[Any]]]]:
    """By tool: an estimator, its input and right output (None if the input brings it), and a grid."""
    X, y = random_sentences(24)
    corpus = Corpus.from_columns({"form": X, "upos": y})
    spans = [[f"B-{label}" for label in row] for row in y]
    bank, trees = garden_trees()[:24], phrase_garden()[:24]
    arcs = [list(zip(sentence.heads.tolist(), sentence["deprel"])) for sentence in bank]
    pairs = [("the house", "das Haus"), ("the book", "das Buch"), ("a book", "ein Buch")] * 4
    links = [[(0, 0), (1, 1)]] * 12
    texts, classes = ["a good film", "a bad film", "good fun", "bad luck"] * 4, ["+", "-"] * 8
    tagger, parser = Tagger(CRF(n_iter=2), templates="w[0]\ny"), DependencyParser("graph", CRF(n_iter=1))
    l2, margin = {"learner__l2": [0.1, 1.0]}, {"learner__margin": [0.0, 1.0]}
    return {
        "Tagger": (tagger, X, y, l2),
        "Tagger of arrays": (tagger, _objects(X), _objects(y), l2),
        "Tagger of a corpus": (tagger, corpus, None, l2),
        "SpanTagger": (
            SpanTagger(CRF(n_iter=2), templates="w[0]\ny"),
            X,
            spans,
            {"scheme": ["IOB2", "IOBES"]},
        ),
        "TagInducer": (TagInducer(EM(n_iter=2), n_states=4), corpus, None, {"n_states": [3, 4]}),
        "DependencyParser": (parser, bank, None, l2),
        "DependencyParser of lists": (parser, [sentence["form"] for sentence in bank], arcs, l2),
        "ConstituencyParser": (ConstituencyParser("pcfg"), trees, None, {"method": ["pcfg", "markov"]}),
        "Reranker": (Reranker(Perceptron(n_iter=2)), random_lists(12, 0), None, margin),
        "Classifier": (Classifier(CRF(n_iter=2)), texts, classes, l2),
        "Aligner": (Aligner(models=("model1",)), pairs, links, {"threshold": [0.3, 0.5]}),
        "Translator": (
            Translator(tuning="none", options={"models": "model1", "order": 2}),
            [source for source, _ in pairs],
            [target for _, target in pairs],
            {"options": [{"models": "model1", "order": n} for n in (1, 2)]},
        ),
    }


@pytest.mark.parametrize("tool", _cases())
def test_every_tool_among_scikit_learns(tool: str) -> None:
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score

    estimator, X, y, grid = _cases()[tool]
    assert repr(clone(estimator)) == repr(estimator)
    folds = KFold(3)
    scores = cross_val_score(estimator, X, y, cv=folds, error_score="raise")
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()
    predicted = cross_val_predict(estimator, X, y, cv=folds)
    assert predicted.shape == (len(X),)
    train, test = next(iter(folds.split(range(len(X)))))
    by_hand = clone(estimator).fit([X[i] for i in train], *([] if y is None else [[y[i] for i in train]]))
    assert list(predicted[: len(test)]) == list(by_hand.predict([X[i] for i in test]))
    search = GridSearchCV(estimator, grid, cv=folds, error_score="raise").fit(X, y)
    assert set(search.best_params_) == set(grid)
    assert len(search.predict(X)) == len(X)


MEASURES = {
    "Tagger": "accuracy known_accuracy unknown_accuracy sentence_accuracy macro_f1",
    "SpanTagger": "f1 precision recall",
    "ConstituencyParser": "f1 precision recall",
    "DependencyParser": "las uas clas",
    "Reranker": "f1",
    "Aligner": "aer",
    "Translator": "bleu chrf",
}


@pytest.mark.parametrize(
    ("tool", "measure"), [(tool, measure) for tool, row in MEASURES.items() for measure in row.split()]
)
def test_measures_that_the_guide_names_are_scorers(tool: str, measure: str) -> None:
    from sklearn.model_selection import KFold, cross_val_score

    estimator, X, y, _ = _cases()[tool]

    def scorer(fitted: Any, X: Any, y: Any = None) -> float:
        return float(getattr(fitted.evaluate(X, y), measure))

    scores = cross_val_score(estimator, X, y, cv=KFold(2), scoring=scorer, error_score="raise")
    assert scores.shape == (2,)
    assert (np.isfinite(scores) | (measure == "unknown_accuracy")).all()
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if f"`{tool}`" in line and measure in line]

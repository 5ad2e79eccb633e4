"""Tagger: everything it can be asked, against enumeration of label sequences."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from palmette import FormatError
from palmette.features import Templates
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.learning.learner import Report
from palmette.learning.loglinear import CRF
from palmette.tools.sequence.hmm import HMM
from palmette.tools.sequence.tagger import Tagger
from samples.sequences import garden, random_sentences, words_and_tags

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(CRF(l2=0.1, n_iter=20)).fit(garden())


def all_sequences(tagger: Tagger, words: list[str]) -> dict[tuple[str, ...], float]:
    """The probability of every label sequence, from the scores of the chain."""
    ((chain, scores),) = list(tagger.chains([words]))
    labels = tagger.classes_
    found = {
        tuple(labels[k] for k in y): chain.score(scores, y)
        for y in itertools.product(range(len(labels)), repeat=len(words))
    }
    log_z = np.logaddexp.reduce(list(found.values()))
    return {y: float(np.exp(score - log_z)) for y, score in found.items()}


@pytest.mark.parametrize("templates", ["w[0]\ny", "w[-1..1]", "w[0]\ny|w[0]\ny"])
@pytest.mark.parametrize("order", [1, 2])
def test_against_all_label_sequences(templates: str, order: int) -> None:
    X, y = random_sentences(60, seed=order)
    tagger = Tagger(CRF(l2=0.5, n_iter=10), templates=templates, order=order).fit(X, y)
    for words in (["a1", "x", "b2", "c0"], ["x"], ["b1", "b1"]):
        every = all_sequences(tagger, words)
        best = max(every, key=lambda key: every[key])
        assert tuple(tagger.predict([words])[0]) == best
        ranked = sorted(every.values(), reverse=True)
        kbest = tagger.kbest([words], 5)[0]
        assert [np.exp(p) for _, _, p in kbest] == pytest.approx(ranked[: len(kbest)], rel=1e-4)
        assert tuple(kbest[0].output) == best
        for t, row in enumerate(tagger.marginals([words])[0]):
            for label, p in row.items():
                assert p == pytest.approx(sum(q for seq, q in every.items() if seq[t] == label), abs=1e-5)
        expected = [max(row, key=lambda label, row=row: row[label]) for row in tagger.marginals([words])[0]]
        assert tagger.predict([words], minimum_risk=True)[0] == expected


def test_learning_beats_guessing_and_columns_equal_lists(tagger: Tagger) -> None:
    test = garden("test")
    assert tagger.score(test) > 0.85
    words, tags = words_and_tags(test)
    assert tagger.score(words, tags) == tagger.score(test)
    flat = [tag for sentence in tagger.predict(test) for tag in sentence]
    assert tagger.predict_column(test).values() == flat


def test_evaluation_knows_known_words(tagger: Tagger) -> None:
    test = garden("test")
    scores = tagger.evaluate(test)
    train_words = {word for sentence in words_and_tags(garden())[0] for word in sentence}
    words, tags = words_and_tags(test)
    guesses = tagger.predict(words)
    rows = [
        (word in train_words, tag == guess)
        for sentence in zip(words, tags, guesses)
        for word, tag, guess in zip(*sentence)
    ]
    for known, accuracy in ((True, scores.known_accuracy), (False, scores.unknown_accuracy)):
        here = [right for seen, right in rows if seen is known]
        assert accuracy == pytest.approx(sum(here) / len(here))
    assert scores.accuracy == tagger.score(test)


def test_confidence_is_the_probability_of_the_label(tagger: Tagger) -> None:
    test = garden("test")
    column = tagger.predict_column(test)
    p = np.concatenate(tagger.predict_proba(test))
    assert tagger.confidence(test, column) == pytest.approx(p[np.arange(len(p)), column.ids])


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"hash_bits": 12}, {"order": 2}, {"min_count": 2}, {"templates": "w[0]\ny|w[0]\ny"}]
)
def test_a_saved_tagger_is_the_same(options, compact: bool, tmp_path: Path) -> None:
    tagger = Tagger(CRF(n_iter=5), **options).fit(garden())
    tagger.save(tmp_path / "t.palm", compact=compact)
    loaded = Tagger.load(tmp_path / "t.palm")
    assert loaded.classes_ == tagger.classes_
    assert loaded.training_ == tagger.training_
    assert loaded.training_["sentences"] == 50
    assert loaded.training_["tokens"] == 391
    test = garden("test")
    want = tagger.predict_proba(test)
    tolerance = 2e-2 if compact else 1e-6
    for have, wanted in zip(loaded.predict_proba(test), want, strict=True):
        assert have == pytest.approx(wanted, abs=tolerance)
    assert loaded.evaluate(test).unknown == tagger.evaluate(test).unknown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.palm"]


def test_the_same_data_gives_the_same_file(tmp_path: Path) -> None:
    for name in "ab":
        Tagger(CRF(n_iter=3)).fit(garden()).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_partly_labelled_data() -> None:
    X, y = random_sentences(80)
    holes: list[list[object]] = [
        [None if (i + t) % 3 == 0 else {"A", label} if t % 4 == 1 else label for t, label in enumerate(row)]
        for i, row in enumerate(y)
    ]
    part = Tagger(CRF(l2=0.1), templates="w[0]\ny").fit(X, holes)
    assert part.score(X, y) > 0.6
    corpus = Corpus.from_columns({"form": [["a1", "b1"]], "upos": [["A", "_"]]})
    assert Tagger(templates="w[0]").fit(corpus).classes_ == ["A"]
    assert Tagger(templates="w[0]").fit(corpus).score(corpus) == 1.0  # tokens without a label do not count


def test_weights_of_sentences() -> None:
    X, y = [["a"], ["a"]], [["A"], ["B"]]
    heavy = Tagger(CRF(l2=0.1, method="lbfgs", n_iter=50), templates="w[0]")
    assert heavy.fit(X, y, sample_weight=[3, 1]).predict([["a"]]) == [["A"]]
    assert heavy.fit(X, y, sample_weight=[1, 3]).predict([["a"]]) == [["B"]]
    doubled = Tagger(CRF(l2=0.1, method="lbfgs", n_iter=50), templates="w[0]").fit([*X, X[0]], [*y, y[0]])
    weighted = heavy.fit(X, y, sample_weight=[2, 1])
    assert weighted.predict_proba(X)[0] == pytest.approx(doubled.predict_proba(X)[0], abs=1e-3)


def test_a_warm_start_goes_on() -> None:
    train = garden()
    tagger = Tagger(CRF(l2=0.1, n_iter=1, eta0=0.01, tol=0)).fit(train)
    first = tagger.history_[-1].numbers["loss"]
    for _ in range(5):
        tagger.fit(train, warm_start=True)
    assert tagger.history_[-1].numbers["loss"] < first
    with pytest.raises(ValueError, match="'QQQ' is not among them"):
        tagger.fit([["a"]], [["QQQ"]], warm_start=True)


def test_a_dev_set_chooses_the_best_pass_and_stops() -> None:
    reports: list[Report] = []
    learner = CRF(n_iter=40, patience=3, l2=0.01, tol=0)
    tagger = Tagger(learner).fit(garden(), dev=garden("test"), callback=reports.append)
    scores = [report.numbers["dev"] for report in reports]
    assert tagger.score(garden("test")) == max(scores)
    assert len(scores) < 40
    assert tagger.training_["dev_score"] == max(scores)
    words, tags = words_and_tags(garden("test"))
    again = Tagger(learner).fit(garden(), dev=(words, tags))
    assert again.history_[-1].numbers["dev"] == scores[-1]


def test_ctrl_c_keeps_the_work() -> None:
    def stop(report: Report) -> None:
        if report.epoch == 2:
            raise KeyboardInterrupt

    tagger = Tagger(CRF(n_iter=10, tol=0)).fit(garden(), callback=stop)
    assert tagger.interrupted_
    assert len(tagger.history_) == 2
    assert tagger.score(garden()) > 0.5


def test_other_input() -> None:
    X = [[{"w": "a", "n": 1.5}, {"w": "b"}], [{"w": "b"}]]
    y = [["A", "B"], ["B"]]
    assert Tagger(CRF(l2=0.01)).fit(X, y).predict(X) == y
    rows = [np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 1.0]])]
    assert Tagger(CRF(l2=0.01)).fit(rows, y).predict(rows) == y
    pairs = [[("a", "X"), ("b", "Y")], [("b", "Y")]]
    assert Tagger(CRF(l2=0.01), templates="column2[0]").fit(pairs, y).predict(pairs) == y


def test_several_threads_give_the_same(tagger: Tagger) -> None:
    test = garden("test")
    want = tagger.predict(test)
    tagger.n_jobs = 2
    try:
        assert tagger.predict(test) == want
    finally:
        tagger.n_jobs = None


def test_templates_can_be_told_in_many_ways() -> None:
    X, y = [["a", "b"]], [["A", "B"]]
    for templates in ("w[0]", "pos", Templates("w[0]"), "U00:%x[0,0]"):
        assert Tagger(templates=templates).fit(X, y).classes_ == ["A", "B"]


def test_columns_of_labels() -> None:
    corpus = garden().with_column("xpos", Column(np.zeros(391, np.int32), ["T"]))
    assert Tagger(column="xpos").fit(corpus).classes_ == ["T"]
    assert Tagger(column=3).fit(corpus).classes_ == ["T"]
    with pytest.raises(ValueError, match="no column 'pos' with labels: there are form, lemma"):
        Tagger(column="pos").fit(corpus)


def test_no_sentence_at_all(tagger: Tagger) -> None:
    assert tagger.predict([]) == tagger.predict_proba([]) == tagger.marginals([]) == tagger.kbest([], 2) == []


def test_all_processors() -> None:
    corpus = garden()
    both = [Tagger(CRF(n_iter=3), n_jobs=n).fit(corpus) for n in (1, -1)]
    assert both[0].predict(corpus) == both[1].predict(corpus)
    assert both[1].get_params()["n_jobs"] == -1


def test_an_hmm_needs_all_labels() -> None:
    with pytest.raises(ValueError, match="every token must have one label"):
        Tagger(HMM()).fit([["a", "b"]], [["A", None]])


@pytest.mark.parametrize(
    "wrong", [{"columns": [{"a": 1}]}, {"columns": {}}, {"columns": ["form", None]}, {"column": 2}]
)
def test_columns_of_the_training_are_names(wrong: dict[str, object]) -> None:
    file = Tagger(column="upos").fit([["a", "b"]], [["X", "Y"]]).to_model()
    Tagger.from_model(file)
    training = {**cast(dict[str, Any], file.options["training"]), **wrong}
    damaged = replace(file, options={**file.options, "training": training})
    with pytest.raises(FormatError, match="columns of its training are not names"):
        Tagger.from_model(damaged)

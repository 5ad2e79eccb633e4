"""The stand-in for sklearn-crfsuite beside the package itself: the tutorial with both, and every algorithm."""

import ctypes
import pickle
from collections import Counter

import numpy as np
import pytest

import palmette.compat.sklearn_crfsuite as ours
from palmette.compat.sklearn_crfsuite import metrics
from palmette.tools.sequence.tagger import Tagger
from samples.corpora import corpus_file, real_file
from samples.ner_tutorial import read, sent2features, sent2labels

peer = pytest.importorskip("sklearn_crfsuite")
pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def entities():
    train = read(real_file("ner_es_conll2002/train.txt.gz"), 600)
    test = read(real_file("ner_es_conll2002/dev.txt"), 300)
    return tuple(list(map(make, part)) for part in (train, test) for make in (sent2features, sent2labels))


def small(seed=0, n=60):
    """Sentences of random features, real values and zeros among them, with labels that depend on them."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        ids = rng.integers(0, 12, rng.integers(1, 8))
        X.append(
            [{"w": f"w{k}", "even": bool(k % 2 == 0), "size": float(k % 4) / 2, "k": {"a": 1}} for k in ids]
        )
        noisy = np.where(rng.random(len(ids)) < 0.15, rng.integers(0, 3, len(ids)), ids % 3)
        y.append([("A", "B", "C")[k] for k in noisy])
    return X, y


def both(X, y, **options):
    return tuple(module.CRF(**options).fit(X, y) for module in (peer, ours))


def same_weights(theirs, mine, tolerance):
    for name in ("state_features_", "transition_features_"):
        want, have = getattr(theirs, name), getattr(mine, name)
        far = max(abs(want.get(key, 0) - have.get(key, 0)) for key in want.keys() | have.keys())
        assert far < tolerance, name


def agreement(theirs, mine, X):
    want, have = (metrics.flatten(crf.predict(X)) for crf in (theirs, mine))
    return np.mean([a == b for a, b in zip(want, have)])


def test_the_tutorial_gives_what_the_package_gives(entities):
    corpus_file("ner_es_conll2002/train.txt.gz")  # with four kinds of entities
    X, y, X_test, y_test = entities
    options = {
        "algorithm": "lbfgs",
        "c1": 0.1,
        "c2": 0.1,
        "all_possible_transitions": True,
        "max_iterations": 200,
    }
    theirs, mine = both(X, y, **options)
    assert mine.classes_ == theirs.classes_
    assert agreement(theirs, mine, X_test) >= 0.995
    labels = [label for label in mine.classes_ if label != "O"]
    f1 = [
        metrics.flat_f1_score(y_test, crf.predict(X_test), average="weighted", labels=labels, zero_division=0)
        for crf in (theirs, mine)
    ]
    assert f1[1] == pytest.approx(f1[0], abs=0.01)
    shown = sorted(labels, key=lambda name: (name[1:], name[0]))
    assert "B-PER" in metrics.flat_classification_report(
        y_test, mine.predict(X_test), labels=shown, zero_division=0
    )
    best = [{pair for pair, _ in Counter(crf.transition_features_).most_common(5)} for crf in (theirs, mine)]
    assert len(best[0] & best[1]) >= 4
    assert mine.num_attributes_ == len(mine.attributes_) == pytest.approx(theirs.num_attributes_, rel=0.05)


def test_entities_at_the_minimum(entities):
    X, y, X_test, _ = entities
    theirs, mine = both(X, y, c2=1.0, all_possible_transitions=True, delta=1e-8)
    assert agreement(theirs, mine, X_test) >= 0.999
    assert mine.state_features_.keys() == theirs.state_features_.keys()
    assert mine.transition_features_.keys() == theirs.transition_features_.keys()
    same_weights(theirs, mine, 0.03)
    for one, other in zip(theirs.predict_marginals(X_test[:50]), mine.predict_marginals(X_test[:50])):
        for want, have in zip(one, other):
            assert have == pytest.approx(want, abs=0.01)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"all_possible_states": True},
        {"all_possible_transitions": True, "c2": 0.3},
        {"min_freq": 5},
        {"min_freq": 5, "all_possible_states": True, "all_possible_transitions": True},
        {"linesearch": "Backtracking", "max_linesearch": 5},
        {"linesearch": "StrongBacktracking", "num_memories": 3},
    ],
    ids=str,
)
def test_the_minimum_is_that_of_crfsuite(options):
    X, y = small()
    theirs, mine = both(X, y, c2=options.pop("c2", 0.1), epsilon=1e-7, delta=1e-12, **options)
    assert mine.state_features_.keys() == theirs.state_features_.keys()
    assert mine.transition_features_.keys() == theirs.transition_features_.keys()
    same_weights(theirs, mine, 5e-3)
    assert mine.num_attributes_ == theirs.num_attributes_
    assert set(mine.attributes_) == set(theirs.attributes_)
    log = (theirs.training_log_, mine.training_log_)
    assert log[1].last_iteration["loss"] == pytest.approx(log[0].last_iteration["loss"], rel=1e-5)
    assert log[1].featgen_num_features == log[0].featgen_num_features
    for xseq in X[:10]:
        for want, have in zip(theirs.predict_marginals_single(xseq), mine.predict_marginals_single(xseq)):
            assert have == pytest.approx(want, abs=1e-3)


def test_an_l1_term_leaves_the_same_features():
    X, y = small()
    theirs, mine = both(X, y, c1=0.5, c2=0.01, epsilon=1e-6, delta=1e-12)
    want, have = theirs.state_features_, mine.state_features_
    assert all(abs(want.get(key, have.get(key))) < 5e-3 for key in want.keys() ^ have.keys())
    assert len(have) < len(ours.CRF(c2=0.01).fit(X, y).state_features_)
    same_weights(theirs, mine, 1e-2)  # the steps end where floats no longer tell objectives apart
    losses = [crf.training_log_.last_iteration["loss"] for crf in (theirs, mine)]
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_iterations_are_counted_alike():
    X, y = small()
    theirs, mine = both(X, y, c2=0.1, max_iterations=7)
    assert len(mine.training_log_.iterations) == len(theirs.training_log_.iterations) == 7
    assert len(ours.CRF(c2=0.1, delta=0.5, period=1).fit(X, y).training_log_.iterations) < 7


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "l2sgd", "c2": 0.1, "max_iterations": 200, "calibration_samples": 40},
        {"algorithm": "ap", "max_iterations": 20},
        {"algorithm": "pa", "max_iterations": 20},
        {"algorithm": "pa", "pa_type": 2, "averaging": False, "error_sensitive": False, "max_iterations": 20},
        {"algorithm": "pa", "pa_type": 0, "max_iterations": 20},
        {"algorithm": "arow", "max_iterations": 20, "gamma": 10.0},
    ],
    ids=str,
)
def test_other_algorithms_are_as_good(options):
    X, y = small(n=150)
    X_test, y_test = small(1, n=150)
    scores = []
    for seed in range(5):  # CRFsuite shuffles by the numbers of the C library, which all tests share
        ctypes.CDLL(None).srand(seed)
        theirs, mine = both(X, y, **options)
        scores.append(theirs.score(X_test, y_test))
    assert mine.score(X_test, y_test) > np.mean(scores) - np.std(scores) - 0.03
    observed = ours.CRF(max_iterations=1).fit(X, y).state_features_.keys()
    assert mine.state_features_.keys() <= observed
    everything = ours.CRF(all_possible_states=True, **options).fit(X, y)
    assert not everything.state_features_.keys() <= observed


def test_sgd_comes_near_the_minimum_of_lbfgs():
    X, y = small()
    batch, sgd = ours.CRF(c2=1.0).fit(X, y), ours.CRF(algorithm="l2sgd", c2=1.0, delta=1e-7).fit(X, y)
    same_weights(batch, sgd, 0.1)


@pytest.mark.parametrize("algorithm", ["ap", "pa", "arow"])
def test_epsilon_ends_online_algorithms(algorithm):
    X, y = small()
    assert len(ours.CRF(algorithm=algorithm, epsilon=100.0).fit(X, y).training_log_.iterations) == 1


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"algorithm": "svm"}, "'algorithm' parameter must be one of 'lbfgs'"),
        ({"algorithm": "ap", "c1": 0.1}, "'ap' has no parameter 'c1'"),
        ({"c1": -1}, "'c1' parameter must be"),
        ({"linesearch": "Exact"}, "'linesearch' parameter must be one of"),
        ({"algorithm": "pa", "pa_type": 3}, "'pa_type' parameter must be 0, 1 or 2"),
        ({"all_possible_states": "yes"}, "'all_possible_states' parameter must be True or False"),
        ({"keep_tempfiles": True}, "no temporary files"),
        ({"trainer_cls": object}, "no CRFsuite trainers"),
    ],
)
def test_parameters_without_a_meaning_are_errors(options, error):
    with pytest.raises(ValueError, match=error):
        ours.CRF(**options).fit(*small())


@pytest.mark.parametrize(
    ("X", "y", "error"),
    [
        ([], [], "no labelled token"),
        ([[]], [[]], "no labelled token"),
        ([[{"a": 1}]], [], "1 sentences and labels for 0"),
        ([[{"a": 1}]], [["A", "B"]], "Sentence 1 has 1 tokens and 2 labels"),
        ([[{"a": 1}]], [[1]], "A label must be a string"),
        ([[{"a": 1}]], ["A"], "not one string"),
        ([[{"a": float("nan")}]], [["A"]], "finite"),
        ([["word"]], [["A"]], "not a string"),
    ],
)
def test_bad_sentences_are_errors(X, y, error):
    with pytest.raises((ValueError, TypeError), match=error):
        ours.CRF().fit(X, y)


def test_dev_set_is_reported_with_every_iteration(capsys):
    X, y = small()
    with pytest.raises(ValueError, match="both X_dev and y_dev"):
        ours.CRF().fit(X, y, X_dev=X)
    X_dev, y_dev = small(2, 20)
    crf = ours.CRF(max_iterations=5, verbose=True).fit(X, y, X_dev, y_dev)
    theirs = peer.CRF(max_iterations=5).fit(X, y, X_dev, y_dev)
    last, want = crf.training_log_.last_iteration, theirs.training_log_.last_iteration
    assert last["item_accuracy_float"] == pytest.approx(crf.score(X_dev, y_dev))
    assert last.keys() >= want.keys() - {"linesearch_trials", "linesearch_step"}
    assert capsys.readouterr().out.count("Iter ") == 5


def test_tagger_speaks_of_one_sentence():
    X, y = small()
    theirs, mine = both(X, y, c2=0.1, epsilon=1e-6, delta=1e-10)
    for tagger in (theirs.tagger_, mine.tagger_):
        tagger.set(X[3])
    assert mine.tagger_.labels() == mine.classes_
    tagger, unset = mine.tagger_, pickle.loads(pickle.dumps(mine)).tagger_
    assert tagger.tag(X[3]) == mine.predict_single(X[3]) == theirs.predict_single(X[3])
    assert tagger.probability(y[3]) == pytest.approx(theirs.tagger_.probability(y[3]), rel=1e-2)
    assert tagger.marginal("A", 0) == pytest.approx(theirs.tagger_.marginal("A", 0), abs=1e-3)
    assert tagger.info().transitions == mine.transition_features_
    for call in (lambda: tagger.marginal("X", 0), lambda: tagger.marginal("A", 99), unset.tag):
        with pytest.raises(ValueError, match=r"no label|no position|no sentence"):
            call()


def test_before_training_there_is_nothing():
    crf = ours.CRF()
    assert crf.classes_ is crf.state_features_ is crf.attributes_ is crf.size_ is crf.tagger_ is None
    assert crf.training_log_ is None
    with pytest.raises(ValueError, match="not trained yet"):
        crf.predict([])


def test_pickle_clone_and_no_litter(tmp_path, monkeypatch):
    sklearn_base = pytest.importorskip("sklearn.base")
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    X, y = small()
    crf = ours.CRF(c2=0.2).fit(X, y)
    again = pickle.loads(pickle.dumps(crf))
    assert list(again.predict(X)) == list(crf.predict(X))
    assert again.state_features_ == crf.state_features_
    copy = sklearn_base.clone(crf)
    assert copy.get_params() == crf.get_params()
    assert copy.classes_ is None
    assert not list(tmp_path.iterdir())
    assert crf.size_ > 0
    assert repr(crf) == "CRF(c2=0.2)"
    with pytest.raises(ValueError, match="no parameter 'C'"):
        crf.set_params(C=1)


def test_model_file(tmp_path):
    X, y = small()
    path = tmp_path / "model"
    crf = ours.CRF(model_filename=str(path)).fit(X, y)
    assert list(ours.CRF(model_filename=path).predict(X)) == list(crf.predict(X))
    assert Tagger.load(path).predict(X) == list(crf.predict(X))
    words = tmp_path / "words"
    Tagger().fit([["Time", "flies"]], [["NOUN", "VERB"]]).save(words)
    with pytest.raises(ValueError, match="on words by templates"):
        ours.CRF(model_filename=words).predict(X)
    path.write_bytes(b"lCRF and more")
    with pytest.raises(ValueError, match="model of CRFsuite"):
        ours.CRF(model_filename=path).predict(X)


def test_grid_search():
    selection = pytest.importorskip("sklearn.model_selection")
    from sklearn.metrics import make_scorer

    from palmette.compat.sklearn_crfsuite import scorers

    X, y = small()
    scorer = make_scorer(metrics.flat_f1_score, average="weighted")
    search = selection.GridSearchCV(ours.CRF(max_iterations=10), {"c2": [0.1, 10.0]}, scoring=scorer, cv=3)
    assert search.fit(X, y).best_params_ == {"c2": 0.1}
    assert scorers.flat_accuracy(search.best_estimator_, X, y) > 0.6
    assert 0 <= scorers.sequence_accuracy(search.best_estimator_, X, y) <= 1


def test_metrics_are_those_of_the_package():
    from sklearn_crfsuite import metrics as want

    gold, guess = [["A", "B"], ["A", "C", "C"], []], [["A", "A"], ["A", "C", "C"], []]
    for name in ("flat_precision_score", "flat_recall_score", "flat_f1_score"):
        options = {"average": "macro", "zero_division": 0}
        assert getattr(metrics, name)(gold, guess, **options) == getattr(want, name)(gold, guess, **options)
    assert metrics.flat_fbeta_score(gold, guess, 2, average="micro") == want.flat_fbeta_score(
        gold, guess, 2, average="micro"
    )
    assert metrics.flat_accuracy_score(gold, guess) == want.flat_accuracy_score(gold, guess)
    assert metrics.sequence_accuracy_score(gold, guess) == 2 / 3
    with pytest.raises(ValueError, match="5 gold labels and 2"):
        metrics.flat_accuracy_score(gold, guess[:1])
    with pytest.raises(ValueError, match="3 gold sentences and 1"):
        metrics.sequence_accuracy_score(gold, guess[:1])


def test_sentences_of_one_length_and_none():
    crf = ours.CRF().fit([[{"a": 1}], [{"b": 1}]], [["A"], ["B"]])
    have = crf.predict([[{"a": 1}], [{"b": 1}]])
    assert have.shape == (2,)
    assert list(have) == [["A"], ["B"]]
    assert len(crf.predict([])) == 0
    assert list(crf.predict([[]])) == [[]]
    assert crf.predict_marginals_single([]) == []

"""Naive Bayes against scikit-learn, its closed forms, and the HMM of order 0."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette.cli import main
from palmette.learning.naive_bayes import BayesWeighted, ComplementBayes, CountedLearner, NaiveBayes
from palmette.tools.classification.classifier import Classifier
from palmette.tools.classification.item_reader import ItemReader
from palmette.tools.sequence.hmm import HMM
from palmette.tools.sequence.tagger import Tagger

pytestmark = pytest.mark.native


def items(n: int = 60, classes: int = 3, seed: int = 0) -> tuple[list[dict[str, float]], list[str]]:
    """Items whose features depend on their class; some are empty."""
    rng = np.random.default_rng(seed)
    rates = rng.gamma(0.7, 1.0, (classes, 12))
    y = rng.integers(classes, size=n)
    X = [{f"f{j}": float(v) for j, v in enumerate(rng.poisson(rates[c])) if v} for c in y]
    return X, [f"c{c}" for c in y]


PEERS: list[tuple[CountedLearner, str, dict[str, Any]]] = [
    (NaiveBayes(), "MultinomialNB", {}),
    (NaiveBayes(alpha=0.1, prior="uniform"), "MultinomialNB", {"alpha": 0.1, "fit_prior": False}),
    (NaiveBayes(model="bernoulli"), "BernoulliNB", {}),
    (NaiveBayes(model="bernoulli", alpha=0.3, prior="uniform"), "BernoulliNB", {"alpha": 0.3, "fit_prior": False}),
    (ComplementBayes(), "ComplementNB", {}),
    (ComplementBayes(alpha=0.2, normalize=True), "ComplementNB", {"alpha": 0.2, "norm": True}),
]  # fmt: skip


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("learner", "peer", "options"), PEERS)
def test_as_scikit_learn(
    learner: CountedLearner, peer: str, options: dict[str, Any], classes: int, weighted: bool
) -> None:
    from sklearn import naive_bayes
    from sklearn.feature_extraction import DictVectorizer

    X, y = items(classes=classes)
    new, _ = items(seed=1)
    weights = np.random.default_rng(2).random(len(y)) if weighted else None
    vectors = DictVectorizer()
    theirs = getattr(naive_bayes, peer)(**options).fit(vectors.fit_transform(X), y, sample_weight=weights)
    ours = Classifier(learner).fit(X, y, sample_weight=weights)
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    for some in (X, new, [{}]):
        have, want = ours.predict_proba(some), theirs.predict_proba(vectors.transform(some))
        np.testing.assert_allclose(have, want, atol=2e-6)
        assert ours.predict(some) == theirs.predict(vectors.transform(some)).tolist()


@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_weighted_features_as_scikit_learn(loss: str) -> None:
    """Logistic regression, or a linear SVM, on features multiplied by their log-count ratios."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    X, y = items(40, 2)
    table = (DictVectorizer(sparse=False).fit_transform(X) > 0).astype(float)
    gold = np.array([label == "c1" for label in y])
    p, q = 1 + table[gold].sum(axis=0), 1 + table[~gold].sum(axis=0)
    r = np.log(p / p.sum()) - np.log(q / q.sum())
    # two rows of weights share a margin u: ‖w‖² is u²/2; the bias is a feature with a weight like others
    with_bias = np.hstack([table * r, np.ones((len(y), 1))])
    theirs: Any
    if loss == "log":
        theirs = LogisticRegression(C=1 / 0.3, fit_intercept=False, tol=1e-8, max_iter=10_000)
    else:
        # the norm of the two rows is u²/2 here too
        theirs = SVC(C=1 / 0.3, kernel="linear", tol=1e-6)
    learner = BayesWeighted(loss=loss, l2=0.3, beta=1.0)
    ours = Classifier(learner).fit(X, y)
    margin = ours.decision_function(X) @ [-1.0, 1.0]
    if loss == "log":
        want = theirs.fit(with_bias, gold).decision_function(with_bias)
        np.testing.assert_allclose(margin, want, atol=2e-2)
        return
    # SVC does not shrink its bias, so compare objectives: ours is no worse on its own
    u = theirs.fit(table * r, gold)
    signs = np.where(gold, 1.0, -1.0)

    def objective(weights: np.ndarray, decision: np.ndarray) -> float:
        return float(np.maximum(0, 1 - signs * decision).sum() + 0.15 * weights @ weights)

    bias = float((ours.decision_function([{}]) @ [-1.0, 1.0])[0])
    v = np.array([(ours.decision_function([{f"f{j}": 1.0}]) @ [-1.0, 1.0])[0] - bias for j in range(12)])
    names = DictVectorizer().fit(X).feature_names_
    v = v[[int(name[1:]) for name in names]] / r
    have = objective(np.append(v, bias), margin)
    want = objective(np.append(u.coef_[0], u.intercept_[0]), u.decision_function(table * r))
    assert have <= want * 1.002


def test_the_mixture_ends_at_naive_bayes() -> None:
    """With β = 0 a weight is a multiple of the difference of multinomial weights."""
    X, y = items(classes=2)
    binary = [dict.fromkeys(x, 1.0) for x in X]
    mixed = Classifier(BayesWeighted(beta=0.0)).fit(X, y)
    plain = Classifier(NaiveBayes()).fit(binary, y)
    singles = [{f"f{j}": 1.0} for j in range(12)]
    margins = [
        (one.decision_function(singles) - one.decision_function([{}])) @ [-1.0, 1.0] for one in (mixed, plain)
    ]
    ratio = margins[0] / margins[1]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-4)


def test_the_hmm_of_order_0_is_naive_bayes_for_each_token() -> None:
    """P(y) P(x | y), up to what the HMM keeps for unknown words; its labels do not see each other."""
    text = [("the dog barks", "D N V"), ("the cats bark", "D N V"), ("dog bites dog", "N V N")]
    X, y = [words.split() for words, _ in text], [labels.split() for _, labels in text]
    tagger = Tagger(HMM(alpha=1e-6, unknown="one", backing=1e-6), order=0).fit(X, y)
    words, labels = list(chain(*X)), list(chain(*y))
    bayes = Classifier(NaiveBayes(alpha=1e-6)).fit([{word} for word in words], labels)
    assert tagger.classes_ == bayes.classes_.tolist()
    for sentence in X:
        have = tagger.predict_proba([sentence])[0]
        want = bayes.predict_proba([{word} for word in sentence])
        np.testing.assert_allclose(have, want, atol=1e-3)
    # a sentence and its reverse have the same labels
    assert tagger.predict([X[0][::-1]])[0] == tagger.predict([X[0]])[0][::-1]


@pytest.mark.parametrize("learner", [NaiveBayes(model="bernoulli"), BayesWeighted()])
def test_only_what_is_there_counts(learner: CountedLearner, tmp_path: Path) -> None:
    X, y = items()
    trained = Classifier(learner).fit(X, y)
    many = [{name: 7.0 * value for name, value in x.items()} for x in X]
    np.testing.assert_array_equal(trained.decision_function(X), trained.decision_function(many))
    trained.save(tmp_path / "m.palm")
    loaded = Classifier.load(tmp_path / "m.palm")
    np.testing.assert_array_equal(loaded.decision_function(X), loaded.decision_function(many))
    assert loaded.predict(many) == trained.predict(X)
    for decision in loaded.explain(many[0]).decisions:
        total = sum(one.amount for one in decision.contributions) + decision.rest
        assert total == pytest.approx(decision.margin, abs=1e-5)


def test_counts_of_words_in_texts() -> None:
    reader = ItemReader(("label", "text"), ngrams=2, counts=True)
    (item,) = reader.read(["a b a b"])
    assert item == ({"a": 2, "b": 2, "<s> a": 1, "a b": 2, "b a": 1},)
    assert ItemReader.of_options(reader.options(), None).counts


def test_values_below_zero_are_refused() -> None:
    with pytest.raises(ValueError, match="below zero"):
        Classifier(NaiveBayes()).fit([{"a": -1.0}, {"a": 1.0}], ["x", "y"])


def test_a_class_without_weight_is_never_chosen() -> None:
    classifier = Classifier(NaiveBayes()).fit([{"a"}, {"b"}, {"b"}], ["x", "y", "z"], sample_weight=[1, 1, 0])
    assert set(classifier.predict([{"b"}, set(), {"a"}])) <= {"x", "y"}
    assert np.isfinite(classifier.decision_function([{"b"}])).all()


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, model = tmp_path / "t.tsv", str(tmp_path / "m.palm")
    data.write_text("+\ta good good film\n-\ta bad film\n+\tgood fun\n-\tbad and dull\n", encoding="utf-8")
    for name, more in {
        "naive-bayes": ["--set", "counts=true", "--set", "model=bernoulli"],
        "complement-bayes": ["--set", "alpha=0.5"],
        "bayes-weighted": ["--set", "loss=hinge", "--dev", str(data)],
    }.items():
        train = ["train", "classify", "--train", str(data), "--learner", name, *more, "-o", model, "--quiet"]
        assert main(train) == 0
        capsys.readouterr()
        assert main(["evaluate", model, str(data), "--json"]) == 0
        assert '"accuracy": 1.0' in capsys.readouterr().out


def test_files_keep_the_weights_of_common_words(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    counts = rng.zipf(1.2, (400, 60)) % 20_000  # enough different words for a file that could be compact
    texts = [" ".join(f"w{w}" for w in row) for row in counts]
    labels = [f"c{row[0] % 3}" for row in counts]
    classifier = Classifier(NaiveBayes()).fit(texts, labels)
    classifier.save(tmp_path / "m.palm")
    again = Classifier.load(tmp_path / "m.palm")
    short = [" ".join(text.split()[:3]) for text in texts]
    assert np.allclose(again.predict_proba(short), classifier.predict_proba(short), atol=1e-6)

"""Sentiment: cuts of documents, calibration, choices on dev, files, and bad input."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import CRF, FormatError, KernelSVM, Perceptron, Sentiment
from palmette.formats.model import ModelFile
from palmette.learning.naive_bayes import BayesWeighted, NaiveBayes
from palmette.structures.minimum_cut import MinimumCut
from palmette.tools.sentiment.extracts import fit_sigmoid

pytestmark = pytest.mark.native
EXAMPLES = Path(__file__).parents[3] / "examples" / "sentiment"


def documents(name: str) -> tuple[list[list[str]], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines():
        label, document, _, words = line.split("\t")
        found.setdefault((label, document), []).append(words)
    return list(found.values()), [label for label, _ in found]


def sentences() -> tuple[list[str], list[str]]:
    rows = [
        line.split("\t") for line in (EXAMPLES / "sentences.tsv").read_text(encoding="utf-8").splitlines()
    ]
    return [row[1] for row in rows], [row[0] for row in rows]


TRAIN, TEST = documents("train.tsv"), documents("test.tsv")


@pytest.fixture(scope="module")
def sentiment() -> Sentiment:
    return Sentiment(subjectivity=sentences()).fit(*TRAIN)


def test_extracts_are_the_cheapest_cuts(sentiment: Sentiment) -> None:
    cut = sentiment.model_.cut
    for found in sentiment.extracts(TEST[0]):
        p = np.array(found.probabilities)
        costs = np.stack([p, 1 - p], axis=1)
        subsets = itertools.product([False, True], repeat=len(p))
        assert found.cost == pytest.approx(min(cut.cost(costs, y) for y in subsets if any(y)), abs=1e-6)


def test_plots_go_and_opinions_stay(sentiment: Sentiment) -> None:
    (found,) = sentiment.extracts(TEST[0][:1])
    assert list(found.stays) == [False, False, True, True]
    assert found.text == "a funny and beautiful novel i loved the ending"
    assert sentiment.score(*TEST) == 1.0


def test_known_sentences_and_their_number(sentiment: Sentiment) -> None:
    document = TEST[0][0]
    (found,) = sentiment.extracts([document], known=[[True, None, False, None]])
    assert found.stays[0]
    assert not found.stays[2]
    assert [sum(sentiment.extracts([document], n=n)[0].stays) for n in (1, 2, 3, 9)] == [1, 2, 3, 4]
    assert sum(sentiment.keeping(3).extracts([document])[0].stays) == 3
    changed = sentiment.predict_proba([document], known=[[True, True, False, False]])
    assert not np.allclose(changed, sentiment.predict_proba([document]))
    with pytest.raises(ValueError, match="Document 1 has 4 sentences and known sides for 1"):
        sentiment.predict([document], known=[[True]])
    with pytest.raises(ValueError, match="known sides of 1 document, one list for each"):
        sentiment.predict([document], known=[None, None])


def test_a_sigmoid_recovers_the_probabilities_of_its_margins() -> None:
    rng = np.random.default_rng(0)
    margins = rng.normal(0, 4, 20_000)
    gold = rng.random(20_000) < 1 / (1 + np.exp(-(0.7 * margins - 0.4)))
    assert fit_sigmoid(margins, gold) == pytest.approx((0.7, -0.4), abs=0.03)


def test_contributions_are_shares_of_features(sentiment: Sentiment) -> None:
    (decision,) = sentiment.explain(TEST[0][0]).decisions
    assert decision.chosen == "pos"
    assert [part.feature for part in decision.contributions] == ["sentence 4", "sentence 3"]
    table = decision.extra["sentences"]
    assert [row["stays"] for row in table] == [False, False, True, True]
    assert "*   3" in decision.text


@pytest.mark.parametrize(
    "learner", [NaiveBayes(), BayesWeighted(), CRF(n_iter=10), Perceptron(n_iter=3), KernelSVM()], ids=str
)
def test_learners_of_classifiers(learner: Any) -> None:
    made = Sentiment(learner, subjectivity=sentences()).fit(*TRAIN)
    assert made.score(*TEST) >= 0.8
    (decision,) = made.explain(TEST[0][0]).decisions
    assert len(decision.contributions) == 2


def test_any_learner_of_sentences() -> None:
    made = Sentiment(subjectivity=sentences(), sentence_learner=CRF(n_iter=20)).fit(*TRAIN)
    assert made.extracts(TEST[0][:1])[0].text == "a funny and beautiful novel i loved the ending"


def test_a_dev_set_chooses_the_cut() -> None:
    tried: list[Any] = []
    made = Sentiment(subjectivity=sentences()).fit(*TRAIN, dev=TEST, callback=tried.append)
    assert len(tried) == 13
    assert made.training_["dev_score"] == max(report.numbers["dev"] for report in tried) == 1.0
    assert made.model_.cut == MinimumCut(strength=0.0)  # of equal ones the simplest
    fixed = Sentiment(subjectivity=sentences(), options={"reach": 2, "strength": 0.3, "shape": "square"})
    assert len(fixed.fit(*TRAIN, dev=TEST).history_) == 1
    assert fixed.model_.cut == MinimumCut(reach=2, strength=0.3, shape="square")


def test_without_subjectivity_all_sentences_stay() -> None:
    made = Sentiment().fit(*TRAIN)
    assert all(all(one.stays) for one in made.extracts(TEST[0]))
    assert made.extracts(TEST[0][:1], known=[[False, None, None, None]])[0].stays[0] is False


def test_files(sentiment: Sentiment, tmp_path: Path) -> None:
    sentiment.save(tmp_path / "m.palm")
    again = Sentiment.load(tmp_path / "m.palm")
    np.testing.assert_array_equal(again.predict_proba(TEST[0]), sentiment.predict_proba(TEST[0]))
    assert [one.cost for one in again.extracts(TEST[0])] == [one.cost for one in sentiment.extracts(TEST[0])]


@pytest.mark.parametrize(
    "change",
    [
        {"options": {"reach": 0}},
        {"options": {"stays": "opinion"}},
        {"calibration": [1.0]},
        {"calibration": ["a", 0.0]},
        {"training": 3},
        {"parts": []},
    ],
    ids=str,
)
def test_damaged_files(sentiment: Sentiment, change: dict[str, Any]) -> None:
    file = sentiment.to_model()
    options = {**file.options, **change}
    with pytest.raises(FormatError, match="damaged"):
        Sentiment.from_model(ModelFile(file.kind, options, file.arrays, file.strings))


# Documents of unusual sizes


def test_a_document_of_one_sentence_keeps_it(sentiment: Sentiment) -> None:
    (found,) = sentiment.extracts([["the son lives with the shepherds"]])
    assert list(found.stays) == [True]


def test_documents_that_are_all_subjective_or_objective(sentiment: Sentiment) -> None:
    given, kinds = sentences()
    opinions = [text for text, kind in zip(given, kinds) if kind == "subjective"]
    plot = [text for text, kind in zip(given, kinds) if kind == "objective"]
    first, second = sentiment.extracts([opinions, plot])
    assert all(first.stays)
    assert sum(second.stays) == 1  # the likeliest one, for a classifier needs something to see


def test_ten_thousand_sentences(sentiment: Sentiment) -> None:
    document = ["the plot is dull", "a boy runs away"] * 5000
    assert sentiment.predict([document]) == ["neg"]
    assert len(sentiment.explain(document).decisions[0].extra["sentences"]) == 10_000


def test_empty_documents_and_unknown_words(sentiment: Sentiment) -> None:
    assert len(sentiment.predict([[], "", ["xyzzy plugh"]])) == 3
    assert sentiment.predict([]) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"subjectivity": (["a", "b"], ["subjective", "subjective"])}, "two labels.*Got 1: subjective"),
        ({"subjectivity": (["a", "b"], ["yes", "no"])}, "set the option 'stays'"),
        ({"subjectivity": (["a", "b"], ["subjective"])}, "one label for every sentence. Got 1 for 2"),
        ({"subjectivity": "file.tsv"}, "must be sentences and their labels"),
        ({"options": {"reech": 2}}, "did you mean 'reach'"),
        ({"options": {"strength": -1.0}}, "'strength' parameter must be"),
    ],
)
def test_bad_parameters(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sentiment(**given).fit(*TRAIN)


def test_bad_documents(sentiment: Sentiment) -> None:
    with pytest.raises(TypeError, match=r"Document 2 must be a text or a list of its sentences. Got int 3"):
        sentiment.predict(["fine", 3])
    with pytest.raises(ValueError, match=r"one polarity for every document. Got 1 for 2"):
        Sentiment().fit(["a", "b"], ["pos"])
    with pytest.raises(ValueError, match="no examples"):
        Sentiment().fit([], [])
    with pytest.raises(ValueError, match="not trained"):
        Sentiment().predict(["a"])

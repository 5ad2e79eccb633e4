"""How sure models are: against the probabilities of their own verbs, and against enumeration."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from palmette import (
    CRF,
    Aligner,
    Classifier,
    ConstituencyParser,
    DependencyParser,
    KernelSVM,
    Tagger,
    Tokenizer,
)
from palmette.formats.conllu import read_conllu
from palmette.tools.annotation.confidence import expected_changes, of_two, sureness

GARDEN = Path(__file__).parents[2] / "data" / "garden"


def test_the_expected_change_is_the_mean_length_of_gradients() -> None:
    rng = np.random.default_rng(0)
    for p in rng.dirichlet(np.ones(4), size=20):
        lengths = [np.linalg.norm(np.eye(4)[y] - p) for y in range(4)]
        assert expected_changes([p])[0] == pytest.approx(p @ lengths)


def test_one_probability_stands_for_two_outcomes() -> None:
    p = np.linspace(0, 1, 11)
    assert of_two(p) == pytest.approx(expected_changes(np.stack([p, 1 - p], axis=1)))


def test_the_confidence_of_a_tagger_is_that_of_its_labels() -> None:
    corpus = read_conllu(GARDEN / "train.conllu").select(range(80))
    tagger = Tagger(CRF(), column="upos").fit(corpus)
    found = sureness(tagger, corpus)
    by_label = tagger.marginals(corpus)
    for one, labels, rows in zip(found, tagger.predict(corpus), by_label, strict=True):
        own = [row[label] for label, row in zip(labels, rows)]
        assert one.probabilities == pytest.approx(own, abs=1e-5)
        assert one.confidence == pytest.approx(np.mean(own), abs=1e-5)
        assert one.change == pytest.approx(
            expected_changes([list(row.values()) for row in rows]).sum(), abs=1e-3
        )


def test_the_confidence_of_a_parser_is_that_of_its_arcs() -> None:
    corpus = read_conllu(GARDEN / "train.conllu").select(range(60))
    parser = DependencyParser().fit(corpus)
    parsed = parser.parse(corpus)
    for one, p in zip(sureness(parser, corpus), parser.arc_probabilities(parsed, parsed), strict=True):
        assert one.confidence == pytest.approx(float(p.mean()), abs=1e-6)


def test_a_tree_has_the_product_of_its_words() -> None:
    parser = ConstituencyParser(method="pcfg").fit(str(GARDEN / "train.mrg"))
    words = ["The", "dog", "sleeps", "."]
    [one], [parse] = sureness(parser, [words]), parser.parse([words])
    assert np.log(one.probabilities).sum() == pytest.approx(parse.log_probability)
    assert len(one.probabilities) == 4


def test_classes_by_probabilities_and_by_margins() -> None:
    texts, labels = ["good film", "fine film", "bad film", "poor film"], ["p", "p", "n", "n"]
    for classifier in (Classifier(CRF()), Classifier(KernelSVM())):
        made = classifier.fit(texts, labels)
        sure, doubtful = sureness(made, ["good fine film", "film"])
        assert 0.5 <= doubtful.confidence < sure.confidence <= 1


def test_links_are_decided_by_target_words() -> None:
    pairs = [("the house", "das Haus"), ("the book", "das Buch"), ("a book", "ein Buch")]
    found = sureness(Aligner().fit(pairs), pairs)
    assert [len(one.probabilities) for one in found] == [2, 2, 2]
    assert all(0 < one.confidence <= 1 and one.change >= 0 for one in found)


def test_tools_without_probabilities_are_refused() -> None:
    with pytest.raises(TypeError, match="Tokenizer has no probabilities of what it decides"):
        sureness(Tokenizer("en"), ["a"])
    corpus = read_conllu(GARDEN / "train.conllu").select(range(40))
    parser = DependencyParser("transition", options={"beam": 2}).fit(corpus)
    with pytest.raises(ValueError, match="has no probabilities"):
        sureness(parser, corpus)

"""`palmette.select` for each form of input."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from palmette import Classifier, Pipeline, Tagger
from palmette.formats.conllu import read_conllu
from palmette.tools import select

GARDEN = Path(__file__).parents[2] / "data" / "garden"


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(column="upos").fit(read_conllu(GARDEN / "train.conllu").select(range(60)))


def test_sentences_of_lists_and_of_a_corpus(tagger: Tagger) -> None:
    corpus = read_conllu(GARDEN / "dev.conllu")
    listed = [sentence["form"] for sentence in corpus]
    of_corpus, of_lists = select(tagger, corpus, 5), select(tagger, listed, 5)
    assert [one.number for one in of_corpus] == [one.number for one in of_lists]
    assert all(one.example is listed[one.number - 1] for one in of_lists)
    assert [one.example["form"] for one in of_corpus] == [one.words for one in of_corpus]


def test_lengths(tagger: Tagger) -> None:
    corpus = read_conllu(GARDEN / "dev.conllu")
    assert all(4 <= len(one.words) <= 6 for one in select(tagger, corpus, 50, shortest=4, longest=6))


def test_the_sentences_of_texts(tagger: Tagger) -> None:
    nlp = Pipeline.of(tagger)
    text = "The dog sleeps. Anna xyzzies the frobnitz!"
    [one] = select(nlp, text, 1, strategy="least-confident")
    assert (one.number, one.example.text) == (2, "Anna xyzzies the frobnitz!")
    assert len(select(nlp, [text, "A cat sees Ben."], 10)) == 3


def test_items_of_a_classifier() -> None:
    classifier = Classifier().fit(["good film", "bad film"], ["p", "n"])
    assert select(classifier, ["good", "film"], 1)[0].example == "film"


def test_the_example_plays_rounds_of_annotation(capsys: pytest.CaptureFixture[str]) -> None:
    example = Path(__file__).parents[3] / "examples" / "annotation" / "rounds.py"
    runpy.run_path(str(example), run_name="__main__")
    random, mixed = ([float(x) for x in line.split()[1:]] for line in capsys.readouterr().out.splitlines())
    assert random[0] == mixed[0] < min(random[-1], mixed[-1])

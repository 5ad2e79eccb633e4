"""Pipelines and parsers that go on with more data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import DependencyParser, Perceptron, Pipeline, Tagger
from palmette.formats.conllu import parse_conllu, read_conllu
from palmette.formats.corpus import Corpus
from palmette.tools.morphology.morphology import Morphology
from palmette.tools.packed_weights import full_table

GARDEN = Path(__file__).parents[2] / "data" / "garden"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return read_conllu(GARDEN / "train.conllu")


@pytest.fixture(scope="module")
def small(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "small.palm"
    some = corpus.select(range(20))
    Pipeline.of(Morphology(columns=["upos"]).fit(some), parser_of(columns=["upos"]).fit(some)).save(path)
    return path


def parser_of(**parameters: Any) -> DependencyParser:
    """A parser with small tables, which is trained in no time."""
    return DependencyParser(options={"bits": 16, "label_bits": 12}, **parameters)


def test_a_parser_that_goes_on_gets_better(corpus: Corpus) -> None:
    dev = read_conllu(GARDEN / "dev.conllu")
    first, more = corpus.select(range(15)), corpus.select(range(15, 40))
    parser = parser_of().fit(first)
    before = parser.score(dev)
    parser.fit(more, warm_start=True)
    assert parser.score(dev) > before


def test_training_begins_with_the_weights_of_the_model(corpus: Corpus) -> None:
    """Where every training tree is right already, the perceptron changes nothing."""
    some = corpus.select(range(6))
    parser = parser_of(learner=Perceptron(n_iter=30)).fit(some)
    assert parser.score(some) == 1.0
    old = full_table(parser.model_.tree_weights).copy()
    parser.learner = Perceptron(n_iter=1)
    parser.fit(some, warm_start=True)
    assert np.array_equal(full_table(parser.model_.tree_weights), old)


def test_new_relations_are_learned(corpus: Corpus) -> None:
    text = b"1\tOho\t_\tINTJ\tUH\t_\t2\tvocative\t_\t_\n2\tgo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n\n"
    parser = parser_of(columns=["upos"]).fit(corpus.select(range(15)))
    known = parser.relations_
    assert "vocative" not in known
    parser.fit(parse_conllu(text * 5), warm_start=True)
    assert set(parser.relations_) == {*known, "vocative"}
    assert parser.predict(parse_conllu(text))[0].labels == ("vocative", "root")


def test_what_a_parser_keeps(corpus: Corpus) -> None:
    some = corpus.select(range(10))
    with pytest.raises(ValueError, match="Graph-based parsers and those with a network"):
        DependencyParser("transition").fit(some).fit(some, warm_start=True)
    parser = parser_of().fit(some)
    parser.options = {**parser.options, "siblings": not parser.model_.options.siblings}
    with pytest.raises(ValueError, match="keeps the options of the model: siblings"):
        parser.fit(some, warm_start=True)


def test_a_pipeline_goes_on_where_it_can(corpus: Corpus, small: Path) -> None:
    old, new, notes = Pipeline.load(small), Pipeline.load(small), []
    new.fit(corpus.select(range(20, 60)), warm_start=True, note=notes.append)
    dev = read_conllu(GARDEN / "dev.conllu")
    assert new.evaluate(dev).f1("las") > old.evaluate(dev).f1("las")
    assert new.evaluate(dev).f1("upos") == old.evaluate(dev).f1("upos")
    assert [note.split()[1] for note in notes] == ["kept", "went"]
    assert new.training_["continued"][0]["steps"] == ["parser"]


def test_rules_for_another_language(corpus: Corpus, small: Path) -> None:
    nlp = Pipeline.load(small).set_params(language="de")
    nlp.fit(corpus.select(range(20, 30)), warm_start=True)
    assert nlp.tokenizer_.language == nlp.training_["language"] == "de"
    again = Pipeline.load(small)
    assert again.set_params(language="fr").fit(corpus, only=["morphology"]).tokenizer_.language == "fr"


def test_taggers_of_a_pipeline_go_on(corpus: Corpus) -> None:
    tagger = Tagger(column="upos").fit(corpus.select(range(20)))
    nlp = Pipeline.of(tagger)
    before = tagger.score(read_conllu(GARDEN / "dev.conllu"))
    nlp.fit(corpus.select(range(20, 90)), warm_start=True)
    assert nlp.step("upos").score(read_conllu(GARDEN / "dev.conllu")) > before


def test_what_cannot_go_on(corpus: Corpus, small: Path) -> None:
    with pytest.raises(ValueError, match="needs a trained pipeline"):
        Pipeline().fit(corpus, warm_start=True)
    with pytest.raises(ValueError, match="neither 'only'"):
        Pipeline.load(small).fit(corpus, warm_start=True, only=["parser"])
    without_parser = Pipeline.of(Morphology(columns=["upos"]).fit(corpus.select(range(10))))
    with pytest.raises(ValueError, match="No step of this pipeline can go on"):
        without_parser.fit(corpus, warm_start=True)


def test_the_command_goes_on(
    corpus: Corpus, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from palmette.cli import main

    asked = ["train", "pipeline", "--train", str(GARDEN / "dev.conllu"), "--start", str(small)]
    assert main([*asked, "-q", "-o", str(tmp_path / "more.palm")]) == 0
    old, new = Pipeline.load(small), Pipeline.load(tmp_path / "more.palm")
    assert [one["steps"] for one in new.training_["continued"]] == [["parser"]]
    assert new.training_["continued"][0]["sentences"] == len(read_conllu(GARDEN / "dev.conllu"))
    dev = read_conllu(GARDEN / "dev.conllu")
    assert new.evaluate(dev).f1("las") > old.evaluate(dev).f1("las")
    same = (made.step("morphology").predict(dev) for made in (old, new))
    assert next(same) == next(same)
    assert main([*asked, "-q", "--without", "lemmas", "-o", str(tmp_path / "x.palm")]) == 2
    assert "--start without --only" in capsys.readouterr().err
    assert not (tmp_path / "x.palm").exists()

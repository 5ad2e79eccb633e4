"""palmette.load: the right class for every kind of model, from a file or by the name of a shipped model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import palmette
from palmette import (
    Aligner,
    Corpus,
    DependencyParser,
    FormatError,
    LanguageModel,
    Pipeline,
    Tagger,
    models,
)
from palmette.formats import ModelFile
from samples.tool_cases import CASES, assert_same

pytestmark = pytest.mark.native


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose models come with Palmette."""
    monkeypatch.setattr(models, "_HERE", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_model(name: str, shipped: Path) -> None:
    case = CASES[name]
    tool: Any = case.fit(case.make(), case.X, case.y)
    tool.save(shipped / "mine.palm")
    for source in (shipped / "mine.palm", str(shipped / "mine.palm"), "mine"):
        for found in (palmette.load(source), type(tool).load(source)):
            assert type(found) is type(tool)
            verb = next(iter(case.verbs.values()))
            assert_same(verb(found, case.X), verb(tool, case.X))


def test_the_tools_of_a_pipeline_are_found_by_themselves() -> None:
    assert type(palmette.load("en")) is Pipeline
    sentence = ["Time", "flies", "like", "an", "arrow", "."]
    nlp = palmette.load("en")
    whole = nlp.annotate(Corpus.from_columns({"form": [sentence]}))
    parser, tagger = DependencyParser.load("en"), Tagger.load("en")
    tagged = whole.only({name: name for name in ("form", *parser.columns_)})
    assert parser.parse(tagged, retag=False).heads.tolist() == whole.heads.tolist()
    by_itself = parser.parse([sentence])  # it has taggers for what it looks at
    assert set(by_itself.names) >= {*parser.columns_, "deprel"}
    assert sorted(by_itself.heads.tolist())[0] == 0
    assert tagger.predict([sentence]) == nlp.step("upos").predict([sentence])


def test_an_arpa_file_is_a_language_model(tmp_path: Path) -> None:
    LanguageModel.fit(["the cat", "a dog"], order=2, smoothing="dirichlet").to_arpa(tmp_path / "x.arpa")
    assert type(palmette.load(tmp_path / "x.arpa")) is LanguageModel


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    for load in (palmette.load, Aligner.load, LanguageModel.load):
        with pytest.raises(FileNotFoundError, match="no model of that name comes with Palmette"):
            load("nothing-of-that-name")
    ModelFile("coffee maker", {}, {}, {}).save(tmp_path / "x.palm")
    with pytest.raises(FormatError, match=r"x\.palm: holds a coffee maker, which this version cannot load"):
        palmette.load(tmp_path / "x.palm")
    with pytest.raises(FormatError, match="a pipeline without a word aligner"):
        Aligner.load("en")

"""Parsers and pipelines in model files: what comes back, and what is said of damaged ones."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from palmette.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.learning.perceptron import Perceptron
from palmette.tools.dependency import model as models
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.pipeline_file import join_models, load_kind, parts_of
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger
from samples import toy_tree_model
from samples.treebank import TEST, garden_trees

pytestmark = pytest.mark.native


@pytest.fixture(scope="module", autouse=True)
def toy():
    """The method "toy" is there."""
    models.METHODS["toy"] = toy_tree_model.METHOD
    yield
    del models.METHODS["toy"]


@pytest.fixture(scope="module")
def parser(toy) -> DependencyParser:
    return DependencyParser("toy", Perceptron(n_iter=3), options={"swing": 3}).fit(garden_trees())


@pytest.fixture(scope="module")
def pipeline(parser: DependencyParser) -> DependencyParser:
    return parser.with_taggers({"upos": Tagger(column="upos").fit(garden_trees())})


def test_a_parser_comes_back(parser: DependencyParser, tmp_path: Path) -> None:
    parser.save(tmp_path / "x.palm", compact=False)
    again = DependencyParser.load(tmp_path / "x.palm")
    assert again.predict(TEST) == parser.predict(TEST)
    assert (again.method, again.columns_, again.relations_) == ("toy", ("upos",), parser.relations_)
    assert again.training_ == parser.training_
    assert again.options == {"swing": 3}
    assert ModelFile.load(tmp_path / "x.palm").kind == "dependency parser"
    parser.save(tmp_path / "small.palm")
    assert (tmp_path / "small.palm").stat().st_size < 0.6 * (tmp_path / "x.palm").stat().st_size
    assert DependencyParser.load(tmp_path / "small.palm").score(TEST) == pytest.approx(
        parser.score(TEST), abs=0.1
    )


def test_a_pipeline_comes_back(pipeline: DependencyParser, tmp_path: Path) -> None:
    pipeline.to_model(about={"licence": "CC0"}).save(tmp_path / "x.palm")
    again = DependencyParser.load(tmp_path / "x.palm")
    words = [["The", "cook", "leaves", "."]]
    assert again.predict(words) == pipeline.predict(words)
    file = ModelFile.load(tmp_path / "x.palm")
    assert (file.kind, list(parts_of(file))) == ("pipeline", ["upos", "parser"])
    assert file.options["training"]["licence"] == "CC0"


def test_the_tagger_of_a_pipeline(pipeline: DependencyParser, tmp_path: Path, monkeypatch) -> None:
    from palmette import models as shipped

    pipeline.save(tmp_path / "xx.palm")
    tagger = Tagger.load(tmp_path / "xx.palm")
    assert tagger.predict([["The", "cook"]]) == pipeline.taggers_["upos"].predict([["The", "cook"]])
    monkeypatch.setattr(shipped, "_HERE", tmp_path)
    assert Tagger.load("xx").classes_ == tagger.classes_
    assert DependencyParser.load("xx").taggers_
    with pytest.raises(FormatError, match="a pipeline without a span tagger"):
        SpanTagger.load("xx")
    assert load_kind("xx", "dependency parser").kind == "dependency parser"


def test_what_is_no_parser(parser: DependencyParser, pipeline: DependencyParser, tmp_path: Path) -> None:
    tagger = pipeline.taggers_["upos"]
    tagger.save(tmp_path / "t.palm")
    with pytest.raises(FormatError, match=r"t\.palm: holds a tagger, not a dependency parser"):
        DependencyParser.load(tmp_path / "t.palm")
    parser.save(tmp_path / "p.palm")
    with pytest.raises(FormatError, match="holds a dependency parser, not a tagger"):
        Tagger.load(tmp_path / "p.palm")
    join_models({"upos": tagger.to_model()}, options={}).save(tmp_path / "j.palm")
    with pytest.raises(FormatError, match="a pipeline without a dependency parser"):
        DependencyParser.load(tmp_path / "j.palm")
    with pytest.raises(FileNotFoundError):
        DependencyParser.load("no-such-model")


@pytest.mark.parametrize("whole", [False, True])
def test_truncated_and_overwritten_files(
    parser: DependencyParser, pipeline: DependencyParser, tmp_path: Path, whole: bool
) -> None:
    (pipeline if whole else parser).save(tmp_path / "x.palm")
    data = (tmp_path / "x.palm").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(60):
        cut = bytearray(data[: rng.integers(len(data))] if rng.random() < 0.3 else data)
        for place in rng.integers(min(len(cut), 6000), size=3) if cut else []:
            cut[place] = rng.integers(256)
        (tmp_path / "y.palm").write_bytes(cut)
        with suppress(ValueError):  # FormatError is one; anything else would be a fault
            DependencyParser.load(tmp_path / "y.palm").predict([[("a", "X"), ("b", "X")]])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "grap"}, "'grap' is not a method of parsing"),
        ({"method": ["toy"]}, "is not a method of parsing"),
        ({"columns": ["form"]}, "the columns it looks at are not such"),
        ({"columns": 3}, "the columns it looks at are not such"),
        ({"columns": [["upos"]]}, "the columns it looks at are not such"),
        ({"settings": None}, "its settings are not there"),
        ({"settings": {}}, "damaged model"),
        ({"training": 1}, "its settings are not there"),
    ],
)
def test_options_that_are_wrong(parser: DependencyParser, changes, message: str) -> None:
    file = parser.to_model()
    with pytest.raises(FormatError, match=message):
        DependencyParser.from_model(dataclasses.replace(file, options={**file.options, **changes}))


def test_arrays_and_relations_that_are_wrong(parser: DependencyParser) -> None:
    file = parser.to_model()
    weights = np.array(file.arrays["model.weights"])
    weights[0, 0] = np.nan
    for arrays in ({}, {"model.weights": weights[1:]}, {"model.weights": weights}):
        with pytest.raises(FormatError, match="damaged model: its weights are not"):
            DependencyParser.from_model(dataclasses.replace(file, arrays=arrays))
    for strings in ({"relations": []}, {"relations": ["a", "a"]}):
        with pytest.raises(FormatError, match="its relations are missing, or one comes twice"):
            DependencyParser.from_model(dataclasses.replace(file, strings=strings))
    with pytest.raises(FormatError, match="no table of strings 'relations'"):
        DependencyParser.from_model(dataclasses.replace(file, strings={}))


@pytest.mark.parametrize(
    "parts",
    [None, [], {}, [3], [{"name": "x"}], [{"name": "x", "kind": "", "options": {}, "fingerprint": ""}]],
)
def test_parts_that_are_wrong(pipeline: DependencyParser, parts) -> None:
    file = pipeline.to_model()
    with pytest.raises(FormatError, match="damaged model"):
        DependencyParser.from_model(dataclasses.replace(file, options={"parts": parts}))

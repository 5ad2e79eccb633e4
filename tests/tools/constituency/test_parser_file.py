"""Constituency parsers in model files: what comes back, and what is said of damaged ones."""

from __future__ import annotations

import dataclasses
from contextlib import suppress

import numpy as np
import pytest

from palmette.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.tools.constituency import model as models
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.sequence.tagger import Tagger
from samples.phrase_treebank import SENTENCE, cats, garden, toy_method

pytestmark = pytest.mark.native

OPTIONS = {"combined": {"methods": "toy,toy"}}


@pytest.fixture(scope="module", autouse=True)
def toy():
    with toy_method():
        yield


def fitted(method: str) -> ConstituencyParser:
    trees = garden() if method != "toy" and method != "combined" else cats()
    return ConstituencyParser(method, options=OPTIONS.get(method)).fit(trees)


METHODS = ["toy", *models.METHODS]


@pytest.fixture(scope="module", params=METHODS)
def parser(request, toy) -> ConstituencyParser:
    return fitted(request.param)


def test_a_parser_comes_back(parser, tmp_path):
    parser.save(tmp_path / "x.palm")
    again = ConstituencyParser.load(tmp_path / "x.palm")
    sentences = [SENTENCE, ["She", "leaves", "the", "light", "on", "."]]
    one, two = parser.parse(sentences), again.parse(sentences)
    assert [parse.tree for parse in one] == [parse.tree for parse in two]
    assert [parse.score for parse in one] == pytest.approx([parse.score for parse in two], rel=1e-3)
    assert (again.method, again.options, again.training_) == (parser.method, parser.options, parser.training_)
    assert ModelFile.load(tmp_path / "x.palm").kind == "constituency parser"
    parser.save(tmp_path / "y.palm")
    assert (tmp_path / "x.palm").read_bytes() == (tmp_path / "y.palm").read_bytes()


def test_truncated_and_overwritten_files(parser, tmp_path):
    parser.save(tmp_path / "x.palm")
    data = (tmp_path / "x.palm").read_bytes()
    rng = np.random.default_rng(0)
    for trial in range(60):
        cut = bytearray(data[: rng.integers(len(data))] if rng.random() < 0.3 else data)
        limit = min(len(cut), 6000) if trial % 2 else len(cut)
        for place in rng.integers(limit, size=3) if cut else []:
            cut[place] = rng.integers(256)
        (tmp_path / "y.palm").write_bytes(cut)
        with suppress(ValueError):  # FormatError is one; anything else would be a fault
            ConstituencyParser.load(tmp_path / "y.palm").predict([SENTENCE])


def test_arrays_of_anything(parser):
    """Whatever stands in the arrays: a sentence of complaint, or a parser that works somehow."""
    file = parser.to_model()
    rng = np.random.default_rng(1)
    for name, array in file.arrays.items():
        whole = array.dtype.kind in "iu"
        extremes = (
            [0, 1, np.iinfo(array.dtype).max, np.iinfo(array.dtype).min] if whole else [0, np.nan, np.inf]
        )
        for value in extremes:
            changed = np.array(array)
            if changed.size:
                changed.reshape(-1)[rng.integers(changed.size, size=2)] = value
            with suppress(ValueError):
                _changed(file, name, changed).predict([SENTENCE])
        for other in (array[:-1], array.astype(np.int8), array[None], np.zeros((0,), array.dtype)):
            with suppress(ValueError):
                _changed(file, name, other).predict([SENTENCE])
        with suppress(ValueError):
            arrays = {key: value for key, value in file.arrays.items() if key != name}
            ConstituencyParser.from_model(dataclasses.replace(file, arrays=arrays)).predict([SENTENCE])


def _changed(file: ModelFile, name: str, array: np.ndarray) -> ConstituencyParser:
    return ConstituencyParser.from_model(dataclasses.replace(file, arrays={**file.arrays, name: array}))


def test_strings_and_settings_of_anything(parser):
    file = parser.to_model()
    for name, table in file.strings.items():
        for other in ([], list(table)[:-1], [*table, "x"], ["x"] * len(table)):
            with suppress(ValueError):
                changed = dataclasses.replace(file, strings={**file.strings, name: other})
                ConstituencyParser.from_model(changed).predict([SENTENCE])
    settings = file.options["settings"]
    for name in settings:
        for value in (None, -1, 1 << 40, 0.5, "x", [], {}):
            with suppress(ValueError):
                options = {**file.options, "settings": {**settings, name: value}}
                changed = dataclasses.replace(file, options=options)
                ConstituencyParser.from_model(changed).predict([SENTENCE])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "pcgf"}, "'pcgf' is not a method of parsing"),
        ({"method": ["toy"]}, "is not a method of parsing"),
        ({"settings": None}, "its settings are not there"),
        ({"settings": {}}, "damaged model"),
        ({"training": 1}, "its settings are not there"),
    ],
)
def test_options_that_are_wrong(changes, message):
    file = fitted("toy").to_model()
    with pytest.raises(FormatError, match=message):
        ConstituencyParser.from_model(dataclasses.replace(file, options={**file.options, **changes}))


def test_what_is_no_parser(tmp_path):
    fitted("toy").save(tmp_path / "p.palm")
    with pytest.raises(FormatError, match="holds a constituency parser, not a tagger"):
        Tagger.load(tmp_path / "p.palm")
    tagger = ModelFile("tagger", {}, {}, {})
    with pytest.raises(FormatError, match="holds a tagger, not a constituency parser"):
        ConstituencyParser.from_model(tagger)
    with pytest.raises(FileNotFoundError):
        ConstituencyParser.load("no-such-model")

"""Maps of attributes go into model files and come back; damaged ones are refused."""

import io

import numpy as np
import pytest

from palmette.errors import FormatError
from palmette.features import FeatureMap, MappingMap, MatrixMap, Templates, load_features, save_features
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile

CORPUS = Corpus.from_columns({"form": [["New", "York", "x"]]})


def through_a_file(saved, options=None, arrays=None, strings=None):
    """The parts written and read again, with some of them replaced."""
    features = {**saved.options["features"], **(options or {})}
    arrays, strings = {**saved.arrays, **(arrays or {})}, {**saved.strings, **(strings or {})}
    file = io.BytesIO()
    ModelFile("tagger", {"features": features}, arrays, strings).write(file)
    return ModelFile.from_buffer(file.getvalue())


def templates():
    return Templates(
        "w[-1]|w[0]\ngaz:g[0]\ncluster:c/1[0]\nlast[0]\ny|w[0]",
        gazetteers={"g": ["New York"]},
        clusters={"c": {"x": "10"}},
        functions={"last": lambda word: word[-1]},
    )


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("bits", [None, 10])
def test_templates_come_back(names, bits):
    feature_map, instances = FeatureMap.fit(templates(), CORPUS, hash_bits=bits)
    model = through_a_file(save_features(feature_map, names=names))
    again = load_features(model, functions={"last": lambda word: word[-1]})
    have = again.transform(CORPUS)
    assert have.attributes.tolist() == instances.attributes.tolist()
    assert have.pair_attributes.tolist() == instances.pair_attributes.tolist()
    if names and bits is None:
        assert again.names() == feature_map.names()
        assert again.pair_names() == feature_map.pair_names()


def test_functions_must_be_given_again():
    model = through_a_file(save_features(FeatureMap.fit(templates(), CORPUS)[0]))
    with pytest.raises(ValueError, match="give them again"):
        load_features(model)


def test_mappings_and_matrices_come_back():
    sentences = [[{"w": "a", "n": 2.0}]]
    for bits in (None, 6):
        mapping_map, instances = MappingMap.fit(sentences, hash_bits=bits)
        again = load_features(through_a_file(save_features(mapping_map)))
        assert again.transform(sentences).attributes.tolist() == instances.attributes.tolist()
    assert load_features(through_a_file(save_features(MatrixMap(5)))).n_attributes == 5


@pytest.mark.parametrize(
    ("options", "arrays", "strings", "message"),
    [
        ({"kind": "x"}, {}, {}, "of no known kind"),
        ({"hash_bits": 99}, {}, {}, "hash_bits"),
        ({"templates": 3}, {}, {}, "no templates"),
        ({"templates": "w["}, {}, {}, "its templates"),
        ({"templates": "w[0]"}, {}, {}, "pair attributes and no templates"),
        ({"gazetteers": "g"}, {}, {}, "gazetteers are not a list"),
        ({"gazetteers": ["g", 1]}, {}, {}, "gazetteers are not a list"),
        ({"gazetteers": ["g", "h"]}, {}, {}, "no table of strings"),
        ({"functions": ["lower"]}, {}, {}, "the name is taken"),
        ({}, {"features.keys": np.array([5, 5], np.uint64)}, {}, "twice"),
        ({}, {"features.keys": np.array([5], np.int64)}, {}, "holds int64"),
        ({}, {}, {"features.names": ["a", "b"]}, "has 2 strings"),
    ],
)
def test_damaged_templates(options, arrays, strings, message):
    saved = save_features(FeatureMap.fit(Templates("gaz:g[0]\ny|w[0]", gazetteers={"g": ["x"]}), CORPUS)[0])
    with pytest.raises(FormatError, match=message):
        load_features(through_a_file(saved, options, arrays, strings), functions={"lower": str.lower})


def test_other_damage():
    mapping = save_features(MappingMap.fit([[{"w": "a"}]])[0])
    with pytest.raises(FormatError, match="twice"):
        load_features(through_a_file(mapping, strings={"features.names": ["a", "a"]}))
    with pytest.raises(FormatError, match="number of attributes"):
        load_features(through_a_file(save_features(MatrixMap(5)), {"n_attributes": -1}))
    with pytest.raises(FormatError, match="it has no features"):
        load_features(ModelFile("tagger", {}, {}, {}))

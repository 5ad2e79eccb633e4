"""Mappings and lists of strings, against what python-crfsuite makes of them."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.features import MappingMap

pycrfsuite = pytest.importorskip("pycrfsuite")
pytestmark = pytest.mark.native

NAMES = st.sampled_from(["w", "bias", "pos", "été", "a:b"])
NUMBERS = st.floats(-100, 100, width=32) | st.integers(-5, 5) | st.booleans()
VALUES = st.recursive(
    st.sampled_from(["x", "東", ""]) | NUMBERS,
    lambda inner: (
        st.dictionaries(NAMES, inner, max_size=3) | st.lists(NAMES, max_size=3) | st.sets(NAMES, max_size=3)
    ),
    max_leaves=5,
)
TOKENS = st.dictionaries(NAMES, VALUES, max_size=4) | st.lists(NAMES, max_size=4, unique=True)


def items_of(mapping_map, instances):
    names = mapping_map.names()
    values = np.ones(len(instances.attributes)) if instances.values is None else instances.values
    return [
        sorted((names[a], float(v)) for a, v in zip(instances.attributes[b:e], values[b:e]))
        for b, e in zip(instances.rows, instances.rows[1:])
    ]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(TOKENS, max_size=4), max_size=4))
def test_attributes_as_crfsuite_has_them(sentences):
    mapping_map, instances = MappingMap.fit(sentences)
    # A mapping gives no name twice, but a:b with c and a with b:c do: crfsuite's items() would hide that.
    want = []
    for sentence in sentences:
        for token in pycrfsuite.ItemSequence(sentence).items():
            want.append({name: value for name, value in token.items() if value})
    have = items_of(mapping_map, instances)
    for row, expected in zip(have, want, strict=True):
        if len({name for name, _ in row}) == len(row):
            assert row == sorted(expected.items())
    assert instances.offsets.tolist() == np.cumsum([0, *map(len, sentences)]).tolist()
    again = mapping_map.transform(sentences)
    assert again.attributes.tolist() == instances.attributes.tolist()


def test_lists_of_strings_generators_and_order():
    mapping_map, instances = MappingMap.fit(s for s in [(["b", "a"], ("a",)), []])
    assert mapping_map.names() == ["b", "a"]
    assert instances.values is None
    assert instances.rows.tolist() == [0, 2, 3]
    assert mapping_map.transform([[["c", "a"]]]).attributes.tolist() == [1]


def test_cut_off_hashing_choice_and_pickling():
    sentences = [[{"w": "a", "n": 2.0}, {"w": "b", "n": 3.0}]]
    mapping_map, instances = MappingMap.fit(sentences, min_count=2)
    assert mapping_map.names() == ["n"]
    assert instances.values.tolist() == [2.0, 3.0]
    full, rows = MappingMap.fit(sentences)
    assert full.select([2, 0]).names() == ["w:b", "w:a"]
    again = pickle.loads(pickle.dumps(full))
    assert again.transform(sentences).attributes.tolist() == rows.attributes.tolist()
    hashed, _ = MappingMap.fit(sentences, hash_bits=4)
    assert hashed.n_attributes == 16
    assert hashed.transform(sentences).attributes.max() < 16


def test_a_value_that_changes_its_own_mapping():
    token = {}

    class Hostile:
        def __float__(self):
            token.clear()
            return 1.0

    token.update({"a" * 50: Hostile(), "b" * 50: 2.0, "c": "d" * 50})
    _, instances = MappingMap.fit([[token]])
    assert len(instances.attributes) == 3


def nested(depth):
    token = {"a": 1.0}
    for _ in range(depth):
        token = {"a": token}
    return token


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([[{"a": float("nan")}]], "Sentence 1, token 1: attribute 'a' must have a finite value"),
        ([[{}], [{}, {"a": 1.0, "b": float("inf")}]], "Sentence 2, token 2: attribute 'b' must .* finite"),
        ([[{"a": 1e300}]], "finite"),
        ([[{"a": None}]], "must have a string, a number or a collection"),
        ([[{1: "a"}]], "the name of an attribute must be a string"),
        ([["word"]], "The attributes of a token must be a list"),
        (["sentence"], "A sentence must be a list"),
        ([3], "A sentence must be a list"),
        (3, "The input must be a list"),
        ([[[b"\xff"]]], "not UTF-8"),
        ([[["\ud800"]]], "not valid Unicode"),
        ([[nested(1000)]], "nested too deeply"),
    ],
)
def test_wrong_tokens_have_their_place(sentences, message):
    with pytest.raises((TypeError, ValueError), match=message):
        MappingMap.fit(sentences)


def test_zeros_are_kept_apart_where_asked_for():
    sentences = [[{"a": True, "b": False, "c": 0.0}, {"b": 2}], [{"d": 0}]]
    mapping_map, instances, zeros = MappingMap.fit_with_zeros(sentences)
    assert mapping_map.names() == ["a", "b", "c", "d"]
    assert (instances.rows.tolist(), instances.attributes.tolist()) == ([0, 1, 2, 2], [0, 1])
    assert (zeros.rows.tolist(), zeros.attributes.tolist()) == ([0, 2, 2, 3], [1, 2, 3])
    assert mapping_map.names([3, 1]) == ["d", "b"]
    assert mapping_map.transform(sentences).attributes.tolist() == [0, 1]

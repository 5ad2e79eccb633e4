"""Native extraction against strings put together token by token."""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.features import ATTRIBUTES, attribute_names
from palmette.features import FeatureMap, Templates
from palmette.formats.corpus import Corpus

pytestmark = pytest.mark.native

WORDS = st.sampled_from(["a", "The", "New", "York", "1990", "x-1", "Straße", "東京都", "walking", "ÀB", "an"])
TAGS = st.sampled_from(["DT", "NN", "NNP", "CD"])
NAMES = st.sampled_from(["w", "pos", "pos.lower", *ATTRIBUTES])


@st.composite
def corpora(draw):
    lengths = draw(st.lists(st.integers(0, 7), max_size=6))
    return Corpus.from_columns(
        {
            "form": [[draw(WORDS) for _ in range(n)] for n in lengths],
            "pos": [[draw(TAGS) for _ in range(n)] for n in lengths],
        }
    )


@st.composite
def template_lists(draw):
    place = st.tuples(NAMES, st.integers(-4, 4))
    drawn = draw(st.lists(st.lists(place, min_size=1, max_size=3), min_size=1, max_size=5))
    texts = ["|".join(f"{name}[{offset}]" for name, offset in places) for places in drawn]
    return list(dict.fromkeys([*texts, "bias"]))


def naive_rows(corpus, templates):
    rows = []
    for sentence in corpus:
        rows += attribute_names({"form": sentence["form"], "pos": sentence["pos"]}, templates)
    return rows


def named_rows(feature_map, instances):
    names = feature_map.names()
    return [
        [names[a] for a in instances.attributes[begin:end]]
        for begin, end in zip(instances.rows[:-1], instances.rows[1:])
    ]


@settings(max_examples=150, deadline=None)
@given(corpora(), template_lists())
def test_fit_gives_the_attributes_that_strings_give(corpus, texts):
    feature_map, instances = FeatureMap.fit(Templates(texts), corpus)
    want = naive_rows(corpus, texts)
    assert named_rows(feature_map, instances) == want
    assert feature_map.names() == list(dict.fromkeys(name for row in want for name in row))


@settings(max_examples=100, deadline=None)
@given(corpora(), corpora(), template_lists())
def test_transform_leaves_out_what_is_unknown(train, test, texts):
    feature_map, _ = FeatureMap.fit(Templates(texts), train)
    known = {name for row in naive_rows(train, texts) for name in row}
    want = [[name for name in row if name in known] for row in naive_rows(test, texts)]
    assert named_rows(feature_map, feature_map.transform(test)) == want


@settings(max_examples=100, deadline=None)
@given(corpora(), template_lists(), st.integers(2, 4))
def test_cut_off_keeps_the_frequent_in_their_order(corpus, texts, min_count):
    feature_map, instances = FeatureMap.fit(Templates(texts), corpus, min_count=min_count)
    want = naive_rows(corpus, texts)
    counts = Counter(name for row in want for name in row)
    kept = [name for name in counts if counts[name] >= min_count]
    assert feature_map.names() == kept
    assert named_rows(feature_map, instances) == [[name for name in row if name in kept] for row in want]
    assert named_rows(feature_map, feature_map.transform(corpus)) == named_rows(feature_map, instances)


def test_a_sentence_longer_than_a_chunk():
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in rng.integers(0, 300, size=1500)]
    texts = ["w[-3]|w[0]|w[3]", "w[2]", "pos[-2]|pos[2]"]
    corpus = Corpus.from_columns({"form": [words], "pos": [[word[-1] for word in words]]})
    feature_map, instances = FeatureMap.fit(Templates(texts), corpus)
    assert named_rows(feature_map, instances) == naive_rows(corpus, texts)


def test_sentences_of_the_same_words_in_another_table_of_strings():
    big = Corpus.from_columns({"form": [[f"w{k}" for k in range(100)], ["w5", "w99"]]})
    feature_map, _ = FeatureMap.fit(Templates("w[0]\nw[-1]|w[0]"), big)
    alone = Corpus.from_columns({"form": [["w5", "w99"]]})
    have, want = feature_map.transform(big[1:]), feature_map.transform(alone)
    assert have.attributes.tolist() == want.attributes.tolist()
    assert len(have.attributes) == 4


def test_hashing_gives_the_first_bits_of_the_keys():
    corpus = Corpus.from_columns({"form": [["a", "b", "a"]]})
    templates = Templates("w[0]\nw[-1]|w[0]")
    feature_map, instances = FeatureMap.fit(templates, corpus)
    hashed_map, hashed = FeatureMap.fit(templates, corpus, hash_bits=20)
    keys = feature_map.keys()
    assert hashed.attributes.tolist() == (keys[instances.attributes] >> np.uint64(44)).tolist()
    assert hashed_map.n_attributes == 1 << 20
    assert hashed_map.transform(corpus).attributes.tolist() == hashed.attributes.tolist()
    assert hashed_map.names([3]) == ["hash:3"]


def test_keys_never_change():
    """They stand in model files."""
    corpus = Corpus.from_columns({"form": [["New", "York"]]})
    feature_map, _ = FeatureMap.fit(Templates("w[0]\nw[-1]|w[0]\nbias"), corpus)
    assert dict(zip(feature_map.names(), map(hex, feature_map.keys().tolist()))) == KEYS


KEYS = {
    "bias": "0xb9b796199e2a8a93",
    "w[-1]|w[0]=New|York": "0xf9fadb68fe7c78da",
    "w[-1]|w[0]=_B-1|New": "0x4546cefd76ca0632",
    "w[0]=New": "0x2a5218909f8d321b",
    "w[0]=York": "0x4f39b7b138350739",
}


def test_many_keys_do_not_collide():
    words = [f"{a}{b}{c}" for a in "abcdefghij" for b in "klmnopqrst" for c in range(100)]
    corpus = Corpus.from_columns({"form": [words]})
    feature_map, _ = FeatureMap.fit(Templates("w[-1..1]\nw[-1]|w[0]\nw[0]|w[-1]\nw[0]|w[0]"), corpus)
    assert feature_map.n_attributes == 6 * len(words)
    assert len(set(feature_map.keys() >> np.uint64(32))) > 0.9999 * feature_map.n_attributes


def test_attributes_with_the_previous_label_have_their_own_rows():
    corpus = Corpus.from_columns({"form": [["a", "b"], ["a"]]})
    feature_map, instances = FeatureMap.fit(Templates("w[0]\ny|w[0]\ny|suffix1[0]\ny|bias\ny"), corpus)
    assert feature_map.names() == ["w[0]=a", "w[0]=b"]
    assert feature_map.pair_names() == ["y|w[0]=a", "y|bias", "y|w[0]=b"]
    assert instances.pair_rows.tolist() == [0, 2, 4, 6]
    assert instances.pair_attributes.tolist() == [0, 1, 2, 1, 0, 1]
    assert instances.n_pair_attributes == 3


def test_select_keeps_keys_and_names():
    corpus = Corpus.from_columns({"form": [["a", "b", "c"]]})
    feature_map, _ = FeatureMap.fit(Templates("w[0]\ny|w[0]"), corpus)
    chosen = feature_map.select([2, 0])
    assert chosen.names() == ["w[0]=c", "w[0]=a"]
    assert chosen.pair_names() == feature_map.pair_names()
    assert chosen.transform(corpus).attributes.tolist() == [1, 0]
    with pytest.raises(IndexError, match="between 0 and 2"):
        feature_map.select([3])
    with pytest.raises(ValueError, match="twice"):
        feature_map.select([1, 1])


def test_pickling_keeps_names():
    corpus = Corpus.from_columns({"form": [["a", "b"]]})
    for bits in (None, 8):
        feature_map, instances = FeatureMap.fit(Templates("w[0]\ny|w[0]"), corpus, hash_bits=bits)
        again = pickle.loads(pickle.dumps(feature_map))
        assert again.names([1]) == feature_map.names([1])
        assert again.transform(corpus).attributes.tolist() == instances.attributes.tolist()


def test_an_attribute_that_no_type_has():
    corpus = Corpus.from_columns({"form": [["a", "b"]]})
    feature_map, instances = FeatureMap.fit(Templates("suffix3[0]\ndigit[0]|w[0]"), corpus)
    assert feature_map.n_attributes == 0
    assert instances.rows.tolist() == [0, 0, 0]


def test_no_sentence_and_empty_sentences():
    templates = Templates("w[-1..1]")
    for sentences in ([], [[]], [[], ["a"], []]):
        feature_map, instances = FeatureMap.fit(templates, Corpus.from_columns({"form": sentences}))
        assert len(instances) == len(sentences)
        assert feature_map.n_attributes == 3 * sum(map(len, sentences))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_count": 0}, "'min_count' must be an int"),
        ({"min_count": 2.0}, "'min_count' must be an int"),
        ({"hash_bits": 31}, "'hash_bits' must be an int in the range"),
        ({"hash_bits": 8, "min_count": 2}, "cannot be had with 'hash_bits'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        FeatureMap.fit(Templates("w[0]"), Corpus.from_columns({"form": [["a"]]}), **options)


def test_wrong_ids_of_names():
    feature_map, _ = FeatureMap.fit(Templates("w[0]"), Corpus.from_columns({"form": [["a"]]}))
    with pytest.raises(IndexError, match="between 0 and 0"):
        feature_map.names([1])
    with pytest.raises(TypeError, match="whole numbers"):
        feature_map.names([0.5])

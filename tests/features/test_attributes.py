"""Attributes of word types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.features.attributes import ATTRIBUTES, TypeAttributes, affix, is_attribute

WORDS = ["iPad-2", "The", "NASA", "1,990.5", "...", "été", "東京", "", "a\nb", "I", "Straße", "USa"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        (
            "lower",
            ["ipad-2", "the", "nasa", "1,990.5", "...", "été", "東京", "", "a\nb", "i", "straße", "usa"],
        ),
        ("prefix2", ["iP", "Th", "NA", "1,", "..", "ét", None, None, "a\n", None, "St", "US"]),
        ("suffix1", ["2", "e", "A", "5", ".", "é", "京", None, "b", None, "e", "a"]),
        ("shape", ["xXxx-d", "Xxx", "XXXX", "d,ddd.d", "...", "xxx", "xx", "", "x\nx", "X", "Xxxxxx", "XXx"]),
        ("shortshape", ["xXx-d", "Xx", "X", "d,d.d", ".", "x", "x", "", "x\nx", "X", "Xx", "Xx"]),
        (
            "collapsed",
            ["ipad-0", "the", "nasa", "0,000.0", "...", "été", "東京", "", "a\nb", "i", "straße", "usa"],
        ),
        ("length", ["6", "3", "4", "7", "3", "3", "2", "0", "3", "1", "6", "3"]),
    ],
)
def test_values(name, values):
    assert TypeAttributes(WORDS).values_of(name).values() == values


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("digit", ["iPad-2", "1,990.5"]),
        ("hyphen", ["iPad-2"]),
        ("capital", ["iPad-2", "The", "NASA", "I", "Straße", "USa"]),
        ("title", ["The", "Straße"]),
        ("upper", ["NASA", "I"]),
        ("lowercase", ["été", "東京", "a\nb"]),
        ("alpha", ["The", "NASA", "été", "東京", "I", "Straße", "USa"]),
        ("number", ["1,990.5"]),
        ("punct", ["..."]),
    ],
)
def test_flags(name, words):
    flags = TypeAttributes(WORDS).values_of(name).values()
    assert [word for word, flag in zip(WORDS, flags) if flag] == words


@given(st.lists(st.text(max_size=6)), st.integers(1, 4))
def test_affixes_count_characters_not_bytes(words, length):
    encodable = [word for word in words if word.isprintable()]
    prefixes = [word[:length] if len(word) > length else None for word in encodable]
    suffixes = [word[-length:] if len(word) > length else None for word in encodable]
    assert TypeAttributes(encodable).values_of(f"prefix{length}").values() == prefixes
    assert TypeAttributes(encodable).values_of(f"suffix{length}").values() == suffixes


@given(st.lists(st.text(max_size=6)), st.integers(1, 4))
def test_starts_and_ends_are_in_lower_case_and_may_be_the_whole_word(words, length):
    encodable = [word for word in words if word.isprintable()]
    types = TypeAttributes(encodable)
    enough = [lowered if len(lowered) >= length else None for lowered in map(str.lower, encodable)]
    assert types.values_of(f"start{length}").values() == [word and word[:length] for word in enough]
    assert types.values_of(f"end{length}").values() == [word and word[-length:] for word in enough]


def test_all_types_at_once_or_one_by_one():
    for name in ATTRIBUTES:
        together = TypeAttributes(WORDS).values_of(name).values()
        assert together == [TypeAttributes([word]).values_of(name).values()[0] for word in WORDS]


def test_names():
    assert affix("suffix12") == ("suffix", 12)
    assert not is_attribute("suffix0")
    assert not is_attribute("suffix99")
    assert not is_attribute("pos")

"""Strings and ids."""

import pytest

from palmette.errors import FormatError
from palmette.features import Vocabulary
from palmette.formats.model.strings import StringTable


def test_ids_in_order_of_appearance():
    vocabulary = Vocabulary()
    assert [vocabulary.add(string) for string in "b a b c".split()] == [0, 1, 0, 2]
    assert list(vocabulary) == ["b", "a", "c"]
    assert vocabulary.ids(["c", "x"]).tolist() == [2, -1]
    assert vocabulary[1:] == ["a", "c"]
    assert "a" in vocabulary
    with pytest.raises(KeyError, match="'x' is not in the vocabulary"):
        vocabulary["x"]


def test_frozen():
    vocabulary = Vocabulary.of_table(StringTable.of(["a", "b"]))
    assert vocabulary == Vocabulary(["a", "b"])
    assert vocabulary.add("a") == 0
    with pytest.raises(KeyError, match="frozen"):
        vocabulary.add("c")


def test_what_is_refused():
    with pytest.raises(ValueError, match="twice"):
        Vocabulary(["a", "a"])
    with pytest.raises(TypeError, match="holds strings"):
        Vocabulary([1])
    with pytest.raises(FormatError, match="twice"):
        Vocabulary.of_table(["a", "a"], path="x.palm")

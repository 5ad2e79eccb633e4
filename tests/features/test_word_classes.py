"""Known words and classes of unknown ones."""

import numpy as np
import pytest

from palmette.features.word_classes import WordClasses
from palmette.formats.corpus import Corpus


def corpus_of(*sentences: str) -> Corpus:
    return Corpus.from_columns({"form": [sentence.split() for sentence in sentences]})


@pytest.fixture
def words() -> WordClasses:
    return WordClasses.fit(
        corpus_of("the dogs bark", "the the 1987 Paris", "the cats"), rare=2, max_suffix=3
    )[0]


def symbols(words: WordClasses, sentence: str) -> list[str]:
    instances = words.transform(corpus_of(sentence))
    return words.names(instances.attributes[instances.rows[:-1]])


def test_known_and_unknown_words(words: WordClasses) -> None:
    assert symbols(words, "dogs hogs Logs xyz") == ["word=dogs", "lower:ogs", "upper:s", "lower:"]


def test_digits_are_alike(words: WordClasses) -> None:
    assert symbols(words, "1987 2345 7") == ["word=1987", "lower:000", "lower:0"]


def test_first_words_may_be_known_in_lower_case(words: WordClasses) -> None:
    assert symbols(words, "Dogs Dogs") == ["word=dogs", "upper:s"]
    assert symbols(words, "Paris") == ["word=Paris"]


def test_frequent_words_make_no_suffixes(words: WordClasses) -> None:
    assert symbols(words, "he") == ["lower:"]


def test_edges(words: WordClasses) -> None:
    corpus = Corpus.from_columns({"form": [["dogs"], [], ["the", "the", "dogs"]]})
    instances = words.transform(corpus)
    names = [
        words.names(instances.attributes[begin:end]) for begin, end in zip(instances.rows, instances.rows[1:])
    ]
    assert names == [["word=dogs", "BOS", "EOS"], ["word=the", "BOS"], ["word=the"], ["word=dogs", "EOS"]]


def test_parents_are_the_next_shorter_suffixes(words: WordClasses) -> None:
    for suffix, parent in zip(words.suffixes[1:], words.parents[1:].tolist()):
        mark, _, rest = suffix.partition(":")
        assert words.suffixes[parent] == (f"{mark}:{rest[1:]}" if rest else "")


def test_saved_and_read_back(words: WordClasses) -> None:
    again = WordClasses.from_arrays(*words.to_arrays())
    assert (again.words, again.suffixes, again.rare) == (words.words, words.suffixes, words.rare)
    corpus = corpus_of("Dogs hogs 12")
    np.testing.assert_array_equal(again.transform(corpus).attributes, words.transform(corpus).attributes)


def test_another_column() -> None:
    corpus = Corpus.from_columns({"form": [["Dogs"]], "lemma": [["dog"]]})
    assert WordClasses.fit(corpus, column="lemma")[0].words == ["dog"]
    with pytest.raises(ValueError, match="no column 'upos': it has form, lemma"):
        WordClasses.fit(corpus, column="upos")


def test_damaged_tables() -> None:
    with pytest.raises(ValueError, match="without the next shorter"):
        WordClasses(["a"], ["", "lower:ogs"])
    with pytest.raises(ValueError, match="after the next shorter"):
        WordClasses(["a"], ["", "lower:s", "lower:"])
    with pytest.raises(ValueError, match="differ"):
        WordClasses(["a", "a"], [""])


def test_no_tokens(words: WordClasses) -> None:
    empty = words.transform(Corpus.from_columns({"form": []}))
    assert (len(empty), empty.n_tokens) == (0, 0)

"""A corpus: built from lists, cut, changed, and checked at its door."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus, SentenceLines

FORMS = [["Time", "flies", "like", "time"], ["Go"], ["like", "Go"]]
TAGS = [["N", "V", "P", "N"], ["V"], ["P", "V"]]


def example(**options):
    return Corpus.from_columns({"form": FORMS, "tag": TAGS}, **options)


def test_from_columns_and_from_sentences_are_the_same():
    rows = [list(zip(forms, tags)) for forms, tags in zip(FORMS, TAGS)]
    for corpus in (example(), Corpus.from_sentences(rows, ("form", "tag"))):
        assert corpus.offsets.tolist() == [0, 4, 5, 7]
        assert corpus.column("form").ids.tolist() == [0, 1, 2, 3, 4, 2, 4]
        assert corpus.column("tag").strings == ["N", "V", "P"]
        assert [sentence.words() for sentence in corpus] == rows


def test_heads_and_comments():
    corpus = example(heads=[[2, 0, 2, 3], [0], [-1, -1]], comments=[["# id = a"], [], ["# b", "# c"]])
    assert corpus[0].heads.tolist() == [2, 0, 2, 3]
    assert [sentence.comments for sentence in corpus] == [["# id = a"], [], ["# b", "# c"]]
    assert corpus[0].metadata == {"id": "a"}
    assert corpus[-1].words()[0] == (1, "like", "P", -1)


def test_sentences_of_no_words():
    corpus = Corpus.from_sentences([[], [("a", "b")], []], ("x", "y"))
    assert [len(sentence) for sentence in corpus] == [0, 1, 0]
    assert Corpus.from_columns({"form": []}).n_words == 0


def test_indexing_like_a_list():
    corpus = example()
    assert corpus[-1]["form"] == ["like", "Go"]
    assert repr(corpus) == "<Corpus: 3 sentences, 7 words, columns form, tag>"
    assert repr(corpus[1]) == "<Sentence 1: Go>"
    with pytest.raises(IndexError, match=r"Sentence 3 of a corpus of 3 sentences\."):
        corpus[3]


@given(st.lists(st.integers(0, 2), max_size=6))
@settings(max_examples=50, deadline=None)
def test_select_is_a_list_of_sentences(chosen):
    corpus = example(heads=[[2, 0, 2, 3], [0], [-1, -1]], comments=[["# a"], [], ["# b", "# c"]])
    part = corpus.select(chosen)
    assert [s.words() for s in part] == [corpus[i].words() for i in chosen]
    assert [s.comments for s in part] == [corpus[i].comments for i in chosen]
    assert part.column("form").strings is corpus.column("form").strings


def test_slices():
    corpus = example()
    assert [s["form"] for s in corpus[1:]] == FORMS[1:]
    assert [s["form"] for s in corpus[::-2]] == FORMS[::-2]
    assert len(corpus[5:]) == 0


def test_select_outside():
    with pytest.raises(IndexError, match="Sentences must lie between 0 and 2"):
        example().select([3])


def test_columns_are_views_of_the_arrays():
    corpus = example()
    assert np.shares_memory(corpus[0].ids("form"), corpus.column("form").ids)


def test_ids_in_another_vocabulary():
    index = {"Go": 3, "like": 5}
    assert example().column("form").ids_in(index).tolist() == [-1, -1, 5, -1, 3, 5, 3]
    assert Column.of([]).ids_in(index).tolist() == []


def test_with_column():
    changed = (
        example().with_column("tag", [["x"] * 4, ["y"], ["x", "y"]]).with_column("new", example().column(0))
    )
    assert changed.names == ("form", "tag", "new")
    assert changed[2]["tag"] == ["x", "y"]
    assert changed[2]["new"] == changed[2]["form"] == FORMS[2]
    with pytest.raises(ValueError, match="Column 'tag' has 1 values in sentence 1, which has 4 words"):
        example().with_column("tag", [["x"], ["y"], ["z"]])


def test_pickles():
    again = pickle.loads(pickle.dumps(example()))
    assert [s.words() for s in again] == [s.words() for s in example()]


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: Corpus.from_columns({}), ValueError, "A corpus needs at least one column"),
        (
            lambda: Corpus.from_columns({"form": ["Time"]}),
            TypeError,
            "must be a list of strings. Got the string 'Time'",
        ),
        (lambda: Corpus.from_columns({"form": [[1]]}), TypeError, "must be strings. Got 1 instead"),
        (
            lambda: Corpus.from_columns({"a": [["x"]], "b": []}),
            ValueError,
            "Column 'b' has 0 sentences, the corpus has 1",
        ),
        (
            lambda: Corpus.from_columns({"a": [["x"]]}, heads=[[0, 0]]),
            ValueError,
            "'head' has 2 values in sentence 1",
        ),
        (
            lambda: Corpus.from_columns({"a": [["x"]]}, heads=[[2]]),
            ValueError,
            "Head 2 in sentence 1, which has 1 words",
        ),
        (
            lambda: Corpus.from_columns({"id": [["x"]]}, heads=[[0]]),
            ValueError,
            "cannot have a column named 'id'",
        ),
        (
            lambda: Corpus.from_columns({"a": [["x"]]}, comments=[]),
            ValueError,
            "comments must have 2 offsets",
        ),
        (
            lambda: Corpus.from_sentences([[("x",)]], ("a", "b")),
            ValueError,
            r"word \('x',\) has 1 values for 2 names",
        ),
        (
            lambda: Corpus({"a": Column.of("x")}, [0, 2]),
            ValueError,
            "ids of column 'a' must be 2 of type int32",
        ),
        (
            lambda: Corpus({"a": Column.of("xy")}, [0, 2, 1, 2]),
            ValueError,
            "must begin with 0 and never fall",
        ),
        (lambda: Corpus({"a": Column.of("x")}, []), ValueError, "must begin with 0 and never fall"),
        (
            lambda: Corpus({"a": Column(np.array([1], dtype=np.int32), ["x"])}, [0, 1]),
            ValueError,
            "ids of column 'a' must lie between 0 and 0",
        ),
        (lambda: example().with_heads([0]), ValueError, "7 words must have as many heads. Got 1"),
        (
            lambda: Corpus({"a": Column.of("x")}, [0, 1], extras=SentenceLines(np.array([0, 1]), ["1-1"])),
            ValueError,
            "Every extra line must have its place",
        ),
        (lambda: example().column("pos"), KeyError, "No column 'pos': this corpus has form, tag"),
        (lambda: example().column(2), KeyError, "No column 2: this corpus has form, tag"),
    ],
)
def test_what_is_refused(build, error, message):
    with pytest.raises(error, match=message):
        build()

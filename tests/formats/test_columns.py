"""Column files: real ones as counted, comments by their rule, and a sentence for everything wrong."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.errors import FormatError
from palmette.formats.columns import format_columns, parse_columns, read_columns, write_columns
from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import read_bytes
from samples.corpora import corpus_file, real_file

pytestmark = pytest.mark.native

SPACES = "Time NN B-NP\nflies VBZ B-VP\n\nGo VB B-VP\n\n"
TABS = "# doc=1\nTime\tNN\nflies\tVBZ\n\nGo\tVB\n\n"


def test_columns_are_named_or_numbered():
    corpus = parse_columns(SPACES)
    assert corpus.names == ("form", "column2", "column3")
    assert corpus.heads is None
    assert [sentence["form"] for sentence in corpus] == [["Time", "flies"], ["Go"]]
    assert corpus.column(-1).strings == ["B-NP", "B-VP"]
    named = parse_columns(SPACES, names=("form", "pos", "chunk"))
    assert named.column("chunk").ids.tolist() == [0, 1, 1]
    assert [word.pos for word in named[0]] == ["NN", "VBZ"]
    assert named[0].words()[0] == ("Time", "NN", "B-NP")


def test_heads_are_asked_for_in_vain():
    with pytest.raises(ValueError, match="This corpus has no heads"):
        _ = parse_columns(SPACES)[0].heads


# Real files, with the sizes that their description gives


@pytest.mark.parametrize(
    ("name", "n_sentences", "n_words", "n_columns", "separator"),
    [
        ("chunk_en_conll2000/train.txt.gz", 8936, 211727, 3, " "),
        ("chunk_en_conll2000/test.txt", 2012, 47377, 3, " "),
        ("ner_es_conll2002/train.txt.gz", 8323, 264715, 3, " "),
        ("ner_es_conll2002/dev.txt", 1915, 52923, 3, " "),
        ("ner_en_wnut17/train.txt", 3394, 62730, 2, "\t"),
        ("pos_en_ptb/train.tsv", 3253, 78375, 2, "\t"),
        ("pos_en_brown/dev.tsv.gz", 5061, 107128, 2, "\t"),
        ("pos_en_brown/test.tsv.gz", 5004, 99484, 2, "\t"),
    ],
)
def test_real_files(name, n_sentences, n_words, n_columns, separator):
    path = corpus_file(name)
    corpus = read_columns(path)
    assert (len(corpus), corpus.n_words, len(corpus.names)) == (n_sentences, n_words, n_columns)
    assert format_columns(corpus, separator=separator) == read_bytes(path)


def test_brown_keeps_its_comments():
    corpus = read_columns(corpus_file("pos_en_brown/dev.tsv.gz"), names=("form", "tag"))
    assert corpus[0].comments == ["# doc=ca09 category=news"]
    assert all(len(sentence.comments) == 1 for sentence in corpus)


def test_conll2000_has_the_pound_sign_as_a_token():
    corpus = read_columns(corpus_file("chunk_en_conll2000/test.txt"))
    assert corpus.column("form").values().count("#") == 11
    assert corpus.comments.lines == []


def test_agrees_with_conllu_where_both_read():
    path = real_file("dep_en_ptb/dev.conll")
    assert read_columns(path).column(1).values() == read_conllu(path).column("form").values()


# Comments and separators


def test_a_number_sign_with_a_tab_is_a_token():
    corpus = parse_columns("# a comment\n#\tO\n#tag\tB-X\n")
    assert corpus[0].comments == ["# a comment"]
    assert corpus[0]["form"] == ["#", "#tag"]


def test_every_space_separated_line_is_a_token():
    corpus = parse_columns("# # B-NP\n1.5 CD I-NP\n")
    assert corpus[0]["form"] == ["#", "1.5"]


def test_runs_of_blanks_separate_and_end_sentences():
    corpus = parse_columns("  a   b \t c  \n \t \nd e f", separator=" ")
    assert [sentence.words()[0] for sentence in corpus] == [("a", "b", "c"), ("d", "e", "f")]


def test_tab_separated_values_may_hold_spaces_and_nothing():
    text = b"New York\t\tB-LOC\n\n"
    corpus = parse_columns(text)
    assert corpus[0].words() == [("New York", "", "B-LOC")]
    assert format_columns(corpus) == text


def test_the_separator_may_be_said():
    assert parse_columns("a b\tc d\n", separator=" ")[0].words() == [("a", "b", "c", "d")]
    assert parse_columns("a b\n", separator="\t")[0].words() == [("a b",)]
    assert parse_columns("#a\tb\n")[0].words() == [("#a", "b")]


def test_docstart_is_a_sentence_like_any_other():
    corpus = parse_columns("-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\n")
    assert corpus[0]["form"] == ["-DOCSTART-"]
    assert len(corpus) == 2


@pytest.mark.parametrize("changed", [TABS.replace("\n", "\r\n"), TABS[:-2], "\n" + TABS, "\ufeff" + TABS])
def test_what_is_normalised(changed):
    assert format_columns(parse_columns(changed)).decode() == TABS


def test_files(tmp_path):
    path = tmp_path / "out.tsv.gz"
    write_columns(parse_columns(TABS), path)
    assert format_columns(read_columns(path)).decode() == TABS
    write_columns(parse_columns(TABS), path, separator=" ", names=["column2"], comments=False)
    assert read_bytes(path) == b"NN\nVBZ\n\nVB\n\n"


# Everything wrong has its line and its sentence

WRONG = {
    "fewer": (SPACES + "a b\n", {}, 6, "found 2 space-separated columns, expected 3 as in line 1"),
    "more": (TABS + "a\tb\tc\n", {}, 7, "found 3 tab-separated columns, expected 2 as in line 2"),
    "one": (TABS + "a b\n", {}, 7, "found 1 tab-separated column, expected 2 as in line 2"),
    "as named": (SPACES, {"names": ["form"]}, 1, "found 3 space-separated columns, expected 1 as named"),
    "comment with spaces": (
        SPACES + "# doc=1\n",
        {},
        6,
        "found 2 space-separated columns, expected 3 as in line 1; "
        "only tab-separated files can have comments",
    ),
    "empty first": ("a\tb\n\tc\n", {}, 2, "the first column is empty"),
    "comment inside": (
        "a\tb\n# c\nd\te\n",
        {},
        2,
        "comment inside a sentence: comments go above its first token, or an empty line is missing",
    ),
    "comments alone": ("# c\n# d\n\na\tb\n", {}, 1, "comments without a sentence below them"),
    "latin-1": (b"a\tb\nc\t\xe9\n", {}, 2, "byte 0xe9 at offset 6 is not UTF-8: save the file as UTF-8"),
    "latin-1 comment": (
        b"# \xe9\na\tb\n",
        {},
        1,
        "byte 0xe9 at offset 2 is not UTF-8: save the file as UTF-8",
    ),
    "nul": ("a\0\tb\n", {}, 1, "NUL byte at offset 1: this is not a text file"),
    "carriage returns": (
        "a b\rc d\r\r",
        {},
        1,
        "carriage return inside a line at byte offset 3: end lines with \\n or \\r\\n",
    ),
    "wide": ("a\t" * 300 + "\n", {}, 1, "found 301 columns, more than the 256 a column file may have"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong(case):
    text, options, line, message = WRONG[case]
    with pytest.raises(FormatError) as caught:
        parse_columns(text, path="f.txt", **options)
    assert str(caught.value) == f"f.txt:{line}: {message}"


def test_lenient_skips_what_is_wrong():
    corpus = parse_columns(SPACES + "odd line\n\nLast NN O\n", lenient=True)
    assert [sentence["form"] for sentence in corpus] == [["Time", "flies"], ["Go"], ["Last"]]
    assert corpus.skipped == [(6, "found 2 space-separated columns, expected 3 as in line 1")]
    assert corpus.n_skipped == 1
    assert "odd" not in corpus.column("form").strings


@pytest.mark.parametrize("text", ["", "\n", " \n"])
def test_nothing_to_read(text):
    with pytest.raises(FormatError, match="no sentences: there is no line but empty ones"):
        parse_columns(text)


@pytest.mark.parametrize("names", ["form", [], ["a", "a"], ["a", ""]])
def test_bad_names(names):
    with pytest.raises(ValueError, match="The 'names' must be up to 256 different strings, none empty"):
        parse_columns(SPACES, names=names)


def test_bad_separator():
    with pytest.raises(ValueError, match=r"The 'separator' must be a tab, a space or None\. Got ',' instead"):
        parse_columns(SPACES, separator=",")
    with pytest.raises(ValueError, match=r"The 'separator' must be a tab or a space\. Got ',' instead"):
        format_columns(parse_columns(SPACES), separator=",")


# What cannot be written


@pytest.mark.parametrize(
    ("columns", "comments", "separator", "message"),
    [
        (
            {"form": [["New York"]]},
            None,
            " ",
            "column 'form' holds 'New York', which would be read as more than one",
        ),
        ({"form": [["a"]], "tag": [[""]]}, None, " ", "column 'tag' holds an empty string"),
        ({"form": [[""]]}, None, "\t", "column 'form' holds an empty string"),
        ({"form": [["a"]]}, [["# c"]], " ", "a space-separated file cannot hold comments"),
        (
            {"form": [["a"]]},
            [["# c\td"]],
            "\t",
            "the comment '# c\\\\td' has a tab, so it would be read as a token",
        ),
        ({"form": [["#a"]]}, None, "\t", "the only column holds '#a', which would be read as a comment"),
    ],
)
def test_what_cannot_be_written(columns, comments, separator, message):
    with pytest.raises(ValueError, match=message):
        format_columns(Corpus.from_columns(columns, comments=comments), separator=separator)


def test_a_column_that_is_not_there():
    with pytest.raises(KeyError, match="No column 'tag': this corpus has form, column2, column3"):
        format_columns(parse_columns(SPACES), names=["tag"])


# Generated and broken files

fields = st.text(
    st.characters(exclude_characters=" \t\n\r\0\ufeff", exclude_categories=["Cs"]), min_size=1, max_size=8
)


@given(st.integers(1, 4), st.sampled_from("\t "), st.data())
@settings(max_examples=100, deadline=None)
def test_generated_round_trip(n_columns, separator, data):
    first = fields.filter(lambda text: n_columns > 1 or text[0] != "#")
    row = st.tuples(first, *[fields] * (n_columns - 1))
    sentences = data.draw(st.lists(st.lists(row, min_size=1, max_size=4), min_size=1, max_size=4))
    corpus = Corpus.from_sentences(sentences, [f"c{i}" for i in range(n_columns)])
    again = parse_columns(
        format_columns(corpus, separator=separator), separator=separator, names=corpus.names
    )
    assert [sentence.words() for sentence in again] == sentences


@given(st.one_of(st.binary(max_size=100), st.text("ab# \t\n\r\0é", max_size=60)))
@settings(max_examples=300, deadline=None)
def test_random_bytes(text):
    for lenient in (False, True):
        try:
            corpus = parse_columns(text, lenient=lenient)
        except FormatError as error:
            assert error.message  # noqa: PT017  (an error is as good as a corpus here)
        else:
            assert corpus.n_words == len(corpus.column(0)) > 0


def test_lists_are_written_too(tmp_path):
    corpus = Corpus.from_columns({"form": [["Time", "flies"], ["Go"]], "pos": [["NN", "VBZ"], ["VB"]]})
    want = format_columns(corpus)
    rows = [[("Time", "NN"), ("flies", "VBZ")], [("Go", "VB")]]
    for sentences in (list(corpus), iter(corpus), rows, iter(rows), tuple(rows)):
        write_columns(sentences, tmp_path / "x.tsv")
        assert (tmp_path / "x.tsv").read_bytes() == want
    write_columns([["Time", "flies"], ["Go"]], tmp_path / "x.tsv")
    whole = (tmp_path / "x.tsv").read_bytes()
    assert whole.split() == [b"Time", b"flies", b"Go"]
    with pytest.raises(TypeError, match="Got the string 'Time flies'"):
        write_columns(["Time flies"], tmp_path / "x.tsv")
    with pytest.raises(TypeError, match="Sentences must be a list"):
        write_columns("Time flies", tmp_path / "x.tsv")
    assert (tmp_path / "x.tsv").read_bytes() == whole

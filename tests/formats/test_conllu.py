"""CoNLL-U: byte round trips, agreement with the `conllu` package, and a sentence for everything wrong."""

import gzip
import io
import sys

import conllu
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette import _native
from palmette.errors import FormatError
from palmette.formats.conllu import NAMES, format_conllu, parse_conllu, read_conllu, write_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import read_bytes
from palmette.trees.dependency_tree import DependencyTree
from samples.corpora import real_file, real_files

pytestmark = pytest.mark.native


def word(id_: object, head: object = 0, form: str = "w", **other: str) -> str:
    fields = {"lemma": "_", "upos": "X", "xpos": "_", "feats": "_", "deprel": "d", "deps": "_", "misc": "_"}
    fields |= other
    before, after = [fields[n] for n in NAMES[1:5]], [fields[n] for n in NAMES[5:]]
    return "\t".join([str(id_), form, *before, str(head), *after]) + "\n"


SMALL = (
    "# sent_id = 1\n# text = I don't\n"
    + word(1, 3, "I", upos="PRON")
    + "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
    + word(2, 3, "do", upos="AUX")
    + word(3, 0, "n't", upos="PART")
    + "3.1\tgo\tgo\tVERB\t_\t_\t_\t_\t0:root\t_\n\n"
    + word(1, "_", "Hm")
    + "\n"
).encode()


# What a corpus holds


def test_words_are_rows_and_other_lines_stand_beside():
    corpus = parse_conllu(SMALL)
    assert len(corpus) == 2
    assert corpus.n_words == 4
    assert corpus.names == NAMES
    assert corpus.offsets.tolist() == [0, 3, 4]
    assert corpus.heads.tolist() == [3, 3, 0, -1]
    assert corpus.heads.dtype == corpus.column("form").ids.dtype == np.int32
    assert corpus.column("upos").strings == ["PRON", "AUX", "PART", "X"]
    sentence = corpus[0]
    assert sentence["form"] == ["I", "do", "n't"]
    assert sentence.ids("upos").tolist() == [0, 1, 2]
    assert sentence.comments == ["# sent_id = 1", "# text = I don't"]
    assert sentence.metadata == {"sent_id": "1", "text": "I don't"}
    assert sentence.ranges == [(2, 3, "don't")]
    assert [(after, fields[0]) for after, fields in sentence.extras] == [(1, "2-3"), (3, "3.1")]
    assert [(w.id, w.form, w.head) for w in sentence] == [(1, "I", 3), (2, "do", 3), (3, "n't", 0)]
    assert corpus[1].comments == corpus[1].extras == corpus[1].ranges == []


def test_heads_have_a_hint_instead_of_a_column():
    with pytest.raises(KeyError, match=r"No column 'head': this corpus has form, .* take `corpus.heads`"):
        parse_conllu(SMALL).column("head")


# Round trips


def test_small_round_trip():
    assert format_conllu(parse_conllu(SMALL)) == SMALL


@pytest.mark.parametrize("name", real_files("ud_*/*.conllu*"))
def test_real_round_trip(name):
    text = read_bytes(real_file(name))
    assert format_conllu(parse_conllu(text)) == text


@pytest.mark.parametrize(
    "changed",
    [
        SMALL.replace(b"\n", b"\r\n"),
        SMALL.replace(b"\n\n", b"\n\n\n\n"),
        b"\n\n" + SMALL,
        SMALL[:-1],
        SMALL[:-2],
        b"\xef\xbb\xbf" + SMALL,
    ],
    ids=[
        "crlf",
        "empty lines",
        "empty lines first",
        "no last empty line",
        "no last line end",
        "byte order mark",
    ],
)
def test_what_is_normalised(changed):
    assert format_conllu(parse_conllu(changed)) == SMALL


@pytest.mark.parametrize("name", ["small.conllu", "small.conllu.gz"])
def test_files_plain_and_gzipped(tmp_path, name):
    write_conllu(parse_conllu(SMALL), tmp_path / name)
    raw = (tmp_path / name).read_bytes()
    assert (gzip.decompress(raw) if name.endswith("gz") else raw) == SMALL
    assert format_conllu(read_conllu(tmp_path / name)) == SMALL
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_standard_streams(monkeypatch, capfdbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SMALL)))
    write_conllu(read_conllu("-"), "-")
    assert capfdbinary.readouterr().out == SMALL


def test_a_new_column_leaves_the_rest():
    corpus = parse_conllu(SMALL).with_column("upos", [["A", "B", "C"], ["D"]]).with_heads([0, 1, 2, 0])
    changed = parse_conllu(format_conllu(corpus))
    assert changed.column("upos").values() == ["A", "B", "C", "D"]
    assert changed.heads.tolist() == [0, 1, 2, 0]
    assert changed[0].ranges == [(2, 3, "don't")]
    assert changed.comments.lines == corpus.comments.lines


def test_a_selection_keeps_what_belongs_to_its_sentences():
    two = parse_conllu(SMALL)
    assert format_conllu(two.select([1, 0, 0])) == b"".join(format_conllu(two[i : i + 1]) for i in (1, 0, 0))


def test_missing_columns_are_written_as_underscores():
    text = format_conllu(Corpus.from_columns({"form": [["Go"]], "upos": [["VERB"]]}))
    assert text == b"1\tGo\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"


# A referee


@pytest.mark.parametrize("name", ["ud_en_ewt/test.conllu.gz", "ud_tr_imst/dev.conllu"])
def test_agrees_with_the_conllu_package(name):
    text = read_bytes(real_file(name)).decode()
    as_text = {column: lambda line, i: line[i] for column in ("feats", "deps", "misc", "xpos")}
    want = conllu.parse(text, field_parsers=as_text)
    have = parse_conllu(text)
    assert len(have) == len(want)
    for ours, theirs in zip(have, want):
        basic = [token for token in theirs if isinstance(token["id"], int)]
        assert ours.words() == [tuple(t[k] for k in ("id", *NAMES, "head")) for t in basic]
        others = [token for token in theirs if not isinstance(token["id"], int)]
        assert [fields[0] for _, fields in ours.extras] == ["".join(map(str, t["id"])) for t in others]
        assert ours.metadata["sent_id"] == theirs.metadata["sent_id"]


# Everything wrong has its line and its sentence

NINE = "\t".join(["1", *"wwwww_"])
WRONG = {
    "too few columns": (NINE, 1, "found 7 tab-separated columns, CoNLL-U has 10"),
    "too many columns": (word(1)[:-1] + "\tx\n", 1, "found 11 tab-separated columns, CoNLL-U has 10"),
    "spaces": (
        word(1).replace("\t", " "),
        1,
        "found 1 tab-separated column, CoNLL-U has 10; "
        "it would have 10 if spaces were tabs: separate the columns with tabs",
    ),
    "blanks": (word(1) + " \n", 2, "a line of blanks only: the line between sentences is empty"),
    "id skips": (word(1) + word(3), 2, "token id '3' where 2 was expected"),
    "id not from 1": (word(0), 1, "token id '0' where 1 was expected"),
    "id with zero": (word("01"), 1, "token id '01' where 1 was expected"),
    "id again 1": (
        word(1) + word(1),
        2,
        "token id '1' where 2 was expected: is an empty line missing above it?",
    ),
    "id no number": (
        word("x"),
        1,
        "token id 'x' is neither a number, a range such as 3-4, nor an empty node such as 8.1",
    ),
    "id half a range": (
        word("1-"),
        1,
        "token id '1-' is neither a number, a range such as 3-4, nor an empty node such as 8.1",
    ),
    "head beyond": (word(1) + word(2, 31), 2, "head 31 in a sentence of 2 tokens"),
    "head beyond one": (word(1, 2), 1, "head 2 in a sentence of 1 token"),
    "head text": (
        word(1, "x"),
        1,
        "head 'x' is not an integer: a head is 0 for the root, the id of a word, or _",
    ),
    "head fraction": (
        word(1, "1.5"),
        1,
        "head '1.5' is not an integer: a head is 0 for the root, the id of a word, or _",
    ),
    "head negative": (
        word(1, -1),
        1,
        "head '-1' is negative: a head is 0 for the root, the id of a word, or _",
    ),
    "head huge": (word(1, 99999999999), 1, "head '99999999999' is too large for any sentence"),
    "head with zero": (word(1, "00"), 1, "head '00' has a zero in front: write the number without it"),
    "range backwards": (word("2-1"), 1, "range '2-1' ends before it begins"),
    "range early": (
        word("2-3") + word(1),
        1,
        "range '2-3' out of order: it comes before token 1, and so must begin with it",
    ),
    "range late": (
        word(1) + word("1-2") + word(2),
        2,
        "range '1-2' out of order: it comes before token 2, and so must begin with it",
    ),
    "ranges overlap": (
        word("1-2") + word(1) + word("2-3") + word(2) + word(3),
        3,
        "range '2-3' overlaps the one before it, which ends at 2",
    ),
    "range beyond": (word("1-3") + word(1), 1, "the range ends at 3 in a sentence of 1 token"),
    "empty node late": (word(1) + word("0.1"), 2, "empty node '0.1' where 1.1 was expected"),
    "empty node skips": (word(1) + word("1.1") + word("1.3"), 3, "empty node '1.3' where 1.2 was expected"),
    "no form": (word(1, form=""), 1, "empty FORM"),
    "empty column": (word(1, feats=""), 1, "empty FEATS: a column without a value holds _"),
    "comment inside": (
        word(1) + "# here\n" + word(2),
        2,
        "comment inside a sentence: comments go above its first token, or an empty line is missing",
    ),
    "comments alone": ("# a\n# b\n\n" + word(1), 1, "comments without a sentence below them"),
    "no words": ("# a\n" + word("0.1"), 1, "a sentence without words"),
    "nul": (word(1, form="a\0b"), 1, "NUL byte at offset 3: this is not a text file"),
    "lone carriage return": (
        word(1, form="a\rb"),
        1,
        "carriage return inside a line at byte offset 3: end lines with \\n or \\r\\n",
    ),
    "latin-1 form": (
        word(1, form="caf\xe9").encode("latin-1"),
        1,
        "byte 0xe9 at offset 5 is not UTF-8: save the file as UTF-8",
    ),
    "latin-1 comment": (
        b"# a\n# \xe9\n" + word(1).encode(),
        2,
        "byte 0xe9 at offset 6 is not UTF-8: save the file as UTF-8",
    ),
    "latin-1 range": (
        word("1-1", form="\xe9").encode("latin-1") + word(1).encode(),
        1,
        "byte 0xe9 at offset 4 is not UTF-8: save the file as UTF-8",
    ),
    "utf-16": (
        word(1).encode("utf-16"),
        1,
        "the file is UTF-16, not UTF-8 (it begins with that byte order mark): save it as UTF-8",
    ),
    "surrogate": (word(1, form="\ud800"), 1, "byte 0xed at offset 2 is not UTF-8: save the file as UTF-8"),
    "cut-off message": (word("x" * 50), 1, f"token id '{'x' * 40}…' is neither a number, "),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong(case):
    text, line, message = WRONG[case]
    with pytest.raises(FormatError) as caught:
        parse_conllu(text, path="f.conllu")
    assert caught.value.line == line
    assert (
        caught.value.message.startswith(message)
        if case == "cut-off message"
        else caught.value.message == message
    )
    assert str(caught.value).startswith(f"f.conllu:{line}: ")


@pytest.mark.parametrize("case", WRONG)
def test_lenient_skips_what_is_wrong(case):
    text, line, message = WRONG[case]
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    raw = raw.split(b"\n\n")[0].rstrip(b"\n")
    good = word(1, form="good").encode() + b"\n"
    if case == "utf-16":  # the line end is two bytes there
        raw = raw[:-1]
    corpus = parse_conllu(raw + b"\n\n" + good, lenient=True)
    assert format_conllu(corpus) == good
    assert corpus.column("form").strings == ["good"]
    assert corpus.n_skipped == 1
    assert corpus.skipped[0][0] == line
    assert corpus.skipped[0][1].startswith(message[:20])


def test_the_file_is_named(tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text(word(1) + "\n" + word(1, 7))
    with pytest.raises(FormatError) as caught:
        read_conllu(path)
    assert str(caught.value) == f"{path}:3: head 7 in a sentence of 1 token"


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
@pytest.mark.parametrize("lenient", [False, True])
def test_nothing_to_read(text, lenient):
    with pytest.raises(FormatError, match=r"^<input>: no sentences: there is no line but empty ones$"):
        parse_conllu(text, lenient=lenient)


def test_nothing_good_to_read():
    with pytest.raises(
        FormatError, match=r"^<input>:1: no sentences left, 2 skipped, the first here: empty FORM$"
    ):
        parse_conllu((word(1, form="") + "\n") * 2, lenient=True)


def test_skipped_is_bounded_and_counted():
    corpus = parse_conllu(word(1) + "\n" + (word(2) + "\n") * 1000, lenient=True)
    assert len(corpus) == 1
    assert len(corpus.skipped) == 100
    assert corpus.n_skipped == 1000


def test_skipped_sentences_leave_no_strings():
    good = [word(1, form=f"good{i}") + word(2, form="." * (i % 3 + 1)) + "\n" for i in range(400)]
    bad = [word(1, form=f"bad{i}") + word(2, form="?") + word(3, 9) + "\n" for i in range(400)]
    mixed = "".join(b * (i % 3) + g for i, (g, b) in enumerate(zip(good, bad)))
    corpus = parse_conllu(mixed, lenient=True)
    assert format_conllu(corpus).decode() == "".join(good)
    assert corpus.column("form").strings == parse_conllu("".join(good)).column("form").strings


# What cannot be written


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"form": [["a\tb"]]}, "column 'form' holds 'a\\tb', which would be read as more than one field"),
        ({"form": [["a\nb"]]}, "column 'form' holds 'a?b', which would be read as more than one field"),
        (
            {"form": [["a"]], "misc": [[""]]},
            "column 'misc' holds an empty string, which this format cannot: use _",
        ),
        (
            {"form": [["a"]], "chunk": [["O"]]},
            "CoNLL-U has no column 'chunk': it has form, lemma, upos, xpos, ",
        ),
    ],
)
def test_what_cannot_be_written(tmp_path, columns, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the message is compared)
        write_conllu(Corpus.from_columns(columns), tmp_path / "out.conllu")
    assert str(caught.value).startswith(message)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("comment", ["no mark", "# two\nlines"])
def test_comments_that_cannot_be_written(comment):
    with pytest.raises(ValueError, match=r"must begin with #|has a line end"):
        format_conllu(Corpus.from_columns({"form": [["a"]]}, comments=[[comment]]))


def test_lone_surrogates_cannot_be_written():
    with pytest.raises(UnicodeEncodeError):
        format_conllu(Corpus.from_columns({"form": [["\ud800"]]}))


# Generated corpora and broken files

fields = st.text(
    st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"]), min_size=1, max_size=12
)


@st.composite
def sentences(draw):
    n = draw(st.integers(1, 5))
    lines = ["#" + text for text in draw(st.lists(fields, max_size=2))]
    inside = 0
    for i in range(1, n + 1):
        if i > inside and draw(st.booleans()):
            inside = draw(st.integers(i, n))
            lines.append("\t".join([f"{i}-{inside}", *draw(st.lists(fields, min_size=9, max_size=9))]))
        head = draw(st.one_of(st.just("_"), st.integers(0, n).map(str)))
        before, after = (
            draw(st.lists(fields, min_size=5, max_size=5)),
            draw(st.lists(fields, min_size=3, max_size=3)),
        )
        lines.append("\t".join([str(i), *before, head, *after]))
        for k in range(1, draw(st.sampled_from([1, 1, 2, 3]))):
            lines.append("\t".join([f"{i}.{k}", *draw(st.lists(fields, min_size=9, max_size=9))]))
    return "\n".join(lines) + "\n\n"


@given(st.lists(sentences(), min_size=1, max_size=4).map("".join))
@settings(max_examples=100, deadline=None)
def test_generated_round_trip(text):
    assert format_conllu(parse_conllu(text)).decode() == text


def reads_or_explains(text):
    """Reads bytes both ways; what comes back is whole, or one FormatError."""
    try:
        corpus = parse_conllu(text, lenient=True)
    except FormatError:
        with pytest.raises(FormatError):
            parse_conllu(text)
        return
    if corpus.n_skipped:
        with pytest.raises(FormatError) as caught:
            parse_conllu(text)
        assert (caught.value.line, caught.value.message) == corpus.skipped[0]
    else:
        corpus = parse_conllu(text)
    again = format_conllu(corpus)
    assert format_conllu(parse_conllu(again)) == again


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_random_bytes(text):
    reads_or_explains(text)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_mutated_files(data):
    text = bytearray(SMALL)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        alphabet = st.one_of(
            st.binary(max_size=2), st.sampled_from([b"\t", b"\n", b"\r", b"1", b"-", b".", b"#", b"\xc3"])
        )
        text[place : place + cut] = data.draw(alphabet)
    reads_or_explains(bytes(text))


@given(st.binary(max_size=6))
@settings(max_examples=300, deadline=None)
def test_utf8_is_what_python_says_it_is(form):
    form = form.translate(None, b"\t\n\r\0") or b"x"
    try:
        want = form.decode()
    except UnicodeDecodeError as error:
        with pytest.raises(FormatError, match=rf"byte 0x[0-9a-f]+ at offset {2 + error.start} is not UTF-8"):
            parse_conllu(word(1, form="@").encode().replace(b"@", form))
    else:
        assert parse_conllu(word(1, form="@").encode().replace(b"@", form))[0]["form"] == [want]


# The border itself never reads outside of its arrays


@pytest.mark.parametrize(
    "change",
    [
        {"offsets": np.array([], dtype=np.int64)},
        {"offsets": np.array([0, 9], dtype=np.int64)},
        {"offsets": np.array([0, -1, 1], dtype=np.int64)},
        {"columns": []},
        {"columns": [(name, np.array([5], dtype=np.int32), ["x"]) for name in NAMES]},
        {"columns": [(name, np.array([-1], dtype=np.int32), ["x"]) for name in NAMES]},
        {"columns": [(name, np.array([], dtype=np.int32), ["x"]) for name in NAMES]},
        {"heads": np.array([], dtype=np.int32)},
        {"comment_offsets": np.array([], dtype=np.int64)},
        {"comment_offsets": np.array([0, 3], dtype=np.int64)},
        {"extras": ["1-1"], "extra_offsets": np.array([0, 1], dtype=np.int64)},
        {
            "extras": ["\t" * 9],
            "extra_offsets": np.array([0, 1], dtype=np.int64),
            "extra_after": np.array([7], dtype=np.int32),
        },
    ],
)
def test_the_native_writer_refuses_arrays_that_do_not_fit(change):
    one = np.array([0, 1], dtype=np.int64)
    none = np.array([0, 0], dtype=np.int64)
    fitting = {
        "offsets": one,
        "columns": [(name, np.array([0], dtype=np.int32), ["x"]) for name in NAMES],
        "heads": np.array([0], dtype=np.int32),
        "comments": [],
        "comment_offsets": none,
        "extras": [],
        "extra_offsets": none,
        "extra_after": np.array([], dtype=np.int32),
    }
    assert _native.format_conllu(**fitting) == b"1\tx\tx\tx\tx\tx\t0\tx\tx\tx\n\n"
    with pytest.raises(ValueError, match=r"\w"):
        _native.format_conllu(**fitting | change)


def test_lists_are_written_too(tmp_path):
    corpus = parse_conllu("1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    want = format_conllu(corpus)
    tree = DependencyTree([2, 0], ["nsubj", "root"], ["Dogs", "bark"], ["NOUN", "VERB"])
    names = ("form", "upos", "head", "deprel")
    words = [dict(zip(names, row)) for row in (("Dogs", "NOUN", 2, "nsubj"), ("bark", "VERB", 0, "root"))]
    for sentences in (list(corpus), iter(corpus), [tree], iter([words])):
        write_conllu(sentences, tmp_path / "x.conllu")
        assert (tmp_path / "x.conllu").read_bytes() == want
    write_conllu([["Go"]], tmp_path / "x.conllu")
    assert (tmp_path / "x.conllu").read_bytes() == b"1\tGo" + b"\t_" * 8 + b"\n\n"

import gzip

import nltk
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from palmette import _native
from palmette.errors import FormatError
from palmette.formats.brackets import parse_brackets, read_brackets, write_brackets
from palmette.formats.conversion.cleaning import is_icepahc_null, remove_empty
from palmette.formats.discbracket import write_discbrackets
from palmette.formats.export import write_export
from palmette.formats.files import read_bytes
from palmette.formats.skipped import Skipped
from palmette.trees.tree import Leaf, Tree
from samples.corpora import corpus_file, real_file
from samples.dependency_treebank import trees

pytestmark = pytest.mark.native

FILES = [
    "const_en_ptb/dev.mrg",
    "const_en_ptb/test.mrg",
    "const_en_ptb/train.mrg.gz",
    "const_is_icepahc/dev.mrg",
    "const_is_icepahc/test.mrg",
]


def texts(treebank):
    return [str(tree) for tree in treebank]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("(S (NP I) (VP sleep))", ["(S (NP I) (VP sleep))"]),
        ("( (S (NP I) (VP sleep)) )", ["(S (NP I) (VP sleep))"]),
        ("((S (NP I)))((S (NP you)))", ["(S (NP I))", "(S (NP you))"]),
        ("(S\n\t(NP I)\r\n  (VP\n sleep))\n\n(X x)", ["(S (NP I) (VP sleep))", "(X x)"]),
        ("( S (NP I))", ["(S (NP I))"]),
        ("(NP (DT the) cat)", ["(NP (DT the) cat)"]),
        ("((S (A a)) (ID 7))", ["((S (A a)) (ID 7))"]),
        ("(S (-NONE- *T*-1) (NP-SBJ=2 0))", ["(S (-NONE- *T*-1) (NP-SBJ=2 0))"]),
        ("\ufeff(S a)", ["(S a)"]),
    ],
)
def test_what_is_read(text, want):
    assert texts(parse_brackets(text)) == want


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("(S\n (NP I)\n (VP sleep)", 1, "the bracket '(S' opened here is never closed"),
        (
            "(S (NP I)\n (VP (V sleep)",
            1,
            "the bracket '(S' opened here is never closed "
            "(2 are open at the end; the last of them, '(VP', since line 2)",
        ),
        (
            "(X x)\n(S (NP I)\n(S (NP you))",
            2,
            "the bracket '(S' opened here is never closed (line 3 looks like the beginning of the next tree)",
        ),
        (
            "((S (NP I))\n((S (NP you)))",
            1,
            "the bracket '(' opened here is never closed (line 2 looks like the beginning of the next tree)",
        ),
        ("(S a)\n)", 2, "a closing bracket where none is open"),
        ("(S a))", 1, "a closing bracket where none is open"),
        (
            "(S\n ((NP a)))",
            2,
            "missing label: '((' inside a tree; expected a label after each opening bracket",
        ),
        ("(((S a)))", 1, "missing label: '((' inside a tree; expected a label after each opening bracket"),
        ("\n()", 2, "empty brackets (); expected a label and what is below it, such as (NP time)"),
        ("(S ( ))", 1, "empty brackets (); expected a label and what is below it, such as (NP time)"),
        (
            "(S (NP))",
            1,
            "nothing below 'NP'; expected a word or a tree between the label and the closing bracket",
        ),
        ("(S a)\nfoo (S b)", 2, "stray text 'foo' between trees; expected an opening bracket"),
        ("((S a) foo)", 1, "stray text 'foo' in the outer brackets; expected a tree"),
        ("", None, "no tree in the input; expected at least one, such as (S (NP time) (VP flies))"),
        (" \n\n", None, "no tree in the input; expected at least one, such as (S (NP time) (VP flies))"),
        ("(", 1, "the bracket '(' opened here is never closed"),
    ],
)
def test_what_is_wrong_and_where(text, line, message):
    with pytest.raises(FormatError) as error:
        parse_brackets(text)
    assert (error.value.line, error.value.message) == (line, message)


def test_bytes_that_are_not_utf8(tmp_path):
    path = tmp_path / "bad.mrg"
    path.write_bytes(b"(S a)\n(S caf\xe9)\n(S b)\n")
    with pytest.raises(FormatError) as error:
        read_brackets(path)
    assert str(error.value) == f"{path}:2: byte 0xe9 at offset 12 is not UTF-8: save the file as UTF-8"
    bank = read_brackets(path, lenient=True)
    assert texts(bank) == ["(S a)", "(S b)"]
    assert bank.lines == [1, 3]


@pytest.mark.parametrize(("codec", "what"), [("utf-16", "UTF-16"), ("latin-1", "byte 0xe9 at offset 0")])
def test_a_file_in_another_encoding_says_so(codec, what):
    with pytest.raises(FormatError, match=f"^<input>:1: .*{what}"):
        parse_brackets("é (S a)".encode(codec))


def test_a_long_token_is_cut_in_the_message():
    with pytest.raises(FormatError, match="stray text '" + "é" * 20 + "…' between"):
        parse_brackets("é" * 100)


def test_lenient_reading_goes_on_with_the_next_tree():
    text = "(A a)\n(S (NP I)\n(B b)\nfoo\n(C c) () (D d)\n(S (NP) (E e))\n(F\n f)\n"
    bank = parse_brackets(text, lenient=True)
    assert texts(bank) == ["(A a)", "(B b)", "(C c)", "(D d)", "(F f)"]
    assert [skipped.line for skipped in bank.skipped] == [2, 4, 5, 6]
    assert bank.skipped[1] == Skipped(4, "stray text 'foo' between trees; expected an opening bracket")
    assert parse_brackets("(A a)", lenient=True).skipped == []
    assert bank.n_skipped == 4
    assert bank.lines == [1, 3, 5, 5, 7]
    for text, message in [
        ("", "no tree in"),
        ("(S a", "no trees left, 1 skipped, the first here: the bracket"),
    ]:
        with pytest.raises(FormatError, match=message):
            parse_brackets(text, lenient=True)


def test_skipped_trees_are_all_counted():
    bank = parse_brackets("()\n" * 1000 + "(A a)", lenient=True)
    assert (len(bank), len(bank.skipped), bank.n_skipped) == (1, 100, 1000)


def test_lenient_reading_is_linear():
    for line in ("(a\n", "(a ()\n", "((a\n", "(a a))\n", "x\n"):
        bank = parse_brackets(line * 50_000 + "\n(A a)", lenient=True)
        assert bank.n_skipped >= 1


@pytest.mark.parametrize("name", FILES)
def test_real_files_round_trip_byte_for_byte(name, tmp_path):
    path = real_file(name)
    write_brackets(read_brackets(path), tmp_path / "again.mrg", outer=True)
    assert (tmp_path / "again.mrg").read_bytes() == read_bytes(path)


def as_nltk(tree):
    return tree.fold(lambda leaf: leaf.word, lambda node, below: nltk.Tree(node.label, below))


@pytest.mark.parametrize("name", ["const_en_ptb/dev.mrg", "const_is_icepahc/dev.mrg"])
def test_nltk_reads_the_same(name):
    path = real_file(name)
    referee = [nltk.Tree.fromstring(line)[0] for line in path.read_text("utf-8").splitlines()]
    assert [as_nltk(tree) for tree in read_brackets(path)] == referee


@pytest.mark.parametrize(
    ("name", "is_null", "sentences", "tokens"),
    [
        ("const_en_ptb/dev.mrg", None, 248, 6_094),
        ("const_en_ptb/train.mrg.gz", None, 3_253, 78_375),
        ("const_is_icepahc/dev.mrg", is_icepahc_null, 1_735, 20_738),
        ("const_is_icepahc/test.mrg", is_icepahc_null, 1_844, 22_841),
    ],
)
def test_tokens_without_empty_elements(name, is_null, sentences, tokens):
    bank = read_brackets(corpus_file(name))
    cleaned = [remove_empty(tree, is_null) if is_null else remove_empty(tree) for tree in bank]
    kept = [tree for tree in cleaned if tree is not None]
    assert (len(kept), sum(len(tree.words) for tree in kept)) == (sentences, tokens)


@given(
    st.lists(trees(discontinuous=False, text=st.text("ab-*=\\é時", min_size=1)), min_size=1), st.booleans()
)
def test_random_trees_round_trip(bank, outer):
    lines = [f"({tree})" if outer else str(tree) for tree in bank]
    assert parse_brackets("\n".join(lines)) == bank


def test_brackets_in_words_become_codes(tmp_path):
    tree = Tree("S", [Tree("$(", [Leaf("(a)", 0)])])
    write_brackets([tree], tmp_path / "t.mrg")
    assert (tmp_path / "t.mrg").read_text() == "(S ($-LRB- -LRB-a-RRB-))\n"


def test_what_cannot_be_written_leaves_no_file(tmp_path):
    for tree, message in [
        (Tree("S", [Leaf("a b", 0)]), "cannot carry 'a b'"),
        (Tree("S", [Leaf("", 0)]), "cannot carry ''"),
        (Tree("S", [Tree("", [Leaf("a", 0), Leaf("b", 1)])]), "cannot carry ''"),
        (
            Tree("S", [Tree("A", [Leaf("a", 0), Leaf("c", 2)]), Leaf("b", 1)]),
            "cannot carry a discontinuous tree",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            write_brackets([Tree.parse("(S a)"), tree], tmp_path / "t.mrg")
        assert list(tmp_path.iterdir()) == []


def test_gzip_and_standard_input(tmp_path, monkeypatch):
    write_brackets([Tree.parse("(S (NP é))")], tmp_path / "t.mrg.gz")
    assert gzip.decompress((tmp_path / "t.mrg.gz").read_bytes()).decode() == "(S (NP é))\n"
    assert texts(read_brackets(tmp_path / "t.mrg.gz")) == ["(S (NP é))"]
    with (tmp_path / "t.mrg.gz").open("rb") as file:
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": file}))
        assert texts(read_brackets("-")) == ["(S (NP é))"]


BRACKETY = st.lists(
    st.sampled_from([b"(", b")", b" ", b"\n", b"A", b"0=a", b"1=", b"-LRB-", b"\xff", b"\xc3\xa9", b"\x00"])
).map(b"".join)


@given(st.one_of(st.binary(), BRACKETY), st.booleans(), st.booleans())
@example(b"((a", False, True)
@example(b"(a 99999999999=b)", True, False)
@example(b"(a -1=b)", True, False)
def test_any_bytes_give_trees_or_problems(data, positions, lenient):
    found, lines, problems, count = _native.read_brackets(
        data, (Tree, Leaf), positions=positions, lenient=lenient
    )
    assert found or problems or not data.removeprefix(b"\xef\xbb\xbf").strip()
    assert len(lines) == len(found)
    assert len(problems) == count <= (100 if lenient else 1)
    for tree in found:
        assert sorted(tree.positions) == list(range(len(tree.words)))
    for line, message in problems:
        assert 1 <= line <= data.count(b"\n") + 1
        assert message


def test_the_native_reader_wants_the_two_classes():
    with pytest.raises(TypeError, match="begins with Tree and Leaf"):
        _native.read_brackets(b"(S a)", (1, 2), positions=False, lenient=False)


@pytest.mark.parametrize("write", [write_brackets, write_discbrackets, write_export])
def test_writers_take_lists_of_trees_only(write, tmp_path):
    tree = Tree.parse("(S (NP (NN time)) (VP (VBZ flies)))")
    write(iter([tree]), tmp_path / "x")
    whole = (tmp_path / "x").read_bytes()
    wrong = ((tree, "Got one Tree"), ([tree, None], "Number 2 is None"), ("(S a)", "Got one str"))
    for content, message in wrong:
        with pytest.raises(TypeError, match=message):
            write(content, tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == whole

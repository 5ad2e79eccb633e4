import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from palmette import _native
from palmette.errors import FormatError
from palmette.formats.discbracket import (
    discbracket_text,
    parse_discbrackets,
    read_discbrackets,
    write_discbrackets,
)
from palmette.formats.export import NodeNote, SentenceNote, parse_export, read_export, write_export
from palmette.formats.files import read_bytes
from palmette.trees.tree import Leaf, Tree
from samples.corpora import corpus_file, real_file
from samples.dependency_treebank import trees

pytestmark = pytest.mark.native

WHAT = """\
#FORMAT 4
#BOT ORIGIN
0 a newspaper
#EOT ORIGIN
%% a comment
#BOS 1 0 898 0 %% checked
What\twhat\tWP\t--\tOC\t500
is\tbe\tVBZ\tSg\tHD\t0
done\tdo\tVBN\t--\tHD\t500\tSB\t501\t%% odd
?\t?\t.\t--\t--\t501
#500\t--\tVP\t--\tOC\t501
#501\t--\tX\t--\t--\t0
#EOS 1
"""
WHAT_TREE = "(ROOT (X (VP (WP 0=What) (VBN 2=done)) (. 3=?)) (VBZ 1=is))"


def export(*lines, bos="#BOS 1", eos="#EOS 1"):
    return "\n".join([bos, *(line.replace(" ", "\t") for line in lines), eos, ""])


def written(bank, tmp_path, **options):
    write_export(bank, tmp_path / "t.export", **options)
    return (tmp_path / "t.export").read_text("utf-8")


# Discbrackets.


@pytest.mark.parametrize(
    "text", ["(S (VP 0=What 2=done) (VBZ 1=is))", "( (S (VBZ 1=is)\n (VP 2=done 0=What)) )"]
)
def test_discbrackets_are_read_in_the_order_of_first_words(text):
    tree = parse_discbrackets(text)[0]
    assert tree.words == ["What", "is", "done"]
    assert str(tree) == "(S (VP 0=What 2=done) (VBZ 1=is))"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("(S 0=a\n 0=b)", 2, "position 0 appears twice, for 'a' and 'b'"),
        (
            "(S 0=a 2=b)",
            1,
            "position 2 of 'b' in a tree of 2 words; expected each position from 0 to 1 once",
        ),
        ("(S a)", 1, "the leaf 'a' is not position=word, such as 0=time"),
        ("(S =a)", 1, "the leaf '=a' is not position=word, such as 0=time"),
        ("(S 0=)", 1, "the leaf '0=' is not position=word, such as 0=time"),
        ("(S -1=a)", 1, "the leaf '-1=a' is not position=word, such as 0=time"),
        ("(S 99999999999=a)", 1, "the leaf '99999999999=a' is not position=word, such as 0=time"),
        ("((S 0=a) (S 1=b))", 1, "2 trees in one pair of outer brackets; expected one"),
        ("(S 0=a", 1, "the bracket '(S' opened here is never closed"),
    ],
)
def test_what_is_wrong_in_discbrackets(text, line, message):
    with pytest.raises(FormatError) as error:
        parse_discbrackets(text)
    assert (error.value.line, error.value.message) == (line, message)


def test_lenient_discbrackets():
    bank = parse_discbrackets("(S 0=a 0=b)\n(S 0=a)\n(S 1=a)\n", lenient=True)
    assert [str(tree) for tree in bank] == ["(S a)"]
    assert [skipped.line for skipped in bank.skipped] == [1, 3]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("-LRB-", "("),
        ("#RRB#", ")"),
        ("dam-LRB-men-RRB-plan", "dam(men)plan"),
        ("\\-LRB-", "-LRB-"),
        ("\\\\-LRB-", "\\("),
        ("1\\/2=b", "1\\/2=b"),
    ],
)
def test_codes_for_brackets_in_words(text, want):
    assert parse_discbrackets(f"(S 0={text})")[0].words == [want]


def test_codes_for_brackets_in_labels():
    assert parse_discbrackets("($#LRB# 0=-LRB-)")[0].label == "$("
    assert parse_discbrackets("(-LRB- 0=-LRB-)")[0].label == "-LRB-"


@given(st.lists(trees(), min_size=1))
@example([Tree("(-LRB(", [Leaf("-LRB(-RRB)", 0)])])
@example([Tree("(#LRB#", [Leaf("\\(\\-LRB-", 0)])])
@example([Tree(")LRB)", [Leaf(")LRB)", 0)])])
def test_random_discontinuous_trees_round_trip(bank):
    labels = [node.label for tree in bank for node in tree.preorder()]
    assume(not any(re.search(r"#[LR]RB[()]", label) for label in labels))
    assert parse_discbrackets("\n".join(map(discbracket_text, bank))) == bank


def test_trees_without_all_positions_are_not_written(tmp_path):
    for tree in (Tree("S", [Leaf("a", 1)]), Tree("S", [Leaf("a", 0), Leaf("b", 0)])):
        with pytest.raises(ValueError, match="positions of a tree must be 0 to n - 1, each once"):
            write_discbrackets([tree], tmp_path / "t")
        with pytest.raises(ValueError, match="positions of a tree must be 0 to n - 1, each once"):
            write_export([tree], tmp_path / "t")
    with pytest.raises(ValueError, match="a bracket follows half a code for one"):
        write_discbrackets([Tree("#LRB(", [Leaf("a", 0)])], tmp_path / "t")
    with pytest.raises(ValueError, match="must not be empty or hold white space"):
        write_discbrackets([Tree("S", [Leaf("a b", 0)])], tmp_path / "t")


# Export.


def test_export_is_read_with_its_notes():
    tree = parse_export(WHAT)[0]
    assert str(tree) == WHAT_TREE
    tag = tree[0][0][1]
    assert tag.note == NodeNote("do", "--", "HD", None, (("SB", 501),), "%% odd")
    assert tree[0].note == NodeNote("--", "--", "--", 501)
    assert tree.note == SentenceNote("1 0 898 0 %% checked", "1", WHAT[: WHAT.index("#BOS")], 4)


def test_export_round_trips(tmp_path):
    assert written(parse_export(WHAT), tmp_path) == WHAT
    assert written(parse_export(WHAT + WHAT[WHAT.index("%%") :]), tmp_path) == WHAT + WHAT[WHAT.index("%%") :]


def test_version_3_has_no_lemma(tmp_path):
    three = written(parse_export(WHAT), tmp_path, version=3)
    assert three.startswith("#FORMAT 3\n#BOT")
    assert "done\tVBN\t--\tHD\t500\tSB\t501\t%% odd\n" in three
    again = parse_export(three)
    assert again == parse_export(WHAT)
    assert again[0].note.version == 3
    assert written(again, tmp_path) == three
    headless = three[three.index("#BOS") :]
    assert parse_export(headless) == again


def test_columns_may_be_aligned_with_tabs_or_spaces():
    text = WHAT.replace("\t--", "\t\t\t--").replace("\n", "\r\n").replace("Sg", "Sg ")
    assert parse_export(text) == parse_export(WHAT)
    spaces = "#BOS 1\na   DT  --  --  0\n\n%% said twice\n#EOS 1\n"
    assert str(parse_export(spaces)[0]) == "(ROOT (DT a))"


def test_lemmas_may_hold_spaces_and_words_may_look_like_markup():
    lines = ["o.a.\tonder andere\tadv\t--\tmod\t0", "%%\t%\tN\t--\t--\t0", "#1\t1\tN\t--\t--\t0"]
    tree = parse_export("\n".join(["#BOS 1", *lines, "#EOS 1"]))[0]
    assert tree.words == ["o.a.", "%%", "#1"]
    assert tree[0].note.lemma == "onder andere"


def test_trees_without_notes_get_numbers(tmp_path):
    trees = [Tree.parse(WHAT_TREE, positions=True), Tree.parse("(S (NP (N a)))")]
    text = written(trees, tmp_path)
    assert text.startswith("#FORMAT 4\n#BOS 1\nWhat\t--\tWP\t--\t--\t500\n")
    assert (
        "#BOS 2\na\t--\tN\t--\t--\t500\n#500\t--\tNP\t--\t--\t501\n#501\t--\tS\t--\t--\t0\n#EOS 2\n" in text
    )
    again = parse_export(text)
    assert again[0] == trees[0]
    assert again[1] == Tree.parse("(ROOT (S (NP (N a))))")
    assert parse_export(text, root="TOP")[1].label == "TOP"


def test_new_nodes_take_free_numbers(tmp_path):
    tree = parse_export(WHAT)[0]
    wrapped = Tree("ROOT", [Tree("NEW", [tree[0]]), tree[1]], tree.note)
    text = written([wrapped], tmp_path)
    assert "#501\t--\tX\t--\t--\t502\n#502\t--\tNEW\t--\t--\t0\n" in text
    assert parse_export(text)[0] == wrapped


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "no sentence in the input; expected at least one, from #BOS to #EOS"),
        ("#FORMAT 5\n", 1, "#FORMAT 5; expected version 3 or 4"),
        ("#BOT WORDTAG\n#BOS 1\n", 1, "the table that #BOT opens here has no #EOT"),
        ("a\tb\n", 1, "text outside a sentence: 'a\\tb'; expected #BOS before it"),
        (export("a N -- -- 501", "#500 NP -- -- 0"), 2, "parent 501 does not exist in this sentence"),
        (export("a N -- -- x"), 2, "the parent 'x' is not a number"),
        (
            export(
                "a N -- -- 0", "b N -- -- 502", "#500 A -- -- 501", "#501 B -- -- 500", "#502 C -- -- 501"
            ),
            4,
            "a cycle: following the parents from this node leads back to it",
        ),
        (
            export("a N -- -- 0", "#500 A -- -- 500"),
            3,
            "a cycle: following the parents from this node leads back to it",
        ),
        (
            export("a N -- 0"),
            2,
            "4 columns; expected 5 (word, tag, morph, edge, parent) and 2 more for each secondary edge",
        ),
        (
            "#FORMAT 4\n" + export("a N -- -- 0"),
            3,
            "5 columns; expected 6 (word, lemma, tag, morph, edge, parent)"
            " and 2 more for each secondary edge",
        ),
        (export("a N -- -- 0 HD y"), 2, "the secondary parent 'y' is not a number"),
        ("#BOS 7\na\tN\t--\t--\t0\n", 1, "sentence 7 has no #EOS"),
        ("#BOS 7\na\tN\t--\t--\t0\n#BOS 8\n", 1, "sentence 7 has no #EOS"),
        (export("a N -- -- 0", eos="#EOS 2"), 3, "#EOS 2 closes #BOS 1 of line 1"),
        ("#BOS 1\n#EOS 1\n", 1, "sentence 1 has no words"),
        (export("a N -- -- 0", "#500 A -- -- 0"), 3, "node #500 has nothing below it"),
        (
            export("a N -- -- 500", "#500 A -- -- 0", "#500 B -- -- 0"),
            4,
            "node #500 appears twice in its sentence",
        ),
    ],
)
def test_what_is_wrong_in_export(text, line, message):
    with pytest.raises(FormatError) as error:
        parse_export(text)
    assert (error.value.line, error.value.message) == (line, message)


def test_export_that_is_not_utf8(tmp_path):
    path = tmp_path / "bad.export"
    path.write_bytes(b"#BOS 1\ncaf\xe9\tN\t--\t--\t0\n#EOS 1\n#BOS 2\na\tN\t--\t--\t0\n#EOS 2\n")
    with pytest.raises(FormatError, match=r"bad.export:2: byte 0xe9 at offset 10 is not UTF-8"):
        read_export(path)
    assert read_export(path, lenient=True)[0].words == ["a"]


def test_lenient_export_goes_on_with_the_next_sentence():
    bad = export("a N -- -- 7", bos="#BOS 2", eos="#EOS 2")
    bank = parse_export(export("a N -- -- 0") + bad + "stray\n" + export("b N -- -- 0"), lenient=True)
    assert [tree.words for tree in bank] == [["a"], ["b"]]
    assert [skipped.line for skipped in bank.skipped] == [5]


def test_what_export_cannot_carry(tmp_path):
    for tree, message in [
        (Tree("S", [Leaf("a", 0), Leaf("b", 1)]), "needs a tag above each word; 'a' has none in 'S'"),
        (Tree.parse("(S (N #500))"), "would not read as a word"),
        (Tree.parse("(S (N #BOS))"), "would not read as a word"),
        (Tree("S", [Tree("N", [Leaf("a\tb", 0)])]), "must not be empty, hold a tab"),
    ]:
        with pytest.raises(ValueError, match=message):
            write_export([tree], tmp_path / "t")
    with pytest.raises(ValueError, match=r"'version' parameter must be 3 or 4. Got 5"):
        write_export([], tmp_path / "t", version=5)


@given(st.lists(trees(tagged=True), min_size=1))
def test_random_trees_round_trip_through_export(tmp_path_factory, bank):
    rooted = [Tree("ROOT", [tree]) for tree in bank]
    folder = tmp_path_factory.mktemp("export")
    for version in (3, 4):
        assert parse_export(written(rooted, folder, version=version)) == rooted


EXPORTY = st.lists(
    st.sampled_from(
        ["#BOS 1", "#EOS 1", "a", "#500", "#501", "\t", "--", "0", "500", "501", "\n", "%%", "#FORMAT 4", "é"]
    )
).map(lambda parts: "".join(parts).encode())
LINES = st.lists(
    st.tuples(
        st.sampled_from(["a", "#500", "#501", "#502"]), st.sampled_from(["0", "500", "501", "502"])
    ).map(lambda row: f"{row[0]}\tN\t--\t--\t{row[1]}")
).map(lambda rows: export(*rows).encode())


@given(st.one_of(st.binary(), EXPORTY, LINES), st.booleans())
def test_any_bytes_give_trees_or_problems(data, lenient):
    classes = (Tree, Leaf, NodeNote, SentenceNote)
    found, lines, problems, count = _native.read_export(data, classes, root="ROOT", lenient=lenient)
    assert len(lines) == len(found)
    assert len(problems) == count <= (100 if lenient else 1)
    for tree in found:
        assert sorted(tree.positions) == list(range(len(tree.words)))
    for line, message in problems:
        assert 1 <= line <= data.count(b"\n") + 1
        assert message


# The Dutch treebank, which is there in both formats.


@pytest.mark.parametrize("part", ["dev.{}", "test.{}", "train.{}.gz"])
def test_both_formats_hold_the_same_trees_and_round_trip_byte_for_byte(part, tmp_path):
    exported = real_file("disc_nl_alpino/" + part.format("export"))
    bracketed = real_file("disc_nl_alpino/" + part.format("discbracket"))
    bank = read_export(exported)
    assert bank == read_discbrackets(bracketed)
    write_export(bank, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == read_bytes(exported)
    write_discbrackets(bank, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == read_bytes(bracketed)


def test_share_of_discontinuous_trees():
    bank = read_discbrackets(corpus_file("disc_nl_alpino/train.discbracket.gz"))
    share = sum(tree.is_discontinuous for tree in bank) / len(bank)
    assert share == pytest.approx(0.69, abs=0.02)

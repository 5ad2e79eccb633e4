"""The registry of formats, the guess from content, and the plain function that converts."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.errors import FormatError
from palmette.evaluation.summary import summarize
from palmette.formats import Conversion, convert
from palmette.formats.brackets import parse_brackets
from palmette.formats.conllu import parse_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import read_bytes
from palmette.formats.guess import guess_format
from palmette.formats.registry import format_named, format_of_name, formats
from palmette.formats.skipped import Skipped
from palmette.formats.treebank import Treebank
from samples.corpora import corpus_file, real_file
from samples.dependency_treebank import trees

CONLLU = (
    "# sent_id = a\n"
    "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tdo\tdo\tAUX\tVB\t_\t3\taux\t_\t_\n"
    "2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n"
    "3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n"
)
EXPORT = (
    "#FORMAT 4\n#BOS 7 x\n"
    "What\twhat\tWP\t--\tOC\t500\nis\tbe\tVBZ\t3|Sg\tHD\t0\ndone\tdo\tVBN\t--\tHD\t500\n"
    "#500\t--\tVP\t--\tOC\t0\n#EOS 7\n"
    "#BOS 8\nGo\tgo\tVB\t--\t--\t0\n#EOS 8\n"
)
PENN = "((S (NP-SBJ-1 (NN time)) (VP (VBZ flies) (NP (-NONE- *-1)))))\n((X (-NONE- *)))\n"
SAMPLES = {
    "conllu": CONLLU,
    "columns": "Time NN\nflies VBZ\n\nGo VB\n\n",
    "brackets": "(S (NP time) (VP flies))\n",
    "discbracket": "(ROOT (VP (WP 0=What) (VBN 2=done)) (VBZ 1=is))\n",
    "export": EXPORT,
}


@pytest.fixture
def converted(tmp_path):
    """Converts a text by way of files and returns the text that comes out."""

    def run(text: str, source: str, target: str, **options: object) -> str:
        (tmp_path / "in").write_bytes(text.encode())
        names = {"source_format": source, "target_format": target}
        convert(tmp_path / "in", tmp_path / "out", **names, **options)
        return (tmp_path / "out").read_bytes().decode()

    return run


# The registry.


def test_every_format_reads_what_it_writes(tmp_path):
    for format in formats():
        path = tmp_path / f"x{format.suffixes[0]}.gz"
        path.write_bytes(gzip.compress(SAMPLES[format.name].encode()))
        content = format.read(path)
        assert isinstance(content, Corpus if format.holds == "tokens" else Treebank)
        format.write(content, tmp_path / "again")
        again = format.read(tmp_path / "again")
        if isinstance(content, Corpus):
            assert [list(sentence) for sentence in again] == [list(sentence) for sentence in content]
        else:
            assert again == content == format.parse(SAMPLES[format.name])


def test_names_and_suffixes_are_each_formats_own():
    assert len({format.name for format in formats()}) == len(formats())
    suffixes = [suffix for format in formats() for suffix in format.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert [format_named(format.name) for format in formats()] == formats()
    with pytest.raises(ValueError, match=r"^no format 'connlu': did you mean 'conllu'\? There are conllu, "):
        format_named("connlu")
    with pytest.raises(ValueError, match=r"^no format 'xml': there are conllu, columns, brackets, disc"):
        format_named("xml")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b.conllu", "conllu"),
        ("b.CONLLU.gz", "conllu"),
        ("en.v2.tsv", "columns"),
        (Path("x.mrg"), "brackets"),
        ("x.mrg.gz", "brackets"),
        ("x.discbracket", "discbracket"),
        ("x.export.gz", "export"),
        ("x.txt", None),
        ("x.conllu.old", None),
        ("x.gz", None),
        ("conllu", None),
        ("-", None),
    ],
)
def test_suffixes(path, name):
    found = format_of_name(path)
    assert (found.name if found else None) == name


# What a text looks like.


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *((text, name) for name, text in SAMPLES.items()),
        ("1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n", "conllu"),
        ("\ufeff# c\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", "conllu"),
        ("# a comment\n#\tO\na\tO\n\n", "columns"),
        ("( Fpa O\na NC O\n) Fpt O\n\n", "columns"),
        ("(:\tO\nlol\tO\n\n", "columns"),
        ("( (S \n    (NP-SBJ I)\n  (VP sleep)))\n", "brackets"),
        ("((S 0=a))", "discbracket"),
        ("(S (A 0=a) (B b))", "brackets"),
        ("%% made by hand\n#BOS 1\n", "export"),
        ("", None),
        ("\n\n", None),
        ("To be or\nnot to be.\n", None),
        ("a b\nc d\n", None),
        ("a\tb\tc\n", None),
        ("(an aside) and more", None),
        ("(: hello", None),
        ("a b c\nd e\n\n", None),
        ("{}", None),
    ],
)
def test_guesses(text, name):
    found = guess_format(text.encode())
    assert (found.name if found else None) == name


@given(st.binary())
def test_guessing_never_fails(data):
    guess_format(data)


def test_a_long_text_is_not_read_to_its_end():
    assert guess_format(b"(S (A a))\n" * 10_000 + b"(").name == "brackets"
    assert guess_format(b"a b\n\n" * 20_000 + b"c").name == "columns"


# Each format to itself.


@pytest.mark.parametrize("name", SAMPLES)
def test_every_format_to_itself(converted, name):
    assert converted(SAMPLES[name], name, name) == SAMPLES[name]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ud_en_ewt/dev.conllu.gz", {}),
        ("pos_en_brown/dev.tsv.gz", {}),
        ("chunk_en_conll2000/test.txt", {"source_format": "columns", "target_format": "columns"}),
        ("const_en_ptb/dev.mrg", {"outer": True}),
        ("const_is_icepahc/dev.mrg", {"outer": True}),
        ("disc_nl_alpino/dev.discbracket", {}),
        ("disc_nl_alpino/dev.export", {}),
    ],
)
def test_real_files_to_themselves_byte_for_byte(name, options, tmp_path):
    path = real_file(name)
    target = tmp_path / path.name.removesuffix(".gz")
    convert(path, target, **options)
    assert target.read_bytes().rstrip() == read_bytes(path).rstrip()


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("ud_de_lit/dev.conllu", "conllu"),
        ("dep_en_ptb/dev.conll", "conllu"),
        ("pos_en_ptb/dev.tsv", "columns"),
        ("ner_en_wnut17/dev.txt", "columns"),
        ("ner_es_conll2002/dev.txt", "columns"),
        ("const_en_ptb/dev.mrg", "brackets"),
        ("disc_nl_alpino/dev.discbracket", "discbracket"),
        ("disc_nl_alpino/dev.export", "export"),
        ("lm_en_ptb/dev.txt", None),
        ("wordsim_en/rg65.tsv", None),
    ],
)
def test_real_content_is_recognised(name, want):
    found = guess_format(read_bytes(real_file(name)))
    assert (found.name if found else None) == want


# Tokens.


def test_conllu_to_columns(converted):
    assert converted(CONLLU, "conllu", "columns") == "# sent_id = a\ndo\tAUX\nn't\tPART\ngo\tVERB\n\n"
    chosen = converted(
        CONLLU, "conllu", "columns", columns=["id", "head", "form"], separator=" ", no_comments=True
    )
    assert chosen == "1 3 do\n2 3 n't\n3 0 go\n\n"
    with pytest.raises(FormatError, match=r"no column 'tag': there are id, form, lemma, .*, head$"):
        converted(CONLLU, "conllu", "columns", columns=["tag"])
    with pytest.raises(FormatError, match="in: a space-separated file cannot hold comments"):
        converted(CONLLU, "conllu", "columns", separator=" ")


def test_columns_to_conllu(converted):
    assert converted("a\tX\nb\t\n", "columns", "conllu") == (
        "1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    names = ["id", "head", "form", "_", "deprel", "_"]
    text = "# c\n1\t2\ta\tx\tdet\ty\n2\t0\tb\tx\troot\ty\n"
    assert converted(text, "columns", "conllu", columns=names) == (
        "# c\n1\ta\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    )
    with pytest.raises(FormatError, match="in: which of the 3 columns is what"):
        converted("a b c\n", "columns", "conllu")
    with pytest.raises(FormatError, match="CoNLL-U has no column 'ner'"):
        converted("a b\n", "columns", "conllu", columns=["form", "ner"])
    with pytest.raises(FormatError, match="must be named form"):
        converted("a b\n", "columns", "conllu", columns=["upos", "_"])
    with pytest.raises(FormatError, match="in:1: found 2 space-separated columns, expected 3 as named"):
        converted("a b\n", "columns", "conllu", columns=["form", "upos", "_"])


def test_columns_are_chosen_by_the_names_that_reading_gives(converted):
    assert converted("a b c\n", "columns", "columns", columns=["column3", "form"]) == "c a\n\n"
    assert converted("a b\n", "columns", "columns", separator="\t") == "a\tb\n\n"


def test_heads_that_cannot_be(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("# c\na\t2\nb\tx\n\na\t_\n\n# c\n# d\na\t0\nb\t9\nc\t01\n\n")
    options = {"target_format": "conllu", "columns": ["form", "head"]}
    with pytest.raises(FormatError, match=r"x\.tsv:3: head 'x' is not a number: a head is 0 for the root"):
        convert(path, tmp_path / "y", **options)
    assert not (tmp_path / "y").exists()
    done = convert(path, tmp_path / "y", lenient=True, **options)
    assert done.skipped == (
        Skipped(3, "head 'x' is not a number: a head is 0 for the root, the id of a word, or _"),
        Skipped(10, "head 9 in a sentence of 3 tokens"),
    )
    assert (done.n_sentences, done.n_words, done.n_skipped) == (1, 1, 2)
    assert parse_conllu((tmp_path / "y").read_bytes()).heads.tolist() == [-1]


def test_real_dependencies_survive_as_columns(tmp_path):
    path = corpus_file("ud_nl_lassysmall/dev.conllu")
    names = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"]
    convert(path, tmp_path / "x.tsv", columns=names)
    convert(tmp_path / "x.tsv", tmp_path / "y.conllu", columns=names)
    assert (tmp_path / "y.conllu").read_bytes() == read_bytes(path)


# Trees.


def test_between_tree_formats(converted):
    disc = "(ROOT (VP (WP 0=What) (VBN 2=done)) (VBZ 1=is))\n(ROOT (VB 0=Go))\n"
    assert converted(EXPORT, "export", "discbracket") == disc
    again = converted(disc, "discbracket", "export")
    assert again.startswith("#FORMAT 4\n#BOS 1\nWhat\t--\tWP\t--\t--\t500\n")
    assert converted(again, "export", "discbracket") == disc
    flat = "(S (NP (NN time)) (VP (VBZ flies)))\n"
    assert converted(flat, "brackets", "discbracket") == "(S (NP (NN 0=time)) (VP (VBZ 1=flies)))\n"
    assert converted(flat, "brackets", "brackets", outer=True) == f"({flat[:-1]})\n"


def test_each_tree_format_has_its_own_code_for_a_bracket(converted):
    penn = "(S (-LRB- -LRB-) (NN a-RRB-b))\n"
    disc = converted(penn, "brackets", "discbracket")
    assert disc == "(S (-LRB- 0=-LRB-) (NN 1=a-RRB-b))\n"
    assert "\n(\t--\t-LRB-\t" in converted(penn, "brackets", "export")
    assert converted(disc, "discbracket", "brackets") == penn
    assert converted(penn, "brackets", "columns") == "-LRB-\t-LRB-\na-RRB-b\tNN\n\n"


@given(st.lists(trees(discontinuous=False, tagged=True, text=st.text("abé時*=-", min_size=1)), min_size=1))
def test_continuous_trees_survive_every_way_round(tmp_path_factory, bank):
    folder = tmp_path_factory.mktemp("round")
    rooted = [f"(ROOT {tree})" for tree in bank]
    (folder / "a.mrg").write_text("\n".join(rooted), "utf-8")
    convert(folder / "a.mrg", folder / "b.export")
    convert(folder / "b.export", folder / "c.discbracket")
    convert(folder / "c.discbracket", folder / "d.mrg")
    assert parse_brackets((folder / "d.mrg").read_bytes()) == parse_brackets("\n".join(rooted))


def test_discontinuous_trees_do_not_fit_into_brackets(tmp_path):
    (tmp_path / "x.export").write_text(EXPORT)
    with pytest.raises(FormatError, match=r"x\.export:2: Brackets cannot carry a discontinuous tree"):
        convert(tmp_path / "x.export", tmp_path / "x.mrg")
    assert not (tmp_path / "x.mrg").exists()
    done = convert(tmp_path / "x.export", tmp_path / "x.mrg", lenient=True)
    assert (done.n_sentences, done.n_words, done.n_skipped, done.skipped[0].line) == (1, 1, 1, 2)
    assert (tmp_path / "x.mrg").read_text() == "(ROOT (VB Go))\n"
    (tmp_path / "y.discbracket").write_text("(S 0=a\n 0=b)\n(S (A 0=a 2=c) 1=b)\n")
    with pytest.raises(FormatError, match=r"y\.discbracket:3: no sentences left, 1 skipped, the first here"):
        convert(tmp_path / "y.discbracket", tmp_path / "x.mrg", lenient=True)


def test_cleaning(converted, tmp_path):
    options = {"no_empty": True, "no_functions": True}
    assert converted(PENN, "brackets", "brackets", **options) == "(S (NP (NN time)) (VP (VBZ flies)))\n"
    (tmp_path / "x.mrg").write_text(PENN)
    assert convert(tmp_path / "x.mrg", tmp_path / "y.tsv", no_empty=True).n_emptied == 1
    assert (tmp_path / "y.tsv").read_text() == "time\tNN\nflies\tVBZ\n\n"
    assert converted(PENN, "brackets", "columns", no_empty=True, nulls="icepahc").endswith("flies\tVBZ\n\n")
    with pytest.raises(FormatError, match="in: no tree left: all words are empty elements"):
        converted("(X (-NONE- *))", "brackets", "brackets", no_empty=True)


def test_trees_to_tokens(converted):
    assert converted("(S (NN time) flies)", "brackets", "columns") == "time\tNN\nflies\t_\n\n"
    assert converted(EXPORT, "export", "conllu") == (
        "# sent_id = 7\n"
        "1\tWhat\twhat\t_\tWP\t_\t_\t_\t_\tEdge=OC\n"
        "2\tis\tbe\t_\tVBZ\t_\t_\t_\t_\tMorph=3\\pSg|Edge=HD\n"
        "3\tdone\tdo\t_\tVBN\t_\t_\t_\t_\tEdge=HD\n\n"
        "# sent_id = 8\n1\tGo\tgo\t_\tVB\t_\t_\t_\t_\t_\n\n"
    )
    names = ["form", "lemma", "morph"]
    assert converted(EXPORT, "export", "columns", columns=names, separator=" ").startswith(
        "What what _\nis be 3|Sg\n"
    )


@pytest.mark.parametrize("part", ["dev", "test"])
def test_tags_of_the_real_treebank(tmp_path, part):
    """The tagging data beside the treebank was read off it by another program."""
    done = convert(real_file(f"const_en_ptb/{part}.mrg"), tmp_path / "x.tsv", no_empty=True)
    assert (tmp_path / "x.tsv").read_bytes().rstrip() == read_bytes(
        real_file(f"pos_en_ptb/{part}.tsv")
    ).rstrip()
    assert done == Conversion("brackets", "columns", done.n_sentences, done.n_words)


@pytest.mark.parametrize("part", ["dev", "test"])
def test_the_real_discontinuous_treebank(tmp_path, part):
    convert(real_file(f"disc_nl_alpino/{part}.export"), tmp_path / "x.discbracket")
    assert (tmp_path / "x.discbracket").read_bytes() == read_bytes(
        real_file(f"disc_nl_alpino/{part}.discbracket")
    )


def test_real_icelandic_without_empty_elements(tmp_path):
    path = corpus_file("const_is_icepahc/dev.mrg")
    assert convert(path, tmp_path / "x.conllu", no_empty=True, nulls="icepahc").n_words == 20_738


# What is asked for.


@pytest.mark.parametrize(
    ("source", "target", "options", "message"),
    [
        (
            "conllu",
            "conllu",
            {"columns": ["form"]},
            "columns is for a column file, read or written, and this",
        ),
        ("conllu", "conllu", {"separator": " "}, "separator is for a column file that is written, and this"),
        ("columns", "conllu", {"separator": " "}, "separator is for a column file that is written, and this"),
        ("export", "conllu", {"no_comments": True}, "no-comments is for tokens that are read, and this"),
        ("conllu", "columns", {"no_empty": True}, "no-empty is for trees that are read, and this converts"),
        ("conllu", "columns", {"nulls": "penn"}, "nulls is for trees that are read, and this converts"),
        ("brackets", "columns", {"no_functions": True}, "no-functions is for trees that are written, and"),
        ("brackets", "export", {"outer": True}, "outer is for brackets that are written, and this converts"),
        ("brackets", "export", {"nulls": "penn"}, "nulls says which elements are empty, and needs no-empty"),
        ("brackets", "export", {"nulls": "x", "no_empty": True}, "nulls must be one of penn, icepahc; got"),
        ("conllu", "columns", {"separator": ","}, "the separator must be a tab or a space; got ','"),
        ("conllu", "columns", {"columns": "form"}, "columns must be a list of names, none of them empty"),
        ("conllu", "columns", {"columns": ["form", "form"]}, "columns has 'form' twice"),
        (
            "conllu",
            "brackets",
            {},
            "conllu holds tokens and brackets holds trees: tokens cannot become trees",
        ),
        ("columns", "export", {}, "columns holds tokens and export holds trees: tokens cannot become trees"),
    ],
)
def test_requests_that_make_no_sense(tmp_path, source, target, options, message):
    (tmp_path / "x").write_text(SAMPLES[source])
    with pytest.raises(ValueError, match=f"^{message}"):
        convert(tmp_path / "x", tmp_path / "y", source_format=source, target_format=target, **options)
    assert not (tmp_path / "y").exists()


def test_formats_that_cannot_be_told(tmp_path, monkeypatch):
    (tmp_path / "x.txt").write_text("To be or not to be\n")
    with pytest.raises(ValueError, match=r"cannot tell the format of .*x\.txt from .* name one of conllu, "):
        convert(tmp_path / "x.txt", target_format="export")
    with pytest.raises(ValueError, match=r"in which format shall standard output be written\? Name one of"):
        convert(tmp_path / "x.txt")
    with pytest.raises(ValueError, match=r"in which format shall '.*y\.txt' be written\? Name one of"):
        convert(tmp_path / "x.txt", tmp_path / "y.txt")
    monkeypatch.setattr(sys, "stdin", type("Input", (), {"buffer": io.BytesIO(EXPORT.encode())}))
    assert convert("-", tmp_path / "y.conllu").source_format == "export"


def test_a_file_can_take_its_own_place(tmp_path):
    path = tmp_path / "x.mrg.gz"
    path.write_bytes(gzip.compress(PENN.encode()))
    convert(path, path, no_empty=True)
    assert gzip.decompress(path.read_bytes()).decode().startswith("(S (NP-SBJ-1 (NN time))")


# How much is in a file.


def test_summaries(tmp_path):
    (tmp_path / "x.export").write_text(EXPORT)
    assert summarize(tmp_path / "x.export", format_named("export")) == {
        "path": str(tmp_path / "x.export"),
        "format": "export",
        "trees": 2,
        "words": 4,
        "longest": 3,
        "discontinuous": 1,
        "distinct": {"words": 4, "tags": 4, "labels": 2},
    }
    (tmp_path / "x.conllu").write_text(CONLLU)
    counts = summarize(tmp_path / "x.conllu", format_named("conllu"))
    assert (counts["sentences"], counts["words"], counts["distinct"]["upos"]) == (1, 3, 3)

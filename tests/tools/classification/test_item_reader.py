"""Rows of files become items, and columns become kernels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palmette import Classifier, ConstituencyParser, FormatError, KernelSVM, NearestNeighbours, Tree
from palmette.features.kernels import SpectrumKernel
from palmette.tools.classification import ItemReader
from palmette.tools.classification.item_options import ABOUT

pytestmark = pytest.mark.native

BANK = [
    Tree.parse(f"(TOP (S (WP {w}) (VP (VBD {v}))))") for w in ("who", "what") for v in ("ran", "fell", "sang")
]


def test_parts() -> None:
    reader = ItemReader(("symbol", "label", "text", "number", "-", "string", "symbol"), ngrams=2)
    assert reader.parts == ["words", "string", "symbols", "numbers"]
    words, string, symbols, numbers = reader.items([["of", "N", "A good day", "2.5", "x", "abc", "N.V."]])[0]
    assert words == {"a", "good", "day", "<s> a", "a good", "good day"}
    assert string == "abc"
    assert symbols == {"1=of", "7=N.V."}
    assert numbers.tolist() == [2.5]
    kernel = reader.kernel()
    items = reader.items(
        [
            ["of", "N", "A good day", "2.5", "x", "abc", "N.V."],
            ["to", "V", "a bad day", "1", "", "abd", "IBM"],
        ]
    )
    assert kernel.gram(items)[0, 0] == pytest.approx(1 + 1 + 27 + 1)


def test_texts_are_parsed_and_the_parser_is_kept(tmp_path) -> None:
    parser = ConstituencyParser("pcfg").fit(BANK)
    reader = ItemReader(("label", "text"), parser, ngrams=1)
    items = reader.items([["A", "who ran"], ["B", "what fell"], ["A", ""]])
    assert str(items[0][0]) == str(BANK[0])
    assert items[1][1] == {"what", "fell"}
    assert items[0].given == "who ran"
    kernel = reader.kernel(fragments="subset")
    classifier = Classifier(KernelSVM(), kernel=kernel, reader=reader).fit(items[:2], ["A", "B"])
    classifier.save(tmp_path / "x.palm")
    again = Classifier.load(tmp_path / "x.palm")
    assert again.reader_ is not None
    assert again.reader_.parser is not None
    same = again.reader_.items([["", "who ran"]])
    assert str(same[0][0]) == str(BANK[0])
    assert again.predict(same) == again.predict(["who ran"]) == again.predict([["who", "ran"]]) == ["A"]


def test_files_that_do_not_list_their_parts() -> None:
    """Earlier versions kept the options of the parser beside those of the classifier."""
    reader = ItemReader(("label", "text"), ConstituencyParser("pcfg").fit(BANK), ngrams=1)
    texts = [" ".join(tree.words) for tree in BANK[:4]]
    made = Classifier(reader=reader).fit(texts, ["a", "b", "a", "b"])
    file = made.to_model()
    options = {name: value for name, value in file.options.items() if name != "parts"}
    old = replace(file, options={**options, "parser": dict(file.part("parser").options)})
    again = Classifier.from_model(old)
    assert again.predict(texts) == made.predict(texts)
    assert again.reader_.parser.predict([BANK[0].words]) == reader.parser.predict([BANK[0].words])


def test_raw_texts_are_cut_into_words() -> None:
    reader = ItemReader(("label", "raw"), ngrams=1)
    assert reader.items([["A", "Who ran? They didn't."]])[0][0] >= {"who", "ran", "?", "they", "."}
    assert ItemReader.of_options(reader.options(), None).columns == ("label", "raw")
    with pytest.raises(ValueError, match="The 'language' parameter must be a code"):
        ItemReader.of_options({**reader.options(), "language": 7}, None)


def test_words_are_symbols_of_one_spelling() -> None:
    reader = ItemReader(("word", "symbol", "label"))
    assert reader.parts == ["symbols"]
    assert reader.items([["Nov.16", "Nov.16", "N"]]) == [({"1=nov.00", "2=Nov.16"},)]


def test_rows_for_neighbours() -> None:
    reader = ItemReader(("symbol", "number", "label"), flat=True)
    rows = [["of", "1", "N"], ["with", "3", "V"]]
    assert reader.items(rows) == [("of", 1.0), ("with", 3.0)]
    assert Classifier(NearestNeighbours()).fit(reader.items(rows), reader.labels(rows)).predict(
        [("of", 1.5)]
    ) == ["N"]


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (("label", "words"), {}, "'words' is not a kind of column"),
        (("label", "label", "text"), {}, "one column with labels"),
        (("label", "-"), {}, "a column to learn from"),
        (("text", "label"), {"flat": True}, "k-NN looks at symbols"),
        (("text", "label"), {"ngrams": 0}, "'ngrams' parameter must be"),
        (("text", "label"), {"lower": "x"}, "'lower' parameter must be True or False. Got 'x' instead"),
        (("text", "label"), {"lower": 1}, "'lower' parameter must be True or False"),
        (("text", "label"), {"flat": None}, "'flat' parameter must be True or False"),
        (("raw", "label"), {"language": 5}, "'language' parameter must be a code like 'en'. Got 5 instead"),
        (("raw", "label"), {"language": ""}, "'language' parameter must be a code"),
    ],
)
def test_bad_columns(columns, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        ItemReader(columns, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(
            ({"gamma": bad}, "'gamma' parameter must be a number in the range .0, inf")
            for bad in ("x", None, [1], True, 0, 10**400)
        ),
        *(
            ({"degree": bad}, "'degree' parameter must be an int in the range")
            for bad in ("x", 0, 2.0, 10**400)
        ),
        ({"decay": "x"}, "'decay' parameter must be a number in the range"),
        ({"n": None}, "'n' parameter must be an int in the range"),
        ({"fragments": [1]}, "'fragments' parameter must be one of"),
    ],
)
def test_bad_options_of_kernels(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        ItemReader(("label", "tree")).kernel(**options)


def test_ngrams_end_with_the_text() -> None:
    """However long they may be; a loop over all lengths would take hours."""
    (words,) = ItemReader(("label", "text"), ngrams=10**12).items([["A", "a b"]])[0]
    assert words == {"a", "b", "<s> a", "a b", "<s> a b"}


def test_large_trees_are_refused() -> None:
    reader = ItemReader(("label", "tree"), max_nodes=20)
    deep = "(X " * 20 + "(N a)" + ")" * 20
    with pytest.raises(FormatError, match=r"x\.tsv:2: a tree of 21 nodes, and the bound is 20"):
        reader.items([["A", "(N a)"], ["A", deep]], path="x.tsv")
    with pytest.raises(ValueError, match="Item 1: a tree of 21 nodes"):
        reader.read([Tree.parse(deep)])
    assert len(ItemReader(("label", "tree"), max_nodes=21).read([deep])) == 1
    assert ItemReader.of_options(reader.options(), None).max_nodes == 20
    older = {name: value for name, value in reader.options().items() if name != "max_nodes"}
    assert ItemReader.of_options(older, None).max_nodes == 5000


def test_which_options_change_something() -> None:
    for columns, used in {
        ("label", "string"): {"n"},
        ("label", "tree"): {"fragments", "decay", "mu", "max_nodes", "ngrams", "lower", "counts"},
        ("label", "text"): {"ngrams", "lower", "counts"},
        ("label", "raw", "word"): {"ngrams", "lower", "counts", "language", "degree"},
        ("label", "number"): {"gamma"},
    }.items():
        assert {option for option in ABOUT if ItemReader(columns).uses(option)} == used
    parsed = ItemReader(("label", "text"), ConstituencyParser("pcfg").fit(BANK))
    assert parsed.uses("decay")
    assert not ItemReader(("label", "symbol", "number"), flat=True).uses("gamma")


@pytest.mark.parametrize("n", [1, 2, 3, 30, 200])
def test_many_columns(n, tmp_path) -> None:
    """A sum of many kernels is what it was, and is not nested too deep for a file."""
    reader = ItemReader(("label", *["string"] * n))
    rows = [["A", *["abc"] * n], ["B", *["xyz"] * n], ["A", *["abd"] * n]]
    items, labels, kernel = reader.items(rows), reader.labels(rows), reader.kernel()
    one = SpectrumKernel(3, least=1).normalized.gram(["abc", "xyz", "abd"])
    assert kernel.gram(items) == pytest.approx(n * one)
    Classifier(KernelSVM(), kernel=kernel).fit(items, labels).save(tmp_path / "x.palm")
    assert Classifier.load(tmp_path / "x.palm").predict(items) == labels


def test_bad_fields_name_their_line() -> None:
    reader = ItemReader(("label", "number"))
    with pytest.raises(FormatError, match=r"x\.tsv:8: column 2 is 'many' and must be a number"):
        reader.items([["a", "1"], ["b", "many"]], path="x.tsv", first=7)
    with pytest.raises(FormatError, match=":1:"):
        ItemReader(("label", "tree")).items([["a", "(S (NP"]])

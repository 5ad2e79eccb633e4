"""`palmette train classify` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import io
import json
import sys

import pytest

from palmette.cli import main
from palmette.formats.model import ModelFile

pytestmark = pytest.mark.native

QUESTIONS = """\
HUM\tx\tWho ran ?
LOC\tx\tWhere is Rome ?
HUM\tx\tWho sang it ?
LOC\tx\tWhere are they ?
TIME\tx\tWhen was it ?
TIME\tx\tWhen did it end ?
"""
TREES = """\
A\t(S (NP (N dogs)) (VP (V run)))
B\t(S (VP (V run)))
A\t(S (NP (N cats)) (VP (V sleep)))
B\t(S (VP (V sleep)))
"""
PAIRS = """\
join\tboard\tas\tdirector\tV
is\tchairman\tof\tN.V.\tN
named\tdirector\tof\tunit\tN
set\tprice\tat\tten\tV
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "questions.tsv").write_text(QUESTIONS)
    (tmp_path / "trees.tsv").write_text(TREES)
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    (tmp_path / "lines.txt").write_text("+ a good film\n- a bad film\n+ good fun\n- bad and dull\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def train(*arguments: str) -> None:
    assert main(["train", "classify", "-q", "-o", "m.palm", *arguments]) == 0


SYMBOLS = ("--columns", "symbol,symbol,symbol,symbol,label")
LEARNERS = {
    "crf": ("questions.tsv", ["--columns", "label,-,text"], "HUM"),
    "perceptron": ("questions.tsv", ["--columns", "label,-,text", "--learner", "perceptron"], "HUM"),
    "kernel-svm": (
        "questions.tsv",
        ["--columns", "label,-,text", "--learner", "kernel-svm", "--set", "C=10"],
        "HUM",
    ),
    "trees": (
        "trees.tsv",
        ["--columns", "label,tree", "--set", "fragments=subset", "--set", "decay=0.3"],
        "A",
    ),
    "strings": ("trees.tsv", ["--columns", "label,string", "--set", "n=4", "--set", "C=10"], "A"),
    "symbols": ("pairs.tsv", [*SYMBOLS, "--learner", "kernel-svm", "--set", "degree=2"], "V"),
    "kernel-perceptron": (
        "pairs.tsv",
        [*SYMBOLS, "--learner", "kernel-perceptron", "--set", "voted=true"],
        "V",
    ),
    "knn": ("pairs.tsv", [*SYMBOLS, "--learner", "knn", "--set", "metric=mvdm"], "V"),
    "lines": ("lines.txt", [], "+"),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_all_the_way(name, folder, capsysbinary) -> None:
    source, options, first = LEARNERS[name]
    train("--train", source, *options)
    assert main(["predict", "m.palm", source, "-q"]) == 0
    assert capsysbinary.readouterr().out.decode().split("\n")[0] == first
    assert main(["evaluate", "m.palm", source, "--json"]) == 0
    report = json.loads(capsysbinary.readouterr().out)
    assert report["accuracy"] == 1.0
    assert report["labels"][first]["f1"] == 1.0
    assert report["confusion"][first][first] == report["labels"][first]["gold"]
    assert {"seconds", "examples", "macro_f1"} <= set(report)
    assert main(["explain", "m.palm", "--file", source, "--top", "3", "--json"]) == 0
    (decision,) = json.loads(capsysbinary.readouterr().out)["items"]
    assert decision["chosen"] == first
    total = sum(c["amount"] for c in decision["contributions"]) + decision["rest"]
    assert decision["margin"] == pytest.approx(total)
    assert main(["inspect", "m.palm"]) == 0
    assert b"classifier" in capsysbinary.readouterr().out


def test_questions_are_parsed_by_the_model(folder, capsysbinary) -> None:
    bank = [
        f"(TOP (S (WP {w}) (VP (VBD {v}) (. ?))))" for w in ("Who", "Where", "When") for v in ("ran", "is")
    ]
    (folder / "bank.mrg").write_text("\n".join(bank))
    assert main(["train", "parse", "--train", "bank.mrg", "--method", "pcfg", "-q", "-o", "p.palm"]) == 0
    train("--train", "questions.tsv", "--columns", "label,-,text", "--parser", "p.palm")
    (folder / "p.palm").unlink()
    assert main(["evaluate", "m.palm", "questions.tsv", "--json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["accuracy"] == 1.0
    assert main(["explain", "m.palm", "x\tWho ran ?"]) == 0
    assert b"HUM, runner-up" in capsysbinary.readouterr().out
    assert main(["inspect", "m.palm", "--json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["details"]["parser"] == "pcfg"


def test_predict_without_labels(folder, capsysbinary, monkeypatch) -> None:
    train("--train", "pairs.tsv", *SYMBOLS, "--learner", "knn")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"is\tchairman\tof\tunit\n")))
    assert main(["predict", "m.palm", "-q", "--append", "--probabilities"]) == 0
    assert capsysbinary.readouterr().out == b"is\tchairman\tof\tunit\tN\t1.0000\n"


def test_a_line_without_a_tab_is_all_text(folder, capsys) -> None:
    """Training and evaluation take a space behind the label; a line that may have no label has none."""
    train("--train", "lines.txt")
    (folder / "tabs.tsv").write_text("+\ta good film\n")
    (folder / "texts.txt").write_text("a good film\n")
    features = {}
    for name in ("tabs.tsv", "texts.txt", "lines.txt"):
        assert main(["explain", "m.palm", "--file", name, "--json"]) == 0
        said = capsys.readouterr()
        assert ("every line begins with a label" in said.err) == (name == "lines.txt")
        (decision,) = json.loads(said.out)["items"]
        features[name] = decision["subject"]
    assert features["tabs.tsv"] == features["texts.txt"] != features["lines.txt"]
    for name, warned in (("lines.txt", True), ("texts.txt", False)):
        assert main(["predict", "m.palm", name]) == 0
        said = capsys.readouterr()
        assert ("every line begins with a label" in said.err) == warned


def test_dev_and_facts(folder) -> None:
    train(
        "--train",
        "questions.tsv",
        "--columns",
        "label,-,text",
        "--dev",
        "questions.tsv",
        "--about",
        "licence=CC0",
    )
    training = ModelFile.load("m.palm").options["training"]
    assert training["dev_score"] == 1.0
    assert training["licence"] == "CC0"


def test_the_same_seed_gives_the_same_file(folder) -> None:
    train("--train", "questions.tsv", "--columns", "label,-,text", "--learner", "kernel-svm", "--n-jobs", "2")
    first = (folder / "m.palm").read_bytes()
    train("--train", "questions.tsv", "--columns", "label,-,text", "--learner", "kernel-svm")
    assert (folder / "m.palm").read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["questions.tsv"], "has 3 columns: specify their types"),
        (
            ["questions.tsv", "--columns", "label,text"],
            "questions.tsv:1: expected 2 columns (label,text), got 3",
        ),
        (["questions.tsv", "--columns", "-,-,text"], "one of them must be label"),
        (["questions.tsv", "--columns", "label,-,words"], "'words' is not a kind of column"),
        (["pairs.tsv", *SYMBOLS, "--learner", "hmm"], "which a classifier does not offer: take one of"),
        (["pairs.tsv", *SYMBOLS, "--learner", "knn", "--set", "kk=3"], "has no option 'kk'"),
        (["pairs.tsv", *SYMBOLS, "--learner", "knn", "--set", "k=true"], "must be an int"),
        (
            ["trees.tsv", "--columns", "label,tree", "--set", "decay=2"],
            "'decay' parameter must be a number in the range",
        ),
        (["trees.tsv", "--columns", "label,number"], "trees.tsv:1: column 2 is"),
        (["questions.tsv", "--columns", "label,-,text", "--learner", "knn"], "k-NN looks at symbols"),
        (["nothing.tsv"], "nothing.tsv"),
        (["empty.tsv"], "expected examples; the file has none"),
        (["trees.tsv", "--columns", "label,tree", "--learner", "crf"], "trees want a kernel"),
        (
            ["trees.tsv", "--columns", "label,tree", "--set", "lower=x"],
            "The 'lower' parameter must be True or False. Got 'x' instead.",
        ),
        (
            ["trees.tsv", "--columns", "label,raw", "--set", "language=5"],
            "The 'language' parameter must be a code",
        ),
        (
            ["trees.tsv", "--columns", "label,raw", "--set", "language=null"],
            "The 'language' parameter must be a code",
        ),
        (
            ["numbers.tsv", "--columns", "label,number", "--learner", "kernel-svm", "--set", "gamma=x"],
            "The 'gamma' parameter must be a number in the range (0, inf). Got 'x' instead.",
        ),
        (
            ["trees.tsv", "--columns", "label,string", "--set", "decay=0.1"],
            "--set decay applies to trees, but the columns are label,string",
        ),
        (
            ["pairs.tsv", *SYMBOLS, "--learner", "kernel-perceptron", "--set", "gamma=2"],
            "--set gamma applies to numbers, but the columns are symbol",
        ),
        (["pairs.tsv", *SYMBOLS, "--learner", "knn", "--set", "lower=true"], "--set lower applies to texts"),
        (["lines.txt", "--set", "language=de"], "--set language applies to raw texts"),
        (["lines.txt", "--set", "decay=0.3"], "the learner 'crf' has no option 'decay'"),
        (["lines.txt", "--dev", "empty.tsv"], "empty.tsv: expected examples; the file has none"),
        (
            ["trees.tsv", "--columns", "label,string", "--dev", "empty.tsv"],
            "empty.tsv: expected examples; the file has none",
        ),
    ],
)
def test_one_sentence_for_what_is_wrong(arguments, message, folder, capsys) -> None:
    (folder / "empty.tsv").write_text("\n")
    (folder / "numbers.tsv").write_text("A\t1\nB\t2\n")
    assert main(["train", "classify", "-q", "-o", "x.palm", "--train", *arguments]) != 0
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().split("\n")) == 1
    assert not (folder / "x.palm").exists()


def test_a_classifier_made_in_python_says_so(folder, capsys) -> None:
    from palmette import Classifier

    Classifier().fit([{"a": 1.0}, {"b": 1.0}], ["x", "y"]).save("m.palm")
    assert main(["predict", "m.palm", "lines.txt"]) == 1
    assert "trained from Python and has no file format attached" in capsys.readouterr().err


def test_a_classifier_of_texts_made_in_python_reads_files(folder, capsysbinary) -> None:
    from palmette import Classifier

    Classifier().fit(["a good film", "a bad film"], ["+", "-"]).save("m.palm")
    assert main(["evaluate", "m.palm", "lines.txt", "--json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["accuracy"] == 1.0


def test_columns_that_are_not_looked_at_may_be_missing(folder, capsysbinary) -> None:
    train("--train", "questions.tsv", "--columns", "label,-,text")
    (folder / "new.txt").write_text("Who ran ?\nx\tWhere is it ?\nHUM\tx\tWhen was it ?\n")
    assert main(["predict", "m.palm", "new.txt"]) == 0
    assert capsysbinary.readouterr().out == b"HUM\nLOC\nTIME\n"


def test_a_text_is_explained_as_it_is_given(folder, capsysbinary) -> None:
    train("--train", "lines.txt")
    assert main(["explain", "m.palm", "A Good, good film"]) == 0
    said = capsysbinary.readouterr().out.decode()
    assert said.startswith("A Good, good film\n+, runner-up -, margin +")
    assert 'word "good"' in said
    assert 'words "good film"' in said
    assert "0:" not in said

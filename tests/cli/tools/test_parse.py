"""`palmette train parse` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import io
import json
import sys

import pytest

from palmette.cli import main, progress
from palmette.formats.brackets import parse_brackets, write_brackets
from palmette.formats.model import ModelFile, fingerprint
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.trees.tree import Tree
from samples.phrase_treebank import CATS, SENTENCE, cats, toy_method

HIGH = "(TOP (S (NP (NNS dogs)) (VP (VBP eat) (NP (NNS mice)) (PP (IN with) (NP (NNS eyes))))))\n"
LOW = "(TOP (S (NP (NNS dogs)) (VP (VBP eat) (NP (NP (NNS mice)) (PP (IN with) (NP (NNS eyes)))))))\n"


@pytest.fixture(scope="module", autouse=True)
def toy():
    with toy_method():
        yield


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    path = tmp_path_factory.mktemp("bank") / "cats.mrg"
    path.write_text("\n".join(CATS))
    return path


@pytest.fixture(scope="module")
def model(toy, bank, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "cats.palm"
    command = ["train", "parse", "--train", str(bank), "--method", "toy", "-q", "-o", str(path)]
    assert main([*command, "--about", "licence=CC0"]) == 0
    return path


@pytest.fixture
def typed(monkeypatch):
    """Puts text on standard input."""

    def put(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return put


def test_training(model, bank):
    file = ModelFile.load(model)
    assert file.fingerprint == fingerprint(bank.read_bytes())
    assert file.options["training"]["licence"] == "CC0"
    assert ConstituencyParser.load(model).score(cats()) > 0.9


def test_help_lists_methods(palmette):
    out = palmette("train", "parse", "--help").out
    assert "Options of --method combined" in out
    assert "--functions" in out
    assert "parse" in palmette("train", "--help").out


def test_functions_are_told_and_scored(palmette, bank, tmp_path, monkeypatch):
    notes: list[str] = []
    monkeypatch.setattr(progress, "_log", notes.append)
    train = ("train", "parse", "--method", "toy", "-o", tmp_path / "x.palm")
    assert palmette(*train, "--train", bank).code == 0
    assert "labels hold functions, such as NP-SBJ (label-=function), 3 without: stripped" in " ".join(notes)
    out = json.loads(palmette("evaluate", tmp_path / "x.palm", bank, "--json").out)
    assert "f1_with_functions" not in out
    assert palmette(*train, "--train", bank, "--keep-functions").code == 0
    assert "without: kept" in " ".join(notes)
    out = json.loads(palmette("evaluate", tmp_path / "x.palm", bank, "--json").out)
    assert 0 < out["f1_with_functions"] <= out["f1"]
    (tmp_path / "y.mrg").write_text(bank.read_text().replace("NP-SBJ", "SBJ+NP"))
    assert palmette(*train, "--train", tmp_path / "y.mrg", "--functions", "function+label").code == 0
    assert "SBJ+NP (function+label)" in " ".join(notes)
    bad = palmette(*train, "--train", bank, "--functions", "x")
    assert bad.code != 0
    assert "Got 'x'" in bad.err


def test_text_tokens_and_conllu_become_trees(palmette, model, typed, tmp_path):
    line = " ".join(SENTENCE)
    typed(f"{line}\n")
    assert palmette("predict", model).out == HIGH
    (tmp_path / "x.txt").write_text(f"{line}\n\n{line}\n")
    assert palmette("predict", model, tmp_path / "x.txt", "--format", "tokens").out == f"{HIGH}\n{HIGH}"
    assert palmette("predict", model, tmp_path / "x.txt", "--lines").out == HIGH * 2
    rows = "".join(
        f"{i}\t{word}\t_\t_\t{tag}\t_\t_\t_\t_\t_\n"
        for i, (word, tag) in enumerate(zip(SENTENCE, ("NNS", "VBP", "NNS", "IN", "NNS")), 1)
    )
    (tmp_path / "x.conllu").write_text(f"{rows}\n")
    assert palmette("predict", model, tmp_path / "x.conllu").out == HIGH
    assert palmette("predict", model, tmp_path / "x.conllu", "--keep-tags").out == HIGH
    typed(f"{rows}\n")
    assert palmette("predict", model, "-").out == HIGH


def test_trees_in_trees_out(palmette, model, bank, typed, tmp_path):
    out = palmette("predict", model, bank).out
    assert [tree.words for tree in parse_brackets(out)] == [tree.words for tree in cats()]
    typed(bank.read_text())
    assert palmette("predict", model).out == out
    (tmp_path / "same").write_text(bank.read_text())
    assert palmette("predict", model, tmp_path / "same").out == out
    assert palmette("predict", model, bank, "--to", "discbracket").out.startswith("(TOP (S (NP (NNS 0=dogs))")
    assert palmette("predict", model, bank, "--to", "export").out.startswith("#FORMAT")


def test_brackets_of_the_input_are_kept(palmette, model, tmp_path):
    (tmp_path / "x.mrg").write_text("(TOP (NNS dogs) (VBP eat) (NP (NNS mice) (IN with) (NNS eyes)))\n")
    assert palmette("predict", model, tmp_path / "x.mrg").out == HIGH
    assert palmette("predict", model, tmp_path / "x.mrg", "--keep-brackets").out == LOW
    assert palmette("predict", model, tmp_path / "x.mrg", "--keep-brackets", "--keep-tags").out == LOW


def test_kbest_and_probabilities(palmette, model, typed):
    typed(" ".join(SENTENCE))
    first, second, empty, end = palmette("predict", model, "--kbest", "3").out.split("\n")
    assert (empty, end) == ("", "")
    assert first.split("\t")[1] + "\n" == HIGH
    assert second.split("\t")[1] + "\n" == LOW
    assert float(first.split("\t")[0]) > float(second.split("\t")[0])
    typed(" ".join(SENTENCE))
    assert "(PP/1.00 (IN with)" in palmette("predict", model, "--probabilities").out


def test_drawings(palmette, model, typed, tmp_path):
    typed(" ".join(SENTENCE))
    out = palmette("predict", model, "--draw").out
    assert "TOP" in out
    assert "dogs" in out
    assert "# sentence 1, log-probability" in out
    typed(" ".join(SENTENCE))
    page = palmette("predict", model, "--svg", "--kbest", "2").out
    assert page.count("<svg") == 2
    assert "Phrase structure trees" in page


def test_fragments_are_told(palmette, model, typed):
    typed("with with\n")
    result = palmette("predict", model, "--format", "tokens")
    assert result.out.startswith("(TOP")
    assert "sentence 1: No tree covers these words" in result.err


def test_evaluation(palmette, model, bank, tmp_path):
    report = json.loads(palmette("evaluate", model, bank, "--json").out)
    assert {"f1", "precision", "recall", "sentences", "seconds", "exact_match", "crossing"} <= set(report)
    assert report["f1"] == pytest.approx(ConstituencyParser.load(model).score(cats()))
    assert report["sentences"] == 3
    assert report["fragments"] == 0
    assert report["labels"]["NP"]["gold"] == 8
    assert "f1_interval" in palmette("evaluate", model, bank).out
    (tmp_path / "x.prm").write_text("DELETE_LABEL TOP\nDELETE_LABEL NP\n")
    fewer = json.loads(palmette("evaluate", model, bank, "--json", "--params", tmp_path / "x.prm").out)
    assert "NP" not in fewer["labels"]
    oracle = json.loads(palmette("evaluate", model, bank, "--json", "--oracle", 2).out)
    assert oracle["oracle_f1"] == 1.0
    all_words = json.loads(palmette("evaluate", model, bank, "--json", "--params", "everything").out)
    assert all_words["tokens"] == report["tokens"] + 1
    short = json.loads(palmette("evaluate", model, bank, "--json", "--max-length", 3).out)
    assert short["sentences"] == 1
    tagged = json.loads(
        palmette("evaluate", model, bank, "--json", "--gold-tags", "--most-probable", "--as-evalb").out
    )
    assert tagged["tagging_accuracy"] == 1.0


def test_inspection(palmette, model):
    details = json.loads(palmette("inspect", model, "--json").out)["details"]
    assert details["method"] == "toy"
    assert details["training"]["sentences"] == 3


def test_explanation(palmette, model):
    out = palmette("explain", model, " ".join(SENTENCE), "--bracket", "NP:3-5", "--top", 2).out
    assert "NP 3-5  mice with eyes" in out
    assert "margin" in out
    whole = json.loads(palmette("explain", model, " ".join(SENTENCE), "--json").out)
    assert len(whole["brackets"]) == 6
    assert palmette("explain", model, "dogs", "--bracket", "NP").code == 2


def test_what_a_dev_set_is_for(palmette, bank, tmp_path, monkeypatch):
    notes = []
    monkeypatch.setattr(progress.Progress, "note", lambda self, text: notes.append(text))
    command = ["train", "parse", "--train", bank, "--dev", bank, "-o", tmp_path / "m.palm", "--method"]
    assert palmette(*command, "perceptron", "--set", "bits=12", "--set", "folds=2").code == 0
    assert any(note.startswith(f"chose the pass on {bank}: F1 ") for note in notes)
    counted = palmette(*command, "pcfg")
    assert counted.code == 0
    assert counted.err == "palmette: The method 'pcfg' counts: the dev set has no effect on the model.\n"


def test_training_a_combination(palmette, bank, model, tmp_path):
    out = tmp_path / "both.palm"
    command = ["train", "parse", "--train", bank, "--dev", bank, "--method", "combined", "-o", out]
    assert palmette(*command, "--set", f"models={model},{model}").code == 0
    assert json.loads(palmette("evaluate", out, bank, "--json", "--set", "offset=0.2").out)["f1"] > 0.9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "pcgf"], "no method 'pcgf': did you mean 'pcfg'? There are"),
        (["--method", "toy", "--set", "kepe=1"], "no option 'kepe'"),
        (["--method", "toy", "--learner", "crf"], "counts, and takes no --learner"),
        (["--method", "toy", "--dev", "none.mrg"], "none.mrg: no such file"),
        (["--method", "combined"], "needs two parsers at least"),
    ],
)
def test_bad_trainings(palmette, bank, tmp_path, arguments, message):
    result = palmette("train", "parse", "--train", bank, "-o", tmp_path / "x.palm", *arguments)
    assert result.code != 0
    assert message in result.err
    assert not (tmp_path / "x.palm").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no tree in the input"),
        ("(S (NP", "x.mrg:1"),
        ("(S (NP (-NONE- *)))", "x.mrg: there is no tree with a word in it"),
        ("()", "x.mrg:1"),
    ],
)
def test_bad_treebanks(palmette, tmp_path, text, message):
    (tmp_path / "x.mrg").write_text(text)
    result = palmette(
        "train", "parse", "--train", tmp_path / "x.mrg", "--method", "toy", "-o", tmp_path / "x.palm"
    )
    assert result.code == 1
    assert message in result.err


def test_bad_trees_are_left_out(palmette, tmp_path):
    (tmp_path / "x.mrg").write_text("\n".join([*CATS, "(S (NP (-NONE- *)))"]))
    command = ["train", "parse", "--train", tmp_path / "x.mrg", "--method", "toy", "-o", tmp_path / "x.palm"]
    result = palmette(*command, "--skip-bad")
    assert result.code == 0
    assert "left out 1 tree that cannot be learnt" in result.err


def test_a_treebank_in_export_and_discbrackets(palmette, bank, tmp_path):
    for name in ("export", "discbracket"):
        path = tmp_path / f"cats.{name}"
        assert palmette("convert", bank, path, "--to", name).code == 0
        out = tmp_path / f"{name}.palm"
        assert palmette("train", "parse", "--train", path, "--method", "toy", "-o", out).code == 0
        assert palmette("evaluate", out, path).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--draw", "--svg"], "use either --draw (text) or --svg"),
        (["--kbest", "2", "--probabilities"], "--kbest cannot be combined with"),
        (["--kbest", "2", "--minimum-risk"], "--kbest cannot be combined with"),
        (["--kbest", "2", "--to", "export"], "cannot be combined with --to export"),
        (["--kbest", "2", "--keep-tags"], "--kbest cannot be combined with --keep-tags"),
        (["--format", "tokens", "--keep-tags"], "the format tokens has neither"),
        (["--keep-brackets"], "--keep-brackets needs input in brackets"),
        (["--keep-tags"], "--keep-tags needs tags; the input has none"),
        (["--set", "kepe=1"], "no option 'kepe'"),
    ],
)
def test_what_does_not_go_together(palmette, model, tmp_path, arguments, message):
    (tmp_path / "x.txt").write_text("dogs sleep\n")
    result = palmette("predict", model, tmp_path / "x.txt", *arguments)
    assert result.code == 2
    assert message in result.err


def test_bad_input(palmette, model, tmp_path, typed):
    assert palmette("predict", model, tmp_path / "none.mrg").code == 1
    assert "no such file" in palmette("predict", model, tmp_path / "none").err
    (tmp_path / "x.mrg").write_text("(S (NP a)")
    assert "x.mrg:1" in palmette("predict", model, tmp_path / "x.mrg").err
    (tmp_path / "x.txt").write_bytes(b"dogs \xff sleep\n")
    assert "not UTF-8" in palmette("predict", model, tmp_path / "x.txt", "--format", "tokens").err
    typed("")
    assert palmette("predict", model).out == ""
    (tmp_path / "empty.txt").write_text("")
    for arguments in ([], ["--format", "tokens"], ["--format", "conllu"]):
        assert palmette("predict", model, tmp_path / "empty.txt", *arguments) == (0, "", "")
    assert "no sentence has at most" not in palmette("evaluate", model, tmp_path / "x.mrg").err


def test_scoring_two_files(palmette, bank, tmp_path):
    write_brackets([Tree.parse(HIGH)], tmp_path / "gold.mrg")
    write_brackets([Tree.parse(LOW)], tmp_path / "guess.mrg")
    report = json.loads(palmette("score", tmp_path / "gold.mrg", tmp_path / "guess.mrg", "--json").out)
    assert report["precision"] == 6 / 7
    assert report["recall"] == 1.0
    out = palmette("score", tmp_path / "gold.mrg", tmp_path / "guess.mrg").out
    assert "Bracketing Precision      =  85.71" in out
    assert "-- len<=40 --" in out
    assert "has 1 tree and" in palmette("score", tmp_path / "gold.mrg", bank).err
    none = json.loads(
        palmette("score", tmp_path / "gold.mrg", tmp_path / "guess.mrg", "--json", "--max-length", 2).out
    )
    assert none["sentences"] == 0


def test_scoring_dependency_trees(palmette, tmp_path):
    from samples.treebank import TEST

    report = json.loads(palmette("score", TEST, TEST, "--json").out)
    assert report["las"] == 1.0
    assert "uas" in palmette("score", TEST, TEST).out
    assert palmette("score", TEST, TEST, "--as-evalb").code == 2
    (tmp_path / "x.txt").write_text("words\n")
    assert "cannot detect the format (trees, CoNLL-U" in palmette("score", tmp_path / "x.txt", TEST).err

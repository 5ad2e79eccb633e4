"""`palmette train rerank` and what follows: from lists, and end to end."""

from __future__ import annotations

import json
import os
import random
import threading
from pathlib import Path

import pytest

from palmette import Reranker, Tree
from palmette.cli import main
from palmette.formats import Candidates, write_nbest
from palmette.formats.nbest import read_nbest
from samples.phrase_treebank import GARDEN
from samples.ranking_lists import tree_lists


@pytest.fixture(scope="module")
def lists(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("lists") / "cats.nbest"
    write_nbest(tree_lists(), path)
    return path


@pytest.fixture(scope="module")
def model(lists: Path, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("models") / "cats.palm"
    assert main(["train", "rerank", "--train", str(lists), "-q", "-o", str(path), "--set", "n_iter=5"]) == 0
    return path


def test_predict_evaluate_inspect_explain(model: Path, lists: Path, capsys) -> None:
    assert main(["predict", str(model), str(lists)]) == 0
    trees = [Tree.parse(line) for line in capsys.readouterr().out.splitlines()]
    assert trees == [given.gold for given in tree_lists()]
    assert main(["evaluate", str(model), str(lists), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["f1"] == report["oracle_f1"] == 1.0
    assert {"baseline_f1", "p_value", "seconds", "gain"} <= set(report)
    assert main(["inspect", str(model)]) == 0
    assert "voted" in capsys.readouterr().out
    assert main(["explain", str(model), str(lists), "--list", "2"]) == 0
    assert "margin" in capsys.readouterr().out


def test_ranked_lists_can_be_read_again(model: Path, lists: Path, tmp_path: Path) -> None:
    target = tmp_path / "ranked.nbest"
    assert main(["predict", str(model), str(lists), "--ranked", "-o", str(target)]) == 0
    assert [given.outputs[0] for given in read_nbest(target)] == [given.gold for given in tree_lists()]


def test_minimum_risk(tmp_path: Path, capsys) -> None:
    rows = [list(zip("abc", labels)) for labels in ("PPP", "QQR", "QRQ")]
    given = Candidates(rows, [-0.9, -1.0, -1.4], gold=rows[0])
    path, model = tmp_path / "abc.nbest", tmp_path / "abc.palm"
    write_nbest([given], path)
    options = ["--prior", "1", "--set", "margin=0", "-q", "-o", str(model)]
    assert main(["train", "rerank", "--train", str(path), *options]) == 0
    for options, expected in (([], "a/P b/P c/P\n"), (["--minimum-risk"], "a/Q b/Q c/R\n")):
        assert main(["predict", str(model), str(path), *options]) == 0
        assert capsys.readouterr().out == expected
        assert main(["evaluate", str(model), str(path), "--json", *options]) == 0
        assert json.loads(capsys.readouterr().out)["f1"] == (0.0 if options else 1.0)


def test_settings_are_chosen_on_the_dev_set(lists: Path, tmp_path: Path, capsys) -> None:
    command = ["train", "rerank", "--train", str(lists), "-o", str(tmp_path / "x.palm"), "--decay", "0.1,0.4"]
    assert main([*command, "-q"]) == 2
    assert "need a --dev to choose by" in capsys.readouterr().err
    assert main([*command, "--dev", str(lists), "--beta", "0.1,1"]) == 0
    assert Reranker.load(tmp_path / "x.palm").score(lists) == 1.0


def test_primal_form_and_gold_from_another_file(tmp_path: Path, capsys) -> None:
    given = [Candidates(x.outputs, x.log_probabilities) for x in tree_lists()]
    write_nbest(given, tmp_path / "x.nbest")
    (tmp_path / "gold.mrg").write_text("".join(f"{x.gold}\n" for x in tree_lists()))
    command = ["train", "rerank", "--train", str(tmp_path / "x.nbest"), "-o", str(tmp_path / "x.palm"), "-q"]
    assert main(command) == 1
    assert "no right output" in capsys.readouterr().err
    gold = ["--gold", str(tmp_path / "gold.mrg")]
    assert main([*command, *gold, "--features", "rules,heads", "--learner", "perceptron"]) == 0
    assert main(["evaluate", str(tmp_path / "x.palm"), str(tmp_path / "x.nbest"), *gold]) == 0


def test_end_to_end_with_a_parser(tmp_path: Path, capsys) -> None:
    train, test, model = GARDEN / "train.mrg", GARDEN / "test.mrg", tmp_path / "x.palm"
    command = ["train", "rerank", "--base", "parse", "--method", "pcfg", "--train", str(train)]
    made = ["--folds", "3", "--candidates", "4", "--lists-to", str(tmp_path / "l.nbest"), "-o", str(model)]
    assert main([*command, *made]) == 0
    assert "lack the right output" in capsys.readouterr().err
    assert len(list(read_nbest(tmp_path / "l.nbest"))) == len(train.read_text().splitlines())
    assert main(["evaluate", str(model), str(test), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean_length"] <= 4
    (tmp_path / "lines.txt").write_text("The gardener ties the tree .\n\n")
    assert main(["predict", str(model), str(tmp_path / "lines.txt"), "--format", "tokens"]) == 0
    first, second = capsys.readouterr().out.split("\n")[:2]
    assert Tree.parse(first).words == "The gardener ties the tree .".split()
    assert second == ""
    assert main(["explain", str(model), str(tmp_path / "lines.txt"), "--format", "tokens"]) == 0
    assert "The" in capsys.readouterr().out


def test_lists_of_a_parser_with_an_empty_sentence(model: Path, tmp_path: Path, capsys) -> None:
    """From k best to the reranker no sentence is lost."""
    parser, lines, lists = (str(tmp_path / name) for name in ("p.palm", "lines.txt", "x.nbest"))
    assert (
        main(["train", "parse", "--method", "pcfg", "--train", str(GARDEN / "train.mrg"), "-q", "-o", parser])
        == 0
    )
    Path(lines).write_text("The gardener ties the tree .\n\nThe gardener ties the tree .\n")
    assert main(["predict", parser, lines, "--format", "tokens", "--kbest", "2", "-o", lists]) == 0
    assert [len(given) > 0 for given in read_nbest(lists)] == [True, False, True]
    assert main(["predict", str(model), lists]) == 0
    assert [bool(line) for line in capsys.readouterr().out.splitlines()] == [True, False, True]


def test_standard_input_cannot_be_streamed(tmp_path: Path, capsys) -> None:
    command = ["train", "rerank", "--train", "-", "--stream", "-q", "-o", str(tmp_path / "x.palm")]
    assert main(command) == 2
    assert "can be read only once" in capsys.readouterr().err


def test_a_seed_of_the_default_learner(lists: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.palm"
    command = ["train", "rerank", "--train", str(lists), "-q", "-o", str(path), "--set", "random_state=5"]
    assert main(command) == 0
    assert Reranker.load(path).training_["settings"]["random_state"] == 5


def test_end_to_end_with_a_span_tagger(tmp_path: Path, capsys) -> None:
    text = "Jack B-PER\nwent O\nto O\nParis B-LOC\n\nParis B-PER\nwent O\nto O\nJack B-LOC\n\n" * 4
    (tmp_path / "train.txt").write_text(text)
    model = str(tmp_path / "x.palm")
    command = [
        "train",
        "rerank",
        "--base",
        "spans",
        "--train",
        str(tmp_path / "train.txt"),
        "-q",
        "-o",
        model,
    ]
    assert main([*command, "--folds", "2", "--candidates", "5"]) == 0
    assert main(["evaluate", model, str(tmp_path / "train.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lists"] == 8
    assert main(["predict", model, str(tmp_path / "train.txt")]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("Jack/")
    (tmp_path / "lines.txt").write_text("Jack went\n\nto Paris\n")
    assert main(["predict", model, str(tmp_path / "lines.txt"), "--format", "tokens"]) == 0
    assert [line.count("/") for line in capsys.readouterr().out.splitlines()] == [2, 0, 2]
    assert main(["predict", model, str(tmp_path / "lines.txt"), "--format", "brackets"]) == 2
    assert "text or tokens for the first model, a tagger; got brackets" in capsys.readouterr().err


def test_labels_that_break_their_scheme(tmp_path: Path, capsys) -> None:
    text = "Jack I-PER\nwent O\nto O\nParis B-LOC\n\nParis B-PER\nHilton I-PER\nleft O\n\n" * 4
    (tmp_path / "train.txt").write_text(text)
    command = ["train", "rerank", "--base", "spans", "--train", str(tmp_path / "train.txt"), "-q"]
    command += ["--folds", "2", "--candidates", "3", "-o", str(tmp_path / "x.palm")]
    assert main(command) == 1
    assert "train.txt:" in capsys.readouterr().err
    assert main([*command, "--lenient"]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "crf"], "need --base"),
        (["--base", "spans", "--method", "crf"], "--method needs --base parse"),
        (["--base", "parse", "--stream"], "apply to existing lists"),
        (["--base", "tag", "--lenient"], "--lenient needs --base spans"),
        (["--features", "all", "--decay", "0.1"], "apply to the dual form"),
        (["--features", "all", "--beta", "0", "--prior", "1"], "--beta 0 removes the feature"),
        (["--folds", "3"], "need --base"),
        (["--candidates", "3"], "need --base"),
        (["--features", "x"], "no group 'x'"),
        (["--decay", "x"], "expected numbers separated by commas"),
        (["--decay", "2"], r"range (0, 1]"),
        (["--learner", "hmm"], "which a reranker in dual form does not offer"),
        (["--set", "x=3"], "the learner 'perceptron' has no option 'x'"),
    ],
)
def test_bad_options(lists: Path, tmp_path: Path, capsys, options: list[str], message: str) -> None:
    command = ["train", "rerank", "--train", str(lists), "-q", "-o", str(tmp_path / "x.palm")]
    assert main([*command, *options]) != 0
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x.palm").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--features", "x"], "no group 'x'"),
        (["--decay", "0"], r"range (0, 1]"),
        (["--prior", "1,2"], "need a --dev"),
        (["--learner", "hmm"], "which a reranker in dual form does not offer"),
        (["--beta=-1"], "'beta'"),
        (["--prior", "nan"], "'prior'"),
        (["--dev", "missing.mrg"], "missing.mrg"),
        (["--lists-to", "missing/x.nbest"], "the folder does not exist"),
    ],
)
def test_bad_options_are_found_before_anything_is_trained(
    tmp_path: Path, capsys, monkeypatch, options: list[str], message: str
) -> None:
    monkeypatch.setattr(
        "palmette.cli.tools.rerank.training.cross_lists", lambda *given: pytest.fail("too late")
    )
    command = ["train", "rerank", "--base", "parse", "--train", str(GARDEN / "train.mrg"), "-q"]
    assert main([*command, "-o", str(tmp_path / "x.palm"), *options]) != 0
    assert message in capsys.readouterr().err


def test_bad_files(model: Path, tmp_path: Path, capsys) -> None:
    (tmp_path / "x.nbest").write_text("-1\t(A a\n")
    assert main(["predict", str(model), str(tmp_path / "x.nbest")]) == 1
    assert "x.nbest:1: " in capsys.readouterr().err
    assert main(["predict", str(model), str(tmp_path / "x.nbest"), "--format", "tokens"]) == 1
    assert "does not contain its first model" in capsys.readouterr().err
    assert main(["explain", str(model), str(tmp_path / "x.nbest"), "--list", "9"]) == 1


def test_lists_and_trees_may_come_through_a_pipe(tmp_path: Path, lists: Path, capsys) -> None:
    files = {"lists": lists, "trees": GARDEN / "train.mrg"}
    options = {
        "lists": [],
        "trees": ["--base", "parse", "--method", "pcfg", "--folds", "2", "--candidates", "3"],
    }
    for name, path in files.items():
        pipe = tmp_path / f"{name}.pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(path.read_bytes(),), daemon=True)
        writer.start()
        target = tmp_path / f"{name}.palm"
        assert main(["train", "rerank", "--train", str(pipe), *options[name], "-q", "-o", str(target)]) == 0
        writer.join()
        assert (
            main(["train", "rerank", "--train", str(path), *options[name], "-q", "-o", str(tmp_path / "x")])
            == 0
        )
        assert target.read_bytes() == (tmp_path / "x").read_bytes()
    assert main(["train", "rerank", "--train", str(pipe), "--stream", "-q", "-o", str(tmp_path / "y")]) == 2
    assert "can be read only once" in capsys.readouterr().err


def test_a_list_that_is_too_large_keeps_its_order(tmp_path: Path, model: Path, capsys) -> None:
    deep = "(X " * 3000 + "(N a)" + ")" * 3000
    (tmp_path / "deep.nbest").write_text(f"-2\t(TOP (S (N a)))\n-1\t(TOP {deep})\n\n" * 2)
    assert main(["predict", str(model), str(tmp_path / "deep.nbest"), "--max-size", "2000"]) == 0
    found = capsys.readouterr()
    assert found.out == f"(TOP {deep})\n" * 2
    assert (
        "2 of 2 lists have outputs of more than 2,000 nodes or words and keep the first model's order"
        in found.err
    )
    assert len(found.err.splitlines()) == 1
    assert main(["explain", str(model), str(tmp_path / "deep.nbest"), "--max-size", "2000"]) == 1
    assert "List 1 has an output of 3,002 nodes" in capsys.readouterr().err


@pytest.mark.parametrize("seed", range(3))
def test_damaged_lists_end_in_a_sentence(seed: int, tmp_path: Path, lists: Path, model: Path, capsys) -> None:
    """Letters of a file of lists are changed, left out and doubled: it is read, or refused in one sentence."""
    rng = random.Random(seed)
    text = lists.read_text()
    features = tmp_path / "features.palm"
    assert (
        main(["train", "rerank", "--train", str(lists), "--features", "all", "-q", "-o", str(features)]) == 0
    )
    for _ in range(40):
        letters = list(text)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(letters))
            letters[at : at + rng.randint(0, 3)] = rng.choice(
                ["", "(", ")", " ", "\t", "a", "\n", ") (", "(X "]
            )
        (tmp_path / "x.nbest").write_text("".join(letters))
        for one in (model, features):
            for verb in ("predict", "evaluate", "explain"):
                capsys.readouterr()
                code = main([verb, str(one), str(tmp_path / "x.nbest")])
                error = capsys.readouterr().err
                assert code in (0, 1)
                assert "internal error" not in error, "".join(letters)
                assert len(error.splitlines()) <= 1

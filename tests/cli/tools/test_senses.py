"""`palmette train senses` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from palmette.cli import main

pytestmark = pytest.mark.native
EXAMPLES = Path(__file__).parents[3] / "examples" / "senses"
WORDNET = str(Path(__file__).parents[2] / "data" / "wordnet")
TRAIN, TEST, INVENTORY, SEEDS, MORE, TARGETS = (
    str(EXAMPLES / f"{name}.tsv") for name in ("train", "test", "inventory", "seeds", "unlabelled", "targets")
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("senses") / "bank.palm")
    assert main(["train", "senses", "-q", "--train", TRAIN, "--inventory", INVENTORY, "-o", path]) == 0
    return path


def test_senses_of_a_file(model: str, capsys: Any) -> None:
    assert main(["predict", model, TEST]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("# doc=text")
    assert any(line.startswith("bank\tbank\tNOUN\tbank.") for line in lines)
    assert main(["predict", model, TEST, "--jsonl"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[0])
    assert {"form": "the", "sense": None} in told["words"]


def test_evaluation_and_inspection(model: str, capsys: Any) -> None:
    assert main(["evaluate", model, TEST, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["f1"] >= 0.85
    assert told["instances"] == 20
    assert told["first_sense"] == told["random"] == 0.5
    assert told["upper_bound"] == 1.0
    assert {"seconds", "precision", "recall", "recall_interval"} <= set(told)
    assert main(["inspect", model]) == 0
    assert "supervised" in capsys.readouterr().out


def test_explanations(model: str, capsys: Any) -> None:
    assert main(["explain", model, "the/DET river/NOUN bank/NOUN", "--top", "3"]) == 0
    shown = capsys.readouterr().out
    assert "bank: bank.shore  land beside the water" in shown
    assert "runner-up bank.money" in shown
    assert main(["explain", model, "the bank", "--json"]) != 0
    assert "write parts of speech" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        ["--method", "lesk", "--wordnet", WORDNET],
        ["--method", "first", "--inventory", INVENTORY],
        [
            "--method",
            "bootstrap",
            "--unlabelled",
            MORE,
            "--inventory",
            INVENTORY,
            "--seeds",
            SEEDS,
            "--dev",
            TEST,
        ],
        ["--method", "co-training", "--train", TRAIN, "--unlabelled", MORE, "--inventory", INVENTORY],
        ["--method", "self-training", "--train", TRAIN, "--unlabelled", MORE, "--set", "rounds=2"],
        ["--train", str(EXAMPLES / "links.txt"), "--links", TARGETS, "--inventory", INVENTORY],
        ["--train", TRAIN, "--learner", "svm", "--set", "l2=2", "--set", "window=0", "--tagger", "en"],
    ],
    ids=lambda line: " ".join(Path(one).name for one in line),
)
def test_all_methods(line: list[str], tmp_path: Path, capsys: Any) -> None:
    path = str(tmp_path / "m.palm")
    assert main(["train", "senses", "-q", *line, "-o", path]) == 0
    assert main(["evaluate", path, TEST, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["instances"] == 20
    assert main(["inspect", path]) == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ([], "--method supervised needs sentences with senses"),
        (["--method", "lesk"], "needs an inventory"),
        (["--method", "bootstrap"], "needs sentences: --unlabelled"),
        (["--method", "magic", "--train", TRAIN], "no method 'magic'"),
        (["--train", TRAIN, "--seeds", SEEDS], "--seeds is for --method bootstrap"),
        (["--train", TRAIN, "--unlabelled", MORE], "--unlabelled is for"),
        (["--train", TRAIN, "--dev", TEST], "--dev is for methods with rounds"),
        (
            ["--train", TRAIN, "--wordnet", WORDNET, "--inventory", INVENTORY],
            "expected one inventory, got two",
        ),
        (["--train", TRAIN, "--wordnet", "/no/such/place"], "looked in /no/such/place"),
        (["--method", "first", "--inventory", INVENTORY, "--links", TARGETS], "give the text with --train"),
        (["--method", "lesk", "--wordnet", WORDNET, "--learner", "crf"], "has no learner"),
        (["--train", TRAIN, "--learner", "knn"], "NearestNeighbours needs"),
        (["--train", TRAIN, "--set", "windw=2"], "windw"),
        (["--train", SEEDS], "expected form, lemma, part of speech and senses"),
    ],
)
def test_bad_commands(line: list[str], message: str, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "m.palm"
    assert main(["train", "senses", *line, "-o", str(path)]) != 0
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told
    assert not path.exists()


def test_an_empty_file_has_no_senses(model: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "empty").write_text("")
    assert main(["predict", model, str(tmp_path / "empty")]) == 0
    assert capsys.readouterr().out == ""


def test_a_tagger_finds_missing_parts_of_speech(tmp_path: Path, capsys: Any) -> None:
    path = str(tmp_path / "m.palm")
    assert main(["train", "senses", "--train", TRAIN, "--tagger", "en", "-q", "-o", path]) == 0
    assert main(["explain", path, "I sat on the bank of the river ."]) == 0
    assert "bank: bank.shore" in capsys.readouterr().out


def test_lines_of_lists_are_shown_one_by_one(tmp_path: Path, capsys: Any) -> None:
    path = str(tmp_path / "m.palm")
    more = ["--unlabelled", MORE, "--inventory", INVENTORY, "--seeds", SEEDS]
    assert main(["train", "senses", "--method", "bootstrap", *more, "-q", "-o", path]) == 0
    assert main(["inspect", path]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["near", "river", "→", "bank.shore"] in [line[:4] for line in shown]


def test_bytes_that_are_not_text(model: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "bytes").write_bytes(b"bank\tbank\tn\n\nb\xffnk\tbank\tn\n\nriver\triver\tn\n")
    assert main(["predict", model, str(tmp_path / "bytes")]) == 1
    assert "bytes:3" in capsys.readouterr().err
    for errors, n in (("replace", 3), ("skip", 2)):
        assert main(["predict", model, str(tmp_path / "bytes"), "--errors", errors]) == 0
        assert capsys.readouterr().out.count("\n\n") == n


def test_text_is_cut_into_words_and_answered_as_it_comes(tmp_path: Path, capsys: Any) -> None:
    model, text = str(tmp_path / "m.palm"), tmp_path / "text.txt"
    line = [
        "train",
        "senses",
        "-q",
        "--train",
        TRAIN,
        "--inventory",
        INVENTORY,
        "--tagger",
        "en",
        "-o",
        model,
    ]
    assert main(line) == 0
    text.write_text("The river bank was green.\nThe money is in the bank.")
    assert main(["predict", model, str(text)]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines() if line]
    assert [row[0] for row in rows][-4:] == ["in", "the", "bank", "."]
    assert [row[3] for row in rows if row[0] == "bank"] == ["bank.shore", "bank.money"]
    assert main(["predict", model, str(text), "--kbest", "2"]) == 0
    out = capsys.readouterr().out
    assert out.count("# kbest = 1") == out.count("# kbest = 2") == 2
    assert main(["predict", model, str(text), "--kbest", "2", "--jsonl"]) == 0
    best = json.loads(capsys.readouterr().out.splitlines()[0])["kbest"]
    assert best[0]["score"] >= best[1]["score"]
    assert main(["predict", model, TEST, "--line-buffered"]) == main(["predict", model, TEST]) == 0
    both = capsys.readouterr().out
    assert both[: len(both) // 2] == both[len(both) // 2 :]


def test_text_without_a_tagger(model: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "text.txt").write_text("The bank.\n")
    assert main(["predict", model, str(tmp_path / "text.txt")]) == 0
    assert "train the model with --tagger" in capsys.readouterr().err

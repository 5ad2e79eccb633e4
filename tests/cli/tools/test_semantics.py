"""`palmette train semantics` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from palmette.cli import main

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[3] / "examples" / "semantics"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("semantics") / "planets.palm")
    train, database = EXAMPLES / "questions_en_train.tsv", EXAMPLES / "planets.tsv"
    line = ["train", "semantics", "-q", "--train", str(train), "--database", str(database), "-o", path]
    assert main([*line, "--set", "rounds=3", "--set", "l2=0.05"]) == 0
    return path


def test_an_answer_with_its_tree(model: str, capsys: Any) -> None:
    assert main(["predict", model, "which moons did Herschel discover", "--draw"]) == 0
    shown = capsys.readouterr().out
    for text in ("Enceladus, Mimas, Titania, Oberon", "meaning:", "tree:    ⟨", "why:     moons = moon", "│"):
        assert text in shown


def test_questions_without_an_answer(model: str, capsys: Any) -> None:
    assert main(["predict", model, "who killed Cock Robin ?", "--confidence", "1"]) == 0
    assert "I do not know: " in capsys.readouterr().out
    assert main(["predict", model, "colourless green ideas", "--jsonl"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "answer" not in told
    assert told["reason"] == "no word of the question names anything in the database"


def test_files_of_questions(model: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "q.txt").write_text("what is the largest planet\n\nhow many planets are there\n")
    assert main(["predict", model, str(tmp_path / "q.txt"), "--jsonl"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one.get("answer") for one in told] == [["Jupiter"], None, [8.0]]  # an answer for every line
    assert main(["predict", model, str(EXAMPLES / "questions_en_test.tsv"), "--jsonl", "--kbest", "2"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(told) == 21
    assert "others" in told[0]


def test_evaluation(model: str, capsys: Any) -> None:
    assert main(["evaluate", model, str(EXAMPLES / "questions_en_test.tsv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["accuracy"] >= 0.85
    assert told["questions"] == 21
    assert {"seconds", "precision", "coverage", "accuracy_interval"} <= set(told)


def test_inspection_and_explanation(model: str, capsys: Any) -> None:
    assert main(["inspect", model, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["details"]
    assert told["tables"] == {"planet": 8, "moon": 22, "astronomer": 8}
    assert told["predicates"]["moon.planet"] == "moon, planet: 22"
    assert main(["explain", model, "what is the smallest moon of Saturn"]) == 0
    shown = capsys.readouterr().out
    assert "answer   Mimas" in shown
    assert "word     smallest = argmin" in shown


@pytest.mark.parametrize(
    ("train", "database", "more", "message"),
    [
        ("question\tanswer\n", "city\tRome\n", [], "expected questions; the file has none"),
        ("what is it\n", "city\tRome\n", [], "q.tsv:1: expected a question and an answer"),
        ("what\t[f(\n", "city\tRome\n", [], "q.tsv:1: not an answer"),
        ("\tRome\n", "city\tRome\n", [], "q.tsv:1: expected a question; the line has none"),
        ("what\tRome\n", "city Rome\n", [], "separate them by tabs"),
        ("what\tRome\n", "city\tRome\n", ["--language", "xx"], "must be one of en, de"),
        ("what\tRome\n", "city\tRome\n", ["--set", "widht=3"], "widht"),
        ("what\tRome\n", "city\tRome\n", ["--triggers", "q.tsv"], "there is no predicate 'Rome'"),
        ("what\tRome\n", "city\tRome\n", ["--learner", "knn"], "which a semantic parser does not offer"),
    ],
)
def test_bad_input(
    train: str, database: str, more: list[str], message: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.tsv").write_text(train)
    Path("facts.tsv").write_text(database)
    line = ["train", "semantics", "-q", "--train", "q.tsv", "--database", "facts.tsv", "-o", "m.palm", *more]
    assert main(line) != 0
    assert message in capsys.readouterr().err
    assert not Path("m.palm").exists()


def test_a_word_that_is_no_file(model: str, capsys: Any) -> None:
    assert main(["predict", model, "nowhere.txt"]) != 0
    assert "nowhere.txt" in capsys.readouterr().err


def test_an_empty_database_is_refused(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.tsv").write_text("which cities are there\tRome\n")
    Path("facts.pl").write_text("% nothing\n")
    assert main(["train", "semantics", "--train", "q.tsv", "--database", "facts.pl", "-o", "m.palm"]) == 1
    assert "The database has no facts" in capsys.readouterr().err
    assert not Path("m.palm").exists()

"""`palmette train sentiment` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from palmette.cli import main

pytestmark = pytest.mark.native
EXAMPLES = Path(__file__).parents[3] / "examples" / "sentiment"
TRAIN, TEST, SENTENCES = (str(EXAMPLES / f"{name}.tsv") for name in ("train", "test", "sentences"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("sentiment") / "books.palm")
    assert main(["train", "sentiment", "-q", "--train", TRAIN, "--subjectivity", SENTENCES, "-o", path]) == 0
    return path


def test_labels_and_extracts(model: str, capsys: Any) -> None:
    assert main(["predict", model, TEST, "--probabilities"]) == 0
    first = capsys.readouterr().out.splitlines()[0].split("\t")
    assert first[:2] == ["book01", "pos"]
    assert 0.5 < float(first[2]) <= 1
    assert main(["predict", model, TEST, "--extract", "--sentences", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "book01\t4\ti loved the ending"
    assert main(["predict", model, TEST, "--jsonl"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[0])
    assert told == {"number": 1, "document": "book01", "label": "pos", "stays": [3, 4]}


def test_an_extract_is_input_again(model: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["predict", model, TEST, "--extract", "-o", str(tmp_path / "x.tsv")]) == 0
    assert main(["predict", model, str(tmp_path / "x.tsv")]) == 0
    again = capsys.readouterr().out
    assert main(["predict", model, TEST]) == 0
    assert capsys.readouterr().out == again


def test_texts_on_lines(tmp_path: Path, capsys: Any) -> None:
    train, model = tmp_path / "t.tsv", str(tmp_path / "m.palm")
    train.write_text("+\tHe runs. I love it.\n-\tShe runs. I hate it.\n")
    assert main(["train", "sentiment", "--train", str(train), "-o", model]) == 0
    (tmp_path / "new.txt").write_text("We run. I love it.\n")
    capsys.readouterr()
    assert main(["predict", model, str(tmp_path / "new.txt")]) == 0
    assert capsys.readouterr().out == "1\t+\n"


def test_evaluation_and_inspection(model: str, capsys: Any) -> None:
    assert main(["evaluate", model, TEST, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["accuracy"] == 1.0
    assert told["documents"] == 6
    assert 0.3 < told["kept"] < 0.8
    assert told["seconds"] >= 0
    assert main(["inspect", model]) == 0
    shown = capsys.readouterr().out
    assert "subjectivity" in shown
    assert "strength" in shown


def test_explanations(model: str, capsys: Any) -> None:
    assert main(["explain", model, "A judge goes to Rome. The prose is lovely.", "--keep", "1"]) == 0
    shown = capsys.readouterr().out
    assert "2 of 2 sentences stay" in shown
    assert main(["explain", model, "--file", TEST, "--document", "2", "--drop", "4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["documents"][0]
    assert [row["stays"] for row in told["sentences"]] == [False, False, True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected documents; the file has none"),
        ("pos\ta\tb\n", "x.tsv:1: expected 2 columns (label, text) or 4"),
        ("pos\td1\t1\ta b\npos\td1\t2\n", "x.tsv:2: expected 4 columns, as in the first line; got 3"),
        ("\ttext\n", "x.tsv:1: expected a label"),
        ("a\td1\t1\tx\na\td2\t1\tx\na\td1\t2\tx\n", "x.tsv:3: document 'd1' begins a second time"),
    ],
)
def test_bad_documents(text: str, message: str, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.tsv").write_text(text)
    assert main(["train", "sentiment", "--train", "x.tsv", "-o", "m.palm"]) != 0
    assert message in capsys.readouterr().err
    assert not Path("m.palm").exists()


@pytest.mark.parametrize(
    ("sentences", "more", "message"),
    [
        ("subjective\tx\n", [], "two labels"),
        ("good\tx\nbad\ty\n", [], "set the option 'stays'"),
        ("subjective\n", [], "s.tsv:1: expected a label, a tab and a sentence"),
        ("", [], "expected sentences; the file has none"),
        ("subjective\tx\nobjective\ty\n", ["--learner", "knn"], "k-NN looks at symbols"),
        ("subjective\tx\nobjective\ty\n", ["--learner", "em"], "em"),
        ("subjective\tx\nobjective\ty\n", ["--set", "reach=0"], "'reach' parameter must be"),
    ],
)
def test_bad_sentences(
    sentences: str, more: list[str], message: str, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.tsv").write_text(sentences)
    line = ["train", "sentiment", "--train", TRAIN, "--subjectivity", "s.tsv", "-o", "m.palm", *more]
    assert main(line) != 0
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told
    assert not Path("m.palm").exists()


def test_sentences_that_are_not_there(model: str, capsys: Any) -> None:
    assert main(["explain", model, "I love it.", "--keep", "2"]) != 0
    assert "the document has 1 sentence, and no sentence 2" in capsys.readouterr().err
    assert main(["explain", model, "I love it.", "--keep", "1", "--drop", "1"]) != 0
    assert "cannot both stay and go" in capsys.readouterr().err
    assert main(["explain", model]) != 0
    assert "give a text or --file" in capsys.readouterr().err
    assert main(["explain", model, "--file", TEST, "--document", "99"]) != 0
    assert "there is no document 99" in capsys.readouterr().err


def test_probabilities_of_extracts_need_jsonl(model: str, capsys: Any) -> None:
    assert main(["predict", model, TEST, "--extract", "--probabilities"]) == 2
    assert "--probabilities needs --jsonl" in capsys.readouterr().err
    assert main(["predict", model, TEST, "--extract", "--probabilities", "--jsonl"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[0])
    assert {"extract", "probability"} <= set(told)


def test_bytes_that_are_not_text(model: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "bytes").write_bytes(b"A lovely \xff book.\nI was bored.\n")
    for errors, n in (("replace", 2), ("skip", 1)):
        assert main(["predict", model, str(tmp_path / "bytes"), "--errors", errors]) == 0
        assert len(capsys.readouterr().out.splitlines()) == n
    assert main(["predict", model, str(tmp_path / "bytes")]) == 1
    assert "bytes:1:" in capsys.readouterr().err

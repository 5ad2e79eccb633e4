"""`palmette select`: what is chosen, and how it is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palmette.formats.conllu import parse_conllu, read_conllu

GARDEN = Path(__file__).parents[2] / "data" / "garden"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from palmette.cli import main

    folder = tmp_path_factory.mktemp("models")
    names = (line.split() for line in (GARDEN / "train.names.txt").read_text().split("\n"))
    (folder / "names.txt").write_text("\n".join(f"{row[0]}\t{row[-1]}" if row else "" for row in names))
    for tool, file in (
        ("tag", GARDEN / "train.conllu"),
        ("spans", folder / "names.txt"),
        ("parse", GARDEN / "train.mrg"),
        ("classify", GARDEN / "train.questions.tsv"),
        ("lm", GARDEN / "train.txt"),
    ):
        assert main(["train", tool, "--train", str(file), "-q", "-o", str(folder / f"{tool}.palm")]) == 0
    return folder


def test_text_becomes_conllu_with_confidences(palmette, models: Path) -> None:
    found = palmette(
        "select", models / "tag.palm", GARDEN / "dev.txt", "--n", 3, "--strategy", "least-confident"
    )
    corpus = parse_conllu(found.out.encode())
    confidences = [float(sentence.metadata["confidence"]) for sentence in corpus]
    assert len(corpus) == 3
    assert confidences == sorted(confidences)
    for sentence, confidence in zip(corpus, confidences):
        likely = [
            float(dict(note.split("=") for note in misc.split("|"))["Prob"]) for misc in sentence["misc"]
        ]
        assert sum(likely) / len(likely) == pytest.approx(confidence, abs=1e-3)


def test_numbers_are_those_of_the_input(palmette, models: Path) -> None:
    source = read_conllu(GARDEN / "dev.conllu")
    found = palmette("select", models / "tag.palm", GARDEN / "dev.conllu", "--n", 4, "--strategy", "diverse")
    for sentence in parse_conllu(found.out.encode()):
        assert sentence["form"] == source[int(sentence.metadata["number"]) - 1]["form"]


def test_spans_are_written_in_columns(palmette, models: Path) -> None:
    found = palmette("select", models / "spans.palm", GARDEN / "dev.txt", "--n", 2)
    rows = [line.split() for line in found.out.splitlines() if line]
    assert rows
    assert all(len(row) == 3 and 0 <= float(row[2]) <= 1 for row in rows)
    assert found.out.count("\n\n") == 2


def test_trees_and_classes(palmette, models: Path) -> None:
    trees = palmette("select", models / "parse.palm", GARDEN / "dev.txt", "--n", 2)
    assert trees.code == 0
    assert trees.out.count("(TOP ") == 2
    lines = palmette("select", models / "classify.palm", GARDEN / "dev.questions.tsv", "--n", 3, "--jsonl")
    assert [set(json.loads(line)) for line in lines.out.splitlines()] == [
        {"number", "item", "label", "probability"}
    ] * 3


def test_what_is_annotated_is_not_chosen(palmette, models: Path) -> None:
    asked = ("select", models / "tag.palm", GARDEN / "dev.conllu", "--n", 10)
    everything = palmette(*asked, "--annotated", GARDEN / "dev.conllu")
    assert everything.code == 1
    assert "nothing to choose from" in everything.err


def test_fewer_than_asked_is_said(palmette, models: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The dog sleeps.\n")
    found = palmette("select", models / "tag.palm", tmp_path / "a.txt", "--n", 10)
    assert found.code == 0
    assert "expected 10 to choose, but there are only 1 example" in found.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lm.palm"], "does not select"),
        (["tag.palm", "--n", "0"], "'--n'"),
        (["tag.palm", "--strategy", "best"], "'--strategy'"),
    ],
)
def test_what_is_refused(palmette, models: Path, arguments: list[str], message: str) -> None:
    found = palmette("select", models / arguments[0], *arguments[1:], GARDEN / "dev.txt")
    assert found.code != 0
    assert message in found.err
    assert "Traceback" not in found.err

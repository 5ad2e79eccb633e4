"""`palmette train rules` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from palmette.cli import main

pytestmark = pytest.mark.native
EXAMPLES = Path(__file__).parents[2] / "examples" / "rules"
NEWS, TEXT, PAIRS = (str(EXAMPLES / name) for name in ("news.conllu", "news.txt", "pairs.tsv"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("rules") / "news.palm")
    assert main(["train", "rules", "-q", "--train", NEWS, "-o", path]) == 0
    return path


def test_neighbours(model: str, palmette: Any) -> None:
    rows = [
        line.split("\t") for line in palmette("predict", model, "X bought Y", "--top", "4").out.splitlines()
    ]
    assert {row[0] for row in rows} == {"X bought Y"}
    assert {row[1] for row in rows} <= {"→", "←", "↔"}
    (sold,) = [row for row in rows if row[2] == "X sold Y"]
    assert sold[6].startswith("opposite: bought, sold")
    told = json.loads(
        palmette("predict", model, "X bought Y", "--top", "1", "--jsonl", "--measure", "sum").out
    )
    assert set(told["neighbours"][0]) == {"wording", "path", "similarity", "x", "y", "direction", "opposite"}
    assert len(palmette("predict", model, "--all", "--top", "1").out.splitlines()) > 10


def test_pages(model: str, tmp_path: Path, palmette: Any) -> None:
    assert "careful" in palmette("predict", model, "X bought Y", "--text").out
    assert palmette("predict", model, "X bought Y", "--html", "-o", tmp_path / "x.html").code == 0
    assert "<h1>X bought Y</h1>" in (tmp_path / "x.html").read_text()


def test_evaluation_inspection_and_explanation(model: str, palmette: Any) -> None:
    told = json.loads(palmette("evaluate", model, PAIRS, "--json").out)
    assert told["pairs"] == told["covered"] == 9
    assert told["spearman"] > 0.5
    assert "X bought Y" in palmette("inspect", model).out
    assert "may" not in palmette("inspect", model, "--rule", "X solved Y").out
    assert "bought, sold" in palmette("inspect", model, "--rule", "X bought Y").out
    assert "similarity" in palmette("explain", model, "X solved Y", "X settled Y").out
    assert "X solved Y" in palmette("explain", model, "X solved Y").out


def test_text_is_parsed(tmp_path: Path, palmette: Any) -> None:
    assert palmette("train", "rules", "--train", TEXT, "--parser", "en", "-o", tmp_path / "m.palm").code == 0
    assert palmette("predict", tmp_path / "m.palm", "X solved Y").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "M", "X eats Y"], "'X eats Y' is not among"),
        (["predict", "M", "X bought Y", "X sold Y", "--html"], "a page about one path; got 2"),
        (["explain", "M", "X solved Y", "X eats Y"], "'X eats Y' is not among"),
        (["inspect", "M", "--rule", "X eats Y"], "'X eats Y' is not among"),
        (["evaluate", "M", "E"], "expected pairs of paths; the file has none"),
        (["evaluate", "M", "T"], "expected two paths and a number"),
        (["train", "rules", "--train", "E", "-o", "O"], "no sentences to learn from"),
        (["train", "rules", "--train", "T", "-o", "O"], "need dependency trees"),
        (["train", "rules", "--train", "N", "--set", "min_count=500", "-o", "O"], "No path occurs 500 times"),
        (["train", "rules", "--train", "T", "--learner", "crf", "-o", "O"], "have no learner"),
    ],
)
def test_bad_input(model: str, tmp_path: Path, palmette: Any, arguments: list[str], message: str) -> None:
    (tmp_path / "e").write_text("")
    (tmp_path / "t").write_text("Dogs bark.\n")
    places = {"M": model, "E": tmp_path / "e", "T": tmp_path / "t", "O": tmp_path / "x.palm", "N": NEWS}
    told = palmette(*(places.get(one, one) for one in arguments))
    assert told.code != 0
    assert message in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert not (tmp_path / "x.palm").exists()


def test_some_unknown_paths_are_a_warning(model: str, palmette: Any) -> None:
    told = palmette("predict", model, "X eats Y", "X solved Y", "--top", "1")
    assert told.code == 0
    assert "not among the paths: X eats Y" in told.err


def test_bytes_that_are_not_text(model: str, tmp_path: Path, palmette: Any) -> None:
    (tmp_path / "asked").write_bytes(b"\xff\nX solved Y\n")
    assert palmette("predict", model, tmp_path / "asked").code == 1
    told = palmette("predict", model, tmp_path / "asked", "--errors", "skip", "--top", "1")
    assert told.out.startswith("X solved Y\t")
    assert "skipped 1 line" in told.err

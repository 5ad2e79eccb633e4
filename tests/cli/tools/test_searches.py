"""`palmette predict` and `evaluate` of taggers with `--search`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palmette.cli import main
from samples.sequences import EXAMPLES

pytestmark = pytest.mark.native

TRAIN, TEST = EXAMPLES / "train.conllu", EXAMPLES / "test.conllu"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "garden.palm"
    assert main(["train", "tag", "--train", str(TRAIN), "-o", str(path), "-q"]) == 0
    return path


@pytest.mark.parametrize("search", ["viterbi", "dijkstra", "astar"])
def test_exact_searches_change_nothing_but_the_count(palmette, model: Path, search: str) -> None:
    usual = palmette("predict", model, TEST)
    found = palmette("predict", model, TEST, "--search", search)
    assert found.out == usual.out
    assert found.err.startswith(f"palmette: {search}: ")
    assert "states extended in 10 sentences, 10 of them certainly the best" in found.err
    assert palmette("predict", model, TEST, "--search", search, "--quiet").err == ""


def test_every_sentence_says_what_it_cost(palmette, model: Path) -> None:
    rows = [
        json.loads(line)
        for line in palmette("predict", model, TEST, "--search", "top-k=1", "--jsonl").out.splitlines()
    ]
    assert [row["states_touched"] for row in rows] == [len(row["tokens"]) for row in rows]
    assert not any(row["exact"] for row in rows)
    assert "states_touched" not in json.loads(palmette("predict", model, TEST, "--jsonl").out.splitlines()[0])


def test_errors_of_a_search_are_counted(palmette, model: Path) -> None:
    report = json.loads(palmette("evaluate", model, TEST, "--search", "beam=0", "--json").out)
    exact = json.loads(palmette("evaluate", model, TEST, "--search", "astar", "--json").out)
    plain = json.loads(palmette("evaluate", model, TEST, "--json").out)
    assert exact["search"]["search_errors"] == 0
    assert exact["accuracy"] == plain["accuracy"]
    assert report["search"]["name"] == "beam=0"
    assert report["search"]["states_per_token"] <= exact["search"]["states_per_token"]
    assert "search" not in plain


def test_spans_are_those_of_the_labels(palmette, tmp_path: Path) -> None:
    data = tmp_path / "ner.txt"
    data.write_text("Jack B-PER\nLondon I-PER\nwent O\nto O\nParis B-LOC\n\nParis B-LOC\nfell O\n\n" * 3)
    model = tmp_path / "ner.palm"
    assert palmette("train", "spans", "--train", data, "-o", model, "-q").code == 0
    for search in ("astar", "beam=3"):
        rows = palmette("predict", model, data, "--search", search, "--jsonl").out.splitlines()
        first = json.loads(rows[0])
        assert [(s["first"], s["last"], s["type"]) for s in first["spans"]] == [(1, 2, "PER"), (5, 5, "LOC")]
        assert all(0.5 < s["probability"] <= 1 for s in first["spans"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--search", "bfs"], "search must be one of viterbi, dijkstra"),
        (["--search", "top-k=0"], "the number of states must be"),
        (["--search", "beam=x"], "expected NAME=NUMBER; got 'beam=x'"),
        (["--search", "astar", "--kbest", "2"], "--search cannot be combined with --kbest"),
        (["--search", "astar", "--minimum-risk"], "--search cannot be combined with"),
    ],
)
def test_bad_options_are_a_sentence(palmette, model: Path, options: list[str], message: str) -> None:
    result = palmette("predict", model, TEST, *options)
    assert result.code != 0
    assert message in result.err
    assert result.out == ""

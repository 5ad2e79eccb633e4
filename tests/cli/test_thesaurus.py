"""`palmette train thesaurus` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette.cli import main

pytestmark = pytest.mark.native
EXAMPLES = Path(__file__).parents[2] / "examples" / "thesaurus"
FARM, TEXT, PAIRS = (str(EXAMPLES / name) for name in ("farm.conllu", "farm.txt", "pairs.tsv"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("thesaurus") / "farm.palm")
    assert main(["train", "thesaurus", "-q", "--train", FARM, "--set", "dimensions=20", "-o", path]) == 0
    return path


def test_neighbours(model: str, tmp_path: Path, palmette: Any) -> None:
    told = palmette("predict", model, "cat", "oak", "--top", "2", "--measure", "lin")
    rows = [line.split("\t") for line in told.out.splitlines()]
    assert [row[0] for row in rows] == ["cat", "cat", "oak", "oak"]
    assert {row[1] for row in rows} == {"dog", "rabbit", "elm", "birch"}
    (tmp_path / "words.txt").write_text("cat\n\noak\n")
    assert (
        palmette("predict", model, tmp_path / "words.txt", "--top", "2", "--measure", "lin").out == told.out
    )
    whole = palmette("predict", model, "--all", "--jsonl", "--top", "1").out.splitlines()
    assert len(whole) > 50
    assert set(json.loads(whole[0])) == {"word", "neighbours"}


def test_clusters_drawings_and_vectors(model: str, tmp_path: Path, palmette: Any) -> None:
    chosen = ("cat", "oak", "dog", "elm")
    assert palmette("predict", model, *chosen, "--clusters", "2").out in ("1\tcat dog\n2\toak elm\n",)
    assert "─┬─" in palmette("predict", model, *chosen, "--draw").out
    assert len(palmette("predict", model, "--draw").out.splitlines()) == 50
    assert palmette("predict", model, "--vectors", "npz", "-o", tmp_path / "v.npz").code == 0
    with np.load(io.BytesIO((tmp_path / "v.npz").read_bytes())) as read:
        assert read["vectors"].shape == (len(read["words"]), 40)
    text = palmette("predict", model, "--vectors", "text").out.splitlines()
    assert text[0].split()[1] == "40"


def test_evaluation_inspection_and_explanation(model: str, palmette: Any) -> None:
    told = json.loads(palmette("evaluate", model, PAIRS, "--json", "--measure", "lin").out)
    assert told["pairs"] == told["covered"] == 16
    assert told["spearman"] > 0.6
    assert "relations" in palmette("inspect", model).out
    assert "^obj planted" in palmette("inspect", model, "--word", "oak").out
    assert "contexts in common" in palmette("explain", model, "cat", "dog").out
    assert "cat and" in palmette("explain", model, "cat").out
    pair = json.loads(palmette("explain", model, "cat", "dog", "--json", "--measure", "dice").out)["pairs"][0]
    assert pair["measure"] == "dice"


def test_text_without_trees_and_with_a_parser(tmp_path: Path, palmette: Any) -> None:
    path = tmp_path / "m.palm"
    assert palmette("train", "thesaurus", "--train", TEXT, "--train", TEXT, "-o", path).code == 0
    assert json.loads(palmette("inspect", path, "--json").out)["details"]["options"]["contexts"] == "windows"
    assert palmette("train", "thesaurus", "--train", TEXT, "--parser", "en", "-o", path).code == 0
    assert json.loads(palmette("inspect", path, "--json").out)["details"]["options"]["contexts"] == "both"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "M", "zebra"], "'zebra' is not in this thesaurus"),
        (["predict", "M", "cat", "--draw", "--all"], "only one of"),
        (["explain", "M", "cat", "zebra"], "'zebra' is not in this thesaurus"),
        (["inspect", "M", "--word", "zebra"], "'zebra' is not in this thesaurus"),
        (["evaluate", "M", "E"], "expected pairs of words; the file has none"),
        (["evaluate", "M", "B"], "expected two words and a number"),
        (["train", "thesaurus", "--train", "E", "-o", "X"], "no sentences to learn from"),
        (["train", "thesaurus", "--train", "T", "-o", "X"], "No word of this text has a context"),
        (
            ["train", "thesaurus", "--train", "T", "--set", "contexts=dependencies", "-o", "X"],
            "need dependency trees",
        ),
        (["train", "thesaurus", "--train", "T", "--learner", "crf", "-o", "X"], "has no learner"),
        (["train", "thesaurus", "--train", "T", "--set", "windows=3", "-o", "X"], "did you mean 'window'"),
        (["train", "thesaurus", "--train", "T", "--wordnet", "W", "-o", "X"], "wordnet-base"),
        (["train", "thesaurus", "--train", "T", "--parser", "nothing", "-o", "X"], "nothing"),
    ],
)
def test_bad_input(model: str, tmp_path: Path, palmette: Any, arguments: list[str], message: str) -> None:
    (tmp_path / "e").write_text("")
    (tmp_path / "b").write_text("cat\tdog\tmuch\n")
    (tmp_path / "t").write_text("one two\n")
    places = {
        "M": model,
        "E": tmp_path / "e",
        "B": tmp_path / "b",
        "T": tmp_path / "t",
        "X": tmp_path / "x.palm",
    }
    places["W"] = tmp_path
    told = palmette(*(places.get(one, one) for one in arguments))
    assert told.code != 0
    assert message in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert not (tmp_path / "x.palm").exists()


def test_some_unknown_words_are_a_warning(model: str, palmette: Any) -> None:
    told = palmette("predict", model, "zebra", "cat", "--top", "1")
    assert told.code == 0
    assert "not in the thesaurus: zebra" in told.err
    assert told.out.startswith("cat\t")


def test_bytes_that_are_not_text(model: str, tmp_path: Path, palmette: Any) -> None:
    (tmp_path / "asked").write_bytes(b"\xff\ncat\n")
    assert palmette("predict", model, tmp_path / "asked").code == 1
    told = palmette("predict", model, tmp_path / "asked", "--errors", "skip", "--top", "1")
    assert told.out.startswith("cat\t")
    assert "skipped 1 line" in told.err

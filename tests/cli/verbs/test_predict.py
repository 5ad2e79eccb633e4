"""What `predict` does for every tool: JSON lines, bad bytes, answers line by line, warnings, little memory."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samples.on_engines.tiny_models import CONLLU, train_tiny_models


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny model of each tool: tag.palm, …"""
    return train_tiny_models(tmp_path_factory.mktemp("models"))


@pytest.fixture
def lines_of(palmette: Callable[..., Any], models: Path) -> Callable[..., list[dict[str, Any]]]:
    """The objects that a tool predicts."""

    def run(tool: str, *arguments: object) -> list[dict[str, Any]]:
        result = palmette("predict", models / f"{tool}.palm", *arguments, "--jsonl")
        assert (result.code, result.err) == (0, "")
        return [json.loads(line) for line in result.out.splitlines()]

    return run


# JSON lines
def test_tags_as_json(lines_of, models: Path) -> None:
    first, second = lines_of("tag", models / "t.conllu", "--probabilities")
    assert (first["sentence"], first["sent_id"], second["sentence"]) == (1, "s1", 2)
    assert [sorted(token) for token in first["tokens"]] == [["label", "number", "probability", "token"]] * 2
    assert [(t["number"], t["token"], t["label"]) for t in first["tokens"]] == [
        (1, "Time", "NOUN"),
        (2, "flies", "VERB"),
    ]
    ranked = lines_of("tag", models / "t.conllu", "--kbest", 2)[0]["kbest"]
    assert ranked[0]["log_probability"] > ranked[1]["log_probability"]
    assert [t["label"] for t in ranked[0]["tokens"]] == ["NOUN", "VERB"]
    assert [len(one["tokens"]) for one in lines_of("induce", models / "i.txt", "--lines")] == [2, 3, 2]


def test_spans_as_json(palmette, lines_of, models: Path) -> None:
    first, second = lines_of("spans", models / "s.tsv")
    rows = [
        json.loads(line)
        for line in palmette(
            "predict", models / "spans.palm", models / "s.tsv", "--spans", "json"
        ).out.splitlines()
    ]
    assert [{"sentence": 1, **span} for span in first["spans"]] == rows
    assert [(span["first"], span["last"], span["type"]) for span in first["spans"]] == [
        (1, 1, "PER"),
        (3, 4, "LOC"),
    ]
    assert second["spans"] == []
    assert (
        "use either --spans or --jsonl"
        in palmette("predict", models / "spans.palm", models / "s.tsv", "--spans", "json", "--jsonl").err
    )


def test_trees_as_json(lines_of, models: Path) -> None:
    first = lines_of("depparse", models / "t.conllu")[0]
    assert [(t["token"], t["upos"], t["head"], t["relation"]) for t in first["tokens"]] == [
        ("Time", "NOUN", 2, "nsubj"),
        ("flies", "VERB", 0, "root"),
    ]
    ranked = lines_of("depparse", models / "t.conllu", "--kbest", 2)
    assert [one["sentence"] for one in ranked] == [1, 2]
    assert [t["head"] for t in ranked[0]["kbest"][0]["tokens"]] == [2, 0]
    (models / "plain.txt").write_text("time flies\n\nann sees time\n")
    found = lines_of("parse", models / "plain.txt", "--format", "tokens")
    assert [one["sentence"] for one in found] == [1, 2, 3]
    assert found[0]["tree"] == "(TOP (S (NP (N time)) (VP (V flies))))"
    assert found[0]["tokens"] == [
        {"number": 1, "token": "time", "tag": "N"},
        {"number": 2, "token": "flies", "tag": "V"},
    ]
    assert found[1] == {"sentence": 2, "tokens": []}
    ranked = lines_of("parse", models / "plain.txt", "--format", "tokens", "--kbest", 2)
    assert ranked[0]["kbest"][0]["tree"] == found[0]["tree"]


def test_items_as_json(lines_of, models: Path) -> None:
    found = lines_of("classify", models / "c.tsv", "--probabilities", "--append")
    assert [one["label"] for one in found] == ["good", "bad", "good", "bad"]
    assert sorted(found[0]) == ["item", "label", "number", "probability"]
    (first, *_) = lines_of("align", models / "a.tsv")
    assert (first["pair"], first["source"], first["target"]) == (1, ["the", "house"], ["das", "Haus"])
    assert {(link["source"], link["target"]) for link in first["links"]} == {(0, 0), (1, 1)}
    assert all(0 < link["probability"] <= 1 for link in first["links"])
    ranked = lines_of("align", models / "a.tsv", "--kbest", 2)[0]["kbest"]
    assert ranked[0]["probability"] >= ranked[1]["probability"]
    found = lines_of("lm", models / "l.txt", "--words")
    assert [word["word"] for word in found[0]["words"]] == ["time", "flies", "</s>"]
    scores = lines_of("lm", models / "l.txt")
    assert [one["log10_probability"] for one in found] == pytest.approx(
        [one["log10_probability"] for one in scores]
    )
    assert len(lines_of("lm", models / "l.txt", "--next", 2)[0]["next"]) == 2
    assert "text" in lines_of("lm", "--sample", 1)[0]


def test_lists_as_json(lines_of, models: Path) -> None:
    found = lines_of("rerank", models / "x.nbest")
    assert [(one["list"], one["tree"]) for one in found] == [(n, "(S (N a))") for n in (1, 2, 3)]
    ranked = lines_of("rerank", models / "x.nbest", "--ranked")
    assert [one["tree"] for one in ranked[0]["candidates"]] == ["(S (N a))", "(S (V a))"]


# Bytes that are no text
INPUTS = {
    "tag": [b"1\tTime\t_\t_\t_\t_\t_\t_\t_\t_\n\n", b"1\tfl\xe9es\t_\t_\t_\t_\t_\t_\t_\t_\n\n"],
    "spans": [b"Ann\n\n", b"s\0es\n\n"],
    "depparse": [CONLLU.encode(), b"1\tfl\xe9es\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"],
    "parse": [b"time flies\n", b"ann s\xe9es\n"],
    "classify": [b"a fine film\n", b"a d\xffll film\n"],
    "align": [b"the book\tdas Buch\n", b"a book\tein B\xfcch\n"],
    "lm": [b"time flies\n", b"ann s\xe9es\n"],
    "rerank": [b"-1\t(S (N a))\n\n", b"-1\t(S (N \xe9))\n\n"],
}
FORMAT = {"parse": ["--format", "tokens"], "spans": ["--format", "columns"]}


@pytest.mark.parametrize("tool", INPUTS)
def test_bytes_that_are_no_text(palmette, models: Path, tmp_path: Path, tool: str) -> None:
    good, bad = INPUTS[tool]
    path = tmp_path / "input"
    line = ["predict", models / f"{tool}.palm", path, *FORMAT.get(tool, [])]
    path.write_bytes(good + good)
    clean = palmette(*line)
    assert (clean.code, clean.err) == (0, "")
    path.write_bytes(good + bad + good)
    strict = palmette(*line)
    assert (strict.code, strict.err.count("\n")) == (1, 1)
    line_of_it = good.count(b"\n") + 1
    assert strict.err.startswith(f"palmette: {path}:{line_of_it}: ")
    path.write_bytes(good + re.sub(rb"[\x80-\xff]", b"\0", bad) + good)
    nul = palmette(*line)
    assert (nul.code, nul.out) == (1, "")
    assert nul.err.startswith(f"palmette: {path}:{line_of_it}: NUL byte in text: remove it, or predict with ")
    path.write_bytes(good + bad + good)
    skipped = palmette(*line, "--errors", "skip")
    assert (skipped.code, skipped.out) == (0, clean.out)
    assert "skipped 1 " in skipped.err
    assert palmette(*line, "--errors", "skip", "-q").err == ""
    replaced = palmette(*line, "--errors", "replace")
    assert replaced.code == 0
    assert replaced.err == "palmette: put U+FFFD into 1 place where bytes are not UTF-8 text\n"
    assert len(replaced.out) > len(clean.out)


def test_a_bad_line_of_two_files(palmette, models: Path, tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(b"the book\na b\xf6ok\nthe house\n")
    (tmp_path / "t").write_bytes(b"das Buch\nein Buch\ndas Haus\n")
    line = ["predict", models / "align.palm", "--source", tmp_path / "s", "--target", tmp_path / "t"]
    assert f"{tmp_path / 's'}:2: " in palmette(*line).err
    result = palmette(*line, "--errors", "skip")
    assert (result.out.count("\n"), result.err) == (
        2,
        "palmette: skipped 1 pair with bytes that are not UTF-8 text\n",
    )
    assert palmette(*line, "--errors", "replace").out.count("\n") == 3
    (tmp_path / "s").write_bytes(b"the book\na book\nthe house\n")
    (tmp_path / "t").write_bytes(b"das Buch\nein Buch\ndas \0 Haus\n")
    assert f"{tmp_path / 't'}:3: NUL byte in text" in palmette(*line).err


# Warnings
def test_the_same_warning_is_told_once(palmette, models: Path, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("zebra zebra zebra zebra\n" * 3 + "flies flies flies\n" * 2)
    line = ["predict", models / "parse.palm", tmp_path / "x.txt", "--format", "tokens"]
    result = palmette(*line)
    assert result.out.count("\n") == 5
    assert 1 <= result.err.count("\n") <= 2
    assert result.err.startswith("palmette: sentence 1: ")
    assert "more like it)" in result.err
    assert palmette(*line, "-q").err == ""


# Answers as soon as a sentence is there
@pytest.mark.parametrize(
    ("tool", "sentences", "options"),
    [
        ("tag", ["Time flies.\n", "Go\n"], []),
        ("tag", ["1\tTime" + "\t_" * 8 + "\n\n", "1\tGo" + "\t_" * 8 + "\n\n"], []),
        ("spans", ["Ann\tX\n\n", "Time\tX\nflies\tX\n\n"], []),
        ("parse", ["time flies\n", "ann sees time\n"], ["--format", "tokens"]),
        ("classify", ["a fine film\n", "dull work\n"], []),
        ("align", ["the book\tdas Buch\n", "a book\tein Buch\n"], []),
        ("lm", ["time flies\n", "ann\n"], []),
        ("rerank", ["-1\t(S (N a))\n\n", "-1\t(S (V a))\n\n"], []),
    ],
)
def test_answers_line_by_line(models: Path, tool: str, sentences: list[str], options: list[str]) -> None:
    """The second sentence is written only when the answer to the first has been read."""
    line = [
        sys.executable,
        "-m",
        "palmette",
        "predict",
        models / f"{tool}.palm",
        "--line-buffered",
        "--jsonl",
    ]
    with subprocess.Popen(
        [*map(str, line), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        watch = threading.Timer(60, process.kill)  # an answer that does not come must not stop the tests
        watch.start()
        answers = []
        for sentence in sentences:
            process.stdin.write(sentence)
            process.stdin.flush()
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.stdout.read() == ""
        watch.cancel()
    assert process.returncode == 0
    assert [next(iter(answer.values())) for answer in answers] == [1, 2]


# Memory
GROWTH = """
import resource, sys
from palmette.cli import main
small, large = sys.argv[3:5]
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
options = [*sys.argv[5:], "-q", "-o", "/dev/null"]
assert main(["predict", sys.argv[1], small, *options]) == 0
before = peak()
assert main(["predict", sys.argv[1], large, *options]) == 0
print(peak() - before)
"""


@pytest.mark.parametrize("tool", ["tag", "spans", "depparse", "classify", "align", "lm", "rerank", "parse"])
def test_memory_does_not_grow_with_the_input(models: Path, tmp_path: Path, tool: str) -> None:
    unit = {
        "tag": b"Time flies. Ann sees New York.\n",
        "spans": b"Ann\nsees\nNew\nYork\n\n",
        "parse": b"(S (NP (N time)) (VP (V flies)))\n",
    }.get(tool, INPUTS[tool][0])
    size = {"parse": 150_000, "rerank": 100_000, "classify": 1_500_000}.get(tool, 2_500_000)
    (tmp_path / "small").write_bytes(unit)
    (tmp_path / "large").write_bytes(unit * (size // len(unit)))
    line = [models / f"{tool}.palm", "-", tmp_path / "small", tmp_path / "large"]
    options = ["--format", "columns"] if tool == "spans" else []
    result = subprocess.run(
        [sys.executable, "-c", GROWTH, *map(str, line), *options], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert float(result.stdout) < 60


def test_a_long_line_of_text(palmette, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text without line ends is read in pieces, and has the sentences of the whole."""
    from palmette.formats import batches

    text = "Time flies. Go! " * 40
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    want = palmette("predict", models / "tag.palm").out
    monkeypatch.setattr(batches, "TEXT_SIZE", 50)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert palmette("predict", models / "tag.palm").out == want
    assert want.count("# newpar") == 1

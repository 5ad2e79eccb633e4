"""`palmette train induce` and what follows, as a person would type it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palmette.cli import progress

pytestmark = pytest.mark.native

LINES = ["the dog runs", "a cat runs", "the cat sits", "a dog sits"] * 5
TEXT = "".join(line + "\n" for line in LINES)
GOLD = "".join(f"{d}\tD\n{n}\tN\n{v}\tV\n\n" for d, n, v in (line.split() for line in LINES))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(TEXT)
    (tmp_path / "gold.tsv").write_text(GOLD)
    (tmp_path / "some.tsv").write_text(
        GOLD[: GOLD.index("\n\n") + 2] + "".join(f"{w}\t_\n" for w in LINES[1].split()) + "\n"
    )
    (tmp_path / "words.tsv").write_text("the\tD\na D\n\ndog\tN V\ncat\tN\n")
    return tmp_path


def test_states_are_trained_evaluated_and_used(palmette: Callable[..., Any], files: Path) -> None:
    model = files / "states.palm"
    options = ["--states", 3, "--restarts", 4, "--learner", "em", "--set", "n_iter=40"]
    trained = palmette("train", "induce", "--train", files / "text.txt", "--lines", *options, "-o", model)
    assert (trained.code, trained.out) == (0, "")
    found = palmette("evaluate", model, files / "gold.tsv", "--json")
    assert json.loads(found.out)["many_to_one"] == 1
    assert "one_to_one" in palmette("evaluate", model, files / "gold.tsv").out
    assert palmette("predict", model, files / "gold.tsv").out.count("\tS") == 60
    assert "dog" in palmette("inspect", model).out
    assert palmette("explain", model, "the dog runs").code == 0


def test_a_dictionary_and_some_labels(palmette: Callable[..., Any], files: Path) -> None:
    model = files / "states.palm"
    train = ["train", "induce", "-o", model, "-q", "--train"]
    assert palmette(*train, files / "text.txt", "--dictionary", files / "words.tsv", "--states", 3).code == 0
    tagged = palmette("predict", model, files / "gold.tsv").out.splitlines()
    assert tagged[0] == "the\tD\tD"
    assert palmette(*train, files / "some.tsv", "--labels", "-1").code == 0
    tagged = palmette("predict", model, files / "gold.tsv", "--column", "-1").out.splitlines()
    assert tagged[:3] == ["the\tD", "dog\tN", "runs\tV"]


def test_a_start(palmette: Callable[..., Any], files: Path) -> None:
    hmm, model = files / "hmm.palm", files / "states.palm"
    train = ["train", "tag", "--learner", "hmm", "--order", 1, "-q", "--train", files / "gold.tsv", "-o", hmm]
    assert palmette(*train).code == 0
    again = ["train", "induce", "--train", files / "text.txt", "--lines", "--start", hmm, "-q", "-o", model]
    assert palmette(*again).code == 0
    assert palmette("predict", model, files / "gold.tsv", "--column", "-1").out == GOLD


def test_labelled_sentences_beside_text(
    palmette: Callable[..., Any], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    monkeypatch.setattr(progress, "_log", notes.append)
    model = files / "tagger.palm"
    train = ["train", "induce", "--train", files / "text.txt", "--lines", "-o", model]
    assert palmette(*train, "--labelled", files / "gold.tsv", "--dev", files / "gold.tsv").code == 0
    assert "chosen: 0 passes of EM; accuracy 100.00, with the labels alone 100.00" in "\n".join(notes)
    assert json.loads(palmette("evaluate", model, files / "gold.tsv", "--json").out)["accuracy"] == 1
    assert palmette(*train, "--labelled", files / "gold.tsv", "--label-weight", 3, "--column", "-1").code == 0
    few = ["--labelled", files / "some.tsv", "--learner", "em", "--set", "n_iter=2"]
    assert palmette(*train, *few).code == 0
    assert "2 passes of EM: too few labelled sentences to choose by" in "\n".join(notes)


def test_states_are_labelled_afterwards(palmette: Callable[..., Any], files: Path) -> None:
    model = files / "tagger.palm"
    train = ["train", "induce", "--train", files / "text.txt", "--lines", "-o", model, "--states", 5]
    assert palmette(*train, "--restarts", 3, "--label-states", files / "gold.tsv").code == 0
    assert json.loads(palmette("evaluate", model, files / "gold.tsv", "--json").out)["accuracy"] > 0.6
    assert "dog" in palmette("inspect", model).out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--label-states", "gold.tsv", "--labels", "-1"], "--label-states is for states without labels"),
        (["--label-weight", "2"], "--label-weight is for --labelled or --labels"),
        (["--column", "-1"], "--column is for --labelled, --dev and --label-states"),
        (["--labelled", "gold.tsv", "--column", "9"], "There is no column 9"),
        (["--dev", "gold.tsv"], "there is none with all labels"),
        (
            ["--learner", "crf"],
            "which a tagger without labels does not offer: take one of the learners vb, em",
        ),
        (["--set", "l2=1"], "has no option 'l2'"),
        (["--set", "noise=-1"], "'noise' parameter must be a number in the range [0, inf)"),
        (["--learner", "em", "--set", "emission_prior=1"], "--set emission_prior applies to vb"),
        (["--dictionary", "bad.tsv"], "bad.tsv:1: expected a word and its labels on each line"),
        (["--labels", "9"], "There is no column 9"),
    ],
)
def test_bad_input_is_one_sentence(
    palmette: Callable[..., Any], files: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], said: str
) -> None:
    monkeypatch.chdir(files)
    (files / "bad.tsv").write_text("word\n")
    result = palmette("train", "induce", "--train", "gold.tsv", "-o", "x.palm", *options)
    assert result.code != 0
    assert said in result.err
    assert not (files / "x.palm").exists()


def test_a_text_without_words(palmette: Callable[..., Any], files: Path) -> None:
    (files / "empty.txt").write_text("\n\n")
    result = palmette("train", "induce", "--train", files / "empty.txt", "-o", files / "x.palm")
    assert result.code != 0
    assert "expected words; the file has none" in result.err

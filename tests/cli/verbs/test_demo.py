"""`palmette demo`."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from palmette.cli.verbs import demo

pytestmark = pytest.mark.native


def test_two_trees_are_drawn(palmette) -> None:
    code, out, err = palmette("demo")
    assert (code, err) == (0, "")
    assert out.startswith('"time flies like an arrow" has 3 parses in a grammar of 17 rules.\n')
    assert out.count(" of all parses\n") == 2
    assert "\n1. probability 0.00259, 86.5% of all parses\n" in out
    # each tree has its five words on one line
    assert sum(line.split() == "time flies like an arrow".split() for line in out.splitlines()) == 2
    assert out.count("S\n") >= 2


@pytest.mark.parametrize("words", [["time", "flies"], ["time flies"], [" time ", "flies\n"]])
def test_other_words(palmette, words: list[str]) -> None:
    code, out, err = palmette("demo", *words)
    assert (code, err) == (0, "")
    assert out.startswith('"time flies" has 1 parse in a grammar of 17 rules.\n')


@pytest.mark.parametrize("words", [[], [""], [" "]])
def test_no_words(palmette, words: list[str]) -> None:
    assert palmette("demo", *words).out.startswith('"time flies like an arrow" has 3 parses')


def test_one_parse_and_none(palmette) -> None:
    assert palmette("demo", "arrow", "an").out == '"arrow an" has 0 parses in the grammar of the demo.\n'
    assert palmette("demo", "time", "an", "arrow").out.startswith('"time an arrow" has 1 parse in a grammar')


def test_unknown_words(palmette) -> None:
    assert palmette("demo", "fruit", "flies", "like", "bananas") == (
        1,
        "",
        "palmette: the grammar of the demo does not know bananas, fruit\n",
    )


def test_what_it_says_to_try_next_works(palmette) -> None:
    out = palmette("demo").out
    (line,) = [line for line in out.splitlines() if line.startswith("  palmette deduce ")]
    code, shown, err = palmette(*shlex.split(line)[1:])
    assert (code, err) == (0, "")
    assert shown.startswith("3 derivation(s)")


def test_no_examples(palmette, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "exists", lambda self: False)
    with pytest.raises(FileNotFoundError, match="the examples are not installed"):
        demo.examples_directory()


def test_a_terminal_that_knows_only_ascii() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "palmette", "demo"], env=environment, capture_output=True, check=True
    )
    assert b"+--" in done.stdout
    assert done.stdout.isascii()


def test_a_tagger_is_trained(palmette) -> None:
    out = palmette("demo").out
    assert "A tagger learnt from 50 sentences (391 words) in " in out
    assert "The/DET cook/NOUN leaves/VERB the/DET light/NOUN" in out
    assert "runner-up" in out
    assert "A tagger learnt" not in palmette("demo", "time", "flies").out


def test_a_shipped_model_is_shown(palmette, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from palmette import models
    from palmette.tools.sequence.tagger import Tagger
    from samples.sequences import garden

    Tagger().fit(garden()).save(tmp_path / "en.palm", compact=True)
    monkeypatch.setattr(models, "_HERE", tmp_path)
    out = palmette("demo").out
    assert "The same sentence by the tagger 'en'" in out
    assert "\n  Time     " in out
    assert "\n  3  like  " in out

"""`palmette score --from raw-text`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palmette.evaluation.raw_text import evaluate_raw_text
from samples.raw_text import BAD, GOLD, GUESS, TREE


@pytest.mark.parametrize("name", BAD)
def test_bad_files_get_one_sentence(name: str, palmette, tmp_path: Path) -> None:
    gold, guess = tmp_path / "gold.conllu", tmp_path / "guess.conllu"
    text, line, message = BAD[name]
    gold.write_text(TREE)
    guess.write_text(text)
    where = str(guess) if line is None else f"{guess}:{line}"
    result = palmette("score", gold, guess, "--from", "raw-text")
    assert result.code != 0
    assert result.err.startswith(f"palmette: {where}: {message.format(gold=gold)}")
    assert result.err.count("\n") == 1
    assert not result.out


def test_command(palmette, tmp_path: Path) -> None:
    gold, guess = tmp_path / "gold.conllu", tmp_path / "guess.conllu"
    gold.write_text(GOLD)
    guess.write_text(GUESS)
    report = json.loads(palmette("score", gold, guess, "--from", "raw-text", "--json").out)
    scores = evaluate_raw_text(gold, guess)
    assert {name: report[name] for name in scores.to_dict()} == json.loads(json.dumps(scores.to_dict()))
    assert report["worst"] == [{"sentence": 1, "mistakes": 5}]
    shown = palmette("score", gold, guess, "--from", "raw-text").out
    assert "LAS           0.3333  0.2500  0.2857   0.5000" in shown
    assert "ADV as NOUN  1" in shown
    refused = palmette("score", gold, guess)
    assert refused.code != 0
    assert "--from raw-text compares different words of the same text" in refused.err
    assert palmette("score", gold, guess, "--from", "raw-text", "--column", "upos").code == 2

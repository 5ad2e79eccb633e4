"""The part of `palmette demo` about trees of phrases, and the example."""

from __future__ import annotations

import importlib.util

import pytest

from palmette.cli.verbs.demo_phrases import learn_a_grammar
from samples.phrase_treebank import GARDEN


def test_a_grammar_is_learnt(capsys: pytest.CaptureFixture[str]) -> None:
    learn_a_grammar(GARDEN)
    out = capsys.readouterr().out
    assert "A grammar read off 47 trees of phrases in " in out
    assert "The probabilities of its brackets:" in out


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("constituency_example", GARDEN / "train.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main()
    out = capsys.readouterr().out
    assert "Bracketing FMeasure" in out
    assert "(NP (DT the) (JJ light) (NN on))" in out or "light" in out

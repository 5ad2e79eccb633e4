"""The part of `palmette demo` about translation, and the example."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from palmette.cli.verbs.demo_translation import learn_to_translate

pytestmark = pytest.mark.native

WHERE = Path(__file__).parents[3] / "examples" / "translation"


def test_a_translator_is_trained(capsys: pytest.CaptureFixture[str]) -> None:
    learn_to_translate(WHERE)
    out = capsys.readouterr().out
    assert "A translator from 500 pairs of sentences in " in out
    assert "the old woman has found" in out
    assert "margin +" in out


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(WHERE / "translate.py"))
    out = capsys.readouterr().out
    assert "500 pairs; BLEU on the dev text: 0." in out
    assert "volume" in out


def test_the_example_with_rules_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(WHERE / "hierarchical.py"))
    out = capsys.readouterr().out
    assert "500 pairs; BLEU on the dev text: 0." in out
    assert "X -> " in out
    assert "derivations." in out


def test_the_sentences_are_those_of_the_grammar(tmp_path: Path) -> None:
    script = tmp_path / "sentences.py"
    script.write_text((WHERE / "sentences.py").read_text(encoding="utf-8"), encoding="utf-8")
    runpy.run_path(str(script), run_name="__main__")
    for name in ("train.tsv", "dev.tsv", "test.tsv"):
        assert (tmp_path / name).read_bytes() == (WHERE / name).read_bytes()


def test_the_example_of_trees_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(WHERE / "trees.py"), run_name="__main__")
    out = capsys.readouterr().out
    assert out.startswith("das Kind muss das Buch nicht finden\n")
    assert out.count("VP") == 2

"""The part of `palmette demo` about dependency trees."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette import models as shipped
from palmette.cli.verbs.demo_parsing import parse_with_shipped_model, train_a_parser
from palmette.learning.perceptron import Perceptron
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.sequence.tagger import Tagger
from samples.treebank import EXAMPLES, garden_trees

pytestmark = pytest.mark.native


def test_a_parser_is_trained(capsys: pytest.CaptureFixture[str]) -> None:
    train_a_parser(EXAMPLES)
    out = capsys.readouterr().out
    assert "A parser learnt from the trees of 50 sentences in " in out
    assert "nsubj" in out
    assert "The probability of each head:\n\n  The " in out
    assert "Why 'cook' has its head" in out
    assert "\n  3  cook  " in out
    assert "runner-up" in out


def test_a_shipped_pipeline_is_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "_HERE", tmp_path)
    parse_with_shipped_model("Time flies .")
    Tagger(Perceptron(n_iter=1)).fit(garden_trees()).save(tmp_path / "en.palm")
    parse_with_shipped_model("Time flies .")
    assert capsys.readouterr().out == ""  # no model, or one that cannot parse
    parser = DependencyParser(options={"bits": 16, "label_bits": 12}, taggers=True, jackknife=0)
    parser.fit(garden_trees()).save(tmp_path / "en.palm")
    parse_with_shipped_model("Time flies .")
    assert "The same sentence by the parser in 'en':" in capsys.readouterr().out

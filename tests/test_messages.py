"""Logging: a line for every pass, warnings of what was left out, and nothing unless it is asked for."""

from __future__ import annotations

import logging
import subprocess
import sys
from typing import Any

import pytest

from palmette import ConstituencyParser, Corpus, DependencyParser, Tagger, Tree
from samples.tool_cases import CASES, TAGS, WORDS

pytestmark = pytest.mark.native


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("Constituency")])
def test_training_tells_of_its_passes(name: str, caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    case = CASES[name]
    case.fit(case.make(), case.X, case.y)
    assert not [record for record in caplog.records if record.levelno <= logging.INFO]
    with caplog.at_level(logging.INFO, logger="palmette"):
        tool = case.fit(case.make(), case.X, case.y)
    lines = [record.getMessage() for record in caplog.records if record.name == "palmette"]
    if name == "LanguageModel":
        assert lines == ["language model, 9 1-grams, 12 2-grams"]
    elif name == "Translator":  # its stages speak for themselves
        told = " ".join(lines)
        assert all(
            word in told for word in ("word aligner, both model1, pass 1", "phrases, pass 1", "2-grams")
        )
    else:
        assert len(lines) == len(tool.history_)
        assert all(line.startswith(f"{tool.kind}, ") and "pass " in line for line in lines)
    assert capfd.readouterr() == ("", "")


def test_a_callback_hears_of_them_too(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[Any] = []
    with caplog.at_level(logging.INFO, logger="palmette"):
        tagger = Tagger(templates="w[0]").fit(WORDS, TAGS, callback=seen.append)
    assert tuple(seen) == tagger.history_
    assert len(caplog.records) == len(seen)
    assert "loss" in caplog.records[0].getMessage()


def test_warnings_of_what_was_left_out(caplog: pytest.LogCaptureFixture) -> None:
    heads = [[2, 0], [2, 1]]
    bank = Corpus.from_columns(
        {"form": [["Dogs", "bark"], ["Cats", "sleep"]], "deprel": [["nsubj", "root"]] * 2}, heads=heads
    )
    DependencyParser().fit(bank, skip_bad=True)
    assert [r.getMessage() for r in caplog.records] == ["1 sentences with something wrong are left out"]
    caplog.clear()
    parser = ConstituencyParser("pcfg").fit([Tree.parse("(S (NP (NN a)) (VP (VB b)))")])
    parser.predict([["b", "b", "b"], ["a", "b"], ["a", "a", "a", "a"]])
    (record,) = caplog.records
    assert record.getMessage().startswith("2 of 3 sentences: ")
    assert record.levelname == "WARNING"


def test_nothing_is_printed_unless_asked_for() -> None:
    code = (
        "from palmette import ConstituencyParser, Tree\n"
        "parser = ConstituencyParser('pcfg').fit([Tree.parse('(S (NP (NN a)) (VP (VB b)))')])\n"
        "parser.predict([['b', 'b', 'b']])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")

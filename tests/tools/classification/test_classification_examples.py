"""The examples run and say what their texts promise."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[3] / "examples" / "classification"


def test_questions(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "questions.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert said.startswith("100% right")
    assert "(WRB" in said


def test_attachment(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "attachment.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "N, runner-up V" in said.split("\n")[2]
    assert "like set price at dollars at 0.000" in said

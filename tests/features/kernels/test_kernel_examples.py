"""The examples run and say what they should."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[3] / "examples" / "kernels"


def test_fragments(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "fragments.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "1 × (S NP VP)" in said
    lines = [line for line in said.splitlines() if line.startswith("their sum")]
    total, kernel = lines[0].removeprefix("their sum ").split(", the kernel ")
    assert total == kernel


def test_questions(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "questions.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "0 mistakes" in said
    assert "Where is the spider? place (right: place)" in said

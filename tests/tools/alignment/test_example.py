"""The example of word alignment runs, and says what it should."""

import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[3] / "examples" / "alignment"


def test_a_small_dictionary(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "align.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "house      haus" in printed
    assert "garden     garten" in printed
    assert "perplexity" in printed
    assert "in the garden  im Garten" in printed

"""The example of language models runs, and says what it should."""

import runpy
import warnings
from pathlib import Path

import pytest

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[3] / "examples" / "language_models"


def test_garden(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        runpy.run_path(str(EXAMPLES / "train.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "tree       0.9" in printed
    assert "tulips" in printed
    assert "unknown" in printed

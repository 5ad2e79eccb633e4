"""tools/check-aarch64 where it cannot run, and what tools/wheel_runs.py takes for agreement."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


def test_it_says_what_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, str(TOOLS / "check-aarch64"), sys.executable]
    done = subprocess.run(
        command, cwd=tmp_path, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("skipped: aarch64-linux-gnu-g++, ")
    assert "apt install" in done.stdout
    assert not list(tmp_path.iterdir())


def run(**changes: Any) -> dict[str, Any]:
    found = {"core": "a", "outputs": {"tags": ["N"]}, "probabilities": [0.5, 0.25], "files": "f"}
    return {**found, **changes}


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        (run(core="b", outputs={"tags": ["V"]}), "the core b has other outputs than a: tags"),
        (run(core="b", probabilities=[0.5, 0.2502]), "probabilities of different cores differ"),
        (run(files="g"), "the core a made different models of the same data"),
    ],
)
def test_runs_that_do_not_agree_are_found(
    other: dict[str, Any], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    import wheel_runs  # type: ignore[import-not-found, unused-ignore]

    with pytest.raises(SystemExit, match=sentence):
        wheel_runs.agree([run(), other])


def test_runs_agree_up_to_rounding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    import wheel_runs  # type: ignore[import-not-found, unused-ignore]

    wheel_runs.agree([run(), run(), run(core="b", probabilities=[0.5, 0.25001], files="g")])
    assert (
        "3 runs of a, b: the same outputs; probabilities differ by at most 1.0e-05" in capsys.readouterr().out
    )

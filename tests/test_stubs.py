"""The committed stubs are what the native module says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
STUBS = "src/palmette/_native.pyi"


def test_the_stubs_are_up_to_date(tmp_path: Path) -> None:
    """As `make stubs` makes them; run it if this fails."""
    output_of("nanobind.stubgen", "-q", "-m", "palmette._native", "-o", str(tmp_path / "made.pyi"))
    stubs = (tmp_path / "made.pyi").read_text()
    for step in (["check", "--quiet", "--fix"], ["format", "--quiet"]):
        stubs = output_of("ruff", *step, f"--stdin-filename={STUBS}", "-", given=stubs)
    assert stubs == (ROOT / STUBS).read_text()


def output_of(module: str, *arguments: str, given: str = "") -> str:
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, input=given, cwd=ROOT, capture_output=True, text=True, check=True).stdout

"""A test may not be skipped in continuous integration for a package that the extra `dev` installs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from installed import of_dev

TESTS = Path(__file__).parent
# Modules that tests do without: they have no wheel, belong to another extra, or to another system.
OTHERS = {"kenlm", "torch", "torch_struct", "resource", "scipy"}
MISSING = """
import sys
import pytest

sys.modules["nbformat"] = None
sys.modules["kenlm"] = None

def test_of_dev():
    pytest.importorskip("nbformat")

def test_of_nothing():
    pytest.importorskip("kenlm")
"""


@pytest.mark.parametrize(("ci", "outcome"), [("1", "1 failed, 1 skipped"), ("", "2 skipped")])
def test_what_is_missing_fails_where_it_must_be_there(ci: str, outcome: str, tmp_path: Path) -> None:
    (tmp_path / "test_missing.py").write_text(MISSING)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "installed", "-p", "no:cacheprovider", "-q", tmp_path]
    environment = {**os.environ, "CI": ci, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    made = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert outcome in made.stdout
    assert ("nbformat is in the extra dev" in made.stdout) == bool(ci)


def test_every_package_that_tests_need_is_in_dev_or_known() -> None:
    asked = {
        name.partition(".")[0]
        for path in TESTS.rglob("*.py")
        for name in re.findall(r'importorskip\("([\w.]+)"', path.read_text(encoding="utf-8"))
    }
    assert asked - of_dev() <= OTHERS

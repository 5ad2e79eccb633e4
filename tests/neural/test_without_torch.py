"""Where torch is not installed, one sentence says what to install, and everything else works."""

from __future__ import annotations

import subprocess
import sys

import pytest

SENTENCE = "ImportError: This needs the Python package 'torch': pip install 'palmette[neural]'"


def run_without_torch(code: str) -> subprocess.CompletedProcess[str]:
    hidden = f"import sys; sys.modules['torch'] = None\n{code}"
    return subprocess.run([sys.executable, "-c", hidden], check=False, capture_output=True, text=True)


def test_the_package_says_what_to_install() -> None:
    result = run_without_torch("import palmette.neural")
    assert result.returncode == 1
    assert result.stderr.strip().splitlines()[-1] == SENTENCE


@pytest.mark.parametrize("module", ["palmette.compat.torchcrf", "palmette.neural.rbm.machine"])
def test_what_is_built_on_it_says_so_too(module: str) -> None:
    result = run_without_torch(f"import {module}")
    assert result.returncode == 1
    assert result.stderr.strip().splitlines()[-1] == SENTENCE


def test_the_rest_does_not_need_torch() -> None:
    code = "import palmette; palmette.Tagger, palmette.DependencyParser; palmette.tools, palmette.structures.Chain"
    result = run_without_torch(code)
    assert result.returncode == 0, result.stderr


def test_nothing_else_imports_torch() -> None:
    code = (
        "import sys, palmette; palmette.Tagger, palmette.DependencyParser; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

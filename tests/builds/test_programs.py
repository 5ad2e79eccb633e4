"""Small programs that test what native/base does below Python: each ends with 0 if all is right."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((Path(__file__).parent / "native").glob("*.cpp"))
SWITCHED = ("x86_64", "AMD64", "aarch64", "arm64")


@pytest.mark.parametrize("source", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_of_the_core(source: Path, tmp_path: Path) -> None:
    if source.stem == "flush_to_zero" and platform.machine() not in SWITCHED:
        pytest.skip("this processor has no switch for tiny numbers")
    compiler = next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)
    if compiler is None:
        pytest.skip("no C++ compiler is installed")
    program = tmp_path / source.stem
    command = [compiler, "-std=c++20", "-O2", f"-I{ROOT / 'native'}", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    done = subprocess.run([program], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout

"""What processors a build is for, and what others are told."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from palmette.cli.errors import sentence

ROOT = Path(__file__).parents[1]
on_x86 = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="is about x86-64 processors"
)


@on_x86
@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("", ["x86-64-v2", "x86-64-v3", "x86-64-v4"]),
        ("x86-64-v3", ["x86-64-v3"]),
        ("native", ["native"]),
    ],
)
def test_a_build_is_for_any_recent_processor_unless_asked(
    asked: str, given: list[str], tmp_path: Path
) -> None:
    cmake, ninja = shutil.which("cmake", path=search_path()), shutil.which("ninja", path=search_path())
    if not cmake or not ninja:
        pytest.skip("cmake or ninja is not installed")
    command = [cmake, "-S", str(ROOT), "-B", str(tmp_path), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    backend = subprocess.run(
        [sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    command += ["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DPALMETTE_ARCH={asked}", f"-Dnanobind_DIR={backend}"]
    subprocess.run([*command, f"-DPython_EXECUTABLE={sys.executable}"], check=True, capture_output=True)
    commands = json.loads((tmp_path / "compile_commands.json").read_text())
    core = [
        entry["command"]
        for entry in commands
        if "/bind/" not in entry["file"] and "/native/" in entry["file"]
    ]
    border = [entry["command"] for entry in commands if "/native/bind/" in entry["file"]]
    assert core
    found = [re.findall(r"-march=(\S+)", command) for command in core]
    assert sorted({name for names in found for name in names}) == given
    assert {len(names) for names in found} == {1}
    # The check at import must itself run anywhere.
    assert border
    assert not any("-march=" in command for command in border)


def search_path() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


@on_x86
@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitized build is for any processor"
)
def test_an_older_processor_is_a_sentence() -> None:
    emulator = shutil.which("qemu-x86_64")
    if emulator is None:
        pytest.skip("qemu-x86_64 is not installed (Debian: apt install qemu-user)")
    from palmette import _native

    # The module alone: NumPy has conditions of its own.
    load = f"""
import importlib.machinery, importlib.util
loader = importlib.machinery.ExtensionFileLoader("palmette._native", {_native.__file__!r})
module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(module)
"""
    python = str(Path(sys.executable).resolve())
    packages = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [emulator, "-cpu", "core2duo", python, "-S", "-c", load],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": packages},
        timeout=300,
    )
    assert done.returncode == 1, done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: This build of Palmette cannot run here: the processor lacks sse4.1")


def test_the_command_line_says_it_plainly() -> None:
    text = "This build of Palmette cannot run here: the processor lacks avx2."
    assert sentence(ImportError(text)) == text
    assert "internal error" in sentence(ImportError("cannot import name 'x'", name="palmette._native"))

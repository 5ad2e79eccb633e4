"""The same bytes come out whatever the locale, time zone, home folder, terminal and mask of new files are."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from samples.corpora import GARDEN

TEXT = "Zoë naïvely said: “Grüße, 東京!” 🌴\n".encode()
ENVIRONMENTS: dict[str, dict[str, str | None]] = {
    "locale C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "locale that is not there": {"LC_ALL": "tr_TR.ISO-8859-9", "LANG": "tr_TR.ISO-8859-9"},
    "latin streams": {"PYTHONIOENCODING": "latin-1"},
    "time zone": {"TZ": "Pacific/Auckland"},
    "no home": {"HOME": None, "XDG_CACHE_HOME": None, "USER": None, "LOGNAME": None},
    "home that is not there": {"HOME": "/nonexistent/home"},
    "no terminal": {"TERM": None, "COLUMNS": "1", "LINES": "1"},
    "no asserts": {"PYTHONOPTIMIZE": "2"},
    "warnings are errors": {"PYTHONWARNINGS": "error"},
    "development mode": {"PYTHONDEVMODE": "1"},
    "other hashes": {"PYTHONHASHSEED": "123"},
}


def run(*arguments: str, text: bytes = b"", umask: int = -1, **environment: str | None) -> bytes:
    """Run a command in a changed environment, and return its output."""
    changed = {**os.environ, **{name: value for name, value in environment.items() if value is not None}}
    for name, value in environment.items():
        if value is None:
            changed.pop(name, None)
    command = [sys.executable, "-m", "palmette", *arguments]
    done = subprocess.run(command, input=text, capture_output=True, env=changed, umask=umask, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture(scope="module")
def answer() -> bytes:
    return run("predict", "en", text=TEXT)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_answers_do_not_depend_on_the_environment(name: str, answer: bytes) -> None:
    assert run("predict", "en", text=TEXT, **ENVIRONMENTS[name]) == answer
    assert "東京".encode() in answer


def test_models_do_not_depend_on_the_environment(tmp_path: Path) -> None:
    models = []
    for number, name in enumerate(("time zone", "other hashes", "no home")):
        path = tmp_path / f"{number}.palm"
        run(
            "train",
            "tag",
            "--train",
            str(GARDEN / "train.conllu"),
            "-o",
            str(path),
            "-q",
            **ENVIRONMENTS[name],
        )
        models.append(path.read_bytes())
    assert len(set(models)) == 1


@pytest.mark.parametrize("umask", [0o000, 0o027, 0o077])
def test_new_files_obey_the_mask(umask: int, tmp_path: Path) -> None:
    path = tmp_path / "out.export"
    run("convert", str(GARDEN / "test.mrg"), str(path), "--to", "export", umask=umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


def test_folders_without_permission_are_named(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("the administrator may write everywhere")
    tmp_path.chmod(0o500)
    command = [
        sys.executable,
        "-m",
        "palmette",
        "convert",
        str(GARDEN / "test.mrg"),
        str(tmp_path / "x"),
        "--to",
        "export",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "permission denied" in done.stderr

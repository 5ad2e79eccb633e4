from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from palmette.cli import main, progress
from palmette.formats.model import ModelFile
from palmette.tools import registry
from samples import toy_tool


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def palmette(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Runs a command line in this process, through main."""

    def run(*arguments: object) -> Result:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture(autouse=True)
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors and warnings alone go to standard error; lines about progress are tested in processes."""
    monkeypatch.setattr(progress, "_log", lambda text: None)


@pytest.fixture
def no_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing were registered."""
    monkeypatch.setattr(registry, "_TOOLS", {})


@pytest.fixture
def toy(no_tools: None) -> None:
    """As if the toy tool were the only one."""
    registry.register(toy_tool.TOOL)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text("a rose is a Rose is a rose\n")
    return tmp_path / "text.txt"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model of a kind that no tool has."""
    arrays = {"weights": np.zeros((2, 3), np.float32), "bias": np.array(0.5)}
    strings = {"labels": ["NOUN", "\x1b[2J", "x" * 50, "d", "e", "f"], "none": []}
    options = {"l2": 0.12345678, "name": "é", "nested": {"a": [1, None, True]}}
    ModelFile("oracle", options, arrays, strings).save(tmp_path / "x.palm")
    return tmp_path / "x.palm"

"""The examples of grammars run, and say what they should."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[2] / "examples" / "grammars"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"grammars_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tour(capsys: pytest.CaptureFixture[str]) -> None:
    load("tour").main("time flies like an arrow".split())
    out = capsys.readouterr().out
    assert out.startswith("consistent: the strings have a total probability of 1\n")
    assert "time flies like an arrow: 4 trees, probability 0.002039" in out
    best = "(S (NP (NN time)) (VP (VB flies) (PP (IN like) (NP (DT an) (NN arrow)))))"
    assert f"which stands for {best}" in out


def test_inside_outside(capsys: pytest.CaptureFixture[str]) -> None:
    load("inside_outside").main(60)
    out = capsys.readouterr().out
    assert "EM: " in out
    assert "VB: " in out
    assert "NP -> DT NN" in out

"""The examples of grammars and the code of their page run, and say what they should."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from palmette import HMM, Tagger

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


def test_synchronous(capsys: pytest.CaptureFixture[str]) -> None:
    load("synchronous").main()
    out = capsys.readouterr().out
    assert "they see them" in out
    assert "(S (NP they) (VP do not (V leave)))" in out
    assert "rank 4: it cannot be binarized; collecting A C D B costs n^(5 + 4(m - 1))" in out


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.mrg").write_text("(S (NP (NN time)) (VP (VBZ flies)))\n")
    page = (EXAMPLES.parents[1] / "docs" / "tools" / "grammars.md").read_text(encoding="utf-8")
    first, *others = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(others) >= 7
    given = {
        "words": ["time", "flies"],
        "sentences": [["time", "flies"], ["flies"]],
        "tagger": Tagger(HMM(), order=1).fit([["time", "flies"]], [["N", "V"]]),
    }
    for block in others:
        exec(compile(first + block, "docs/tools/grammars.md", "exec"), dict(given))

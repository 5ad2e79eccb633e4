"""The pictures of the chapters are those that tools/make-pictures makes."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

from samples.guides.outputs import same_output

pytestmark = [pytest.mark.native, pytest.mark.filterwarnings("ignore:the counts of")]

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures" / "learn"
NAMES = sorted(path.stem for path in FOLDER.glob("*.svg"))


@pytest.fixture(scope="module")
def maker() -> Any:
    """The program as a module."""
    loader = SourceFileLoader("make_pictures", str(ROOT / "tools" / "make-pictures"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_every_picture_is_made_and_shown(maker: Any) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "learn").glob("*.md"))
    assert sorted(maker.PICTURES) == NAMES
    assert [name for name in NAMES if f"pictures/learn/{name}.svg" not in pages] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_what_is_drawn_today(name: str, maker: Any) -> None:
    """Up to the last digits of its numbers, which depend on the processor."""
    if name == "rbm":
        pytest.importorskip("torch")
    if name == "smoothing" and sys.version_info[:2] != (3, 11):
        pytest.skip("it is drawn from the documentation of Python 3.11")
    kept = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    made = maker.PICTURES[name]()
    assert same_output(made, kept, share=0.005), f"run tools/make-pictures {name} and look at it"

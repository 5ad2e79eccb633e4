"""Which build of the native core is chosen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from palmette import variants

LEVELS = [(1, None), (2, None), (3, "x86-64-v3"), (4, "x86-64-v4")]


def _package(folder: Path, *built: str) -> str:
    for name in built:
        (folder / "variants" / name).mkdir(parents=True)
    return str(folder)


def _processor(monkeypatch: pytest.MonkeyPatch, level: int) -> None:
    module = ModuleType("palmette._processor")
    module.level = lambda: level  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "palmette._processor", module)


@pytest.mark.parametrize(("level", "name"), LEVELS)
def test_the_best_core_that_the_processor_can_run(
    level: int, name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _processor(monkeypatch, level)
    folder = _package(tmp_path, "x86-64-v3", "x86-64-v4")
    expected = None if name is None else str(tmp_path / "variants" / name)
    assert variants.choose(folder) == expected


def test_a_newer_processor_gets_the_best_core_that_was_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _processor(monkeypatch, 4)
    assert variants.choose(_package(tmp_path, "x86-64-v3")) == str(tmp_path / "variants" / "x86-64-v3")


def test_a_build_for_one_machine_asks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "palmette._processor", None)  # to import it would fail
    assert variants.choose(str(tmp_path)) is None


def test_a_core_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _processor(monkeypatch, 3)
    folder = _package(tmp_path, "x86-64-v3", "x86-64-v4")
    assert variants.choose(folder, "x86-64-v2") is None
    assert variants.choose(folder, "x86-64-v3") == str(tmp_path / "variants" / "x86-64-v3")
    with pytest.raises(ImportError, match="'x86-64-v4', which this processor cannot run"):
        variants.choose(folder, "x86-64-v4")
    with pytest.raises(ImportError, match="one of x86-64-v2, x86-64-v3, x86-64-v4"):
        variants.choose(folder, "avx2")


def test_a_name_without_variants_is_refused() -> None:
    code = "import palmette"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={"PALMETTE_CORE": "avx2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode
    assert "PALMETTE_CORE is 'avx2'. It must be" in found.stderr


def test_the_core_in_use_has_a_name() -> None:
    assert variants.active() in {*variants.NAMES.values(), "built here"}

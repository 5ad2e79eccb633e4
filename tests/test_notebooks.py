"""The notebooks of examples/notebooks: they run, and what they keep is small, whole and drawn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
MOST_BYTES = 200_000

# The packages of Jupyter warn about themselves and each other.
pytestmark = [pytest.mark.filterwarnings("ignore")]


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def kinds(notebook: Any) -> list[list[str]]:
    """Return what each cell shows: the kinds of its outputs."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        [kind for one in cell.outputs for kind in sorted(one.get("data", [one.output_type]))] for cell in code
    ]


def test_there_are_four() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == ["1_", "2_", "3_", "4_"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_kept_is_small_and_valid(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert path.stat().st_size < MOST_BYTES
    assert all(
        cell.outputs or "=" in cell.source or "def " in cell.source
        for cell in notebook.cells
        if "outputs" in cell
    )
    assert not [one for one in outputs(notebook) if one.output_type == "error" or one.get("name") == "stderr"]
    images = [
        one.data["image/svg+xml"] for one in outputs(notebook) if "image/svg+xml" in one.get("data", {})
    ]
    assert len(images) >= 2
    for image in images:
        ElementTree.fromstring(image)
    text = path.read_text(encoding="utf-8")
    assert str(ROOT) not in text  # nor any other path of the machine that ran it
    assert "/home/" not in text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_they_run_and_show_the_same_kinds_of_things(path: Path, tmp_path: Path) -> None:
    command = [sys.executable, ROOT / "tools" / "run-notebooks.py", "--to", tmp_path, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kept, made = (nbformat.read(folder / path.name, as_version=4) for folder in (path.parent, tmp_path))
    assert not [one for one in outputs(made) if one.output_type == "error" or one.get("name") == "stderr"]
    assert kinds(made) == kinds(kept)

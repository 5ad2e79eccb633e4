"""A pipeline that several files of tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette.cli import main

DATA = Path(__file__).parents[3] / "examples" / "pipelines"


@pytest.fixture(scope="session")
def pipeline_of_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of all steps, trained by the command."""
    path = tmp_path_factory.mktemp("models") / "garden.palm"
    files = ["--train", str(DATA / "train.conllu"), "--entities", str(DATA / "names.txt")]
    asked = ["--jackknife", "2", "--method", "graph", "--language", "es", "-q"]
    assert main(["train", "pipeline", *files, *asked, "-o", str(path)]) == 0
    return path

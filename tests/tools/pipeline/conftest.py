"""A small treebank with all layers."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette.formats import read_conllu
from palmette.formats.corpus import Corpus


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return read_conllu(Path(__file__).parents[3] / "examples" / "pipelines" / "train.conllu")

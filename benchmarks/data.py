"""Where the corpora lie: `$PALMETTE_DATA`, or `../shared/data` beside the project. They are not part of it."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.measuring.row import UnavailableError

DATA = Path(os.environ.get("PALMETTE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def corpus(*names: str) -> list[Path]:
    """The paths of some files of the data."""
    paths = [DATA / name for name in names]
    for path in paths:
        if not path.exists():
            raise UnavailableError(f"there is no {path}; say where the corpora lie with PALMETTE_DATA")
    return paths


def treebank(name: str, part: str) -> Path:
    """The path of a part (train, dev, test) of a treebank in CoNLL-U, compressed or not."""
    plain = DATA / name / f"{part}.conllu"
    (path,) = [plain] if plain.exists() else corpus(f"{name}/{part}.conllu.gz")
    return path

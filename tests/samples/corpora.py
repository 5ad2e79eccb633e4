"""Corpora for tests that need real files, beside the project; where they are not, small ones of our own.

`tests/data/garden` has sentences of ours in all formats. `real_file` falls back to them, so that the same code
runs everywhere. `corpus_file` is for what is known of a corpus, such as its numbers: its tests skip without it.
"""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("PALMETTE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
GARDEN = Path(__file__).resolve().parents[1] / "data" / "garden"
# What the names of corpora begin with, and the endings of our files of that kind.
_OURS = {
    "const_": "mrg",
    "ud_": "conllu",
    "chunk_": "chunks.txt",
    "ner_": "names.txt",
    "pos_": "tags.tsv",
    "lm_": "txt",
    "qc_": "questions.tsv",
}


def real_file(name: str) -> Path:
    """A file of the shared data, or one of ours in the same format."""
    path = DATA / name
    return path if path.exists() else _ours(name)


def corpus_file(name: str) -> Path:
    """A file of the shared data, or a skipped test."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no {name} in the shared data beside the project")
    return path


def real_files(pattern: str) -> list[str]:
    """The names of the files that match; ours where none does."""
    found = sorted(str(path.relative_to(DATA)) for path in DATA.glob(pattern))
    return found or [pattern.replace("*", "garden", 1).replace("*", "train", 1).rstrip("*")]


def _ours(name: str) -> Path:
    folder, _, file = name.partition("/")
    part, _, ending = file.partition(".")
    ending = ending.removesuffix(".gz")
    kind = next((kind for start, kind in _OURS.items() if folder.startswith(start)), ending)
    path = GARDEN / f"{part}.{kind}"
    return path if part and path.is_file() else corpus_file(name)

"""The data sets beside the project, for tests that need real files; such a test skips where they are not."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("PALMETTE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def real_file(name: str) -> Path:
    """A file of the shared data, or a skipped test."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no {name} in the shared data beside the project")
    return path


def real_files(pattern: str) -> list[str]:
    """The names of the files that match; one that does not exist when none does, so that its test skips."""
    return sorted(str(path.relative_to(DATA)) for path in DATA.glob(pattern)) or [pattern]

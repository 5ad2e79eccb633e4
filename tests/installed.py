"""In continuous integration (CI is set) no test may be skipped for a package that the extra `dev` names.

`pytest.importorskip` then fails where such a package is missing: a test that is always skipped checks nothing.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

# Packages whose module has another name.
MODULES = {"scikit-learn": "sklearn", "python-crfsuite": "pycrfsuite", "pytorch-crf": "torchcrf"}


def of_dev() -> set[str]:
    """The modules of the packages that the extra `dev` names."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    needed = project["project"]["optional-dependencies"]["dev"]
    names = [re.split(r"[\[<>=~! ]", one)[0] for one in needed]
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def pytest_configure(config: pytest.Config) -> None:
    """Let `importorskip` fail for modules of the extra `dev`."""
    if not os.environ.get("CI"):
        return
    usual, required = pytest.importorskip, of_dev()

    def strict(modname: str, *arguments: Any, **options: Any) -> Any:
        try:
            return usual(modname, *arguments, **options)
        except pytest.skip.Exception as missing:
            package = modname.partition(".")[0]
            if package in required:
                pytest.fail(f"{package} is in the extra dev, and so this test may not be skipped: {missing}")
            raise

    pytest.importorskip = strict

"""The public names of the package are there, and importing it loads nothing large."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import palmette


def test_every_public_name_can_be_had() -> None:
    for name in palmette.__all__:
        assert getattr(palmette, name) is not None


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(str(palmette.__file__)).read_text(encoding="utf-8"))
    seen = {
        (alias.asname, node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("palmette.")
        for alias in node.names
    }
    assert seen == set(palmette._MODULE_OF.items())


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(palmette, "Deductoin")


def test_importing_the_package_does_not_import_numpy() -> None:
    code = "import sys, palmette; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_version_is_that_of_the_package() -> None:
    assert palmette.__version__ == version("palmette")
    code = "import sys, palmette; palmette.__version__; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

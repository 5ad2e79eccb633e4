"""What the package imports is what pyproject.toml declares."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DISTRIBUTIONS = {"sklearn": "scikit-learn"}  # of modules that have another name
NOT_IMPORTED = {"nanobind-backend"}  # the native module loads it
# Functions that other packages call: what they import is there.
CALLED_BY = {"__sklearn_tags__": "sklearn"}
# Folders that belong to an extra: their __init__ says what to install where it is missing.
OF_EXTRA = {
    "src/palmette/cluster/": ("cluster", ("distributed",)),
    "src/palmette/neural/": ("neural", ("torch",)),
    "src/palmette/serve/": ("serve", ("starlette", "uvicorn")),
}


class Import(NamedTuple):
    """A module that a file imports, the extra it belongs to if it is asked for as such, and the function."""

    place: str
    package: str
    extra: str | None
    function: str


def imports() -> Iterator[Import]:
    """All imports from outside of the standard library and the package."""
    for path in sorted((ROOT / "src" / "palmette").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        for function, node in _within(ast.parse(path.read_text()), ""):
            extra = None
            found: list[str] = []
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{name}:{node.lineno}: a relative import"
                found = [node.module or ""]
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "optional_module":
                assert isinstance(node.args[0], ast.Constant)
                assert isinstance(node.keywords[0].value, ast.Constant)
                found, extra = [str(node.args[0].value)], str(node.keywords[0].value.value)
            for module in found:
                package = module.partition(".")[0]
                if package not in {*sys.stdlib_module_names, "palmette"}:
                    for folder, (of_folder, needed) in OF_EXTRA.items():
                        if name.startswith(folder) and package in needed:
                            extra = of_folder
                    yield Import(f"{name}:{node.lineno}", package, extra, function)


def _within(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        yield function, child
        inner = child.name if isinstance(child, ast.FunctionDef) else function
        yield from _within(child, inner)


def names(requirements: list[str]) -> set[str]:
    """The distributions of requirements."""
    return {re.split(r"[\[<>=!~; ]", one, maxsplit=1)[0].lower() for one in requirements}


def test_imports_are_declared() -> None:
    declared = names(PROJECT["dependencies"])
    extras = {name: names(some) for name, some in PROJECT["optional-dependencies"].items()}
    for place, package, extra, function in imports():
        distribution = DISTRIBUTIONS.get(package, package)
        if extra is not None:
            assert distribution in extras[extra], f"{place}: the extra {extra} has no {distribution}"
        elif CALLED_BY.get(function) != package:
            message = f"{place}: {distribution} is no dependency: declare it, or import it by optional_module"
            assert distribution in declared, message


def test_dependencies_are_imported() -> None:
    used = {DISTRIBUTIONS.get(one.package, one.package) for one in imports()}
    assert names(PROJECT["dependencies"]) - NOT_IMPORTED <= used


def test_development_has_what_the_extras_have() -> None:
    assert names(PROJECT["optional-dependencies"]["sklearn"]) <= names(
        PROJECT["optional-dependencies"]["dev"]
    )

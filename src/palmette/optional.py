"""Packages that a part of Palmette needs and that do not come with it: the extras of pyproject.toml."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def optional_module(name: str, *, extra: str) -> ModuleType:
    """Import a module of an extra; ImportError with the command that installs it.

    >>> optional_module("sklearn_of_tomorrow", extra="sklearn")
    Traceback (most recent call last):
    ...
    ImportError: This needs the Python package 'sklearn_of_tomorrow': pip install 'palmette[sklearn]'
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != name.partition(".")[0]:
            raise
        package = name.partition(".")[0]
        raise ImportError(
            f"This needs the Python package {package!r}: pip install 'palmette[{extra}]'", name=package
        ) from None

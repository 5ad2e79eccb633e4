"""Names that a package offers without importing their modules: each is loaded when it is first used.

The `__init__` of a package lists its names twice: as imports, which only type checkers see, and in a call of
`offer`. tests/test_public_names.py compares the two.
"""

from __future__ import annotations

import sys
from importlib import import_module

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

# For each package: the module of every name that it offers, and the packages inside it.
OFFERED: dict[str, tuple[dict[str, str], list[str]]] = {}


def offer(
    package: str, names: Mapping[str, str], packages: str = ""
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` for a package.

    names: modules, as dotted paths from the package on, and what each has for users, separated by spaces
    packages: the packages inside this one that are loaded in the same way
    """
    module_of = {name: f"{package}.{module}" for module, listed in names.items() for name in listed.split()}
    inside = packages.split()
    OFFERED[package] = module_of, inside

    def load(name: str) -> Any:
        if name in inside:
            return import_module(f"{package}.{name}")
        if name not in module_of:
            place = None if name.startswith("_") else _package_of(name, package)
            where = f": it is {place}.{name}" if place else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{where}")
        value = getattr(import_module(module_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return sorted(module_of), load, lambda: sorted([*module_of, *inside])


def _package_of(name: str, package: str) -> str | None:
    """Return the package that offers a name: this one, or one inside it."""
    import_module(package)
    names, inside = OFFERED.get(package, ({}, []))
    if name in names:
        return package
    return next((found for one in inside if (found := _package_of(name, f"{package}.{one}"))), None)

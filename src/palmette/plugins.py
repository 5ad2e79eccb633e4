"""Modules of other packages that register tools, formats or learners of their own.

An installed package names such a module as an entry point of the group `palmette`; the environment variable
PALMETTE_PLUGINS names others, separated by commas. All are imported once: when the command line lists
names, and when a name is wanted that Palmette itself does not have.
"""

from __future__ import annotations

import os
from importlib import import_module

from palmette.errors import UsageError

VARIABLE = "PALMETTE_PLUGINS"
GROUP = "palmette"

_loaded: set[str] = set()


def load_plugins() -> None:
    """Import the modules that were not imported yet; UsageError if one cannot be."""
    for module, place in _named().items():
        if module not in _loaded:
            _loaded.add(module)
            try:
                import_module(module)
            except Exception as error:
                _loaded.discard(module)
                raise UsageError(
                    f"the plugin {module!r} of {place} cannot be imported: {type(error).__name__}: {error}"
                ) from error


def _named() -> dict[str, str]:
    """Every module, and who names it."""
    from importlib.metadata import entry_points

    found = {point.module: f"the entry point {point.name!r}" for point in entry_points(group=GROUP)}
    names = map(str.strip, os.environ.get(VARIABLE, "").split(","))
    return found | {name: VARIABLE for name in names if name}

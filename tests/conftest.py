"""For all tests: under the sanitizers, which are slow, every other one is run; and the modules of tools/site."""

from __future__ import annotations

import os
import sys
import zlib
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

# A busy machine is no failure.
settings.register_profile("palmette", deadline=None)
settings.load_profile("palmette")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.environ.get("PALMETTE_TESTS") == "half":
        left = [item for item in items if zlib.crc32(item.nodeid.encode()) % 2]
        items[:] = [item for item in items if not zlib.crc32(item.nodeid.encode()) % 2]
        config.hook.pytest_deselected(items=left)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The modules of tools/site, by their names."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "tools/site"))
    found = ModuleType("site_modules")
    for name in ("commands", "contents", "docstrings", "links", "names", "notebooks", "pagetext", "sources"):
        setattr(found, name, import_module(name))
        monkeypatch.delitem(sys.modules, name)
    return found

"""What holds for all tests: under the sanitizers, which are slow, every other one is run."""

from __future__ import annotations

import os
import zlib

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

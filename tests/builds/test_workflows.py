"""What the workflows and .ci/run call is there, and only wheels are made that can be checked."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CALLERS = [*sorted((ROOT / ".github" / "workflows").glob("*.yml")), ROOT / ".ci" / "run"]


@pytest.mark.parametrize("caller", CALLERS, ids=lambda path: path.name)
def test_targets_and_tools_exist(caller: Path) -> None:
    text = caller.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):", makefile, re.MULTILINE))
    called = set(re.findall(r"(?:^|run: |\s\s)make ([a-z0-9-]+)$", text, re.MULTILINE))
    assert called <= targets
    tools = set(re.findall(r"(?<![\w/])(?:tools|\.ci|tests)/[\w.-]*\w", text))
    assert called or tools, "this test reads nothing"
    assert [tool for tool in tools if not (ROOT / tool).exists()] == []


def test_only_wheels_that_run_where_they_are_made() -> None:
    """tools/check-dist installs every wheel on the machine at hand, and asks for a manylinux tag."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cibuildwheel"]
    assert settings["build"] == "cp311-*"
    assert "*-musllinux_*" in settings["skip"].split()
    assert settings["environment"]["PALMETTE_ARCH"] == settings["macos"]["environment"]["PALMETTE_ARCH"] == ""


def test_a_cache_of_another_processor_cannot_be_used() -> None:
    """ccache takes -march=native for the same on every processor, and runners differ."""
    check = (ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
    assert "ccache-" in check
    assert re.search(r"PALMETTE_ARCH: x86-64-v\d", check)

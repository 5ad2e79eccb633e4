"""docs/notes.md names what there is: Python names, files, commands with their options, tests and guides."""

from __future__ import annotations

import importlib
import re
import shlex
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import palmette as library
from palmette.structures.chain_search import ChainSearch
from palmette.tools.alignment.stages import METHODS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "notes.md"
TITLES = ("CSC 448", "Carreras", "McDonald and Nivre 2007", "Kernel Methods", "Clark 2013")
# The subsections of each section of CSC 448.
SECTIONS = (
    "1 1.1 1.2 1.3 1.3.1 1.3.2 1.3.3 1.3.4 2 2.1 2.2 2.3 2.4 3 3.1 4 4.1 4.2 4.3 4.4 4.5 4.6 5 5.1 5.2 6 "
    "6.1 6.1.1 6.1.2 6.1.3 6.2 7 7.1 7.1.1 7.2 7.2.1 7.2.2 7.2.3 7.3 7.3.1 7.3.2 8 8.1 8.2 8.3 8.4 9 9.1 "
    "9.2 9.3 9.4 10 10.1 10.2 10.3 10.4 10.5 10.6 10.7 10.8 10.9 10.10 11 12 13 13.1 14 14.1 14.2 14.3 "
    "14.4 14.5 14.6 15 15.1 15.2 15.3 15.4 15.5 15.6 16 16.1 16.2 17 17.1 17.2 18 18.1 18.2 19 19.1 19.2 "
    "20 21 21.1 21.2 21.2.1 21.2.2 21.3 22 23 24 24.1 24.2 24.2.1 24.2.2 24.2.3 24.2.4 24.3 24.4"
).split()


class Row(NamedTuple):
    """A row of a table of the page."""

    title: str
    section: str
    python: str
    command: str
    test: str
    guide: str


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table() -> list[Row]:
    found, title = [], ""
    for line in PAGE.read_text(encoding="utf-8").split("\n"):
        if line.startswith("## "):
            title = line[3:].partition(":")[0]
        elif line.startswith("|") and not line.startswith(("| ---", "| section", "| slides")):
            found.append(Row(title, *cells(line)))
    return found


ROWS = table()


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_all_notes_and_all_sections_are_there() -> None:
    assert tuple(dict.fromkeys(row.title for row in ROWS)) == TITLES
    references = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    assert all(f"| {title} |" in references for title in TITLES)
    numbers = [re.match(r"[\d.]+", row.section).group() for row in ROWS if row.title == "CSC 448"]  # type: ignore[union-attr]
    assert list(dict.fromkeys(numbers)) == SECTIONS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.title}: {row.section}")
def test_names_exist(row: Row) -> None:
    for name in quoted(row.python):
        if "=" not in name:
            assert is_there(name), name
    for line in quoted(row.command):
        check_command(line)
    for name in quoted(row.test):
        check_test(name)
    for page in re.findall(r"\]\(([^)]+)\)", row.guide):
        assert (ROOT / "docs" / page).is_file(), page
    if "not yet" not in row.python and row.python:
        assert row.test, "what is there has a test"
        assert row.guide, "what is there has a guide"


def is_there(name: str) -> bool:
    """Whether a file, a public name (with a method) or a name of a module exists."""
    if "/" in name:
        return (ROOT / name).is_file()
    found: object = library
    for part in name.removeprefix("palmette.").split("."):
        if isinstance(found, ModuleType) and not hasattr(found, part):
            with suppress(ModuleNotFoundError):
                importlib.import_module(f"{found.__name__}.{part}")
        found = getattr(found, part, None)
    return found is not None


def check_test(name: str) -> None:
    path, _, function = name.partition("::")
    assert (ROOT / path).is_file(), path
    assert not function or f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), name


def check_command(line: str) -> None:
    """Whether the command has these options, and a learner, a method or a smoothing of this name."""
    program, verb, *rest = shlex.split(line)
    assert program == "palmette"
    words = [verb, *rest[:1]] if verb == "train" else [verb]
    text = help_text(*words)
    for option, value in zip(rest, [*rest[1:], "--"]):
        if not option.startswith("--"):
            continue
        if verb in ("predict", "evaluate", "explain"):
            assert f'"{option}"' in sources(), line
        else:
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", text), line
        if option == "--search" and verb != "deduce":
            ChainSearch.of(value if value != "--" else "viterbi")
        elif option == "--method" and words[-1] == "align":
            assert set(value.split(",")) <= set(METHODS), line
        elif option in ("--learner", "--method", "--smoothing", "--search", "--symmetrization"):
            assert re.search(rf"(?<![\w-]){value}", text), line


@cache
def sources() -> str:
    """The text of the commands that models have."""
    return "".join(path.read_text() for path in (ROOT / "src" / "palmette" / "cli").rglob("*.py"))


@cache
def help_text(*words: str) -> str:
    from typer.testing import CliRunner

    from palmette.cli.app import app

    result = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "500", "TERMINAL_WIDTH": "500"})
    assert result.exit_code == 0, words
    return result.output

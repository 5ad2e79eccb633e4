"""Commands and options that pages name within their lines exist. Blocks run in test_guide_commands.py."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.native

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").glob("*/README.md")),
]
# Options of other programs, by the page that names them outside of the column for that program.
OTHERS = {"scale.md": {"--nthreads", "--requeue", "--quick"}, "thesaurus.md": {"--quick"}}


def quoted(text: str) -> list[tuple[int, str]]:
    """The code within the lines of a page, each with its line, without the columns that migration pages have for
    other programs."""
    text = re.sub(r"^```.*?^```", lambda found: "\n" * found[0].count("\n"), text, flags=re.M | re.S)
    return [
        (text.count("\n", 0, found.start()) + 1, " ".join(found[1].split()))
        for found in re.finditer(r"`([^`]+)`", text)
    ]


def known_options(site: ModuleType) -> dict[str, set[str]]:
    """The names of the options of each command, by its words."""
    return {page.words: site.commands.option_names(page) for page in site.commands.every()}


def wrong(line: str, known: dict[str, set[str]]) -> list[str]:
    """What a command line names that is not there: its verb, or options that no command of these words has."""
    words = [word for word in line.split() if not word.startswith('"')]
    options = [one for word in words for one in re.findall(r"^--?[a-zA-Z][\w-]*|(?<=/)--[\w-]+", word)]
    if words[0] != "palmette":
        found = set().union(*known.values())
    else:
        verb, name = [*words[1:], "", ""][:2]
        if not re.match(r"[a-z]", verb):
            return []
        these = [set_ for key, set_ in known.items() if key == f"{verb} {name}"]
        these = these or [set_ for key, set_ in known.items() if key.split()[0] == verb]
        if not these:
            return [verb]
        found = set().union(*these)
    return [name for name in options if name not in found | {"--help", "-h"}]


def test_commands_and_options_of_the_pages_exist(site: ModuleType) -> None:
    known = known_options(site)
    missing = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if page.parent.name == "migration":  # the first column has other programs
            text = re.sub(r"^\|(?:\\\||[^|\n])*\|", "|", text, flags=re.MULTILINE)
        for number, line in quoted(text):
            if line.startswith(("palmette ", "--")):
                found = set(wrong(line, known)) - OTHERS.get(page.name, set())
                missing += [f"{page.relative_to(ROOT)}:{number}: `{line}`: {one}" for one in sorted(found)]
    assert not missing, "\n".join(missing)


def test_what_is_wrong_is_found(site: ModuleType) -> None:
    known = known_options(site)
    assert wrong("palmette predict x.palm text --lexical-to lex", known) == ["--lexical-to"]
    assert wrong("palmette train tag --symmetrization and --seed 1", known) == ["--symmetrization"]
    assert wrong("palmette plot passes LOG --bins 3", known) == ["--bins"]
    assert wrong("palmette tarin tag", known) == ["tarin"]
    assert wrong("--source/--no-such", known) == ["--no-such"]
    assert wrong("palmette VERB --json", known) == wrong("palmette train -h", known) == []
    assert quoted("a `b\nc`\n```sh\n`d`\n```\n`e`") == [(1, "b c"), (6, "e")]

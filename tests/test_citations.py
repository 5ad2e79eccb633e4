"""What is cited by author and year is in docs/references.md, once; CITATION.cff agrees with the project."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "references.md"
# The last author before the year; one citation may have several years.
CITED = re.compile(
    r"\b([A-ZÖŠ][\w-]*[a-zà-ž])(?:'s)?(?: et al\.)?,? \(?((?:18|19|20)\d\d)(?:, ((?:19|20)\d\d))?\b"
)
# Not authors: shared tasks, versions and months.
NOT_AUTHORS = {
    "November",
    "Release",
    "University",
    "Cambridge",
    "Rochester",
    "Copyright",
    "Python",
    "Unicode",
}


def entries(text: str) -> list[str]:
    """The entries of the page: lines of lists, and of the table of lecture notes."""
    return [line for line in text.split("\n") if re.match(r"- |\| [A-Z].*\d{4}", line)]


def heading(entry: str) -> str:
    """The authors and the year of an entry, without accents, for the order of the alphabet."""
    plain = unicodedata.normalize("NFKD", entry[2:].split("*")[0])
    return plain.encode("ascii", "ignore").decode().lower()


def texts() -> Iterator[tuple[Path, str]]:
    """Pages, docstrings and comments, each on one line."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if page != PAGE:
            yield page, " ".join(page.read_text(encoding="utf-8").split())
    for folder in ("src", "native"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".hpp", ".cpp"):
                text = re.sub(r"\n\s*(?://|#)?\s*", " ", path.read_text(encoding="utf-8"))
                yield path, text


def missing(text: str, listed: list[str]) -> list[str]:
    """The citations in a text that no entry has: its last author and its year."""
    return [
        f"{author} {year}"
        for author, *years in CITED.findall(text)
        for year in years
        if year and author not in NOT_AUTHORS
        if not any(author in one and year in one.partition("*")[0] for one in listed)
    ]


def test_what_is_cited_is_listed() -> None:
    listed = entries(PAGE.read_text(encoding="utf-8"))
    wrong = [f"{path.relative_to(ROOT)}: {one}" for path, text in texts() for one in missing(text, listed)]
    assert not wrong, "\n".join(wrong)


def test_entries_are_listed_once_and_in_order() -> None:
    text = PAGE.read_text(encoding="utf-8")
    titles = [found[0] for one in entries(text) for found in re.finditer(r"\*[^*]+\*", one)]
    assert len(titles) == len(set(titles))
    for section in text.split("\n## "):
        names = [heading(one) for one in entries(section) if one.startswith("- ")]
        assert names == sorted(set(names)), section.split("\n")[0]


def test_missing_entries_are_found() -> None:
    listed = entries("- Chu and Liu 1965. *On it.* A 14.\n| McDonald and Nivre 2007 | x |\n")
    assert missing("Chu & Liu 1965, (Nivre 2007) and Liu et al. 1999", listed) == ["Liu 1999"]


def test_the_citation_has_the_released_version() -> None:
    """CITATION.cff has the version of pyproject.toml, and the date that the changelog has for it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    cited = dict(line.split(": ", 1) for line in lines if re.match(r"[\w-]+: ", line))
    released = re.search(
        rf"^## \[{re.escape(project['version'])}\] - (\S+)$",
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert released is not None
    assert (cited["version"], cited["date-released"]) == (project["version"], released[1])
    assert (
        cited["license"] == project["license"].split(" AND ")[0]
    )  # others are those of what the wheel includes

"""Tables of contents: every index lists its pages, in the order in which it links to them.

An index.md has the pages of its folder and the indexes of the folders inside it. Those that it does not link
to come last. Pages at the top belong to the reference or to the project, and some folders belong to another one.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from pagetext import links, relative

ORDER = ("tools", "build", "learn", "reference", "migration", "project", "examples")
LOOSE = ("reference", "project")  # folders whose index has pages of the top folder
WITHIN = {"neural": "tools", "serve": "tools"}  # folders that are listed by the index of another one


def list_pages(top: Path) -> None:
    """Add its pages to every index below a folder."""
    for index in sorted(top.rglob("index.md")):
        pages = pages_of(index, top)
        if pages:
            lines = "\n".join(_line(relative(_name(index, top), _name(page, top))) for page in pages)
            text = index.read_text(encoding="utf-8").rstrip()
            index.write_text(f"{text}\n\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n", encoding="utf-8")


def _line(page: str) -> str:
    """The line of a page; names of packages lose what all of them begin with."""
    name = page.removesuffix(".md")
    short = re.fullmatch(r"palmette\.([\w.]+)", name)
    return f"{short[1]} <{name}>" if short else name


def pages_of(index: Path, top: Path) -> list[Path]:
    """Return the pages that an index lists."""
    linked = [Path(os.path.normpath(index.parent / address)) for address in links(index.read_text("utf-8"))]
    own = {page for page in top.rglob("*.md") if _owner(page, top) == index}
    first = [page for page in dict.fromkeys(linked) if page in own and index.parent != top]
    rest = sorted(own - set(first), key=lambda page: (_place(page), page))
    return first + rest


def _place(page: Path) -> int:
    """The place of a folder among those of the first page."""
    return ORDER.index(page.parent.name) if page.parent.name in ORDER else len(ORDER)


def _owner(page: Path, top: Path) -> Path | None:
    """The index that lists a page; None for the first page of all."""
    folder = page.parent
    if page.name != "index.md":
        return _owner_of_loose(page, top) if folder == top else folder / "index.md"
    if folder == top:
        return None
    if folder.parent == top and folder.name in WITHIN:
        return top / WITHIN[folder.name] / "index.md"
    return folder.parent / "index.md"


def _owner_of_loose(page: Path, top: Path) -> Path:
    for name in LOOSE:
        index = top / name / "index.md"
        if index.exists() and f"../{page.name}" in set(links(index.read_text("utf-8"))):
            return index
    return top / LOOSE[0] / "index.md"


def _name(page: Path, top: Path) -> str:
    return page.relative_to(top).as_posix()

"""Build the documentation site: `python tools/site [FOLDER]`, run by `make docs`, writes build/site."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from links import outside, wrong_links
from sources import DOCS, ROOT, assemble


def build(site: Path) -> int:
    """Write the site to a folder, check it, and return the number of mistakes."""
    from sphinx.cmd.build import main as sphinx

    sources = ROOT / "build/docs"
    assemble(sources)
    options = [
        "-W",
        "--keep-going",
        "-q",
        "-a",
        "-j",
        "auto",
        "-c",
        str(DOCS),
        "-d",
        str(ROOT / "build/doctrees"),
    ]
    wrong = sphinx([*options, "-b", "html", str(sources), str(site)])
    found = [*wrong_links(site), *outside(site)]
    for sentence in found:
        print(sentence, file=sys.stderr)
    return wrong or len(found)


if __name__ == "__main__":
    begun = time.perf_counter()
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/site"
    mistakes = build(place.resolve())
    pages = sum(1 for _ in place.rglob("*.html"))
    print(f"{place}/index.html: {pages} pages in {time.perf_counter() - begun:.0f} s")
    sys.exit(bool(mistakes))

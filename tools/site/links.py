"""Check a built site: links lead to files and places of the site, and nothing is loaded from outside."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {
    ("img", "src"),
    ("script", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
    ("object", "data"),
}


class Page(HTMLParser):
    """The anchors of a page, its links, and the addresses of what a browser loads for it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors.update(found[name] for name in ("id", "name") if name in found)
        if tag == "a" and "href" in found:
            self.links.add(found["href"])
        for name, value in found.items():
            if (tag, name) in LOADED and found.get("rel") not in (
                "index",
                "search",
                "next",
                "prev",
                "canonical",
            ):
                self.loaded.add(value)


def wrong_links(site: Path) -> Iterator[str]:
    """Return a sentence for every link that leads nowhere, and for everything that is loaded from outside."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site)
        for address in sorted(page.loaded):
            if urlsplit(address).netloc:
                yield f"{name}: loads {address}"
            elif not address.startswith("data:") and not _file(path, address).exists():
                yield f"{name}: loads {address}, which is not there"
        for address in sorted(page.links):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = _file(path, address) if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                yield f"{name}: {address} leads nowhere"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{name}: {address}: the page has no such place"


def outside(site: Path) -> Iterator[str]:
    """Return a sentence for every style sheet that loads something from outside."""
    for path in sorted(site.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        for mark in ("url(http", "url('http", 'url("http', "url(//", "@import"):
            if mark in text:
                yield f"{path.relative_to(site)}: loads something from outside ({mark})"


def _file(page: Path, address: str) -> Path:
    return (page.parent / unquote(urlsplit(address).path)).resolve()

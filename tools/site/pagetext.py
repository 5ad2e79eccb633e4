"""Markdown as text: which parts of a page are code, where its links are, and paths from page to page."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

LINK = re.compile(r"(\]\()([^)\s]+)(\))")
_CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1[ ]*$|^(?:(?: {4}|\t)[^\n]*\n)+|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def parts(text: str) -> Iterator[tuple[str, bool]]:
    """Return the pieces of a page, in order, and whether each is code."""
    at = 0
    for code in _CODE.finditer(text):
        yield text[at : code.start()], False
        yield code[0], True
        at = code.end()
    yield text[at:], False


def links(text: str) -> Iterator[str]:
    """Return the addresses of a page's links to other pages, without the places in them."""
    for part, is_code in parts(text):
        for found in () if is_code else LINK.finditer(part):
            address = found[2].partition("#")[0]
            if address and "://" not in address:
                yield address


def relative(page: str, other: str) -> str:
    """Return the path from a page to another one; both are paths from the top.

    >>> relative("tools/tagging.md", "learners.md")
    '../learners.md'
    """
    return os.path.relpath(other, Path(page).parent)

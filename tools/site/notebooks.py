"""Chapters as notebooks: text, formulas, pictures, and code with what it prints, in one file to download."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pagetext import parts

_FENCE = re.compile(r"^```(python|sh|output)\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
_TEXT = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_HIDDEN = re.compile(r"<details><summary>(.*?)</summary>")
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_NOTE = "The code runs in the folder that has `examples/`, with Palmette installed."


def notebook(chapter: Path) -> str:
    """Return a page in Markdown as a notebook, nbformat 4.5: every block of code is a cell, with its output.

    Links to other pages become plain text, for they lead nowhere from where the file is saved.
    """
    cells: list[dict[str, Any]] = []
    for language, text in _pieces(chapter.read_text(encoding="utf-8")):
        if language == "output":
            cells[-1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": _lines(text)}]
        elif language:
            code = text.rstrip() if language == "python" else f"%%bash\n{text.rstrip()}"
            cells.append(
                {"cell_type": "code", "execution_count": None, "outputs": [], "source": _lines(code)}
            )
        elif text.strip():
            cells.append(_words(text.strip(), chapter.parent))
    cells.insert(1, {"cell_type": "markdown", "source": [_NOTE]})
    for number, cell in enumerate(cells, 1):
        cell |= {"id": f"cell-{number}", "metadata": {}}
    about = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    whole = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """The text of a page between blocks, with no language, and its blocks."""
    at = 0
    for block in _FENCE.finditer(text):
        yield "", text[at : block.start()]
        yield block[1], block[2]
        at = block.end()
    yield "", text[at:]


def _words(text: str, folder: Path) -> dict[str, Any]:
    """A cell of text; it has its pictures inside, and shows what a page hides."""
    pictures = {Path(found[2]).name: folder / found[2] for found in _PICTURE.finditer(text)}
    text = _PICTURE.sub(lambda found: f"![{found[1]}](attachment:{Path(found[2]).name})", text)
    text = _HIDDEN.sub(r"### \1", text).replace("</details>", "")
    text = "".join(part if is_code else _TEXT.sub(_without_link, part) for part, is_code in parts(text))
    cell: dict[str, Any] = {"cell_type": "markdown", "source": _lines(text.strip())}
    if pictures:
        cell["attachments"] = {
            name: {"image/svg+xml": base64.b64encode(path.read_bytes()).decode()}
            for name, path in pictures.items()
        }
    return cell


def _without_link(found: re.Match[str]) -> str:
    return found[0] if found[2].startswith(("attachment:", "https:")) else found[1]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)

"""Docstrings as Markdown: paragraphs of plain text, `code`, indented code and doctests."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping

_SIGNS = re.compile(r"([\\*_\[\]<>$|#{}~^])")


def markdown(docstring: str, links: Mapping[str, str]) -> str:
    """Return a docstring as Markdown. links: full names by the names that may stand in backquotes."""
    return "\n\n".join(_blocks(inspect.cleandoc(docstring), links))


def first_sentence(docstring: str, links: Mapping[str, str]) -> str:
    """Return the first sentence of a docstring, on one line."""
    paragraph = " ".join(inspect.cleandoc(docstring).partition("\n\n")[0].split())
    sentence = re.match(r".*?[.:](?= [A-Z`]|$)", paragraph)
    return inline(sentence[0] if sentence else paragraph, links)


def inline(text: str, links: Mapping[str, str]) -> str:
    """Return text with its signs escaped, and names in backquotes as links."""
    parts = re.split(r"(``.+?``|`[^`\n]+(?:\n[^`\n]+)?`)", text)
    return "".join(
        _code(part, links) if place % 2 else _SIGNS.sub(r"\\\1", part) for place, part in enumerate(parts)
    )


def _code(quoted: str, links: Mapping[str, str]) -> str:
    name = quoted.strip("`")
    return f"{{py:obj}}`{name} <{links[name]}>`" if name in links else " ".join(quoted.split())


def _blocks(text: str, links: Mapping[str, str]) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text) if text else ():
        if paragraph.startswith(">>>"):
            yield f"```pycon\n{paragraph}\n```"
        elif paragraph.startswith(" "):
            yield f"```text\n{textwrap.dedent(paragraph)}\n```"
        else:
            yield from _lines(paragraph, links)


def _lines(paragraph: str, links: Mapping[str, str]) -> Iterator[str]:
    """A paragraph, whose indented lines are code when the line before them ends with a colon."""
    held: list[str] = []
    code: list[str] = []
    for line in paragraph.split("\n"):
        begins_code = line.startswith("    ") and (code or (held and held[-1].endswith(":")))
        if begins_code:
            code.append(line)
            continue
        if code:
            yield from _both(held, code, links)
            held, code = [], []
        held.append(line)
    yield from _both(held, code, links)


def _both(held: list[str], code: list[str], links: Mapping[str, str]) -> Iterator[str]:
    if held:
        text = inline("\n".join(held), links)
        yield re.sub(r"^(\d+)\. ", r"\1\\. ", text)
    if code:
        yield "```text\n" + textwrap.dedent("\n".join(code)) + "\n```"

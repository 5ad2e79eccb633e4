"""Translations inside the source text, as Moses reads them: `das ist <x translation="a house">ein Haus</x>`.

Alternatives are separated by `||`. Inside attributes and text, `&lt;`, `&gt;`, `&amp;` and `&quot;` mean the
characters; a `<` that begins no tag is a word like others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import unescape
from typing import NamedTuple

from palmette.errors import FormatError
from palmette.tools.alignment.text import words_of
from palmette.tools.translation.known import Fixed, Known

_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z][\w.-]*)(?P<rest>(?:\s[^<>]*)?)>")
_ATTRIBUTE = re.compile(r"\s*([\w.-]+)\s*=\s*(\"[^\"]*\"|'[^']*')")


Cut = Callable[[str], Sequence[str]]  # a text to its words


class Marked(NamedTuple):
    """The words of a line without its tags, and what the tags say."""

    words: list[str]
    known: Known


def read_markup(
    line: str,
    *,
    exclusive: bool = True,
    path: str | None = None,
    number: int = 1,
    source: Cut = words_of,
    target: Cut = words_of,
) -> Marked:
    """Return the words of a line and its fixed translations; FormatError, with the line, for broken tags.

    exclusive: whether the given translations are the only ones of their words; otherwise they compete with those
    of the model. source, target: how text is cut into words.

    >>> words, known = read_markup('das <x translation="house||home">Haus</x>')
    >>> words, [one.target for one in known.fixed]
    (['das', 'Haus'], [('house',), ('home',)])
    """
    words: list[str] = []
    fixed: list[Fixed] = []
    inside: tuple[str, int, list[str]] | None = (
        None  # the name of the open tag, its first word, its translations
    )
    at = 0

    def error(what: str) -> FormatError:
        return FormatError(what, path=path, line=number)

    for tag in _TAG.finditer(line):
        words += source(unescape(line[at : tag.start()]))
        at, name = tag.end(), tag["name"]
        if tag["end"]:
            if inside is None or inside[0] != name:
                raise error(f"</{name:.40}> closes no <{name:.40}> before it")
            _, begin, targets = inside
            if begin == len(words):
                raise error(f"<{name:.40}> has no words of the sentence inside")
            fixed += [Fixed(begin, len(words), tuple(target(t)), exclusive) for t in targets]
            inside = None
            continue
        if inside is not None:
            raise error(f"<{name:.40}> inside of <{inside[0]:.40}>: tags cannot be nested")
        try:
            inside = name, len(words), _translations(tag["rest"])
        except ValueError as fault:
            raise error(f"<{name:.40}>: {fault}") from None
    if inside is not None:
        raise error(f"<{inside[0]:.40}> is not closed")
    return Marked([*words, *source(unescape(line[at:]))], Known(fixed))


def _translations(rest: str) -> list[str]:
    """The translations in the attributes of a tag; ValueError if there is none."""
    at, found = 0, None
    while match := _ATTRIBUTE.match(rest, at):
        name, value = match[1], unescape(match[2][1:-1])
        if name == "prob":
            raise ValueError(
                "probabilities of translations (prob) are not read: the model chooses among them"
            )
        if name not in ("translation", "english"):
            raise ValueError(f'the attribute {name:.40} is not known; a tag has translation="…" only')
        found, at = value.split("||"), match.end()
    if rest[at:].strip():
        raise ValueError(f'expected attributes name="value"; got {rest[at:].strip()!r:.40}')
    if found is None or not all(map(words_of, found)):
        raise ValueError('expected translation="…" with at least one word')
    return found

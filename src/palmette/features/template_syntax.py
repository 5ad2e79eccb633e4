"""The language of templates, one per line.

    w[0]                    the word itself; w[-1] the one before
    w[-2..2]                five templates at once
    w[-1]|w[0]              a conjunction
    suffix3[0]              an attribute of the word (see `attributes`)
    pos[0]   c1[0]          a column, by its name or by its number from 0
    pos.lower[-1]           an attribute of a column
    /[A-Z].*/[0]            whether the whole word matches an expression (see `word_expressions`); pos./N.*/[-1]
    gaz:cities[0]           whether a gazetteer has the word; cluster:brown/4[0] the first 4 signs of its cluster
    bias                    an attribute that every token has
    y|w[0]                  conjoined with the previous label
    y    yy    yyy          label bigrams, trigrams, 4-grams: the order of the chain
    # a comment

A conjunction of ranges gives every combination.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

from palmette.errors import FormatError
from palmette.features.template import MAX_OFFSET, Place, Source, Template
from palmette.features.word_expressions import compiled

_EXPRESSION = r"/(?:\\.|[^/\\])+/"
_PLACE = re.compile(
    rf"((?:[^\s\[\]|#/]+\.)?{_EXPRESSION}|[^\s\[\]|#]+)"
    r"\[\s*([+-]?\d{1,9})\s*(?:\.\.\s*([+-]?\d{1,9})\s*)?\]"
)
_NAMED_BUT_WRONG = re.compile(r"([^\s\[\]|#]+)(\[.*)?")
_BEFORE_EXPRESSION = re.compile(r"\s*(?:[^\s\[\]|#/]+\.)?")
_MAX_LABELS = 3


def parse_templates(
    text: str, known: Callable[[str], bool], path: str | None = None
) -> tuple[list[Template], int]:
    """The templates of a text, and the order of the chain that it asks for (0 without a `y`).

    known: whether a name is that of an attribute; FormatError if it has the form of one that was not given.
    """
    templates: list[Template] = []
    lines: dict[str, int] = {}
    order = 0
    for number, raw in enumerate(text.splitlines(), start=1):
        pieces = _pieces(raw)
        line = "|".join(pieces)
        if not line:
            continue
        if set(line) == {"y"}:
            if len(line) > _MAX_LABELS:
                raise FormatError(
                    f"{line!r} asks for more than {_MAX_LABELS} previous labels", path=path, line=number
                )
            order = max(order, len(line))
            continue
        for template in _expanded(pieces, known, path, number):
            if template.text in lines:
                message = f"template {template.text!r} is already in line {lines[template.text]}"
                raise FormatError(message, path=path, line=number)
            lines[template.text] = number
            templates.append(template)
    return templates, order


def parse_source(name: str, known: Callable[[str], bool]) -> Source:
    """What a name means.

    >>> parse_source("pos.lower", lambda name: name == "lower")
    Source(column='pos', attribute='lower')
    """
    if name == "w":
        return Source()
    if name.endswith("/") and "/" in name[:-1]:
        column, _, expression = name.partition("/")
        compiled(f"/{expression}")
        return Source(None if column in ("", "w.") else column.removesuffix("."), f"/{expression}")
    if known(name):
        return Source(None, name)
    column, dot, attribute = name.partition(".")
    while dot:
        if known(attribute):
            return Source(None if column == "w" else column, attribute)
        more, dot, attribute = attribute.partition(".")
        column = f"{column}.{more}"
    return Source(name)


def _pieces(line: str) -> list[str]:
    """Cut a line at its bars, up to `#` at its beginning or behind a blank; expressions stay whole.

    >>> _pieces("y | /a|b #/[0]  # a comment")
    ['y', '/a|b #/[0]']
    """
    pieces, at = [""], 0
    while at < len(line):
        found = None
        if line[at] == "/" and _BEFORE_EXPRESSION.fullmatch(pieces[-1]):
            found = re.compile(_EXPRESSION).match(line, at)
        if found is not None:
            pieces[-1] += found[0]
            at = found.end()
            continue
        if line[at] == "#" and (at == 0 or line[at - 1].isspace()):
            break
        if line[at] == "|":
            pieces.append("")
        else:
            pieces[-1] += line[at]
        at += 1
    return [piece.strip() for piece in pieces]


def _expanded(
    pieces: list[str], known: Callable[[str], bool], path: str | None, number: int
) -> list[Template]:
    line = "|".join(pieces)
    with_label = pieces[0] == "y"
    pieces = pieces[1:] if with_label else pieces
    if pieces == ["bias"]:
        text = "y|bias" if with_label else "bias"
        return [Template(text, (), (text,), with_label)]
    choices: list[list[Place]] = []
    names: list[str] = []
    for piece in pieces:
        found = _PLACE.fullmatch(piece)
        if found is None or (found[1][0] == "/" and not re.fullmatch(_EXPRESSION, found[1])):
            raise FormatError(_what_is_wrong(piece, line), path=path, line=number)
        low, high = int(found[2]), int(found[3] or found[2])
        if max(abs(low), abs(high)) > MAX_OFFSET:
            raise FormatError(f"{piece!r} looks further than {MAX_OFFSET} tokens", path=path, line=number)
        if low > high:
            raise FormatError(
                f"the range of {piece!r} is empty: it goes from low to high", path=path, line=number
            )
        try:
            source = parse_source(found[1], known)
        except ValueError as error:
            raise FormatError(str(error), path=path, line=number) from None
        names.append(found[1])
        choices.append([Place(source, offset) for offset in range(low, high + 1)])
    made = []
    for places in product(*choices):
        text = "|".join(f"{name}[{place.offset}]" for name, place in zip(names, places))
        text = f"y|{text}" if with_label else text
        made.append(Template(text, places, (f"{text}=", *["|"] * (len(places) - 1), ""), with_label))
    return made


def _what_is_wrong(piece: str, line: str) -> str:
    if not piece:
        return f"{line!r} has nothing between or beside its bars"
    if set(piece) == {"y"} or piece == "bias":
        return f"{piece!r} cannot be there in {line!r}: 'y|' comes first, and only one previous label"
    if piece[0] == "/" and not re.match(_EXPRESSION, piece):
        return f"{piece!r} is an expression without an end: write /EXPRESSION/[OFFSET]"
    named = _NAMED_BUT_WRONG.fullmatch(piece)
    if named is not None and named[2] is None:
        return f"{piece!r} has no offset: write {piece}[0]"
    return f"{piece!r} is not a template: write NAME[OFFSET] or NAME[FROM..TO], as in w[0] or w[-2..2]"

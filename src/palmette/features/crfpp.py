"""Template files of CRF++ and Wapiti, read as they are.

    U01:%x[-1,0]/%x[0,0]    a unigram template: row -1 and column 0, row 0 and column 0
    B                       label bigrams: a chain of order 1
    B01:%x[0,0]             a template conjoined with the previous label
    *01:%x[0,0]             Wapiti: both
    %t[0,0,"^\\u"]           Wapiti: whether a pattern is found; %m[...] what it finds; %X, %T, %M in lower case

Attributes are written as those programs write them, `U01:New/York`; templates that write the same share them.
Places outside the sentence give `_B-1`, `_B+1` and so on.
"""

from __future__ import annotations

import re

from palmette.errors import FormatError
from palmette.features.template import MAX_OFFSET, Place, Source, Template
from palmette.features.wapiti_patterns import translated

_MACRO = re.compile(r'%([xXtTmM])\[\s*(@?)([+-]?\d{1,9})\s*,\s*(\d{1,9})\s*(?:,\s*"((?:[^"\\]|\\.)*)"\s*)?\]')


def is_crfpp(text: str) -> bool:
    """Whether a text is a template file of CRF++ or Wapiti.

    >>> is_crfpp("# Unigram\\nU00:%x[0,0]\\nB\\n"), is_crfpp("w[0]\\n")
    (True, False)
    """
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    return (
        bool(lines)
        and all(line[0] in "UBub*" for line in lines)
        and (
            any(re.search(r"%[xXtTmM]\[", line) for line in lines)
            or all(re.fullmatch(r"[UBub*]\d*:?", line) for line in lines)
        )
    )


def parse_crfpp(text: str, path: str | None = None) -> tuple[list[Template], int]:
    """The templates of a file, and the order of the chain: 1 if there is a line `B`, else 0."""
    templates: list[Template] = []
    order = 0
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        kind = line[0].upper()
        if kind not in "UB*":
            message = f"{line!r} begins with neither U, B nor *, as the templates of CRF++ and Wapiti do"
            raise FormatError(message, path=path, line=number)
        places, literals = _macros(line, path, number)
        if kind in "B*" and not places:
            order = 1
        if kind in "U*":
            templates.append(Template(line, places, literals))
        if kind in "B*" and places:
            templates.append(Template(line, places, literals, with_label=True))
    return templates, order


def _macros(line: str, path: str | None, number: int) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    places: list[Place] = []
    literals: list[str] = []
    end = 0
    for found in _MACRO.finditer(line):
        kind, absolute, offset, column, pattern = found.groups()
        if absolute:
            raise FormatError(
                f"{found[0]}: places counted from the sentence's edge (@) are not supported",
                path=path,
                line=number,
            )
        if abs(int(offset)) > MAX_OFFSET:
            raise FormatError(f"{found[0]} looks further than {MAX_OFFSET} tokens", path=path, line=number)
        if (pattern is None) != (kind in "xX"):
            wanted = "takes no pattern" if kind in "xX" else 'needs a pattern, as in %t[0,0,"^a"]'
            raise FormatError(f"{found[0]}: %{kind} {wanted}", path=path, line=number)
        try:
            attribute = _attribute(kind, pattern)
        except ValueError as error:
            raise FormatError(f"{found[0]}: {error}", path=path, line=number) from None
        places.append(Place(Source(int(column), attribute), int(offset)))
        literals.append(line[end : found.start()])
        end = found.end()
    literals.append(line[end:])
    for literal in literals:
        if re.search(r"%[xXtTmM]\[", literal):
            at = literal[literal.index("%") :]
            raise FormatError(f"{at!r} is not a macro: write %x[ROW,COLUMN]", path=path, line=number)
    return tuple(places), tuple(literals)


def _attribute(kind: str, pattern: str | None) -> str | None:
    if pattern is None:
        return "lower" if kind == "X" else None
    translated(pattern)
    return f"%{kind}:{pattern}"

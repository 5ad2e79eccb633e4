"""The small regular expressions of Wapiti's `%t` and `%m`, as Python's.

`^` and `$` are the ends, `.` any character, `*` and `?` repeat what is before;
`\\d \\a \\w \\l \\u \\p \\s` are
digits, letters, both, small letters, capitals, punctuation and blanks, and in capitals what is not; a backslash
before anything else takes it as it is, and so does every other character. Python's classes know all of Unicode.
"""

from __future__ import annotations

import re
import sys
from functools import cache

from palmette._native import FeatureValues

_CLASSES = {"d": r"\d", "a": r"[^\W\d_]", "w": r"[^\W_]", "p": r"(?:[^\w\s]|_)", "s": r"\s"}
_NEGATED = {"d": r"\D", "a": r"[\W\d_]", "w": r"[\W_]", "p": r"(?:[^\W_]|\s)", "s": r"\S"}


@cache
def _case_class(name: str) -> str:
    """The ranges of all small (`l`) or capital (`u`) letters, as they are written between brackets."""
    test = str.islower if name == "l" else str.isupper
    codes = [code for code in range(sys.maxunicode + 1) if test(chr(code))]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)


@cache
def translated(pattern: str) -> re.Pattern[str]:
    """Wapiti's pattern as one of Python; ValueError if something is to repeat and there is nothing before.

    >>> translated("^\\\\d*.").pattern
    '^\\\\d*.'
    """
    out: list[str] = []
    repeatable = False
    i = 0
    while i < len(pattern):
        sign = pattern[i]
        i += 1
        if sign in "*?":
            if not repeatable:
                raise ValueError(f"there is nothing before {sign!r} in the pattern {pattern!r}")
            out.append(sign)
            repeatable = False
            continue
        repeatable = True
        if sign == "^" and i == 1:
            out.append("^")
            repeatable = False
        elif sign == "$" and i == len(pattern):
            out.append(r"\Z")
            repeatable = False
        elif sign == ".":
            out.append(".")
        elif sign == "\\" and i < len(pattern):
            out.append(_escaped(pattern[i]))
            i += 1
        else:
            out.append(re.escape(sign))
    return re.compile("".join(out), re.DOTALL)


def _escaped(sign: str) -> str:
    if sign.lower() in "lu":
        return f"[{'^' if sign.isupper() else ''}{_case_class(sign.lower())}]"
    if sign.isupper() and sign.lower() in _NEGATED:
        return _NEGATED[sign.lower()]
    return _CLASSES.get(sign, re.escape(sign))


def pattern_values(attribute: str, strings: list[str]) -> FeatureValues:
    """The values of `%t:PATTERN` (true or false) or `%m:PATTERN` (what was found, or nothing) for every string."""
    kind, search = attribute[1], translated(attribute[3:]).search
    values: list[str] = []
    for string in strings:
        found = search(string)
        if kind in "tT":
            values.append("true" if found else "false")
        else:
            value = found[0] if found else ""
            values.append(value.lower() if kind == "M" else value)
    return FeatureValues.of(values)

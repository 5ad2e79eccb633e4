"""Attributes of a word type: what `lower`, `suffix3` or `shape` is, for every distinct string of a column at once.

| name | value of *iPad-2* |
| --- | --- |
| `lower` | `ipad-2` |
| `prefix3`, `suffix3` | `iPa`, `d-2`; absent unless the word is longer than that |
| `start3`, `end3` | `ipa`, `d-2`: in lower case; absent unless the word is at least as long |
| `shape`, `shortshape` | `xXxx-d`, `xXx-d`: letters and digits by kind, and the same with runs squeezed |
| `digit`, `hyphen`, `capital` | `1` if there is a digit, a hyphen, a capital letter; else absent |
| `title`, `upper`, `lowercase` | `1` if only the first letter is a capital, all are, none is; else absent |
| `alpha`, `number`, `punct` | `1` if it has only letters, is made like a number, has neither letter nor digit |
| `length` | `6`, from 10 on `10+` |
| `collapsed` | lower case with every digit as 0: `ipad-0` |

An attribute is a function from a list of strings to a list of values, None where a string has none. So it is
computed once per type, and over all types together: about 0.1 µs each.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property, lru_cache

from palmette._native import FeatureValues

Values = list[str | None]
UserFunction = Callable[[str], str | None]

MAX_AFFIX = 32

_AFFIX = re.compile(r"(prefix|suffix|start|end)([1-9][0-9]?)")
_RUN = re.compile(r"(.)\1+", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d[\d.,:/-]*")


class _ShapeTable(dict[int, str]):
    """For str.translate: capital letters to X, other letters to x, digits to d, the rest to itself."""

    def __missing__(self, code: int) -> str:
        kind = unicodedata.category(chr(code))
        shape = {"Lu": "X", "Lt": "X", "Nd": "d"}.get(kind, "x" if kind[0] in "LM" else chr(code))
        self[code] = shape
        return shape


class _DigitTable(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = "0" if unicodedata.category(chr(code)) == "Nd" else chr(code)
        return self[code]


_SHAPES, _DIGITS = _ShapeTable(), _DigitTable()
_ASCII_SHAPES = bytes(ord(_SHAPES[code]) if code < 128 else code for code in range(256))


def over_all(strings: list[str], function: Callable[[str], str]) -> list[str]:
    """A function of text that works character by character, applied to all strings in one call.

    >>> over_all(["The", "END"], str.lower)
    ['the', 'end']
    """
    changed = function("\n".join(strings)).split("\n")
    # A string may hold a newline itself.
    return changed if len(changed) == len(strings) else [function(string) for string in strings]


def lower(strings: list[str]) -> list[str]:
    """Every string in lower case."""
    return over_all(strings, str.lower)


def shape(strings: list[str]) -> list[str]:
    """Xx-d: capitals as X, other letters as x, digits as d, what else there is as itself.

    >>> shape(["McDonald's", "1,5", "U.S."])
    ["XxXxxxxx'x", 'd,d', 'X.X.']
    """
    # Bytes translate fifty times as fast as text; what is not ASCII is then done by itself.
    found = over_all(
        strings,
        lambda text: (
            text.encode("utf-8", "surrogatepass").translate(_ASCII_SHAPES).decode("utf-8", "surrogatepass")
        ),
    )
    return [one if one.isascii() else string.translate(_SHAPES) for one, string in zip(found, strings)]


def short_shape(strings: list[str]) -> list[str]:
    """The shape with every run of a character squeezed into one.

    >>> short_shape(["McDonald's", "1990", "Aachen..."])
    ["XxXx'x", 'd', 'Xx.']
    """
    shapes = shape(strings)
    distinct = {one: _squeezed(one) for one in set(shapes)}
    return [distinct[one] for one in shapes]


@lru_cache(maxsize=1 << 12)
def _squeezed(text: str) -> str:
    return _RUN.sub(r"\1", text)


def collapsed(strings: list[str]) -> list[str]:
    """Lower case, and every digit as 0."""
    return over_all(lower(strings), lambda text: text.translate(_DIGITS))


def flagged(strings: list[str], test: Callable[[str], object]) -> Values:
    """`1` for the strings that pass a test; the others have no value."""
    return ["1" if test(string) else None for string in strings]


def length(strings: list[str]) -> list[str]:
    """How many characters a string has; from 10 on `10+`."""
    names = [str(n) for n in range(10)]
    return [names[len(string)] if len(string) < 10 else "10+" for string in strings]


ATTRIBUTES: dict[str, Callable[[list[str]], Sequence[str | None]]] = {
    "lower": lower,
    "collapsed": collapsed,
    "length": length,
    "alpha": lambda strings: flagged(strings, str.isalpha),
    "number": lambda strings: flagged(strings, _NUMBER.fullmatch),
}


def _flag(test: Callable[[str], object]) -> Callable[[str], str | None]:
    return lambda shape: "1" if test(shape) else None


# What depends on the shape alone: it is asked once per distinct shape.
BY_SHAPE: dict[str, Callable[[str], str | None]] = {
    "shape": lambda shape: shape,
    "shortshape": _squeezed,
    "digit": _flag(lambda s: "d" in s),
    "hyphen": _flag(lambda s: "-" in s),
    "capital": _flag(lambda s: "X" in s),
    "title": _flag(lambda s: s[:1] == "X" and "X" not in s[1:] and "x" in s),
    "upper": _flag(lambda s: "X" in s and "x" not in s),
    "lowercase": _flag(lambda s: "x" in s and "X" not in s),
    "punct": _flag(lambda s: s and not set(s) & {"x", "X", "d"}),
}


def is_attribute(name: str) -> bool:
    """Whether a name is that of an attribute of this module."""
    return name in ATTRIBUTES or name in BY_SHAPE or affix(name) is not None


@cache
def affix(name: str) -> tuple[str, int] | None:
    """("suffix", 3) for `suffix3`; None if it is not an affix."""
    found = _AFFIX.fullmatch(name)
    if found is None or int(found[2]) > MAX_AFFIX:
        return None
    return found[1], int(found[2])


class TypeAttributes:
    """The attributes of a list of strings, each made once, and so are lower case and shapes, which several need.

    >>> attributes = TypeAttributes(["Flies", "AN"])
    >>> attributes.values_of("suffix2").values(), attributes.values_of("end2").values()
    (['es', None], ['es', 'an'])
    """

    def __init__(self, strings: list[str]) -> None:
        self.strings = strings
        self._made: dict[str, FeatureValues] = {}

    @cached_property
    def lower(self) -> list[str]:
        """The strings in lower case."""
        return lower(self.strings)

    @cached_property
    def shapes(self) -> FeatureValues:
        """The shapes of the strings."""
        return FeatureValues.of(shape(self.strings))

    def values_of(self, name: str) -> FeatureValues:
        """The named attribute of every string."""
        if name not in self._made:
            self._made[name] = self._values_of(name)
        return self._made[name]

    def _values_of(self, name: str) -> FeatureValues:
        parts = affix(name)
        if name in BY_SHAPE:
            return self.shapes.mapped([BY_SHAPE[name](one) for one in self.shapes.distinct()])
        if parts is None:
            return FeatureValues.of(self.lower if name == "lower" else ATTRIBUTES[name](self.strings))
        kind, length = parts
        cut = FeatureValues.prefixes if kind in ("prefix", "start") else FeatureValues.suffixes
        if kind in ("start", "end"):
            return cut(self.lower, length, True)
        return cut(self.strings, length)


_SHARED: ContextVar[dict[int, TypeAttributes] | None] = ContextVar("shared attributes", default=None)


@contextmanager
def shared_attributes() -> Iterator[None]:
    """Let all that look at a list of strings inside share its attributes, as taggers and a parser do."""
    before = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(before)


def attributes_of(strings: list[str]) -> TypeAttributes:
    """The attributes of a list of strings, which must not change; see `shared_attributes`."""
    shared = _SHARED.get()
    if shared is None:
        return TypeAttributes(strings)
    if id(strings) not in shared:
        shared[id(strings)] = TypeAttributes(strings)  # which keeps the list, and so its id
    return shared[id(strings)]


def values_by(function: UserFunction, name: str, strings: list[str]) -> FeatureValues:
    """A user's function of every string; TypeError unless it gives strings or None."""
    values = [function(string) for string in strings]
    for string, value in zip(strings, values):
        if value is not None and not isinstance(value, str):
            raise TypeError(
                f"Function {name!r} must give a string or None. It gave {value!r} for {string!r}."
            )
    return FeatureValues.of(values)

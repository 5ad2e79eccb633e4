"""What the readers of grammars as text share: tokens, weights, `% start`, and errors with their line."""

from __future__ import annotations

import math
import re
from abc import ABC
from collections.abc import Iterator
from typing import ClassVar, NoReturn

from palmette.errors import FormatError

FRONT_WEIGHT = re.compile(r"\s*([-+]?(?:\d[^\s:]*|\.\d[^\s:]*|inf|nan))\s*:(?=\s)")


class LineReader(ABC):
    """Reads a grammar line by line; `line` is the number of the current one.

    tokens: a pattern with groups that are named by kind. expected: what a rule looks like, in messages.
    """

    tokens: ClassVar[re.Pattern[str]]
    expected: ClassVar[str]

    def __init__(self, path: str | None) -> None:
        self.path = path
        self.start: str | None = None
        self.line = 0

    def _tokens(self, text: str) -> Iterator[tuple[str, str]]:
        for match in self.tokens.finditer(text):
            kind, value = match.lastgroup, match.group()
            if kind in ("blank", "comment"):
                continue
            if kind == "quoted":
                value = _unescaped(value[1:-1])
            elif kind == "angled":
                value = _unescaped(match["angled"])
            elif kind == "index":
                kind, value = "linked", f"{match['name']},{match['index']}"
            elif kind == "weight":
                value = match["weight"]
            elif kind == "other":
                hint = "the quote is not closed" if value in "'\"" else f"{value!r} is not expected here"
                self._fail(f"{hint}; {self.expected}, with words in quotes and odd names in <brackets>")
            yield str(kind), value

    def _directive(self, text: str) -> None:
        words = text.split(maxsplit=2)
        tokens = list(self._tokens(words[2])) if len(words) == 3 else []
        if words[:2] != ["%", "start"] or len(tokens) != 1 or tokens[0][0] not in ("bare", "angled"):
            self._fail("expected % start and a nonterminal, as in: % start S")
        if self.start is not None:
            self._fail("the start symbol is named twice")
        self.start = tokens[0][1]

    def _weight(self, text: str) -> float:
        numerator, slash, denominator = text.partition("/")
        try:
            weight = float(numerator) / (float(denominator) if slash else 1.0)
        except (ValueError, ZeroDivisionError):
            self._fail(f"the weight {text!r} is not a number")
        if not 0 <= weight < math.inf:
            self._fail(f"the weight is {text}; it must be finite and not negative")
        return weight

    def _fail(self, message: str) -> NoReturn:
        raise FormatError(message, path=self.path or "grammar", line=self.line)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r"}.get(m[1], m[1]), text)

"""Terms of Prolog, as far as facts need them: atoms, numbers, lists and compound terms.

    city('california', 'ca', 'los angeles', 2966850).
    river('ohio', 1569, ['pennsylvania', 'ohio']).

A term is a str, a float, a list of terms, or a `Compound`. Rules, variables and operators are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, Union

from palmette.errors import FormatError

Term: TypeAlias = Union[str, float, "list[Term]", "Compound"]

_TOKEN = re.compile(
    r"(?P<space>\s+|%[^\n]*)|(?P<comment>/\*)|(?P<number>[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    r"|(?P<quoted>'(?:[^'\\]|''|\\.)*')|(?P<atom>[^\W\d_][\w]*|_\w*)|(?P<mark>:-|-->|[()\[\],.|])"
)
_DEEPEST = 100  # terms in terms


@dataclass(frozen=True)
class Compound:
    """A name with arguments."""

    name: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    line: int


def tokens(text: str, path: str | None = None, first: int = 1) -> Iterator[Token]:
    """Return the tokens of a text with their lines; comments are tokens of the kind "comment"."""
    at, line = 0, first
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise FormatError(f"{text[at : at + 20]!r} is not part of a fact", path=path, line=line)
        kind, end = str(found.lastgroup), found.end()
        if kind == "comment":
            end = text.find("*/", at)
            if end < 0:
                raise FormatError("the comment /* has no end */", path=path, line=line)
            end += 2
        if kind != "space":
            yield Token(kind, text[at:end], line)
        line += text.count("\n", at, end)
        at = end


class TermReader:
    """Reads terms from tokens, one after the other."""

    def __init__(self, text: str, path: str | None = None, line: int = 1) -> None:
        self.path = path
        self._tokens = [token for token in tokens(text, path, line) if token.kind != "comment"]
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._tokens)

    @property
    def line(self) -> int:
        """The line of the next token."""
        return self._tokens[min(self._at, len(self._tokens) - 1)].line if self._tokens else 1

    def error(self, message: str) -> FormatError:
        return FormatError(message, path=self.path, line=self.line)

    def accept(self, text: str) -> bool:
        """Take the next token if it is this mark."""
        token = None if self.at_end else self._tokens[self._at]
        if token is not None and token.kind == "mark" and token.text == text:
            self._at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            found = "the end" if self.at_end else repr(self._tokens[self._at].text)
            rule = "; rules are not read, only facts" if found in ("':-'", "'-->'") else ""
            raise self.error(f"expected {text!r}, got {found}{rule}")

    def term(self, depth: int = 0) -> Term:
        """Return the next term."""
        if depth > _DEEPEST:
            raise self.error(f"terms are nested more than {_DEEPEST} deep")
        if self.accept("["):
            return self._listed("]", depth)
        if self.at_end:
            raise self.error("expected a term, got the end")
        token = self._tokens[self._at]
        if token.kind == "number":
            self._at += 1
            return float(token.text)
        if token.kind not in ("atom", "quoted"):
            raise self.error(f"expected a term, got {token.text!r}")
        self._at += 1
        name = token.text if token.kind == "atom" else _unquoted(token.text)
        if self.accept("("):
            return Compound(name, tuple(self._listed(")", depth)))
        return name

    def _listed(self, end: str, depth: int) -> list[Term]:
        if self.accept(end):
            return []
        found = [self.term(depth + 1)]
        while self.accept(","):
            found.append(self.term(depth + 1))
        self.expect(end)
        return found


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1].replace("''", "'"))

"""The tokens of a text of deduction rules, and a reader that goes through them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from palmette.errors import FormatError

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\#[^\n]*)
      | (?P<newline>\n)
      | (?P<arrow><-|:-|←)
      | (?P<compare>==|!=|<=|>=|<|>)
      | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)
      | (?P<word>[^\W\d]\w*)
      | (?P<symbol>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
      | (?P<mark>[\[\](),*+=?\-])""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    line: int
    start: int


class TokenReader:
    """The tokens of a text one by one, with errors that say the line."""

    def __init__(self, text: str, path: str) -> None:
        self._path = path
        self._tokens = list(self._split(text))
        self._next = 0

    @property
    def line(self) -> int:
        return self._peek().line

    def fail(self, message: str, line: int | None = None) -> NoReturn:
        raise FormatError(message, path=self._path, line=line if line is not None else self.line)

    def skip_newlines(self) -> bool:
        """Goes to the next statement; False at the end of the text."""
        while self._accept("newline"):
            pass
        return self._peek().kind != "end"

    def accepts_keyword(self, keyword: str) -> bool:
        """Whether a statement begins with this word, and an atom after it."""
        token, following = self._peek(), self._peek(1)
        begins = (
            token.kind == "word"
            and token.text == keyword
            and (
                following.kind == "word"
                or (following.text == "[" and following.start > token.start + len(keyword))
            )
        )
        if begins:
            self._next += 1
        return begins

    def _split(self, text: str) -> Iterator[Token]:
        line, position = 1, 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                what = (
                    "a quote that is not closed"
                    if text[position] in "'\""
                    else f"unexpected {text[position]!r}"
                )
                raise FormatError(what, path=self._path, line=line)
            kind = str(match.lastgroup)
            if kind != "space":
                yield Token(kind, match.group(), line, position)
            line += kind == "newline"
            position = match.end()
        yield Token("newline", "\n", line, position)
        yield Token("end", "", line, position)

    def _peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._peek()
        self._next += 1
        return token

    def _accept(self, kind: str) -> Token | None:
        return self._take() if self._peek().kind == kind else None

    def _accept_mark(self, text: str) -> bool:
        if self._peek().text != text or self._peek().kind != "mark":
            return False
        self._next += 1
        return True

    def _expect(self, kind: str, what: str) -> None:
        if not self._accept(kind):
            self.fail(f"expected {what} but found {self._describe()}")

    def _describe(self) -> str:
        token = self._peek()
        return {"newline": "the end of the line", "end": "the end"}.get(token.kind, repr(token.text))

    def _skip_line_breaks(self) -> None:
        while self._peek().kind == "newline" and self._peek(1).kind != "end":
            self._next += 1

    def _at_end(self) -> bool:
        return self._peek(self._peek().kind == "newline").kind == "end"

    def _end_statement(self) -> None:
        if self._peek().kind not in ("newline", "end"):
            hint = "; an equation is written with ==" if self._peek().text == "=" else ""
            self.fail(f"expected '*' or the end of the rule but found {self._describe()}{hint}")

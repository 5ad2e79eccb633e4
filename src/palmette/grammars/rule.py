"""What a grammar is made of: nonterminals (plain strings), terminals, and weighted rules A → X₁ … X_k."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

EMPTY = "ε"
_BARE = re.compile(r"""(?:(?!->|→)[^\s'"<>|\[\]#%])(?:(?!->|→)[^\s"<>|\[\]])*""")
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class Terminal(NamedTuple):
    """A word of the language; a nonterminal of the same name is another symbol."""

    word: str

    def __str__(self) -> str:
        quote = '"' if "'" in self.word and '"' not in self.word else "'"
        return quote + _escaped(self.word, quote) + quote


Symbol: TypeAlias = str | Terminal  # a nonterminal is its name


class Rule(NamedTuple):
    """A → X₁ … X_k with a weight; nothing on the right is the empty string.

    >>> print(Rule("NP", ("DT", Terminal("dog")), 0.5))
    0.5: NP -> DT 'dog'
    """

    left: str
    right: tuple[Symbol, ...]
    weight: float = 1.0

    @property
    def nonterminals(self) -> tuple[str, ...]:
        """The nonterminals on the right, in order."""
        return tuple(symbol for symbol in self.right if isinstance(symbol, str))

    def __str__(self) -> str:
        return f"{self.weight!r}: {self.arrow()}"

    def arrow(self) -> str:
        """The rule as text without its weight."""
        return f"{symbol_text(self.left)} -> {' '.join(map(symbol_text, self.right)) or EMPTY}"


def symbol_text(symbol: Symbol) -> str:
    """A symbol as grammars are written: 'words' in quotes, nonterminals bare or, if they must, in <brackets>."""
    if isinstance(symbol, Terminal):
        return str(symbol)
    if symbol == EMPTY or symbol == "%" or not _BARE.fullmatch(symbol):
        return f"<{_escaped(symbol, '>')}>"
    return symbol


def _escaped(text: str, quote: str) -> str:
    return "".join("\\" + c if c == quote else _ESCAPES.get(c, c) for c in text)

"""The symbols of rules: words are strings, nonterminals have a label and a number.

As text, a nonterminal is `[X,1]`, as Joshua and cdec write it: the label, and the number of the nonterminal in the
order of the source side, counted from 1. Brackets and bars inside words are written as Moses does: `&#91;`,
`&#93;`, `&#124;`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from palmette.formats.pharaoh import Link

_NONTERMINAL = re.compile(r"\[([^\s\[\]]+),([1-9][0-9]*)\]")
_CODED = re.compile(r"&(?:amp;)*#(?:124|91|93|40|41);")


@dataclass(frozen=True, slots=True)
class Nonterminal:
    """A nonterminal of a rule: its label, and which of the source side's nonterminals it is, from 0 on."""

    label: str
    index: int

    def __str__(self) -> str:
        return f"[{self.label},{self.index + 1}]"


Symbol: TypeAlias = str | Nonterminal
Side: TypeAlias = str | Sequence[Symbol]


class Rule(NamedTuple):
    """A rule: the label of its left side, its two sides, and what is known of it.

    scores: logarithms by column. links: (source position, target position) of aligned words; positions count
    nonterminals too. fragment: the piece of a tree that it comes from, in brackets with `[VB,1]` for variables.
    counts: how often the target side, the source side and the rule occur; they may be fractions.
    """

    left: str
    source: tuple[Symbol, ...]
    target: tuple[Symbol, ...]
    scores: tuple[float, ...]
    links: tuple[Link, ...] = ()
    fragment: str | None = None
    counts: tuple[float, float, float] | None = None

    def __str__(self) -> str:
        return f"[{self.left}] ||| {side_text(self.source)} ||| {side_text(self.target)}"


def symbols_of(side: Side) -> tuple[Symbol, ...]:
    """Return the symbols of a side that is written as text, or given as symbols.

    >>> symbols_of("ne [X,1] pas")
    ('ne', Nonterminal(label='X', index=0), 'pas')
    """
    if not isinstance(side, str):
        return tuple(side)
    found: list[Symbol] = []
    for token in side.split():
        match = _NONTERMINAL.fullmatch(token)
        found.append(Nonterminal(match[1], int(match[2]) - 1) if match else word_of(token))
    return tuple(found)


def side_text(side: Iterable[Symbol]) -> str:
    """Return a side as text; `symbols_of` reads it."""
    return " ".join(str(one) if isinstance(one, Nonterminal) else escaped(one) for one in side)


def escaped(word: str, *, parentheses: bool = False) -> str:
    """Return a word with brackets and bars as Moses writes them; parentheses as well, for a tree in brackets.

    What looks like one of these codes already gets another `amp;`, which `word_of` takes away.

    >>> escaped("[a|b]"), escaped("&#91;")
    ('&#91;a&#124;b&#93;', '&amp;#91;')
    """
    if "&" in word:
        word = _CODED.sub(lambda code: f"&amp;{code[0][1:]}", word)
    for character in "|[]()" if parentheses else "|[]":
        if character in word:
            word = word.replace(character, f"&#{ord(character)};")
    return word


def word_of(token: str) -> str:
    """Return the word that a token of text stands for: the reverse of `escaped`."""
    return _CODED.sub(_decoded, token) if "&" in token else token


def _decoded(code: re.Match[str]) -> str:
    text = code[0]
    return f"&{text[5:]}" if text.startswith("&amp;") else chr(int(text[2:-1]))


def nonterminals(side: Iterable[Symbol]) -> list[Nonterminal]:
    """Return the nonterminals of a side in their order."""
    return [one for one in side if isinstance(one, Nonterminal)]

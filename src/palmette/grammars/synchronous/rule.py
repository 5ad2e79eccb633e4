"""Rules of synchronous grammars: A → α , β, with the same nonterminals on both sides. CSC 448, §16."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from palmette.grammars.rule import EMPTY, Rule, Symbol, Terminal, symbol_text

TargetItem: TypeAlias = (
    Terminal | int
)  # a word, or the number of a nonterminal, counted from 0 on the source side
Marked: TypeAlias = Terminal | tuple[str, int | None]  # a word, or a nonterminal and its index
Links: TypeAlias = tuple[tuple[int, int], ...]


class SynchronousRule(NamedTuple):
    """A → source , target with a weight. A number t in the target is the t-th nonterminal of the source, from 0.

    scores: further numbers (logs of probabilities), one for each column of the grammar; links: positions of
    source and target words that translate each other, both counted with the nonterminals.

    >>> print(SynchronousRule("X", (Terminal("ne"), "X", Terminal("pas")), (Terminal("not"), 0), 0.5))
    0.5: X -> ne X1 pas , not X1
    """

    left: str
    source: tuple[Symbol, ...]
    target: tuple[TargetItem, ...]
    weight: float = 1.0
    scores: tuple[float, ...] = ()
    links: Links = ()

    @property
    def nonterminals(self) -> tuple[str, ...]:
        """The nonterminals of the right side, in source order."""
        return tuple(symbol for symbol in self.source if isinstance(symbol, str))

    @property
    def permutation(self) -> tuple[int, ...]:
        """The numbers of the nonterminals, in target order."""
        return tuple(item for item in self.target if isinstance(item, int))

    @property
    def rank(self) -> int:
        """How many nonterminals are on each side."""
        return len(self.permutation)

    def source_rule(self) -> Rule:
        """The rule of the source language."""
        return Rule(self.left, self.source, self.weight)

    def target_rule(self) -> Rule:
        """The rule of the target language."""
        names = self.nonterminals
        right = tuple(names[item] if isinstance(item, int) else item for item in self.target)
        return Rule(self.left, right, self.weight)

    def arrow(self, names: frozenset[str] = frozenset()) -> str:
        """The rule as text without its weight; `names` are all left sides of the grammar, for quotes."""
        known = names | {self.left, *self.nonterminals}
        source: list[str] = []
        labels: list[str] = []
        for symbol in self.source:
            if isinstance(symbol, Terminal):
                source.append(word_text(symbol.word, known))
            else:
                labels.append(linked_text(symbol, len(labels) + 1, known))
                source.append(labels[-1])
        target = [
            labels[item] if isinstance(item, int) else word_text(item.word, known) for item in self.target
        ]
        sides = " , ".join(" ".join(side) or EMPTY for side in (source, target))
        return f"{symbol_text(self.left)} -> {sides}"

    def __str__(self) -> str:
        return f"{self.weight!r}: {self.arrow()}"


def linked_text(name: str, index: int, known: frozenset[str]) -> str:
    """A nonterminal with its index: `X1`, or `[X2,1]` if `X21` could mean something else."""
    plain = f"{name}{index}"
    good = symbol_text(name) == name and not name[-1].isdigit() and name[0].isalpha()
    if good and plain not in known and (name in known or name[0].isupper()):
        return plain
    return f"[{name},{index}]"


def word_text(word: str, known: frozenset[str]) -> str:
    """A word, in quotes if it could be taken for something else."""
    base = word.rstrip("0123456789")
    as_name = word in known or (base != word and (base in known or base[:1].isupper()))
    plain = not word.endswith(",") and not as_name and symbol_text(word) == word
    return word if plain else str(Terminal(word))


def checked_rule(rule: SynchronousRule) -> SynchronousRule:
    """A rule of the right types whose sides have the same nonterminals; ValueError says what is wrong."""
    try:
        left, source, target, weight, scores, links = rule
        good = isinstance(left, str) and all(isinstance(symbol, str | Terminal) for symbol in source)
        good = (
            good and all(isinstance(item, int | Terminal) for item in target) and not isinstance(source, str)
        )
        number, values = float(weight), tuple(map(float, scores))
        pairs = tuple((int(i), int(j)) for i, j in links)
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ValueError(
            "A rule is SynchronousRule(left, (symbol, ...), (word or number, ...), weight), words in "
            f"Terminal(word). Got {rule!r}."
        )
    if not 0 <= number < math.inf:
        raise ValueError(f"The weight of a rule must be finite and not negative. Got {rule!r}.")
    if not left or any(symbol in ("", Terminal("")) for symbol in (*source, *target)):
        raise ValueError(f"Symbols must not be empty. Got {rule!r}.")
    found = SynchronousRule(left, tuple(source), tuple(target), number, values, pairs)
    if sorted(found.permutation) != list(range(len(found.nonterminals))):
        raise ValueError(
            f"The target of {found!r} must name each of the {len(found.nonterminals)} nonterminals of the source "
            "once, by numbers from 0."
        )
    if any(not (0 <= i < len(source) and 0 <= j < len(target)) for i, j in pairs):
        raise ValueError(f"A link of {found!r} is outside of its sides.")
    return found


def linked(
    left: str,
    source: Sequence[Marked],
    target: Sequence[Marked],
    weight: float = 1.0,
    scores: tuple[float, ...] = (),
    links: Links = (),
) -> SynchronousRule:
    """The rule whose nonterminals are pairs (name, index), index None if the name alone says which it is.

    ValueError if the sides do not have the same nonterminals, each once.
    """
    places: dict[tuple[str, int | None] | int, int] = {}
    names: list[str] = []
    out: list[Symbol] = []
    for symbol in source:
        if isinstance(symbol, Terminal):
            out.append(symbol)
            continue
        key = _key(symbol)
        if key in places:
            raise ValueError(_twice(symbol, "source"))
        places[key] = len(names)
        names.append(symbol[0])
        out.append(symbol[0])
    used: set[int] = set()
    items: list[TargetItem] = []
    for symbol in target:
        if isinstance(symbol, Terminal):
            items.append(symbol)
            continue
        place = places.get(_key(symbol))
        shown = _shown(symbol)
        if place is None:
            raise ValueError(
                f"the nonterminal {shown} of the target is not linked: the source does not have it"
            )
        if names[place] != symbol[0]:
            raise ValueError(
                f"nonterminal {symbol[1]} is {names[place]} on the source side and {symbol[0]} on the target side"
            )
        if place in used:
            raise ValueError(_twice(symbol, "target"))
        used.add(place)
        items.append(place)
    for key, place in places.items():
        if place not in used:
            shown = _shown((names[place], key if isinstance(key, int) else None))
            raise ValueError(
                f"the nonterminal {shown} of the source is not linked: the target does not have it"
            )
    return SynchronousRule(left, tuple(out), tuple(items), weight, scores, links)


def _key(symbol: tuple[str, int | None]) -> tuple[str, int | None] | int:
    return symbol if symbol[1] is None else symbol[1]


def _shown(symbol: tuple[str, int | None]) -> str:
    return symbol[0] if symbol[1] is None else f"{symbol[0]}{symbol[1]}"


def _twice(symbol: tuple[str, int | None], side: str) -> str:
    if symbol[1] is None:
        return f"{symbol[0]} is twice on the {side} side: number them, {symbol[0]}1 and {symbol[0]}2"
    return f"index {symbol[1]} is twice on the {side} side"

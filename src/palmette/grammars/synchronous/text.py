"""Synchronous grammars as text: a rule on each line, the two sides separated by a comma.

    % start S                           # otherwise the left side of the first rule
    0.7: X -> ne X1 pas , not X1        # a weight in front, or behind as [0.7]
    S -> NP VP , VP NP                  # without numbers if each name is once on a side
    S' -> ε , ε                         # ε or nothing is the empty string
    X -> ',' X1 , 'X2' [X,1]            # words in quotes are never nonterminals; [X,1] always is one

A bare name is a nonterminal if some rule has it on its left, or if it is such a name, or one with a capital, and a
number: X1. All other bare words are words. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from palmette.grammars.line_reader import FRONT_WEIGHT, LineReader
from palmette.grammars.rule import EMPTY, Terminal, symbol_text
from palmette.grammars.synchronous.rule import Marked, SynchronousRule, linked

_TOKEN = re.compile(
    r"""(?P<quoted>'(?:[^'\\]|\\.)*'(?=[\s,]|$)|"(?:[^"\\]|\\.)*"(?=[\s,]|$))
    | <(?P<angled>(?:[^>\\]|\\.)+)>
    | \[(?P<name>[^\[\]\s]+),(?P<index>\d+)\]
    | \[(?P<weight>[-+.\d][^\]\s]*)\]
    | (?P<arrow>->|→)
    | (?P<comma>,)(?=\s|$)
    | (?P<comment>\#.*)
    | (?P<bare>(?:(?!->|→)[^\s'"<>|\[\]\#])(?:(?!->|→)[^\s"<>|\[\]])*?(?=,?(?:\s|$|->|→)))
    | (?P<blank>\s+)
    | (?P<other>.)""",
    re.VERBOSE,
)
_EXPECTED = "expected a rule such as X -> ne X1 pas , not X1"
_NUMBERED = re.compile(r"(.*?)(\d+)")
_Token: TypeAlias = tuple[str, str]


class _Line(NamedTuple):
    number: int
    left: str
    sides: tuple[list[_Token], list[_Token]]
    weight: float


def parse_synchronous(
    text: str, path: str = "grammar"
) -> tuple[str | None, list[SynchronousRule], list[int]]:
    """The start symbol that the text names, if it does, the rules, and the line of each."""
    reader = _Reader(path)
    for number, line in enumerate(text.split("\n"), 1):
        reader.read(number, line)
    return reader.start, reader.rules(), [line.number for line in reader.lines]


def synchronous_text(rules: Sequence[SynchronousRule], start: str) -> str:
    """The text that reads back as the same rules; weights are left out if all are one."""
    plain = all(rule.weight == 1 for rule in rules)
    names = frozenset(rule.left for rule in rules)
    head = [] if rules and rules[0].left == start else [f"% start {symbol_text(start)}"]
    body = [("" if plain else f"{rule.weight!r}: ") + rule.arrow(names) for rule in rules]
    return "\n".join([*head, *body]) + "\n"


def looks_synchronous(text: str) -> bool:
    """Whether the first rule of a text has two sides."""
    for line in text.split("\n"):
        if not line.strip() or line.lstrip()[0] in "#%":
            continue
        if " ||| " in line:
            return True
        front = FRONT_WEIGHT.match(line)
        kinds = [match.lastgroup for match in _TOKEN.finditer(line[front.end() :] if front else line)]
        return "arrow" in kinds and "comma" in kinds
    return False


class _Reader(LineReader):
    tokens = _TOKEN
    expected = _EXPECTED

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.lines: list[_Line] = []

    def read(self, number: int, text: str) -> None:
        """Read one line; what is a nonterminal is known at the end."""
        self.line = number
        if text.lstrip().startswith("%"):
            return self._directive(text)
        front = FRONT_WEIGHT.match(text)
        tokens = list(self._tokens(text[front.end() :] if front else text))
        if not tokens and front is None:
            return None
        if len(tokens) < 2 or tokens[0][0] not in ("bare", "angled") or tokens[1][0] != "arrow":
            self._fail(_EXPECTED)
        left, right = tokens[0][1], tokens[2:]
        weight = None if front is None else self._weight(front[1])
        if right and right[-1][0] == "weight":
            if weight is not None:
                self._fail("the rule has two weights, one in front and one behind")
            weight = self._weight(right.pop()[1])
        for kind, value in right:
            if kind in ("arrow", "weight"):
                self._fail(f"{value!r} is not expected inside of a rule; {_EXPECTED}")
        commas = [place for place, (kind, _) in enumerate(right) if kind == "comma"]
        if len(commas) != 1:
            self._fail(
                f"expected one comma between the two sides, got {len(commas)}; {_EXPECTED}, and a comma that is "
                "a word in quotes"
            )
        sides = right[: commas[0]], right[commas[0] + 1 :]
        self.lines.append(_Line(number, left, sides, 1.0 if weight is None else weight))
        return None

    def rules(self) -> list[SynchronousRule]:
        """The rules, once all left sides are known."""
        names = frozenset(line.left for line in self.lines)
        found = []
        for line in self.lines:
            source, target = ([*self._symbols(side, names)] for side in line.sides)
            try:
                found.append(linked(line.left, source, target, line.weight))
            except ValueError as error:
                self.line = line.number
                self._fail(f"{error}; put words that look like nonterminals in quotes")
        return found

    def _symbols(self, tokens: Iterable[_Token], names: frozenset[str]) -> Iterator[Marked]:
        for kind, value in tokens:
            if kind == "quoted":
                if value:
                    yield Terminal(value)
            elif kind == "linked":
                name, _, index = value.rpartition(",")
                yield name, int(index)
            elif kind == "angled" or value in names:
                yield value, None
            elif value != EMPTY:
                number = _NUMBERED.fullmatch(value)
                if number and number[1] and (number[1] in names or number[1][0].isupper()):
                    yield number[1], int(number[2])
                else:
                    yield Terminal(value)

"""Grammars as text: a rule on each line, its weight in front or, as NLTK has it, behind.

    % start S                          # otherwise the left side of the first rule
    0.9: S -> NP VP
    0.1: S -> VP
    NP -> 'time' [0.6] | 'flies' [0.4] # alternatives
        | ε [0]
    <''> -> "''"                       # names with signs of this notation are in <brackets>

Terminals are in quotes, everything else is a nonterminal. `ε` or nothing is the empty string. A rule without a
weight has the weight 1; a weight may be a fraction, `1/3`. In quotes and brackets, \\ escapes. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from palmette.grammars.line_reader import FRONT_WEIGHT, LineReader
from palmette.grammars.rule import EMPTY, Rule, Symbol, Terminal, symbol_text

_TOKEN = re.compile(
    r"""(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    | <(?P<angled>(?:[^>\\]|\\.)+)>
    | \[(?P<weight>[^\]]*)\]
    | (?P<bar>\|)
    | (?P<arrow>->|→)
    | (?P<comment>\#.*)
    | (?P<bare>(?:(?!->|→)[^\s'"<>|\[\]\#])(?:(?!->|→)[^\s"<>|\[\]])*)
    | (?P<blank>\s+)
    | (?P<other>.)""",
    re.VERBOSE,
)
_EXPECTED = "expected a rule such as 0.5: S -> NP VP"


def parse_rules(text: str, path: str | None = None) -> tuple[str | None, list[Rule], list[int]]:
    """The start symbol that the text names, if it does, the rules, and the line of each."""
    reader = _Reader(path)
    for number, line in enumerate(text.split("\n"), 1):
        reader.read(number, line)
    return reader.start, reader.rules, reader.lines


def rules_text(rules: Iterable[Rule], start: str) -> str:
    """The text that reads back as the same rules; weights are left out where all are one."""
    found = list(rules)
    plain = all(rule.weight == 1 for rule in found)
    head = [] if found and found[0].left == start else [f"% start {symbol_text(start)}"]
    return "\n".join([*head, *(rule.arrow() if plain else str(rule) for rule in found)]) + "\n"


class _Reader(LineReader):
    tokens = _TOKEN
    expected = _EXPECTED

    def __init__(self, path: str | None) -> None:
        super().__init__(path)
        self.rules: list[Rule] = []
        self.lines: list[int] = []
        self.left: str | None = None  # of the rule that a line beginning with | goes on with

    def read(self, number: int, text: str) -> None:
        """One line."""
        self.line = number
        if text.lstrip().startswith("%"):
            return self._directive(text)
        front = FRONT_WEIGHT.match(text)
        tokens = list(self._tokens(text[front.end() :] if front else text))
        if not tokens and front is None:
            return None
        continued = front is None and tokens[0][0] == "bar"
        if continued:
            if self.left is None:
                self._fail("a line that begins with | goes on with the rule above it, and there is none")
            tokens = tokens[1:]
        else:
            if len(tokens) < 2 or tokens[0][0] not in ("bare", "angled") or tokens[1][0] != "arrow":
                self._fail(_EXPECTED)
            self.left, tokens = tokens[0][1], tokens[2:]
        self._alternatives(tokens, None if front is None else self._weight(front[1]))
        return None

    def _alternatives(self, tokens: list[tuple[str, str]], front: float | None) -> None:
        right: list[Symbol] = []
        weight: float | None = None
        bars = sum(kind == "bar" for kind, _ in tokens)
        if front is not None and (bars or any(kind == "weight" for kind, _ in tokens)):
            self._fail(
                "a weight in front is that of one rule; write weights of alternatives behind: A [0.5] | B [0.5]"
            )
        for kind, value in [*tokens, ("bar", "|")]:
            if kind == "bar":
                assert self.left is not None
                given = front if weight is None else weight
                self.rules.append(Rule(self.left, tuple(right), 1.0 if given is None else given))
                self.lines.append(self.line)
                right, weight = [], None
            elif weight is not None:
                self._fail(f"expected | or the end of the line behind a weight, got {value}")
            elif kind == "weight":
                weight = self._weight(value)
            elif kind == "arrow":
                self._fail("expected one arrow in a rule, got two")
            elif kind == "quoted":
                if value:
                    right.append(Terminal(value))
            elif kind == "angled" or value != EMPTY:
                right.append(value)

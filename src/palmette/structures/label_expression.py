"""Regular expressions over labels, compiled to automata: expression → NFA (Thompson 1968) → DFA → smallest DFA.

| text                | matches                                                   |
|---------------------|-----------------------------------------------------------|
| `B-PER`, `"."`      | one label; quote labels that have operators in their name |
| `.`                 | any label                                                 |
| `[B-PER S-*]`       | one of these labels; `*` matches any part of a name       |
| `[^ O]`             | any label but these                                       |
| `a b`, `a \\| b`     | a then b, a or b                                          |
| `a*`, `a+`, `a?`    | any number of times, at least once, at most once          |
| `a{2}`, `a{1,3}`, `a{2,}` | so often                                            |
| `( … )`             | as one                                                    |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase

import numpy as np

from palmette.errors import UsageError
from palmette.expressions import Nfa, Parser, Token
from palmette.structures.automaton import Automaton, refuse_many

_TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>"[^"]*"|'[^']*')|(?P<class>\[[^\]]*\])|(?P<count>\{\s*\d*\s*(?:,\s*\d*\s*)?\})
    |(?P<operator>[|*+?()])|(?P<any>\.)|(?P<label>[^\s|*+?().{}\[\]"']+)|(?P<bad>\S))""",
    re.VERBOSE,
)


def compile_expression(text: str, labels: Sequence[str]) -> Automaton:
    """Return the smallest automaton over these labels that accepts what the expression matches.

    >>> pairs = compile_expression("(a b)* c?", ["a", "b", "c"])
    >>> pairs.accepts("ababc"), pairs.accepts("abb"), pairs.n_states
    (True, False, 3)
    """
    reader = _Labels(text, tuple(labels))
    nfa, end = Nfa.of(Parser(reader.tokens, reader.wanted, reader.error).whole())
    return _determinised(nfa, end, tuple(labels)).minimised()


class _Labels:
    """The tokens of an expression over labels, and which labels each reads."""

    def __init__(self, text: str, labels: tuple[str, ...]) -> None:
        self._text, self._labels = text, labels
        self.tokens = [
            Token(kind, found.group(kind), found.start(kind))
            for found in _TOKEN.finditer(text)
            if (kind := found.lastgroup) is not None
        ]

    def wanted(self, at: int) -> frozenset[int]:
        """Return the labels that a token reads."""
        kind, text, _ = self.tokens[at]
        every = frozenset(range(len(self._labels)))
        if kind == "any":
            return every
        if kind == "class":
            inside = text[1:-1].strip()
            negated = inside.startswith("^")
            patterns = [quoted.strip("\"'") for quoted in inside.lstrip("^").split()]
            if not patterns:
                raise self.error(at, "a class needs at least one label")
            chosen = frozenset(y for pattern in patterns for y in self._matching(at, pattern))
            return every - chosen if negated else chosen
        name = text[1:-1] if kind == "quoted" else text
        if name not in self._labels:
            raise self.error(at, f"{name!r} is not a label; the labels are {', '.join(self._labels[:20])}")
        return frozenset([self._labels.index(name)])

    def _matching(self, at: int, pattern: str) -> list[int]:
        if "*" in pattern and pattern not in self._labels:
            escaped = pattern.replace("[", "[[]").replace("?", "[?]")
            return [y for y, label in enumerate(self._labels) if fnmatchcase(label, escaped)]
        if pattern not in self._labels:
            raise self.error(at, f"{pattern!r} is not a label; the labels are {', '.join(self._labels[:20])}")
        return [self._labels.index(pattern)]

    def error(self, at: int, what: str) -> ValueError:
        """Return the error at a token."""
        place = self.tokens[at].place if at < len(self.tokens) else len(self._text)
        return UsageError(f"In the expression over labels {self._text!r}, character {place + 1}: {what}.")


def _determinised(nfa: Nfa, end: int, labels: tuple[str, ...]) -> Automaton:
    """The automaton whose states are sets of nodes."""
    start = nfa.closure([0])
    number, waiting = {start: 0}, [start]
    entries = []
    for nodes in waiting:
        steps = [step for node in nodes if (step := nfa.reading[node]) is not None]
        row = []
        for y in range(len(labels)):
            reached = nfa.closure([to for wanted, to in steps if y in wanted])
            if not reached:
                row.append(-1)
                continue
            if reached not in number:
                number[reached] = len(number)
                refuse_many(len(number))
                waiting.append(reached)
            row.append(number[reached])
        entries.append(row)
    table = np.array(entries, dtype=np.int32).reshape(len(waiting), len(labels))
    names = tuple(str(k) for k in range(len(waiting)))
    return Automaton(labels, table, np.array([end in nodes for nodes in waiting]), names).trimmed()

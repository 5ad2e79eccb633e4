"""Linear context-free rewriting systems of any fan-out, compiled to deduction rules. CSC 448, §12.

A nonterminal of fan-out φ derives φ spans, written as components that are separated by commas. `A_2[1]` is the
second span of the first right-hand nonterminal, an A; `A[1]` is short for `A_1[1]`; every other word is a
terminal (in quotes if it is a comma or looks like a nonterminal), and ε or nothing is the empty span:

    S -> A_1[1] A_2[1]
    A -> A_1[1] a, A_2[1] a
    A -> A_1[1] b, A_2[1] b
    A -> ε, ε

is the copy language ww. A rule may have a weight in front: `0.3: A -> ...`. Every rule becomes the deduction rule
whose items have two position variables per span, 2φ for a nonterminal of fan-out φ; rules that differ only in
their symbols share one. Parsing costs O(n^v) for a rule with v different positions.

Synchronous grammars need nothing more: with several strings, the spans of the start symbol cover one each.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from palmette import _native
from palmette.errors import FormatError
from palmette.inference.deduction import Deduction
from palmette.inference.facts import Columns, FactSource
from palmette.inference.forest import Forest
from palmette.inference.limits import MAX_EDGES, MAX_ITEMS
from palmette.inference.search import Search

_NONTERMINAL = re.compile(r"(?P<name>[^\s\[\]]+?)(?:_(?P<component>\d+))?\^?\[(?P<index>\d+)\]")
_RULE = re.compile(r"(?:(?P<weight>[^\s:#]+)\s*:\s+)?(?P<left>[^\s#]+?)\s*(?:->|→)(?P<right>.*)")
_SYMBOL = re.compile(r"""(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<comment>\#.*)|,|[^\s,#]+""")


@dataclass(frozen=True)
class Span:
    """One component of a right-hand nonterminal, both counted from 0: which nonterminal, which of its spans."""

    nonterminal: int
    component: int


Symbol: TypeAlias = Span | str  # a terminal is its word


@dataclass(frozen=True)
class LCFRSRule:
    """weight: left → components, where `right` names the nonterminals that the spans belong to."""

    line: int
    weight: float
    left: str
    components: tuple[tuple[Symbol, ...], ...]
    right: tuple[str, ...]


class LCFRS:
    """A grammar, from text or rules; `parse` gives the forest of a sentence, or of several strings side by side.

    >>> copy = LCFRS('''
    ...     S -> A_1[1] A_2[1]
    ...     A -> A_1[1] a, A_2[1] a
    ...     A -> A_1[1] b, A_2[1] b
    ...     A -> ε, ε
    ... ''')
    >>> copy.parse("abab").count(), copy.parse("abba").count()
    (1, 0)
    """

    def __init__(
        self, rules: str | Iterable[LCFRSRule], *, start: str | None = None, path: str = "grammar"
    ) -> None:
        self.path = path
        if isinstance(rules, str):
            lines = ((n, line.strip()) for n, line in enumerate(rules.split("\n"), 1))
            self.rules = [self._read(n, line) for n, line in lines if line and not line.startswith("#")]
        else:
            self.rules = list(rules)
        if not self.rules:
            raise FormatError("there is no rule", path=path)
        self.start = start or self.rules[0].left
        self.fan_out: dict[str, int] = {}
        for rule in self.rules:
            n = len(rule.components)
            if self.fan_out.setdefault(rule.left, n) != n:
                self._fail(rule.line, f"{rule.left} has {n} spans here and {self.fan_out[rule.left]} before")
        if self.start not in self.fan_out:
            raise FormatError(f"no rule derives the start symbol {self.start}", path=path)
        for rule in self.rules:
            self._check_spans(rule)
        self._compile()

    def parse(
        self, *strings: Sequence[str], search: Search | None = None, max_edges: int = MAX_EDGES
    ) -> Forest:
        """The forest of a sequence of words; with several strings, one for each span of the start symbol."""
        n = self.fan_out[self.start]
        if len(strings) != n:
            raise ValueError(f"{self.start} has {n} spans, so it derives as many strings; got {len(strings)}")
        words: list[tuple[str, int]] = []
        positions: list[int] = []
        spans: list[int] = []
        for string in strings:
            # Strings are one after the other with a gap, which no span can cross.
            first = positions[-1] + 2 if positions else 0
            words += [(word, first + i) for i, word in enumerate(string)]
            positions += range(first, first + len(string) + 1)
            spans += [first, first + len(string)]
        facts: dict[str, FactSource] = dict(self.facts)
        if self.deduction.uses("word"):
            facts["word"] = words
        if self.deduction.uses("position"):
            facts["position"] = positions
        goal = "[" + ", ".join([_quoted(self.start), *map(str, spans)]) + "]"
        return self.deduction.run(
            facts, goal, search=search, max_items=min(max_edges, MAX_ITEMS), max_edges=max_edges
        )

    # Reading

    def _read(self, line: int, text: str) -> LCFRSRule:
        match = _RULE.fullmatch(text)
        if match is None:
            self._fail(line, "expected a rule such as S -> A_1[1] A_2[1], or 0.5: S -> A_1[1] A_2[1]")
        try:
            weight = float(match["weight"] or 1.0)
        except ValueError:
            self._fail(line, f"the weight {match['weight']!r} is not a number")
        if not 0 <= weight < math.inf:
            self._fail(line, f"the weight is {weight}; it must be finite and not negative")
        if re.match(r"[-+.\d]+:", match["left"]):
            self._fail(line, f"expected a blank between weight and symbol in {match['left']!r}")
        components: list[list[Symbol]] = [[]]
        right: dict[int, str] = {}
        for found in _SYMBOL.finditer(match["right"]):
            symbol = found.group()
            if found["comment"]:
                break
            if symbol == ",":
                components.append([])
            elif symbol in ("ε", "''", '""'):
                continue
            elif found["quoted"]:
                components[-1].append(re.sub(r"\\(.)", r"\1", symbol[1:-1]))
            elif symbol[0] in "'\"":
                self._fail(line, f"the quote of {symbol} is not closed")
            elif span := _NONTERMINAL.fullmatch(symbol):
                index, component = int(span["index"]), int(span["component"] or 1)
                if component == 0:
                    self._fail(line, f"{symbol}: spans are counted from 1")
                if right.setdefault(index, span["name"]) != span["name"]:
                    self._fail(line, f"[{index}] is {right[index]} and {span['name']} in the same rule")
                components[-1].append(Span(index, component - 1))
            else:
                components[-1].append(symbol)
        numbers = {index: n for n, index in enumerate(right)}
        renumbered = tuple(
            tuple(Span(numbers[s.nonterminal], s.component) if isinstance(s, Span) else s for s in component)
            for component in components
        )
        return LCFRSRule(line, weight, match["left"], renumbered, tuple(right.values()))

    def _check_spans(self, rule: LCFRSRule) -> None:
        """Linear: every span of every right-hand nonterminal is in the rule exactly once."""
        n_symbols = 1 + len(rule.right) + sum(isinstance(s, str) for c in rule.components for s in c)
        if max(n_symbols, 1 + 2 * len(rule.components)) > _native.MAX_ARITY:
            self._fail(
                rule.line, f"more than {_native.MAX_ARITY} symbols, or spans of as many ends, in one rule"
            )
        used = [symbol for component in rule.components for symbol in component if isinstance(symbol, Span)]
        for n, name in enumerate(rule.right):
            if name not in self.fan_out:
                self._fail(rule.line, f"no rule derives {name}")
            for component in range(
                max(self.fan_out[name], *(s.component + 1 for s in used if s.nonterminal == n))
            ):
                times = used.count(Span(n, component))
                if component >= self.fan_out[name]:
                    self._fail(rule.line, f"{name} has {self.fan_out[name]} spans, not {component + 1}")
                if times != 1:
                    self._fail(rule.line, f"span {component + 1} of {name} appears {times} times, not once")

    def _fail(self, line: int, message: str) -> NoReturn:
        raise FormatError(message, path=self.path, line=line)

    # Compiling

    def _compile(self) -> None:
        """One deduction rule per shape; the symbols of each grammar rule are the arguments of a fact."""
        shapes: dict[str, list[tuple[list[str], int]]] = {}
        for number, rule in enumerate(self.rules):
            shape, symbols = _shape(rule)
            shapes.setdefault(shape, []).append((symbols, number))
        lines, self.facts = [], {}
        self.rules_of_parts: list[int] = []  # the rule of each of the first parts of a forest
        for n, (shape, rows) in enumerate(shapes.items()):
            lines.append(shape.replace("RULE", f"rule{n}"))
            columns = zip(*(symbols for symbols, _ in rows))
            weights = [self.rules[number].weight for _, number in rows]
            self.facts[f"rule{n}"] = Columns(*map(list, columns), weights=weights)
            self.rules_of_parts += [number for _, number in rows]
        self.deduction = Deduction("\n".join(lines), path=self.path)


def _shape(rule: LCFRSRule) -> tuple[str, list[str]]:
    """The deduction rule with variables for all symbols, and the symbols: left, right-hand names, terminals."""
    n_variables = 0
    words: list[str] = []
    terminals: list[str] = []
    empty: list[str] = []
    spans: dict[Span, tuple[str, str]] = {}
    head: list[str] = []

    def new_variable() -> str:
        nonlocal n_variables
        n_variables += 1
        return f"p{n_variables}"

    for component in rule.components:
        variable, offset = new_variable(), 0
        first = variable
        if not component:
            empty.append(f"?position({variable})")
        for symbol in component:
            here = f"{variable}+{offset}" if offset else variable
            if isinstance(symbol, Span):
                variable, offset = new_variable(), 0
                spans[symbol] = here, variable
            else:
                words.append(f"word(w{len(terminals)}, {here})")
                terminals.append(symbol)
                offset += 1
        head += [first, f"{variable}+{offset}" if offset else variable]
    names = [f"A{n}" for n in range(len(rule.right))]
    arguments = ", ".join(["A", *names, *(f"w{i}" for i in range(len(terminals)))])
    body = [f"RULE({arguments})"]
    for n, name in enumerate(names):
        mine = sorted((span for span in spans if span.nonterminal == n), key=lambda span: span.component)
        body.append("[" + ", ".join([name, *(end for span in mine for end in spans[span])]) + "]")
    text = f"[{', '.join(['A', *head])}] <- {' * '.join([*body, *words, *empty])}"
    return text, [rule.left, *rule.right, *terminals]


def _quoted(symbol: str) -> str:
    return "'" + re.sub(r"(['\\])", r"\\\1", symbol) + "'"

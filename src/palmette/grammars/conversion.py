"""One grammar made into another that derives the same strings with the same weights, and the way back.

A rule of the new grammar stands for some rules of the old one: those `before` what its nonterminals derive, in
leftmost order, and those `after` it. It may stand for several such sequences; then its weight is their sum,
`best` is the weight of the best, and that one is the way back. So sums are equal under `grammar`, and best
derivations are equal, tree by tree, under the weights `best`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

import numpy as np

from palmette.grammars.grammar import Floats, Grammar
from palmette.grammars.rule import Rule, Symbol
from palmette.grammars.trimming import useful_rules

Numbers = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Conversion:
    """A grammar made of `source`; before[n] and after[n] are numbers of rules of the source, for rule n."""

    source: Grammar
    grammar: Grammar
    best: Floats
    before: tuple[Numbers, ...]
    after: tuple[Numbers, ...]

    def original(self, numbers: Iterable[int]) -> list[int]:
        """The best leftmost derivation of the source that a leftmost derivation of the new grammar stands for."""
        found: list[int] = []
        waiting: list[list[int]] = []  # the rule, and how many of its nonterminals are not yet rewritten
        for number in numbers:
            found += self.before[number]
            waiting.append([number, len(self.grammar.rules[number].nonterminals)])
            while waiting and waiting[-1][1] == 0:
                found += self.after[waiting.pop()[0]]
                if waiting:
                    waiting[-1][1] -= 1
        return found


@dataclass
class Builder:
    """Collects the rules of a conversion: one that comes again adds its weight, and the better way back stays."""

    source: Grammar
    start: str
    totals: dict[tuple[str, tuple[Symbol, ...]], float] = field(default_factory=dict)
    ways: dict[tuple[str, tuple[Symbol, ...]], tuple[float, Numbers, Numbers]] = field(default_factory=dict)

    def add(
        self,
        left: str,
        right: tuple[Symbol, ...],
        total: float,
        best: float,
        before: Numbers,
        after: Numbers = (),
    ) -> None:
        """A rule, with the weight of all it stands for and of the best of it; of weight zero it is left out."""
        if total <= 0:
            return
        key = left, right
        self.totals[key] = self.totals.get(key, 0.0) + total
        if key not in self.ways or best > self.ways[key][0]:
            self.ways[key] = best, before, after

    def conversion(self) -> Conversion:
        """The grammar of the rules that derivations of strings use; ValueError if there are none."""
        rules = [Rule(left, right, total) for (left, right), total in self.totals.items()]
        kept = useful_rules(Grammar.of_good_rules(rules, self.start))
        if not kept:
            raise ValueError(f"The start symbol {self.source.start} derives no string.")
        ways = [self.ways[rule[:2]] for rule in kept]
        return Conversion(
            self.source,
            Grammar.of_good_rules(kept, self.start),
            np.array([best for best, _, _ in ways]),
            tuple(before for _, before, _ in ways),
            tuple(after for _, _, after in ways),
        )


def new_name(name: str, taken: Container[str]) -> str:
    """The name, or one like it that is not taken."""
    while name in taken:
        name += "'"
    return name

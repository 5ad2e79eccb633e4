"""All derivations of a translation by synchronous rules, written down one by one, and Φ by its definition."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from oracles.phrase_derivations import LN10
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.symbols import Nonterminal, Rule


@dataclass(frozen=True)
class Node:
    """A rule over a span; rule: None for a copied word. level: how many rules over one nonterminal end with it."""

    label: str
    begin: int
    end: int
    rule: Rule | None
    children: tuple[Node, ...] = ()
    level: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        if self.rule is None:
            return (self.label,)  # the word itself
        found: list[str] = []
        for item in self.rule.target:
            found += self.children[item.index].words if isinstance(item, Nonterminal) else [item]
        return tuple(found)

    def rules(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.rules()


Derivation = tuple[Node, ...]  # joined by glue, from left to right


def random_rules(seed: int, *, labels: Sequence[str] = "X", rank: int = 2, n_rules: int = 14) -> RuleTable:
    """A table over source words a … d and target words p … s, with rules of any rank up to `rank`."""
    rng = random.Random(seed)
    found: dict[tuple[str, str, str], tuple[str, str, str, list[float]]] = {}
    while len(found) < n_rules:
        n = rng.randint(0, rank)
        source = [rng.choice("abcd") for _ in range(rng.randint(0 if n > 1 or len(labels) > 1 else 1, 2))]
        if not source and not n:
            continue
        slots = [f"[{rng.choice(labels)},{k + 1}]" for k in range(n)]
        target = [rng.choice("pqrs") for _ in range(rng.randint(0 if n else 1, 2))] + slots
        rng.shuffle(target)
        for place, slot in zip(sorted(rng.randint(0, len(source)) for _ in slots), slots):
            source.insert(place + slots.index(slot), slot)
        left = rng.choice(labels)
        key = left, " ".join(source), " ".join(target)
        found[key] = (*key, [round(-3 * rng.random(), 3) for _ in range(4)])
    return RuleTable.from_rules(list(found.values()))


def derivations(
    table: RuleTable,
    words: Sequence[str],
    *,
    span: int = 255,
    chain: int = 1,
    copies: Sequence[str] = ("X",),
) -> Iterator[Derivation]:
    """Yield all derivations of a sentence."""
    rules = list(table)
    alone = {rule.source[0] for rule in rules if len(rule.source) == 1}

    @cache
    def over(begin: int, end: int) -> tuple[tuple[str, Node], ...]:
        """All nodes of a span with their labels."""
        found: list[tuple[str, Node]] = []
        if end - begin <= span:
            for rule in rules:
                if len(rule.source) == 1 and isinstance(rule.source[0], Nonterminal):
                    continue
                found += [
                    (rule.left, Node(rule.left, begin, end, rule, tails))
                    for tails in matches(rule.source, begin, end)
                ]
        if end == begin + 1 and words[begin] not in alone:
            found += [(label, Node(words[begin], begin, end, None)) for label in copies]
        last = list(found)
        for level in range(1, chain + 1 if end - begin <= span else 1):
            last = [
                (rule.left, Node(rule.left, begin, end, rule, (node,), level))
                for rule in rules
                if len(rule.source) == 1 and isinstance(rule.source[0], Nonterminal)
                for label, node in last
                if label == rule.source[0].label
            ]
            found += last
        return tuple(found)

    def matches(source: Sequence[object], at: int, end: int) -> Iterator[tuple[Node, ...]]:
        if not source:
            if at == end:
                yield ()
            return
        first, rest = source[0], source[1:]
        if not isinstance(first, Nonterminal):
            if at < end and words[at] == first:
                yield from matches(rest, at + 1, end)
            return
        for middle in range(at + 1, end + 1 - len(rest)):
            tails = list(matches(rest, middle, end))
            if not tails:
                continue
            for (label, node), others in itertools.product(over(at, middle), tails):
                if label == first.label:
                    yield (node, *others)

    def glued(end: int) -> Iterator[Derivation]:
        if end == 0:
            yield ()
            return
        for begin in range(end):
            own = over(begin, end)
            if own:
                for before in glued(begin):
                    for _, node in own:
                        yield (*before, node)

    yield from glued(len(words))


def text(derivation: Derivation) -> tuple[str, ...]:
    """The target words of a derivation."""
    return tuple(word for node in derivation for word in node.words)


def features(derivation: Derivation, lm: LanguageModel | None, table: RuleTable) -> np.ndarray:
    """Φ by its definition: lm, words, rules, glue, unknown, hierarchical, the columns."""
    row = np.zeros(6 + len(table.columns))
    words = text(derivation)
    row[0] = LN10 * lm.score(list(words)) if lm is not None else 0.0
    row[1] = -len(words)
    row[3] = len(derivation)
    for node in (one for top in derivation for one in top.rules()):
        row[2] += 1
        if node.rule is None:
            row[4] -= 1
        else:
            row[5] += bool(node.children)
            row[6:] += node.rule.scores
    return row

"""A small and slow model of trees for tests of constituency parsers: a PCFG, its best trees as lists per span.

Every span keeps its best trees by symbol, so marginals are sums over these lists: exact for the short sentences of
tests. Words that were never seen may have any tag; tags are not annotated.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from palmette.learning.learner import Learner
from palmette.parameters import Options, option
from palmette.tools.constituency.combination.votes import spans_of
from palmette.tools.constituency.model import (
    Bracket,
    ConstituencyModel,
    Constraints,
    Parse,
    Trained,
    contribution,
)
from palmette.tools.methods import Method
from palmette.transforms.binarization import Binarization, unbinarized
from palmette.trees.tree import Leaf, Tree


@dataclass(frozen=True, kw_only=True)
class ToyOptions(Options):
    """The options of the toy."""

    keep: int = option(200, "number of trees that each span keeps")
    bias: float = option(0.0, "what a rule costs")


METHOD = Method(
    summary="a toy",
    train="samples.toy_constituency_model:train",
    model="samples.toy_constituency_model:ToyGrammar",
    options="samples.toy_constituency_model:ToyOptions",
)
NOTE = "No tree covers these words."


def check_options(options: Mapping[str, Any]) -> None:
    ToyOptions.of(options, "The method 'toy'")


def train(
    trees: Sequence[Tree],
    *,
    options: Mapping[str, Any],
    learner: Learner | None = None,
    dev: Callable[[ConstituencyModel], float] | None = None,
    callback: Any = None,
    n_jobs: int = 1,
    seed: int = 0,
) -> Trained:
    check_options(options)
    if learner is not None:
        raise ValueError("the toy counts, and has no learner")
    rules: Counter[tuple[str, ...]] = Counter()
    for tree in map(Binarization(horizontal=1), trees):
        for node in tree.preorder():
            right = [child.word if isinstance(child, Leaf) else child.label for child in node]
            rules[(node.label, "word" if node.is_preterminal else "rule", *right)] += 1
    totals: Counter[str] = Counter()
    for rule, count in rules.items():
        totals[rule[0]] += count
    weights = {rule: math.log(count / totals[rule[0]]) for rule, count in rules.items()}
    model = ToyGrammar(weights, options.get("keep", 200), options.get("bias", 0.0))
    if dev is not None:
        dev(model)
    return Trained(model)


@dataclass(frozen=True, eq=False)
class ToyGrammar:
    weights: Mapping[tuple[str, ...], float]
    keep: int = 200
    bias: float = 0.0
    max_words: int = 60

    def parse(self, sentences, *, tags=None, constraints=None, minimum_risk=None, n_jobs=1) -> list[Parse]:
        found = []
        for i, words in enumerate(sentences):
            known = constraints[i] if constraints else Constraints()
            ranked = self._ranked(words, tags[i] if tags else [""] * len(words), known)
            if not ranked and constraints and known != Constraints():
                raise ValueError(f"Sentence {i + 1}: no tree meets the constraints.")
            found.append(ranked[0] if ranked else self._fragments(words))
        return found

    def kbest(self, sentences, k, *, n_jobs=1):
        return [self._ranked(words, [""] * len(words), Constraints())[:k] for words in sentences]

    def marginals(self, sentences, *, n_jobs=1):
        found = []
        for words in sentences:
            table: defaultdict[Bracket, float] = defaultdict(float)
            for parse in self._ranked(words, [""] * len(words), Constraints()):
                for bracket in set(spans_of(parse.tree)):
                    table[bracket] += math.exp(parse.log_probability)
            found.append(dict(table))
        return found

    def contributions(self, words, tree):
        made = Binarization(horizontal=1)(tree)
        parts = []
        for node in made.preorder():
            right = [child.word if isinstance(child, Leaf) else child.label for child in node]
            rule = (node.label, "word" if node.is_preterminal else "rule", *right)
            segments = node.segments
            parts.append(
                contribution(
                    f"{rule[0]} → {' '.join(right)}", self._weight(rule), segments[0][0], segments[-1][1]
                )
            )
        return parts

    def with_options(self, options):
        check_options(options)
        return replace(self, **options)

    def arrays(self):
        return {"weights": np.array(list(self.weights.values()))}

    def strings(self):
        return {"rules": ["\t".join(rule) for rule in self.weights]}

    def settings(self):
        return {"keep": self.keep, "bias": self.bias}

    @classmethod
    def restore(cls, arrays, strings, settings):
        rules, weights = strings["rules"], arrays["weights"]
        if weights.shape != (len(rules),) or weights.dtype != np.float64:
            raise ValueError("there is not a weight for every rule")
        split = [tuple(rule.split("\t")) for rule in rules]
        if any(len(rule) < 3 or rule[1] not in ("word", "rule") for rule in split):
            raise ValueError("a rule is none")
        if not isinstance(settings["keep"], int) or not isinstance(settings["bias"], float):
            raise ValueError("its settings are none")
        return cls(dict(zip(split, weights.tolist())), settings["keep"], settings["bias"])

    def _weight(self, rule: tuple[str, ...]) -> float:
        return self.weights.get(rule, -20.0) - self.bias

    def _fragments(self, words: Sequence[str]) -> Parse:
        tags = sorted({rule[0] for rule in self.weights if rule[1] == "word"})
        tree = Tree("TOP", [Tree(tags[0], [Leaf(word, i)]) for i, word in enumerate(words)])
        return Parse(tree, -1000.0, None, NOTE)

    def _ranked(self, words, tags, known: Constraints) -> list[Parse]:
        n = len(words)
        lexical = [rule for rule in self.weights if rule[1] == "word"]
        seen = {rule[2] for rule in lexical}
        unary = [rule for rule in self.weights if rule[1] == "rule" and len(rule) == 3]
        binary = [rule for rule in self.weights if rule[1] == "rule" and len(rule) == 4]
        chart: dict[tuple[int, int], dict[str, list[tuple[float, Tree]]]] = {}
        for length in range(1, n + 1):
            for i in range(n - length + 1):
                j = i + length
                cell: defaultdict[str, list[tuple[float, Tree]]] = defaultdict(list)
                if length == 1:
                    for tag in sorted({rule[0] for rule in lexical}):
                        rule = (tag, "word", words[i])
                        if (tags[i] and tag != tags[i]) or (words[i] in seen and rule not in self.weights):
                            continue
                        cell[tag].append((self._weight(rule), Tree(tag, [Leaf(words[i], i)])))
                for k in range(i + 1, j):
                    for rule in binary:
                        for a, left in chart[i, k].get(rule[2], ()):
                            for b, right in chart[k, j].get(rule[3], ()):
                                cell[rule[0]].append(
                                    (a + b + self._weight(rule), Tree(rule[0], [left, right]))
                                )
                self._close(cell, unary, i, j)
                chart[i, j] = {label: sorted(found, key=_order)[: self.keep] for label, found in cell.items()}
        parses = []
        for score, made in sorted(chart[0, n].get("TOP", ()), key=_order):
            tree = unbinarized(made)
            spans = spans_of(tree)
            if all(_within(b, spans) for b in known.required) and not any(
                _within(b, spans) for b in known.forbidden
            ):
                parses.append((score, tree))
        whole = math.log(sum(math.exp(score) for score, _ in parses)) if parses else 0.0
        return [Parse(tree, score, score - whole) for score, tree in parses]

    def _close(self, cell, unary, i, j) -> None:
        """Unary rules on top, no label twice in a chain."""
        for _ in range(3):
            for rule in unary:
                for score, tree in list(cell.get(rule[2], ())):
                    made = Tree(rule[0], [tree])
                    chain, below = [], made
                    while len(below) == 1 and isinstance(below[0], Tree):
                        chain.append(below.label)
                        below = below[0]
                    one = (score + self._weight(rule), made)
                    if len(set(chain)) == len(chain) and all(other != made for _, other in cell[rule[0]]):
                        cell[rule[0]].append(one)


def _order(pair: tuple[float, Tree]) -> tuple[float, str]:
    return -pair[0], str(pair[1])


def _within(bracket: Bracket, spans: Sequence[Bracket]) -> bool:
    return any(one[:2] == bracket[:2] and bracket.label in (None, one.label) for one in spans)

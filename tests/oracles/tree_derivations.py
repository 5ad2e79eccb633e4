"""All derivations of a translation of source trees, written down one by one, and Φ by its definition."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import numpy as np

from oracles.phrase_derivations import LN10
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.chart.features import rule_feature_names
from palmette.tools.translation.rules.fragments import Fragment
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.symbols import Nonterminal, Rule
from palmette.trees.tree import Leaf, Tree

WORDS = "abc"
Key = tuple[int, int, tuple[str, ...]]
Found = tuple[tuple[str, ...], np.ndarray]  # target words, and Φ without the language model


def random_tree(rng: random.Random, words: Sequence[str], first: int = 0, label: str = "S") -> Tree:
    """A tree over words with labels S, A and B, some of whose words are beside nodes."""
    if len(words) == 1:
        inner = Tree(rng.choice("AB"), [Leaf(words[0], first)])
        return inner if label != "S" and rng.random() < 0.7 else Tree(label, [inner])
    n = rng.randint(2, min(3, len(words)))
    cuts = [0, *sorted(rng.sample(range(1, len(words)), n - 1)), len(words)]
    children: list[Tree | Leaf] = []
    for a, b in itertools.pairwise(cuts):
        if b - a == 1 and rng.random() < 0.15:
            children.append(Leaf(words[a], first + a))
        else:
            children.append(random_tree(rng, words[a:b], first + a, rng.choice("AB")))
    return Tree(label, children)


def random_table(rng: random.Random, trees: Sequence[Tree], n_rules: int = 12) -> RuleTable:
    """Rules with fragments of some trees, whose target sides are random."""
    found = {}
    for _ in range(20 * n_rules):
        tree = rng.choice(list(rng.choice(trees).preorder()))
        variables = itertools.count()

        def cut(node: Tree, top: bool) -> Fragment | Nonterminal:
            if not top and rng.random() < 0.5:
                return Nonterminal(node.label, next(variables))  # noqa: B023
            children = [
                child.word if isinstance(child, Leaf) else cut(child, False) for child in node.children
            ]
            return Fragment(node.label, tuple(children))

        fragment = cut(tree, True)
        leaves = list(fragment.leaves()) if isinstance(fragment, Fragment) else []
        holes = [str(one) for one in leaves if isinstance(one, Nonterminal)]
        target = [rng.choice("pqr") for _ in range(rng.randint(0 if holes else 1, 2))] + holes
        rng.shuffle(target)
        key = str(fragment), " ".join(target)
        found[key] = (tree.label, None, key[1], [rng.uniform(-2, 0) for _ in range(4)], (), key[0])
        if len(found) == n_rules:
            break
    return RuleTable.from_rules(list(found.values()), kind="trees")


class AllDerivations:
    """Everything that rules, glue and copies make of trees that are packed into a forest."""

    def __init__(self, table: RuleTable, trees: Sequence[Tree], words: Sequence[str]) -> None:
        self.names = rule_feature_names(table)
        self.rules = [(Fragment.parse(rule.fragment or ""), rule) for rule in table]
        self.words = words
        self.edges: dict[Key, set[tuple[str, tuple[Key | int, ...]]]] = {}
        self.roots = {self._add(tree) for tree in trees}
        self.cache: dict[Key, list[Found]] = {}

    def _add(self, tree: Tree) -> Key:
        below = tuple(c.position if isinstance(c, Leaf) else self._add(c) for c in tree.children)
        first, last = below[0], below[-1]
        begin = first if isinstance(first, int) else first[0]
        end = last + 1 if isinstance(last, int) else last[1]
        chain = first[2] if len(below) == 1 and not isinstance(first, int) else ()
        key = begin, end, (tree.label, *chain)
        self.edges.setdefault(key, set()).add((tree.label, below))
        return key

    def _matches(self, fragment: Fragment, node: Key) -> Iterator[list[Key]]:
        for label, below in self.edges[node]:
            if label != fragment.label or len(below) != len(fragment.children):
                continue
            parts: list[list[list[Key]]] = []
            for child, piece in zip(below, fragment.children):
                if isinstance(piece, str):
                    parts.append([[]] if isinstance(child, int) and self.words[child] == piece else [])
                elif isinstance(child, int):
                    parts.append([])
                elif isinstance(piece, Nonterminal):
                    parts.append([[child]] if child[2][0] == piece.label else [])
                else:
                    parts.append(list(self._matches(piece, child)))
            for chosen in itertools.product(*parts):
                yield [one for part in chosen for one in part]

    def of(self, node: Key) -> list[Found]:
        """The derivations of a node."""
        if node in self.cache:
            return self.cache[node]
        found: list[Found] = []
        for fragment, rule in self.rules:
            for variables in self._matches(fragment, node):
                for tails in itertools.product(*map(self.of, variables)):
                    found.append(self._applied(rule, tails))
        copied = False
        for _, below in self.edges[node]:
            if len(below) == 1 and isinstance(below[0], int):
                copied = copied or not found
                continue
            parts = [[self._copy(child)] if isinstance(child, int) else self.of(child) for child in below]
            for tails in itertools.product(*parts):
                words = tuple(word for tail in tails for word in tail[0])
                found.append(
                    (words, sum((tail[1] for tail in tails), self._row(glue=max(1, len(below) - 1))))
                )
        if copied:
            found = self._other_tags(node) or [self._copy(node[0])]
        self.cache[node] = found
        return found

    def _other_tags(self, node: Key) -> list[Found]:
        """A word without rules under its own tag is translated under others."""
        word = self.words[node[0]]
        return [
            self._applied(rule, ())
            for fragment, rule in self.rules
            if fragment.children == (word,) and fragment.label != node[2][0]
        ]

    def whole(self) -> list[Found]:
        """The derivations of the sentence, S → A included."""
        (root,) = self.roots
        return [(words, row + self._row(glue=1)) for words, row in self.of(root)]

    def _applied(self, rule: Rule, tails: Sequence[Found]) -> Found:
        words: list[str] = []
        own = 0
        for item in rule.target:
            if isinstance(item, Nonterminal):
                words += tails[item.index][0]
            else:
                words.append(item)
                own += 1
        row = self._row(words=-own, rules=1, hierarchical=1 if tails else 0)
        row[-len(rule.scores) :] = rule.scores
        return tuple(words), sum((tail[1] for tail in tails), row)

    def _copy(self, place: int) -> Found:
        return (self.words[place],), self._row(words=-1, rules=1, unknown=-1)

    def _row(self, **values: float) -> np.ndarray:
        row = np.zeros(len(self.names))
        for name, value in values.items():
            row[self.names.index(name)] = value
        return row


def scored(
    found: Sequence[Found], lm: LanguageModel | None, weights: np.ndarray
) -> list[tuple[tuple[str, ...], float]]:
    """The words and the score of every derivation, best first."""
    made = []
    for words, row in found:
        full = row.copy()
        if lm is not None:
            full[0] = lm.score(list(words)) * LN10
        made.append((words, float(full @ weights)))
    return sorted(made, key=lambda one: -one[1])

"""Charts: GEN(x) = all trees of a weighted context-free grammar over the words x.

| method                         | over all trees of the words                              |
|--------------------------------|----------------------------------------------------------|
| `best`, `kbest`                | max, the k highest weights                               |
| `log_z`, `marginals`, `samples`| log Σ e^score, P(label over a span), trees by probability |
| `expected_counts`, `entropy`   | how often each rule is used, how unsure the grammar is   |
| `minimum_risk`, `rule_product` | the most expected right brackets, the most probable rules |
| `Chart.search`                 | max by an agenda: best-first or A*                       |

Rules of more than two children go through made symbols, which no tree shows; unary rules may run in cycles. CKY
over rows of start positions, O(rules · n³ / 6) in vectors (native/structures/chart/inside.hpp; CSC 448, §10.1 to
§10.4). The same chart parses for the treebank grammars of `tools/constituency`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from math import exp, inf, isnan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from palmette import _native
from palmette.inference.semiring import checked_count
from palmette.structures.chart import agenda
from palmette.structures.chart.bracket_risk import best_brackets
from palmette.structures.chart.rule_risk import best_rules
from palmette.trees.tree import Child, Leaf, Tree

Rule = tuple[str, Sequence[str], float]  # parent, children, log weight
_HELPER = "\0"  # begins the name of a made symbol
_REST = f"{_HELPER}rule "  # of one that stands for the last children of a rule


class ScoredTree(NamedTuple):
    """A tree and the sum of the log weights of its rules."""

    tree: Tree
    score: float


class Chart:
    """A grammar, ready to parse. Symbols that are never a parent are words.

    rules: (parent, children, log weight), in any order. root: the symbol of whole sentences; by default the parent
    of the first rule.

    >>> from math import log
    >>> chart = Chart([("S", ("NP", "VP"), 0.0), ("NP", ("I",), 0.0), ("VP", ("sleep",), log(0.5))])
    >>> print(chart(["I", "sleep"]).best().tree)
    (S (NP I) (VP sleep))
    """

    def __init__(self, rules: Iterable[Rule], root: str | None = None) -> None:
        self.rules = [(parent, tuple(children), float(weight)) for parent, children, weight in rules]
        if not self.rules:
            raise ValueError("A chart needs a grammar of at least one rule; got none.")
        parents = {parent for parent, _, _ in self.rules}
        self.root = self.rules[0][0] if root is None else root
        if self.root not in parents:
            raise ValueError(f"The root {self.root!r} is not the parent of any rule.")
        self._names: list[str] = []
        self._number: dict[str, int] = {}
        self._binary: list[tuple[int, int, int, float, int]] = []
        self._unary: list[tuple[int, int, float, int]] = []
        self._words: dict[str, list[tuple[int, float, int]]] = {}
        for k, (parent, children, weight) in enumerate(self.rules):
            if not children:
                raise ValueError(f"Rule {k} ({parent!r}) has no children: remove empty rules first.")
            if isnan(weight) or weight == inf:
                raise ValueError(f"Rule {k} ({parent!r}) has the log weight {weight}.")
            self._add(k, parent, children, weight, parents)
        parents_, lefts, rights = (_column(self._binary, c) for c in range(3))
        above, below = (_column(self._unary, c) for c in range(2))
        binary_weights = np.array([rule[3] for rule in self._binary], dtype=np.float32)
        unary_weights = np.array([rule[2] for rule in self._unary], dtype=np.float32)
        root_ = self._number[self.root]
        self.native = _native.ChartGrammar(
            len(self._names), root_, parents_, lefts, rights, binary_weights, above, below, unary_weights
        )

    def _symbol(self, name: str) -> int:
        if name not in self._number:
            self._number[name] = len(self._names)
            self._names.append(name)
        return self._number[name]

    def _add(self, k: int, parent: str, children: tuple[str, ...], weight: float, parents: set[str]) -> None:
        """A rule of any length as rules of one or two children; only the topmost has the weight."""
        if len(children) == 1 and children[0] not in parents:
            self._words.setdefault(children[0], []).append((self._symbol(parent), weight, k))
            return
        below = []
        for child in children:
            if child not in parents:  # a word beside others
                helper = f"{_HELPER}word {child}"
                if helper not in self._number:
                    self._words.setdefault(child, []).append((self._symbol(helper), 0.0, -1))
                child = helper
            below.append(self._symbol(child))
        top = self._symbol(parent)
        if len(below) == 1:
            self._unary.append((top, below[0], weight, k))
            return
        for i, left in enumerate(below[:-2]):
            rest = self._symbol(f"{_REST}{k} {i}")
            self._binary.append((top, left, rest, weight if i == 0 else 0.0, k if i == 0 else -1))
            top = rest
        first = len(below) == 2
        self._binary.append((top, below[-2], below[-1], weight if first else 0.0, k if first else -1))

    def is_made(self, symbol: int) -> bool:
        """Tell whether the symbol of this number is in no tree."""
        return self._names[symbol].startswith(_HELPER)

    def __call__(
        self,
        words: Sequence[str],
        allowed: _native.ChartItems | None = None,
        *,
        closed_begins: Iterable[int] = (),
        closed_ends: Iterable[int] = (),
    ) -> ChartForest:
        """All trees of the words. A word that no rule has is at no rule's mercy: there is no tree.

        allowed: the items that there may be. closed_begins, closed_ends: words (counted from 0) with which no
        symbol of two or more words may begin, or end; the whole sentence may.
        """
        some = _some(words)
        closed = _closed_bits(len(some), closed_begins, closed_ends)
        if closed.any():
            parts = np.array([self._names[s].startswith(_REST) for s in range(len(self._names))], np.uint8)
            items = allowed or _native.ChartItems(len(some), len(self._names), True)
            allowed = items.closed(closed, parts)
        return ChartForest(self, some, allowed)

    def search(self, words: Sequence[str], method: str = "astar") -> agenda.AgendaResult:
        """The best tree by the agenda of the engine, "best-first" or "astar" (`structures/chart/agenda.py`).

        The result says how many items it touched; "exhaustive" touches all.
        """
        found = agenda.search(self, _some(words), method)
        if found is None:
            raise ValueError(_nothing(words))
        return found


class ChartForest:
    """The trees of one sentence. What it answers is computed when it is first asked for.

    A method that needs a tree raises ValueError if there is none; ask `log_z` (-inf then) before.
    """

    def __init__(
        self, chart: Chart, words: tuple[str, ...], allowed: _native.ChartItems | None = None
    ) -> None:
        self.chart = chart
        self.words = words
        found = [(i, *entry) for i, word in enumerate(words) for entry in chart._words.get(word, ())]
        self._emitted = [entry[3] for entry in found]
        self._native = _native.SentenceChart(
            chart.native,
            np.array([entry[0] for entry in found], dtype=np.int32),
            np.array([entry[1] for entry in found], dtype=np.int32),
            np.array([entry[2] for entry in found], dtype=np.float32),
            len(words),
            allowed,
        )

    def best(self) -> ScoredTree:
        """The tree of the highest weight."""
        return self.kbest(1)[0]

    def kbest(self, k: int) -> list[ScoredTree]:
        """The k best trees, fewer if there are fewer. Only the best chains of cycles of unary rules are seen."""
        n = len(self.words)
        found = self._native.kbest(0, n, self.chart._number[self.chart.root], checked_count(k, "k"))
        trees = self._trees(*found)
        if not trees:
            raise ValueError(_nothing(self.words))
        return trees

    @cached_property
    def log_z(self) -> float:
        """log Σ over trees of e^score: the log-probability of the words, if the grammar's weights are."""
        return float(self._native.log_z)

    def marginals(self, least: float = 0.0) -> dict[tuple[int, int, str], float]:
        """P(label over the words start … end - 1), for all that are above zero and at least `least`."""
        self._check()
        columns = (column.tolist() for column in self._native.posteriors(least))
        names = self.chart._names
        return {
            (start, end, names[symbol]): p
            for start, end, symbol, p in zip(*columns)
            if not self.chart.is_made(symbol)
        }

    def samples(self, k: int, seed: int = 0) -> list[ScoredTree]:
        """k trees drawn independently by their probabilities."""
        self._check()
        return self._trees(*self._native.samples(checked_count(k, "k"), seed))

    def expected_counts(self) -> npt.NDArray[np.float64]:
        """For every rule of the grammar how often the tree of these words is expected to use it."""
        self._check()
        counts = np.zeros(len(self.chart.rules))
        binary, unary, emitted = self._native.expected_counts()
        for count, rule in zip(binary.tolist(), self.chart._binary):
            if rule[4] >= 0:
                counts[rule[4]] += count
        for count, one in zip(unary.tolist(), self.chart._unary):
            counts[one[3]] += count
        for count, k in zip(emitted.tolist(), self._emitted):
            if k >= 0:
                counts[k] += count
        return counts

    def entropy(self) -> float:
        """Return the entropy of the trees, in nats: log Z - Σ over rules of E[count] · log weight."""
        used = [(c, rule[2]) for c, rule in zip(self.expected_counts().tolist(), self.chart.rules) if c > 0]
        return self.log_z - float(sum(count * weight for count, weight in used))

    def probability(self, score: float) -> float:
        """The probability of a tree of this score, given the words."""
        self._check()
        return float(exp(score - self.log_z))

    def minimum_risk(self, *, flavour: str = "brackets", offset: float = 0.0) -> list[tuple[int, int, str]]:
        """The brackets, in preorder, of the tree of least risk.

        flavour: "brackets" for the most expected right ones, each worth its probability less the offset
        (`structures/chart/bracket_risk.py`); "rules" for the tree of `rule_product`.
        """
        if flavour == "brackets":
            return best_brackets(len(self.words), self.marginals(), offset=offset)
        if flavour != "rules":
            raise ValueError(f"flavour must be 'brackets' or 'rules'; got {flavour!r}")
        if offset:
            raise ValueError("an offset is for the flavour 'brackets'; rules have none")
        spans = self.rule_product().tree.spans(preterminals=True)
        return [(*segments[0], label) for label, segments in spans]

    def rule_product(self) -> ScoredTree:
        """The tree with the largest product of the probabilities of its rules where they are
        (`structures/chart/rule_risk.py`); its score is the log of the product."""
        self._check()
        starts, ends, symbols, _ = self._native.posteriors(0.0)
        return ScoredTree(*best_rules(self.chart, self.words, (starts, ends, symbols)))

    def _check(self) -> None:
        if self.log_z == -inf:
            raise ValueError(_nothing(self.words))

    def _trees(self, nodes: tuple[Any, ...], scores: npt.NDArray[np.float64]) -> list[ScoredTree]:
        offsets, symbols, starts, _, rules = (column.tolist() for column in nodes)
        found = []
        for t, score in enumerate(scores.tolist()):
            part = slice(offsets[t], offsets[t + 1])
            found.append(ScoredTree(self._tree(symbols[part], starts[part], rules[part]), score))
        return found

    def _tree(self, symbols: list[int], starts: list[int], rules: list[int]) -> Tree:
        names = self.chart._names
        stack: list[list[Child]] = []
        for symbol, start, rule in zip(reversed(symbols), reversed(starts), reversed(rules)):
            children: list[Child] = [Leaf(self.words[start], start)] if rule == -1 else stack.pop()
            if rule >= 0:
                children = children + stack.pop()
            made = self.chart.is_made(symbol)
            stack.append(children if made else [Tree(names[symbol], children)])
        (tree,) = stack[0]
        assert isinstance(tree, Tree)
        return tree


def _column(rules: Sequence[Sequence[float]], c: int) -> npt.NDArray[np.int32]:
    return np.array([rule[c] for rule in rules], dtype=np.int32)


def _closed_bits(n: int, begins: Iterable[int], ends: Iterable[int]) -> npt.NDArray[np.uint8]:
    """For every word 1 if it is closed as a beginning, plus 2 if as an end."""
    found = np.zeros(n, dtype=np.uint8)
    for bit, name, words in ((1, "begins", begins), (2, "ends", ends)):
        for word in words:
            if not 0 <= word < n:
                raise ValueError(f"closed_{name} has the word {word}, and the sentence has {n}.")
            found[word] |= bit
    return found


def _some(words: Sequence[str]) -> tuple[str, ...]:
    if not words:
        raise ValueError("A chart needs at least one word; got an empty sentence.")
    return tuple(words)


def _nothing(words: Sequence[str]) -> str:
    shown = " ".join(words[:8]) + (" …" if len(words) > 8 else "")
    return f"No tree of the grammar covers {shown!r}."

"""Charts by the agenda of the general engine: the same trees from items that leave it best first.

    [A, i, k] <- binary(r, A, B, C) * [B, i, j] * [C, j, k]     [A, i, k] <- unary(r, A, B) * [B, i, k]

| method     | items leave the agenda by               | until    | finds    |
|------------|-----------------------------------------|----------|----------|
| exhaustive | nothing: all do                         | the last | the best |
| best-first | inside score (Knuth 1977)               | the goal | the best |
| astar      | inside score + h (Klein & Manning 2003) | the goal | the best |

A tree of n words has n emissions and n - 1 binary rules, so a word's best emission and the best binary rule may be
taken off the scores of the others: all are then costs. h(A, length) is the best outside score in the grammar's
projection to lengths: a span is its length, and a symbol over one word has the best of its scores over any word of
the sentence. It is never below the true score, and consistent; it takes O(rules · n²) in NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from palmette.inference.deduction import Deduction
from palmette.inference.facts import Columns
from palmette.inference.forest import Forest, Proof
from palmette.inference.search import AStar, BestFirst, Search
from palmette.trees.tree import Child, Leaf, Tree

if TYPE_CHECKING:
    from palmette.structures.chart.chart import Chart

METHODS = ("exhaustive", "best-first", "astar")
Floats = npt.NDArray[np.float64]
Kept = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]  # starts, ends, symbols

_RULES = """
    [A, i, k]   <- binary(r, A, B, C) * [B, i, j] * [C, j, k]{kept}
    [A, i, k]   <- unary(r, A, B) * [B, i, k]{kept}
    [A, i, i+1] <- emission(r, A, i){word_kept}
    bucket [A, i, k] = A + k - i
"""
_ALL = Deduction(_RULES.format(kept="", word_kept=""))
_KEPT = Deduction(_RULES.format(kept=" * ?kept(A, i, k)", word_kept=" * ?kept(A, i, i+1)"))


@dataclass(frozen=True)
class AgendaResult:
    """The best tree; `items_touched` counts the items that left the agenda, `edges_built` the rules applied."""

    tree: Tree
    score: float
    items_touched: int
    edges_built: int


@dataclass(frozen=True)
class Rows:
    """Rules of one kind: columns of symbols (a position at the end, for emissions) and log weights."""

    columns: npt.NDArray[np.int64]
    weights: Floats

    @classmethod
    def of(cls, rows: Sequence[Sequence[float]], width: int) -> Rows:
        possible = [row for row in rows if row[width] > -math.inf]
        columns = np.array([row[:width] for row in possible], dtype=np.int64).reshape(-1, width)
        return cls(columns.T, np.array([row[width] for row in possible], dtype=np.float64))


@dataclass(frozen=True)
class Problem:
    """What a deduction about a sentence is given: its rules, with symbols by number."""

    chart: Chart
    words: Sequence[str]
    binary: Rows
    unary: Rows
    emissions: Rows

    @classmethod
    def of(cls, chart: Chart, words: Sequence[str]) -> Problem:
        emitted = [
            (symbol, i, weight)
            for i, word in enumerate(words)
            for symbol, weight, _ in chart._words.get(word, ())
        ]
        return cls(chart, words, Rows.of(chart._binary, 3), Rows.of(chart._unary, 2), Rows.of(emitted, 2))

    def run(self, search: Search | None = None, kept: Kept | None = None) -> Forest:
        """The forest, of the kept items alone if they are given. Symbol A is written A · (n + 1), so that the sum
        of it and a length says both."""
        n = len(self.words)
        step = n + 1
        facts: dict[str, Any] = {}
        for name, rows in (("binary", self.binary), ("unary", self.unary)):
            numbers = np.arange(len(rows.weights))
            facts[name] = Columns(numbers, *(rows.columns * step), weights=rows.weights)
        symbols, positions = self.emissions.columns
        numbers = np.arange(len(symbols))
        facts["emission"] = Columns(numbers, symbols * step, positions, weights=self.emissions.weights)
        if kept is not None:
            starts, ends, labels = (column.astype(np.int64) for column in kept)
            facts["kept"] = Columns(labels * step, starts, ends)
        goal = f"[{self.chart._number[self.chart.root] * step}, 0, {n}]"
        return (_ALL if kept is None else _KEPT).run(facts, goal, search=search, log=True)

    def as_costs(self) -> tuple[Problem, float]:
        """The same with no emission or binary rule above zero, and what all trees have lost by it; every word must
        have an emission."""
        positions = self.emissions.columns[1]
        best_of_word = np.full(len(self.words), -math.inf)
        np.maximum.at(best_of_word, positions, self.emissions.weights)
        best_rule = float(self.binary.weights.max(initial=-math.inf))
        if best_rule == -math.inf:
            best_rule = 0.0
        taken = float(best_of_word.sum()) + (len(self.words) - 1) * best_rule
        binary = Rows(self.binary.columns, self.binary.weights - best_rule)
        emissions = Rows(self.emissions.columns, self.emissions.weights - best_of_word[positions])
        return Problem(self.chart, self.words, binary, self.unary, emissions), taken

    def tree(self, proof: Proof) -> Tree:
        """The tree of a proof, without made symbols."""
        step = len(self.words) + 1
        stack: list[list[Child]] = []
        for part, _ in reversed(list(proof.preorder())):
            symbol, start, _ = map(int, part.item.arguments)
            children: list[Child] = [] if part.children else [Leaf(self.words[start], start)]
            for _ in part.children:
                children = children + stack.pop()
            made = self.chart.is_made(symbol // step)
            stack.append(children if made else [Tree(self.chart._names[symbol // step], children)])
        (tree,) = stack[0]
        assert isinstance(tree, Tree)
        return tree


def search(chart: Chart, words: Sequence[str], method: str) -> AgendaResult | None:
    """The best tree by one of the methods above; None if there is none."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    problem = Problem.of(chart, words)
    if len(np.unique(problem.emissions.columns[1])) < len(words):
        return None
    costs, taken = problem.as_costs()
    order: Search | None = None
    if method == "best-first":
        if (costs.unary.weights > 0).any():
            raise ValueError(
                "best-first search needs unary rules of log weights of at most 0; search by 'astar' instead"
            )
        order = BestFirst()
    elif method == "astar":
        order = AStar(outside_bounds(costs).ravel())
    forest = costs.run(order)
    proof = forest.best()
    if proof is None:
        return None
    touched = forest.statistics
    return AgendaResult(costs.tree(proof), proof.score + taken, touched.items_popped, touched.edges_built)


def outside_bounds(problem: Problem) -> Floats:
    """h[A, length]: no item of this symbol and length has a better outside score.

    inside[l, A]  = max over A → B C, s of      w + inside[s, B] + inside[l - s, C]
    outside[m, B] = max over A → B C or C B, s of w + inside[s, C] + outside[m - s, A],   m words outside
    """
    n, size = len(problem.words), len(problem.chart._names)
    parents, lefts, rights = problem.binary.columns
    weights = problem.binary.weights
    above, below = problem.unary.columns
    inside = np.full((n + 1, size), -math.inf)
    np.maximum.at(inside[1], problem.emissions.columns[0], problem.emissions.weights)
    for length in range(1, n):
        if length > 1:
            pairs = inside[1:length][:, lefts] + inside[length - 1 : 0 : -1][:, rights]
            np.maximum.at(inside[length], parents, weights + pairs.max(axis=0))
        _close(inside[length], above, below, problem.unary.weights)
    outside = np.full((n, size), -math.inf)
    outside[0, problem.chart._number[problem.chart.root]] = 0.0
    for m in range(n):
        if m:
            rest = outside[m - 1 :: -1][:m][:, parents]  # of m - s, for s = 1 … m
            for child, sibling in ((lefts, rights), (rights, lefts)):
                np.maximum.at(outside[m], child, weights + (rest + inside[1 : m + 1][:, sibling]).max(axis=0))
        _close(outside[m], below, above, problem.unary.weights)
    bounds = np.full((size, n + 1), -math.inf)
    bounds[:, 1:] = outside[::-1].T
    return bounds


def _close(scores: Floats, targets: npt.NDArray[Any], sources: npt.NDArray[Any], weights: Floats) -> None:
    """Chains of unary rules: none is longer than there are symbols, since no cycle gains."""
    for _ in range(len(scores)):
        before = scores.copy()
        np.maximum.at(scores, targets, before[sources] + weights)
        if np.array_equal(before, scores):
            return

"""A random grammar with binary rules, a sentence whose words may have any label, and the engine's hypergraph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from palmette.inference.deduction import Deduction
from palmette.inference.facts import Columns
from palmette.inference.forest import Forest

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

RULES = """
    [A, i, k]   <- rule(A, B, C) * [B, i, j] * [C, j, k]
    [A, i, i+1] <- word(A, i)
"""


@dataclass(frozen=True, eq=False)
class Problem:
    """Rules (A, B, C) sorted by A with the logs of their weights; the root is label 0 over the whole sentence."""

    n_words: int
    n_labels: int
    rules: Ints  # one row per rule
    rule_scores: Floats
    word_scores: Floats  # [i, A]

    @cached_property
    def deduction(self) -> Deduction:
        return Deduction(RULES)

    def instantiate(self) -> Forest:
        """The hypergraph from the rules as text and the facts."""
        labels = np.tile(np.arange(self.n_labels), self.n_words)
        positions = np.repeat(np.arange(self.n_words), self.n_labels)
        facts = {
            "rule": Columns(*self.rules.T, weights=self.rule_scores),
            "word": Columns(labels, positions, weights=self.word_scores.ravel()),
        }
        return self.deduction.run(facts, goal=f"[0, 0, {self.n_words}]", log=True)

    def chart(self, forest: Forest, values: Floats) -> Floats:
        """Values of the forest's nodes as an array [i, k, A]."""
        chart = np.full((self.n_words + 1, self.n_words + 1, self.n_labels), -np.inf)
        for item, node in forest.items.items():
            if item.name == "" and len(item.arguments) == 3:
                label, i, k = map(int, item.arguments)
                chart[i, k, label] = values[node]
        return chart


def random_problem(n_words: int, n_labels: int = 50, n_rules: int = 2000, seed: int = 1) -> Problem:
    """Different rules, drawn from all; normally distributed scores."""
    random = np.random.default_rng(seed)
    chosen = np.sort(random.choice(n_labels**3, n_rules, replace=False))
    rules = np.stack(np.unravel_index(chosen, (n_labels, n_labels, n_labels)), axis=1).astype(np.int32)
    return Problem(
        n_words, n_labels, rules, random.normal(size=n_rules), random.normal(size=(n_words, n_labels))
    )

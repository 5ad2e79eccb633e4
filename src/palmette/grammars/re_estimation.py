"""Weights of a grammar from plain sentences: inside-outside EM, or variational Bayes. CSC 448, §10.

The forests of the sentences are made once; every pass sums over each with the weights at hand (`learning.em`). One
pass costs O(edges of the forests).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palmette.grammars.checks import GrammarWarning
from palmette.grammars.grammar import Floats, Grammar
from palmette.grammars.parsing import GrammarForest, Parser
from palmette.learning.em import EM
from palmette.learning.learner import Callback, Report


@dataclass(frozen=True, eq=False)
class ReEstimate:
    """The grammar with learnt weights, the counts of its rules, the reports of the passes, what was left out."""

    grammar: Grammar
    counts: Floats
    history: tuple[Report, ...]
    skipped: tuple[int, ...]  # the numbers of the sentences that have no derivation
    interrupted: bool


class SentenceCounts:
    """Sentences as EM sees them: parameters are the rules, groups the left sides."""

    def __init__(self, grammar: Grammar, sentences: Iterable[Sequence[str]]) -> None:
        parser = Parser(grammar)
        self.grammar = grammar
        self.forests: list[GrammarForest] = []
        self.skipped: list[int] = []
        for n, sentence in enumerate(sentences):
            forest = parser.parse(sentence)
            if forest.log_z == -math.inf:
                self.skipped.append(n)
            else:
                self.forests.append(forest)
        if not self.forests:
            n = len(self.skipped)
            raise ValueError(
                f"The grammar derives none of the {n} sentences." if n else "There are no sentences."
            )

    @property
    def groups(self) -> npt.NDArray[np.int32]:
        """The left side of every rule."""
        return self.grammar.lefts

    def expected_counts(self, log_weights: Floats) -> tuple[float, Floats]:
        """Σ log P(sentence), and how often its derivations use each rule on average."""
        total, counts = 0.0, np.zeros(len(self.grammar.rules))
        for forest in self.forests:
            marginals = forest.graph.marginals(forest.rescored(log_weights))
            total += marginals.log_z
            counts += forest.counts_of(marginals.parts)
        return total, counts


def reestimate(
    grammar: Grammar,
    sentences: Iterable[Sequence[str]],
    learner: EM | None = None,
    *,
    callback: Callback | None = None,
) -> ReEstimate:
    """The grammar with the weights that `learner` (EM() by default, or VB(prior=…)) finds, starting from its own.

    Sentences without a derivation are left out, with a warning.

    >>> grammar = Grammar("S -> S S [0.5] | 'a' [0.5]")
    >>> print(reestimate(grammar, [["a"], ["a", "a"]]).grammar, end="")
    0.25: S -> S S
    0.75: S -> 'a'
    """
    problem = SentenceCounts(grammar, sentences)
    if problem.skipped:
        left_out, first = len(problem.skipped), problem.skipped[0]
        n = left_out + len(problem.forests)
        warnings.warn(
            f"{left_out} of {n} sentences have no derivation and are left out, the first of them number {first}",
            GrammarWarning,
            stacklevel=2,
        )
    learnt = (EM() if learner is None else learner).learn(problem, grammar.weights, callback=callback)
    return ReEstimate(
        grammar.with_weights(learnt.weights),
        learnt.counts,
        learnt.history,
        tuple(problem.skipped),
        learnt.interrupted,
    )

"""Learning from questions and answers alone: the trees are latent (CSC 448, eq. 128).

    L(w) = Σ log Σ over trees z whose denotation is the answer of p(z | x)      ∂L/∂w = E[Φ | x, y] - E[Φ | x]

A pass parses all questions with the weights so far, and then fits the weights to the candidates in the beam.
What no candidate answers may have words that the lexicon does not know: a pass tries all predicates for them,
and keeps those that answer several questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from palmette._native import RankingProblem
from palmette.learning.learner import Learner
from palmette.learning.loop import Pass
from palmette.tools.semantics.answers import Gold
from palmette.tools.semantics.derived import ANY, attributes, derived, ratios, round_bounds
from palmette.tools.semantics.engine import Candidate, Engine
from palmette.tools.semantics.features import PRIOR
from palmette.tools.semantics.lexicon import Trigger
from palmette.tools.semantics.meanings import Meaning

Weights = dict[str, float]

# What a candidate is worth before learning is one feature more; scaled, so that its weight costs little.
_PRIOR, _SCALE = "prior", 10.0


@dataclass(frozen=True)
class Example:
    """The words of a question, and its right answer."""

    words: list[str]
    gold: Gold


@dataclass
class Trainer:
    """Trains an engine.

    votes: questions that a new trigger must answer. keep: candidates of a question to learn from. unreached: after
    a pass, the numbers of the examples without a tree that gives the right answer.
    """

    engine: Engine
    learner: Learner
    votes: int = 2
    keep: int = 150
    width: int = 100
    ties: str = "all"
    weights: Mapping[str, float] = field(default_factory=lambda: dict(PRIOR))
    unreached: list[int] = field(default_factory=list)

    def passes(self, examples: Sequence[Example], rounds: int) -> Iterator[Pass[Weights]]:
        """Pass after pass."""
        for number in range(rounds):
            lists = [self._candidates(example) for example in examples]
            right = [self._right(example, found) for example, found in zip(examples, lists)]
            if number == 0 and self.ties == "auto":
                right = self._choose_ties(examples, lists, right)
            if number < rounds - 1:
                new = self._find_triggers(
                    [example for example, own in zip(examples, right) if not any(own)], named=number > 0
                )
                for i, example in enumerate(examples):
                    if new & set(example.words):
                        lists[i] = self._candidates(example)
                        right[i] = self._right(example, lists[i])
            self.unreached = [i for i, own in enumerate(right) if not any(own)]
            if len(self.unreached) == len(examples):
                raise ValueError(
                    "No tree over the database gives the answer of any training question. Are the questions about "
                    "this database?"
                )
            best = sum(bool(own) and own[0] for own in right)
            loss, weights = self._fit(lists, right)
            self.weights = weights
            numbers = {
                "loss": loss,
                "right": best / max(len(examples), 1),
                "reached": sum(map(any, right)) / max(len(examples), 1),
            }
            yield Pass(numbers, lambda weights=weights: weights)  # type: ignore[misc]

    def _candidates(self, example: Example) -> list[Candidate]:
        return self.engine.candidates(example.words, self.weights, width=self.width, keep=2 * self.keep)[
            : self.keep
        ]

    def _right(self, example: Example, found: Sequence[Candidate]) -> list[bool]:
        world = self.engine.denotations.world
        return [example.gold.matches(world, one.answer) for one in found]

    def _choose_ties(
        self, examples: Sequence[Example], lists: Sequence[Sequence[Candidate]], right: list[list[bool]]
    ) -> list[list[bool]]:
        """Let superlatives have the first of equal values where that answers more questions."""
        denotations = self.engine.denotations
        denotations.set_ties("first")
        other = [[replace(one, answer=denotations.answer(one.tree)) for one in found] for found in lists]
        first = [self._right(example, found) for example, found in zip(examples, other)]
        if sum(map(any, first)) > sum(map(any, right)):
            return first
        denotations.set_ties("all")
        return right

    # The weights

    def _fit(
        self, lists: Sequence[Sequence[Candidate]], right: Sequence[Sequence[bool]]
    ) -> tuple[float, Weights]:
        """Fit weights to the candidates of the questions that have right and wrong ones."""
        used = [i for i, own in enumerate(right) if any(own) and not all(own)]
        if not used:
            return 0.0, dict(self.weights)
        names: dict[str, int] = {_PRIOR: 0}
        sizes, rows = [0], [0]
        features: list[int] = []
        values: list[float] = []
        losses: list[float] = []
        for i in used:
            sizes.append(sizes[-1] + len(lists[i]))
            for one, good in zip(lists[i], right[i]):
                counts: dict[int, float] = {0: _SCALE * sum(PRIOR.get(name, 0.0) for name in one.features)}
                for name in one.features:
                    k = names.setdefault(name, len(names))
                    counts[k] = counts.get(k, 0.0) + 1.0
                features.extend(counts)
                values.extend(counts.values())
                rows.append(len(features))
                losses.append(0.0 if good else 1.0)
        problem = RankingProblem(
            np.array(sizes, dtype=np.int64),
            np.array(rows, dtype=np.int64),
            np.array(features, dtype=np.int32),
            np.array(values, dtype=np.float32),
            np.array(losses, dtype=np.float32),
            None,
            len(names),
        )
        start = [self.weights.get(name, 0.0) - PRIOR.get(name, 0.0) for name in names]
        start[0] = 1 / _SCALE
        learned = self.learner.learn(problem, start=np.array(start, dtype=np.float32))
        if learned.interrupted:
            raise KeyboardInterrupt
        loss = learned.history[-1].numbers.get("loss", 0.0) if learned.history else 0.0
        weights = dict(zip(names, learned.weights.astype(float).tolist()))
        scale = _SCALE * weights.pop(_PRIOR)
        for name, prior in PRIOR.items():
            weights[name] = weights.get(name, 0.0) + scale * prior
        return loss / len(used), {name: float(np.float32(w)) for name, w in weights.items() if w}

    # The lexicon

    def _find_triggers(self, examples: Sequence[Example], *, named: bool) -> set[str]:
        """Add triggers that answer questions which no tree answered; return their words.

        named: try other meanings for words that name a predicate, too; these need one vote more, and get no
        thresholds ("state" does not mean large ones).
        """
        names = self._names()
        votes: dict[str, dict[str, list[int]]] = {}
        nouns: set[str] = set()
        for number, example in enumerate(examples):
            triggers = self.engine.lexicon.triggers_of(example.words)
            new = self.engine.lexicon.unexplained(example.words, triggers)
            for i in [*new, *(self.engine.lexicon.explained(triggers) if named else ())]:
                word = example.words[i]
                if i not in new:
                    nouns.add(word)
                more = [
                    Trigger(i, i + 1, meaning, "learned")
                    for name, meaning in names.items()
                    if name not in self.engine.lexicon.learned.get(word, {}) and (i in new or ANY not in name)
                ]
                for name in self._answering(example, i, more):
                    votes.setdefault(word, {}).setdefault(name, []).append(number)
        found = set()
        for word, own in votes.items():
            for name in self._chosen(own, self.votes + (word in nouns)):
                self.engine.lexicon.learn(word, name)
                found.add(word)
        return found

    def _answering(self, example: Example, i: int, more: list[Trigger]) -> set[str]:
        """Return the predicates that answer a question as a meaning of its word i."""
        world = self.engine.denotations.world
        found = self.engine.candidates(
            example.words, self.weights, more, width=self.width, keep=5 * self.width
        )
        good: set[str] = set()
        for one in found:
            used = [t for t in one.triggers if t.start == i and t.match == "learned"]
            if not used:
                continue
            name = used[0].meaning.name
            if not name.endswith(ANY):
                if example.gold.matches(world, one.answer):
                    good.add(name)
                continue
            attribute = world.predicates[name.partition(" > ")[0]]
            for bound in round_bounds(world, attribute):
                known = derived(world, f"{attribute.name} > {bound:.12g}").name
                if known not in good:
                    answer = self.engine.denotations.answer(one.tree.renamed(name, known))
                    if example.gold.matches(world, answer):
                        good.add(known)
        return good

    def _chosen(self, votes: Mapping[str, Sequence[int]], least: int) -> list[str]:
        """Return the predicates that answer enough questions; of thresholds on one attribute, the best."""
        best: dict[str, list[str]] = {}
        for name, numbers in votes.items():
            if len(numbers) >= least:
                best.setdefault(name.partition(" > ")[0] if " > " in name else name, []).append(name)
        chosen = []
        for own in best.values():
            top = max(len(votes[name]) for name in own)
            equal = [name for name in own if len(votes[name]) == top]
            chosen.append(equal[len(equal) // 2])
        return chosen

    def _names(self) -> dict[str, Meaning]:
        """The meanings that a word without one may have."""
        lexicon = self.engine.lexicon
        world = lexicon.world
        names = [predicate.name for _, predicate in lexicon.nouns]
        names += ratios(world)
        for attribute in attributes(world):
            names.append(f"{attribute.name} > {ANY}")
        return {name: meaning for name in names for meaning in lexicon.meanings([name])}

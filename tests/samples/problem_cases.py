"""Small problems of all eight kinds behind one interface, with all their outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracles.enumeration import Enumeration
from oracles.factored_chains import Factored, random_factored, separable_factored
from palmette._native import HeadChoiceProblem, RankingProblem, TransitionProblem, transition_templates
from palmette.learning.adapter import adapt
from palmette.learning.problem import Problem
from samples import random_trees as trees_of
from samples import transitions
from samples.learning_chains import random_chain
from samples.random_anchored import Anchored, random_anchored
from samples.random_problems import Chains, random_chains
from samples.random_trees import Trees, head_choices

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]
FOLLOW, STATIC, DYNAMIC, BEAM = range(4)


class Case(ABC):
    """A problem, and what enumeration says about it.

    spread: the standard deviation of random weights, small where many features fall on one weight.
    """

    spread = 0.5

    @cached_property
    def problem(self) -> Problem:
        """The problem itself."""
        return self.make()

    @abstractmethod
    def make(self) -> Problem:
        """Make the problem."""

    def judge(self) -> Problem:
        """Return the problem whose `total_loss` counts the mistakes of a user's predictions."""
        return self.problem

    def random_weights(self, seed: int = 1) -> Weights:
        rng = np.random.default_rng(seed)
        return rng.normal(0.0, self.spread, self.problem.n_weights).astype(np.float32)

    def results(self, w: Weights, n_jobs: int) -> list[Any]:
        """Return what else the problem computes with threads: arrays."""
        return []


class ListedCase(Case):
    """A case whose outputs can all be listed."""

    def __init__(self) -> None:
        self._tables: dict[int, Floats] = {}

    def table(self, i: int) -> Floats:
        """Return Φ of every output of example i, [outputs, weights], less the same row for all."""
        if i not in self._tables:
            self._tables[i] = self.features(i)
        return self._tables[i]

    @abstractmethod
    def features(self, i: int) -> Floats:
        """Compute what `table` returns."""

    @abstractmethod
    def losses(self, i: int) -> Floats:
        """Return the loss of every output."""

    def right(self, i: int) -> NDArray[np.bool_]:
        """Return which outputs are right."""
        return self.losses(i) == 0

    def weight(self, i: int) -> float:
        """Return the weight of the example."""
        return 1.0

    def kbest(self, w: Weights, k: int) -> list[tuple[list[int], Floats]] | None:
        """Return the k best of each example: places among its outputs, and scores. None: they cannot be seen."""
        return None


class ChainCase(ListedCase):
    spread = 1.0

    def __init__(self, chains: Chains) -> None:
        super().__init__()
        self.chains = chains

    def make(self) -> Problem:
        return self.chains.problem()

    def features(self, i: int) -> Floats:
        return self.chains.table(i)[1]

    def losses(self, i: int) -> Floats:
        return self.chains.table(i)[2]

    def weight(self, i: int) -> float:
        return self.chains.weight(i)

    def kbest(self, w: Weights, k: int) -> list[tuple[list[int], Floats]] | None:
        rows, labels, scores = self.chains.problem().kbest(w, k, 1)
        found, at = [], 0
        for i, tokens in enumerate(self.chains.tokens):
            index = {y: place for place, y in enumerate(self.chains.table(i)[0])}
            places = []
            for _ in range(rows[i], rows[i + 1]):
                places.append(index[tuple(labels[at : at + len(tokens)].tolist())])
                at += len(tokens)
            found.append((places, scores[rows[i] : rows[i + 1]]))
        return found

    def results(self, w: Weights, n_jobs: int) -> list[Any]:
        p = self.chains.problem()
        return [*p.decode(w, n_jobs), *p.probabilities(w, n_jobs), *p.kbest(w, 3, n_jobs)]


class FactoredCase(ListedCase):
    def __init__(self, chains: Factored) -> None:
        super().__init__()
        self.chains = chains

    def make(self) -> Problem:
        return self.chains.problem

    def features(self, i: int) -> Floats:
        return self.chains.features(i)

    def losses(self, i: int) -> Floats:
        return self.chains.losses(i)

    def weight(self, i: int) -> float:
        return 1.0 if self.chains.weights is None else self.chains.weights[i]

    def kbest(self, w: Weights, k: int) -> list[tuple[list[int], Floats]] | None:
        rows, labels, scores = self.chains.problem.kbest(w, k, 1)
        found, at = [], 0
        for i, tokens in enumerate(self.chains.tokens):
            index = {y: place for place, y in enumerate(self.chains.outputs(i))}
            places = []
            for _ in range(rows[i], rows[i + 1]):
                places.append(index[tuple(labels[at : at + len(tokens)].tolist())])
                at += len(tokens)
            found.append((places, scores[rows[i] : rows[i + 1]]))
        return found

    def results(self, w: Weights, n_jobs: int) -> list[Any]:
        p = self.chains.problem
        return [*p.decode(w, n_jobs), *p.probabilities(w, n_jobs), *p.kbest(w, 3, n_jobs)]


class ArcCase(ListedCase):
    def __init__(self, trees: Trees) -> None:
        super().__init__()
        self.trees = trees

    def make(self) -> Problem:
        return self.trees.problem()

    def features(self, i: int) -> Floats:
        return self.trees.table(i)

    def losses(self, i: int) -> Floats:
        heads, labels = self.trees.gold[i]
        return np.array(
            [
                sum(kh not in (-1, h) or ky not in (-1, y) for kh, h, ky, y in zip(heads, tree, labels, ys))
                for tree, ys in self.trees.trees[i]
            ],
            dtype=float,
        )

    def kbest(self, w: Weights, k: int) -> list[tuple[list[int], Floats]] | None:
        rows, heads, labels, scores = self.trees.problem().kbest(w, k, 1)
        found, at = [], 0
        for i, outputs in enumerate(self.trees.trees):
            n = len(self.trees.candidates[i])
            index, places = {tree: place for place, tree in enumerate(outputs)}, []
            for _ in range(rows[i], rows[i + 1]):
                places.append(index[tuple(heads[at : at + n].tolist()), tuple(labels[at : at + n].tolist())])
                at += n
            found.append((places, scores[rows[i] : rows[i + 1]]))
        return found

    def results(self, w: Weights, n_jobs: int) -> list[Any]:
        p = self.trees.problem()
        sums = p.probabilities(w, True, n_jobs) if "marginals" in p.offers else ()
        return [*p.decode(w, 0, n_jobs), *sums, *p.kbest(w, 3, n_jobs)]


class SearchedArcCase(Case):
    """Trees that cross, of second order: their best one is searched for, and there are no sums."""

    def __init__(self, trees: Trees) -> None:
        self.trees = trees

    def make(self) -> Problem:
        return self.trees.problem()

    def results(self, w: Weights, n_jobs: int) -> list[Any]:
        return [*self.trees.problem().decode(w, 0, n_jobs)]


class HeadChoiceCase(ListedCase):
    spread = 0.3

    def __init__(self, trees: Trees, bits: int = 9) -> None:
        super().__init__()
        self.trees, self.bits = trees, bits

    def make(self) -> HeadChoiceProblem:
        return head_choices(self.trees, self.bits)

    def outputs(self, i: int) -> list[tuple[int, ...]]:
        n = len(self.trees.gold[i][0])
        return list(product(*[[h for h in range(n + 1) if h != m] for m in range(1, n + 1)]))

    def features(self, i: int) -> Floats:
        # The gradient at zero is Φ(right) − E[Φ]: with every choice as the right one in turn, it is Φ of each.
        rows = []
        for y in self.outputs(i):
            gold = [(-1,) * len(heads) for heads, _ in self.trees.gold]
            gold[i] = y
            problem = head_choices(replace(self.trees, gold=[(heads, heads) for heads in gold]), self.bits)
            g = np.zeros(problem.n_weights, dtype=np.float32)
            problem.gradient(np.zeros_like(g), g, False, 1)
            rows.append(g.astype(float))
        return np.round(np.array(rows) - rows[0])  # whole numbers, since features count

    def losses(self, i: int) -> Floats:
        gold = self.trees.gold[i][0]
        return np.array([sum(k not in (-1, h) for k, h in zip(gold, y)) for y in self.outputs(i)], float)

    def kbest(self, w: Weights, k: int) -> list[tuple[list[int], Floats]] | None:
        found = []
        for i, (heads, _) in enumerate(self.trees.gold):
            flat, scores = self.make().kbest(w, i, k, 0.0)
            index = {y: place for place, y in enumerate(self.outputs(i))}
            found.append(([index[tuple(y)] for y in flat.reshape(-1, len(heads)).tolist()], scores))
        return found

    def results(self, w: Weights, n_jobs: int) -> list[Any]:
        heads = np.array([max(h, 0) for tree, _ in self.trees.gold for h in tree], dtype=np.int32)
        p = self.make()
        return [*p.candidates(w, 0.1, 3, None, n_jobs), p.probabilities(w, heads, n_jobs)]


class TransitionCase(Case):
    """Parsers that act step by step, or with a beam; the parser itself says what they have learnt."""

    spread = 0.3

    def __init__(
        self, data: transitions.RandomTrees, system: str, training: int, *, width: int = 1,
        max_violation: bool = False, groups: int = 2, bits: int = 7,
    ) -> None:  # fmt: skip
        self.data, self.system, self.training, self.width = data, system, training, width
        self.max_violation, self.groups, self.bits = max_violation, groups, bits

    def make(self) -> TransitionProblem:
        return self._with(self.training)

    def judge(self) -> Problem:
        return self._with(FOLLOW)

    def results(self, w: Weights, n_jobs: int) -> list[Any]:
        return [*self._with(FOLLOW).decode(w, n_jobs)]

    def _with(self, training: int) -> TransitionProblem:
        v, data = self.data.views, self.data
        return TransitionProblem(
            v.offsets, v.values, v.piece_rows, v.pieces, data.heads, data.labels, self.system, training,
            self.width, self.max_violation,
            np.minimum(np.arange(transitions.LABELS), self.groups - 1).astype(np.int32),
            *transition_templates(self.system), self.bits, self.bits - 1,
        )  # fmt: skip


class AnchoredCase(ListedCase):
    spread = 0.1

    def __init__(self, trees: Anchored) -> None:
        super().__init__()
        self.trees = trees

    def make(self) -> Problem:
        return self.trees.problem()

    def features(self, i: int) -> Floats:
        return self.trees.table(i)

    def losses(self, i: int) -> Floats:
        return np.array([self.trees.loss(i, tree) for tree in self.trees.derivations(i)], dtype=float)

    def right(self, i: int) -> NDArray[np.bool_]:
        return np.array([tree == self.trees.gold[i] for tree in self.trees.derivations(i)])

    def kbest(self, w: Weights, k: int) -> list[tuple[list[int], Floats]] | None:
        lists, rows, nodes, scores, _ = self.trees.problem().kbest(w, k, False, 1)
        found = []
        for i in range(len(self.trees.words)):
            index = {tree: place for place, tree in enumerate(self.trees.derivations(i))}
            places = [
                index[tuple(map(tuple, nodes.reshape(-1, 5)[rows[t] : rows[t + 1]].tolist()))]
                for t in range(lists[i], lists[i + 1])
            ]
            found.append((places, scores[lists[i] : lists[i + 1]]))
        return found

    def results(self, w: Weights, n_jobs: int) -> list[Any]:
        p = self.trees.problem()
        decoded = [array for choice in range(3) for array in p.decode(w, choice, 0.3, True, n_jobs)]
        return [*decoded, *p.kbest(w, 3, True, n_jobs), *p.brackets(w, n_jobs)]


class RankingCase(ListedCase):
    """Dense Φ [candidates, features] of every list, and losses; with `separable`, the losses are linear in Φ."""

    def __init__(self, seed: int, n: int = 7, features: int = 5, separable: bool = False) -> None:
        super().__init__()
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 6, size=n)
        self.candidates = [rng.integers(-2, 3, size=(k, features)).astype(np.float64) for k in sizes]
        self.raw = [rng.integers(0, 4, size=k).astype(np.float64) for k in sizes]
        if separable:
            self.raw = [table @ [-2.0, 1.0, 3.0, -1.0, 0.5] for table in self.candidates]

    def make(self) -> RankingProblem:
        table = np.concatenate(self.candidates)
        rows, columns = np.nonzero(table)
        counts = np.bincount(rows, minlength=len(table))
        return RankingProblem(
            np.cumsum([0, *map(len, self.candidates)]).astype(np.int64),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            columns.astype(np.int32),
            table[rows, columns].astype(np.float32),
            np.concatenate(self.raw).astype(np.float32),
            None,
            table.shape[1],
        )

    def features(self, i: int) -> Floats:
        return self.candidates[i]

    def losses(self, i: int) -> Floats:
        return np.asarray(self.raw[i] - self.raw[i].min(), dtype=float)


class Enumerated:
    """Any small GEN as a model in Python: a part for every output, so that all sums are over a list."""

    def __init__(self, chains: Chains) -> None:
        self.chains = chains
        self.n_weights = chains.n_weights

    def __len__(self) -> int:
        return len(self.chains.tokens)

    def gold(self, i: int) -> Floats:
        return self.chains.table(i)[3].astype(float)

    def costs(self, i: int) -> tuple[float, Floats]:
        return 0.0, self.chains.table(i)[2]

    def scores(self, i: int, w: Weights) -> Floats:
        return np.asarray(self.chains.table(i)[1] @ w, dtype=float)

    def pullback(self, i: int, parts: NDArray[np.float32]) -> tuple[NDArray[np.int64], Floats]:
        phi = self.chains.table(i)[1].T @ parts
        return np.flatnonzero(phi), phi[phi != 0]

    def best(self, i: int, scores: Floats) -> Floats:
        return np.eye(len(scores))[np.argmax(scores)]


class EnumeratedSums(Enumerated):
    """The same, with all that learners ask for."""

    def kbest(self, i: int, scores: Floats, k: int) -> list[Floats]:
        return list(np.eye(len(scores))[np.argsort(-scores, kind="stable")[:k]])

    def marginals(self, i: int, scores: Floats) -> tuple[float, Floats]:
        every = Enumeration.of_scores(scores)
        return every.log_z, every.probabilities

    def risk(self, i: int, scores: Floats) -> tuple[float, Floats]:
        every, losses = Enumeration.of_scores(scores), self.chains.table(i)[2]
        return every.expectation(losses), every.covariance(losses)


class PythonCase(ChainCase):
    def __init__(self, chains: Chains, model: type[Enumerated] = EnumeratedSums) -> None:
        super().__init__(chains)
        self.model = model

    def make(self) -> Problem:
        return adapt(self.model(self.chains))

    def kbest(self, w: Weights, k: int) -> None:
        return None

    def results(self, w: Weights, n_jobs: int) -> list[Any]:
        return []


def separable_chains() -> Chains:
    """Labels that a teacher's weights give."""
    made = random_chain(3, n=8, length=3, separable=True)
    return Chains(made.n_labels, made.order, made.sentences, made.labels, made.n_attributes, valued=True)


def _chain(seed: int, **options: Any) -> Callable[[], Case]:
    return lambda: ChainCase(random_chains(seed, **options))


def _arcs(seed: int, **options: Any) -> Callable[[], Case]:
    return lambda: ArcCase(trees_of.random_trees(seed, **options))


def _moves(system: str, training: int, n: int = 6, **options: Any) -> Callable[[], Case]:
    return lambda: TransitionCase(
        transitions.random_trees(1, n, projective=system != "swap"), system, training, **options
    )


def _anchored(seed: int) -> Callable[[], Case]:
    return lambda: AnchoredCase(random_anchored(seed, keep=(0.6, 0.8, 1.0)[seed % 3]))


FIRST = {"siblings": False, "grandparents": False}
SPANNING = {**FIRST, "projective": False}
CASES: Mapping[str, Callable[[], Case]] = {
    "chain of order 0": _chain(6, order=0),
    "chain of order 1": _chain(7, order=1),
    "chain of order 2": _chain(8, order=2),
    "chain of order 3": _chain(9, order=3),
    "chain with nine labels": _chain(11, order=1, n_labels=9, lengths=(3, 2, 1)),
    "chain with one label": _chain(10, order=1, n_labels=1),
    "chain with values": _chain(16, order=1, valued=True),
    "chain with pairs": _chain(5, order=1, pairs=True),
    "chain with pairs of order 2": _chain(15, order=2, pairs=True, valued=True),
    "chain with pairs of order 3": _chain(14, order=3, pairs=True),
    "chain with masks": _chain(4, order=1, masks=True),
    "chain with masks of order 3": _chain(13, order=3, masks=True),
    "chain with masks and pairs": _chain(12, order=2, masks=True, pairs=True),
    "chain with sentence weights": _chain(17, order=1, weighted=True),
    "chain, partly labelled": _chain(18, order=1, unknown=0.5),
    "chain with label sets": _chain(19, order=1, unknown=0.6, restricted=True),
    "chain with label sets of order 2": _chain(20, order=2, unknown=0.6, restricted=True, pairs=True),
    "chain with everything": _chain(
        21, order=2, valued=True, pairs=True, masks=True, unknown=0.5, restricted=True, weighted=True
    ),
    "chain with an automaton": _chain(22, order=1, automaton="(0 | 1 2? 0*)*"),
    "chain with an automaton of order 0": _chain(23, order=0, automaton="@at-most(1, 1)"),
    "chain with an automaton of order 2": _chain(
        24, order=2, automaton="@count(2, 1)", masks=True, pairs=True
    ),
    "chain with an automaton, partly labelled": _chain(
        25, order=1, automaton="@at-most(2, 2)", unknown=0.5, restricted=True, valued=True, pairs=True
    ),
    "chain with the n-grams that occur": _chain(26, order=3, seen=True),
    "chain with the n-grams that occur, and all": _chain(
        27, order=2, seen=True, automaton="@at-most(2, 0)", pairs=True, masks=True, unknown=0.4, weighted=True
    ),
    "arcs of first order": _arcs(1, **FIRST),
    "arcs of spanning trees": _arcs(2, **SPANNING),
    "arcs of spanning trees, several roots, pruned": _arcs(3, **SPANNING, single_root=False, keep=0.7),
    "arcs of spanning trees, partly known": _arcs(4, **SPANNING, unknown=0.5),
    "arcs with siblings": _arcs(5, grandparents=False),
    "arcs with grandparents": _arcs(6, siblings=False),
    "arcs with both": _arcs(7),
    "arcs with both, pruned": _arcs(8, keep=0.5),
    "arcs with several roots": _arcs(9, single_root=False),
    "arcs with several roots and siblings": _arcs(10, single_root=False, grandparents=False, keep=0.7),
    "arcs with one label": _arcs(11, n_labels=1),
    "arcs with nine labels": _arcs(12, n_labels=9, lengths=(2, 1, 2)),
    "arcs, partly known": _arcs(13, unknown=0.5),
    "arcs, partly known, pruned": _arcs(14, unknown=0.5, keep=0.6, grandparents=False),
    "arcs that cross, second order": lambda: SearchedArcCase(trees_of.random_trees(15, projective=False)),
    "head choice": lambda: HeadChoiceCase(trees_of.random_trees(3, (3, 1, 2, 3))),
    "head choice, partly known": lambda: HeadChoiceCase(trees_of.random_trees(4, (3, 2), unknown=0.3)),
    **{
        f"transitions, {system}, {groups} groups": _moves(system, STATIC, groups=groups)
        for system in ("arc-standard", "arc-hybrid", "arc-eager", "swap")
        for groups in (1, 2, transitions.LABELS)
    },
    "transitions, many sentences": _moves("arc-hybrid", STATIC, 40),
    "transitions, arc-hybrid, dynamic oracle": _moves("arc-hybrid", DYNAMIC),
    "transitions, arc-eager, dynamic oracle": _moves("arc-eager", DYNAMIC),
    "transitions, beam": _moves("arc-hybrid", BEAM, width=4),
    "transitions, beam, greatest violation": _moves("arc-eager", BEAM, width=4, max_violation=True),
    **{f"anchored rules {seed}": _anchored(seed) for seed in range(5)},
    "factored": lambda: FactoredCase(random_factored(1)),
    "factored, one class": lambda: FactoredCase(random_factored(2, n_classes=1, weighted=True)),
    "factored, a class for each": lambda: FactoredCase(random_factored(3, n_classes=5, n_parts=9)),
    "factored, partly known": lambda: FactoredCase(random_factored(4, unknown=0.4)),
    "factored, restricted": lambda: FactoredCase(random_factored(5, restricted=True)),
    "factored, many sentences": lambda: FactoredCase(random_factored(6, lengths=(2, 1, 3) * 12)),
    **{f"ranking {seed}": lambda seed=seed: RankingCase(seed) for seed in range(3)},
    "ranking, many lists": lambda: RankingCase(3, n=40),
    "python": lambda: PythonCase(random_chains(1, order=2, lengths=(3, 2, 3, 1))),
    "python, search only": lambda: PythonCase(random_chains(2, order=1, lengths=(3, 2)), Enumerated),
}
SEPARABLE: Mapping[str, Callable[[], Case]] = {
    "chain": lambda: ChainCase(separable_chains()),
    "arcs": lambda: ArcCase(replace(trees_of.random_trees(4, (3, 4, 2, 3)), bits=(14, 10))),
    "arcs that cross": lambda: SearchedArcCase(
        replace(trees_of.random_trees(4, (3, 4, 2, 3), projective=False), bits=(14, 10))
    ),
    "head choice": lambda: HeadChoiceCase(trees_of.random_trees(4, (3, 4, 2, 3)), bits=14),
    "transitions": lambda: TransitionCase(
        transitions.random_trees(6, 5, distinct=True), "arc-hybrid", STATIC, bits=12
    ),
    "transitions, dynamic oracle": lambda: TransitionCase(
        transitions.random_trees(6, 5, distinct=True), "arc-hybrid", DYNAMIC, bits=12
    ),
    "transitions, beam": lambda: TransitionCase(
        transitions.random_trees(6, 5, distinct=True), "arc-hybrid", BEAM, width=4, bits=12
    ),
    "anchored rules": lambda: AnchoredCase(replace(random_anchored(3, lengths=(2, 3, 4)), bits=12)),
    "factored": lambda: FactoredCase(separable_factored()),
    "ranking": lambda: RankingCase(0, n=30, separable=True),
    "python": lambda: PythonCase(separable_chains()),
}

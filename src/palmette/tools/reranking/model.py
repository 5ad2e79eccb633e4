"""What a reranker learned, in primal form (weights of features) or in dual form (supports of a kernel).

Both give every candidate of a list a score, and say what a score is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from palmette.features.candidate_features import CandidateMap, Extractor, ListVectors, feature_table, key_of
from palmette.features.kernels.kernel import Reals
from palmette.features.sequence_templates import SequenceTemplates
from palmette.features.tree_templates import TreeTemplates
from palmette.formats.candidates import Candidates
from palmette.learning.boosting import PairProblem
from palmette.learning.capabilities import SUMS
from palmette.learning.learner import Callback, Learner, Report
from palmette.learning.votes import VotedWeights, votes_of
from palmette.tools.probabilities import no_probabilities
from palmette.tools.reranking.dual_ranking import Ranking, learn_ranking
from palmette.tools.reranking.dual_sums import KeptLists, Lists, StreamedLists, items_of
from palmette.tools.reranking.probabilities import probabilities_of
from palmette.trees.tree import Tree

Templates = TreeTemplates | SequenceTemplates
LOG_PROBABILITY = "log-probability of the first model"


class RankingModel(Protocol):
    """Scores of candidates, and how many weights or supports they come from."""

    def scores(self, given: Candidates, n_jobs: int = 1) -> Reals: ...
    def probabilities(self, given: Candidates, n_jobs: int = 1) -> Reals: ...
    def __len__(self) -> int: ...


@dataclass(frozen=True, eq=False)
class DualModel:
    """Supports of a kernel over pairs (output, log-probability)."""

    ranking: Ranking
    has_probabilities = True

    def scores(self, given: Candidates, n_jobs: int = 1) -> Reals:
        """Return the score of every candidate; with a voted perceptron, its share of the votes."""
        return self.ranking.scores(items_of(given), n_jobs)

    def probabilities(self, given: Candidates, n_jobs: int = 1) -> Reals:
        """Return the score of every candidate, in units of the first model's log-probability."""
        return self.ranking.probabilities(items_of(given), n_jobs)

    def __len__(self) -> int:
        return len(self.ranking)


@dataclass(frozen=True, eq=False)
class PrimalModel:
    """Weights of features; with votes, they are the mean of those that vote."""

    templates: Templates | Extractor
    map: CandidateMap
    weights: NDArray[np.float32] = field(repr=False)
    votes: VotedWeights | None = None

    def scores(self, given: Candidates, n_jobs: int = 1) -> Reals:
        """w · Φ of every candidate, or its share of the votes."""
        if not len(given):
            return np.zeros(0)
        vectors = ListVectors.of(given, extractor(self.templates))
        problem = self.map.problem([given], [vectors], learning=False)
        if self.votes is not None:
            shares = np.zeros(len(given))
            for place, share in self.votes.elect(lambda w: [int(problem.scores(w).argmax())])[0]:
                shares[place] = share
            return shares
        return problem.scores(self.weights).astype(np.float64)

    @property
    def has_probabilities(self) -> bool:
        """Votes have none."""
        return self.votes is None

    def probabilities(self, given: Candidates, n_jobs: int = 1) -> Reals:
        """Return the score of every candidate, in units of the first model's log-probability."""
        if not self.has_probabilities:
            raise no_probabilities("A voted perceptron with features", SUMS)
        scores = self.scores(given, n_jobs)
        return probabilities_of(scores, self._of_log_probability) if len(scores) else scores

    def contributions(self, given: Candidates, one: int, two: int) -> dict[str, float]:
        """What every feature gives candidate `one` more than `two`."""
        names, table = feature_table(extractor(self.templates)([given.outputs[c] for c in (one, two)]))
        found: dict[str, float] = {}
        for name, difference in zip(names, (table[0] - table[1]).tolist()):
            weight = self._weight(key_of(name)) if difference else 0.0
            if weight:
                found[name] = weight * difference
        log_p = given.log_probabilities
        found[LOG_PROBABILITY] = self._of_log_probability * float(log_p[one] - log_p[two])
        return found

    @property
    def _of_log_probability(self) -> float:
        """The weight of the first model's log-probability."""
        return float(self.weights[-1] * np.sqrt(self.map.beta))

    def _weight(self, key: int) -> float:
        place = int(np.searchsorted(self.map.keys, np.uint64(key)))
        known = place < len(self.map.keys) and int(self.map.keys[place]) == key
        return float(self.weights[place]) if known else 0.0

    def __len__(self) -> int:
        return int(np.count_nonzero(self.weights))


@dataclass(frozen=True, eq=False)
class TrainedRanking:
    """A model, the reports of all passes, and whether Ctrl-C ended the training."""

    model: DualModel | PrimalModel
    history: tuple[Report, ...]
    interrupted: bool


Dev = Callable[[DualModel | PrimalModel], float]


def train_dual(
    learner: Learner,
    kernel: Any,
    lists: Sequence[Candidates] | Iterable[Candidates],
    *,
    prior: float,
    dev: Dev | None,
    callback: Callback | None,
) -> TrainedRanking:
    """Train with a kernel of pairs (output, log-probability); an iterable of lists is read again in every pass."""
    given: Lists = (
        KeptLists(lists, kernel, learner.random_state)
        if isinstance(lists, list)
        else StreamedLists(lists, kernel)
    )
    score = None if dev is None else lambda ranking: dev(DualModel(ranking))
    found = learn_ranking(learner, kernel, given, prior=prior, dev=score, callback=callback)
    return TrainedRanking(DualModel(found.model), found.history, found.interrupted)


def train_primal(
    learner: Learner,
    templates: Templates | Extractor,
    lists: Sequence[Candidates],
    *,
    beta: float,
    prior: float,
    min_count: int,
    dev: Dev | None,
    callback: Callback | None,
) -> TrainedRanking:
    """With features: one learning problem for any learner."""
    extract = extractor(templates)
    if learner.get_params().get("features", "all") is None:
        # What wrong candidates have says as much as what right ones have.
        learner = replace(learner, **cast(Any, {"features": "all"}))
    vectors = [ListVectors.of(given, extract) for given in lists]
    features = CandidateMap.fit(vectors, beta, min_count)
    problem: Any = (
        ranked_pairs(features, lists, vectors)
        if "pairs" in learner.needs
        else features.problem(lists, vectors)
    )
    # The pass of a voted perceptron is chosen by the mean of its weights, which ranks much as the votes do.
    score = None if dev is None else lambda w: dev(PrimalModel(templates, features, w))
    start = np.zeros(features.n_features, dtype=np.float32)
    start[-1] = prior / np.sqrt(beta) if beta else 0.0
    found = learner.learn(problem, dev=score, callback=callback, start=start if prior else None)
    model = PrimalModel(templates, features, found.weights, votes_of(found.extra))
    return TrainedRanking(model, found.history, found.interrupted)


def ranked_pairs(
    features: CandidateMap, lists: Sequence[Candidates], vectors: Sequence[ListVectors]
) -> PairProblem:
    """Return the best candidate of every list, the likelier of equal ones, with every one that is worse."""
    from scipy.sparse import csr_array, vstack

    found: list[Any] = [csr_array((0, features.n_features))]
    for given, own in zip(lists, vectors, strict=True):
        rows, places, values = features.numbered(given, own)
        table = csr_array((values.astype(np.float64), places, rows), shape=(len(given), features.n_features))
        assert given.losses is not None
        right = int(np.lexsort((-given.log_probabilities, given.losses))[0])
        worse = np.flatnonzero(given.losses > given.losses[right])
        found.append(table[np.full(len(worse), right)] - table[worse])
    pairs = vstack(found, format="csr")
    return PairProblem(pairs, np.ones(pairs.shape[0]), len(lists))


def extractor(templates: Templates | Extractor) -> Extractor:
    """The function that makes features of outputs."""
    if not isinstance(templates, TreeTemplates | SequenceTemplates):
        return templates
    wanted: Any = templates
    trees = isinstance(templates, TreeTemplates)

    def extract(outputs: Sequence[Any]) -> Sequence[Any]:
        for output in outputs:
            if isinstance(output, Tree) != trees:
                what = "trees" if trees else "words with labels"
                raise ValueError(
                    f"The features of this reranker are those of {what}; the candidates are not."
                )
        found: Sequence[Any] = wanted.counts(outputs) if trees else wanted.names(outputs)
        return found

    return extract

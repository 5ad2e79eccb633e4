"""What a dependency parser asks of a model of trees, and which kinds of model there are.

    F(x) = argmax over trees y of  w · Φ(x, y)

A model sees tokens as `TokenViews` and answers with heads and labels of all tokens in a row. A sentence of n words
has the tokens 1 … n; 0 is the root above them, -1 stands for what is not known. Labels are numbers: places in
`labels`. Arrays over tokens run over all sentences, one after the other, as in a `Corpus`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from palmette.features.token_views import TokenViews
from palmette.learning.problem import Weights
from palmette.learning.votes import Elected, VotedWeights
from palmette.tools.dependency.treebank import is_root
from palmette.tools.methods import Method, Methods

if TYPE_CHECKING:
    from palmette.learning.learner import Callback, Learner, Report

# Where the probabilities of arcs come from: sums over trees; the steps of a greedy parser, each among the moves it
# could make there; or the filter of a graph-based parser, in which every word chooses its head by itself.
ProbabilitySource = Literal["trees", "steps", "head filter"]

Int32 = NDArray[np.int32]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Parses:
    """A tree for every sentence: heads and labels [tokens], and the score w · Φ of each tree [sentences].

    notes: what was done differently, a sentence each ("sentence 3 has 1,000 words: first order only").
    """

    heads: Int32
    labels: Int32
    scores: NDArray[np.float64]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ScoredTree:
    """One tree of one sentence of n words: heads and labels [n], and its score.

    log_probability: where the model has probabilities of trees, else None.
    """

    heads: Int32
    labels: Int32
    score: float
    log_probability: float | None = None


@dataclass(frozen=True)
class FeatureUse:
    """A feature and what it gives the chosen tree more than the rival.

    feature: pieces with a space between, such as "h.upos m.word distance=2"; `tokens` says which token each place
    before a dot is ({"h": 3, "m": 1}; 0 is the root), so that values can be shown: "h.upos=VERB m.word=dogs".
    """

    feature: str
    amount: float
    tokens: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class HeadChoice:
    """Why a token has its head: the best tree against the best one where it has another (or the asked) head.

    margin: the difference of the two trees' scores, and the sum of the amounts of `contributions`. Without any
    rival tree (a sentence of one word) `rival_head` is None, the margin infinite, and there are no contributions.
    """

    head: int
    label: int
    rival_head: int | None
    rival_label: int | None
    margin: float
    contributions: tuple[FeatureUse, ...] = ()


LEAST_PROBABILITY = 1e-6  # arcs below are close to impossible


class TreeModel(Protocol):
    """A trained model of trees. Nothing in it changes by use, so threads may share one."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The relations, by number."""

    def parse(
        self,
        views: TokenViews,
        *,
        heads: Int32 | None = None,
        forbidden: Int32 | None = None,
        minimum_risk: bool = False,
        n_jobs: int = 1,
    ) -> Parses:
        """The best tree of every sentence.

        heads: [tokens], known heads that the tree must have, -1 where any will do. forbidden: [k, 2], arcs that it
        must not have: token (counted over all sentences, from 0) and head (0 … n). ValueError, with the number of
        the sentence, if no tree is left, or if the method cannot use such constraints at all. minimum_risk: of
        all trees the one with the most expected right arcs; ValueError if the model has no probabilities. A
        sentence without words has score 0.
        """

    @property
    def probabilities_from(self) -> ProbabilitySource | None:
        """Where the probabilities of arcs come from; None if there are none."""

    def arc_probabilities(self, views: TokenViews, parses: Parses, *, n_jobs: int = 1) -> NDArray[np.float32]:
        """The probability of each token's arc in `parses` (head, not label); ValueError if there are none.

        `probabilities_from` says what they are.
        """

    def arc_marginals(self, views: TokenViews, *, n_jobs: int = 1) -> list[list[tuple[int, float]]]:
        """For every token its heads with their probabilities, those close to impossible left out; ValueError
        where there are none.
        """

    def kbest(
        self,
        views: TokenViews,
        k: int,
        *,
        heads: Int32 | None = None,
        forbidden: Int32 | None = None,
        n_jobs: int = 1,
    ) -> list[list[ScoredTree]]:
        """The k best trees of every sentence (fewer if there are fewer), best first; constraints as in `parse`."""

    def tree_label_scores(self, views: TokenViews, heads: Int32) -> NDArray[np.float32] | None:
        """The score of every label in trees with these heads, [tokens, labels]; None if labels come with trees."""

    def explain(
        self, views: TokenViews, sentence: int, token: int, rival_head: int | None = None
    ) -> HeadChoice:
        """Why token 1 … n of a sentence has its head, and not another one: the asked, or the next best."""

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """The same weights with other options of search (width of a beam, projective or not, several roots).

        ValueError for one that it has not, or that is fixed by training.
        """

    def arrays(self, *, compact: bool = False) -> Arrays:
        """The numbers for a model file; compact: as few bytes as do no great harm."""

    def settings(self) -> dict[str, Any]:
        """What else a model file must keep, as JSON has it."""

    @classmethod
    def restore(
        cls, labels: tuple[str, ...], arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]
    ) -> Self:
        """The model of a file; ValueError, in a sentence, if something is missing or does not fit.

        The arrays are read-only views onto the file, and anything may be in them: check before use.
        """


@dataclass(frozen=True, eq=False)
class Trained:
    """A model fresh from training, with the reports of its passes, and what trained it.

    notes: what was done differently from the request, a sentence each.
    """

    model: TreeModel
    learner: Learner
    history: tuple[Report, ...] = ()
    interrupted: bool = False
    notes: tuple[str, ...] = ()


def elected_trees(
    votes: VotedWeights, views: TokenViews, parse: Callable[[Weights], Parses], k: int = 1
) -> tuple[list[list[ScoredTree]], tuple[str, ...]]:
    """Return for every sentence at most k trees with the most votes, scored by their shares, and notes.

    parse: the trees of all sentences with one weight vector; a tree is its heads and labels.
    """
    bounds, notes = views.offsets.tolist(), dict[str, None]()

    def search(w: Weights) -> Iterator[tuple[bytes, bytes]]:
        found = parse(w)
        notes.update(dict.fromkeys(found.notes))
        for a, b in pairwise(bounds):
            yield found.heads[a:b].tobytes(), found.labels[a:b].tobytes()

    def tree(one: Elected) -> ScoredTree:
        heads, labels = (np.frombuffer(part, dtype=np.int32).copy() for part in one.output)
        return ScoredTree(heads, labels, one.share)

    return [[tree(one) for one in tally[:k]] for tally in votes.elect(search)], tuple(notes)


def joined_trees(trees: Sequence[ScoredTree], notes: tuple[str, ...] = ()) -> Parses:
    """Return one tree for every sentence as `Parses`."""
    none = np.zeros(0, dtype=np.int32)
    heads, labels = (
        np.concatenate([none, *(getattr(t, name) for t in trees)]) for name in ("heads", "labels")
    )
    return Parses(heads, labels, np.array([tree.score for tree in trees], dtype=np.float64), notes)


class Plan(NamedTuple):
    """What a training will do, settled before any work.

    options: of the method, with everything decided that depends on the treebank. notes: deviations from the
    request, one sentence each. choice: a sentence about what the treebank decided, or nothing.
    """

    options: dict[str, Any]
    learner: Learner
    notes: tuple[str, ...] = ()
    choice: str = ""


class PlanFunction(Protocol):
    """`plan_graph` and `plan_transition`: choose and check options and learner."""

    def __call__(
        self,
        heads: Int32,
        offsets: NDArray[np.int64],
        n_labels: int,
        options: Mapping[str, Any],
        learner: Learner | None,
    ) -> Plan:
        """Decide what is left open: the options that depend on the treebank, and the learner if None is named.

        heads, offsets, n_labels: of the treebank, whose trees are known to be trees. ValueError, with what to do,
        for options that do not exist or do not go together, or a learner that cannot learn such trees.
        """


class TrainFunction(Protocol):
    """`train_graph` and `train_transition`: from trees to a model."""

    def __call__(
        self,
        views: TokenViews,
        heads: Int32,
        labels: Int32,
        names: tuple[str, ...],
        *,
        options: Mapping[str, Any],
        learner: Learner | None = None,
        dev: Callable[[TreeModel], float] | None = None,
        callback: Callback | None = None,
        n_jobs: int = 1,
    ) -> Trained:
        """Train on trees that are known to be trees with one root each.

        names: of the labels, which are places in it. options: those of the method, unchecked; ValueError for one
        that it has not. learner: None is the method's own choice. dev: measures a model, higher is better; the
        best pass is kept. There is at least one sentence, and none is empty.
        """


def _method(folder: str, name: str, summary: str) -> Method:
    where = f"palmette.tools.dependency.{folder}"
    return Method(
        summary=summary,
        train=f"{where}.training:train_{folder}",
        model=f"{where}.model:{name}Model",
        plan=f"{where}.training:plan_{folder}",
        learners=f"{where}.training:LEARNERS",
        options=f"{where}.options:{name}Options",
        offers=f"{where}.options:offers",
    )


# What trains is a `TrainFunction`, what plans a `PlanFunction`, and models are `TreeModel`s.
METHODS = Methods(
    {
        "graph": _method("graph", "Graph", "the best of all trees, scored arc by arc"),
        "transition": _method("transition", "Transition", "a tree built from left to right, step by step"),
    }
)


# Models whose scores come from elsewhere, by the name that a file has for them.
SCORERS = Methods(
    {
        "neural": Method(
            summary="the best of all trees, scored by a network",
            train="palmette.tools.dependency.neural.training:train_neural",
            model="palmette.tools.dependency.neural.model:NeuralModel",
            options="palmette.tools.dependency.neural.options:NeuralTreeOptions",
            plan="palmette.tools.dependency.neural.training:plan_trees",
        )
    }
)


def plan_training(
    method: str,
    heads: Int32,
    offsets: NDArray[np.int64],
    n_labels: int,
    options: Mapping[str, Any],
    learner: Learner | None = None,
) -> Plan:
    """What training by a method will do with a treebank; see `PlanFunction`."""
    plan: PlanFunction = METHODS.named(method).plan_function
    return plan(heads, offsets, n_labels, options, learner)


def root_labels(labels: Sequence[str]) -> NDArray[np.uint8] | None:
    """1 for the relations that words below the root have and no others, 0 for all other relations.

    None, for no rule, if all relations are of one kind.
    """
    found = np.array([is_root(label) for label in labels], dtype=np.uint8)
    return found if found.any() and not found.all() else None

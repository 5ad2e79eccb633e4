"""Parsers that look for the best of all trees: arcs, siblings and grandparents are scored, the search is exact.

    score(tree) = Σ over its arcs h → m of  w · Φ(h, m) + w · Φ(g, h, m) + w · Φ(h, m, s) + w · Φ(g, h, m, s)

with g the head of h, and s the modifier of h before m. Three models make a parser: a filter (every word chooses a
few likely heads on its own), the trees over what it keeps, and labels, which see the whole tree. Projective trees
are found exactly; so are others where only arcs are scored, and else by moving single words of the best projective
tree as long as that pays (McDonald and Pereira 2006).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import ArcProblem, ChainProblem, HeadChoiceProblem, SparseRows, label_attributes
from palmette.features.token_views import TokenViews
from palmette.learning.capabilities import SEARCH, SUMS, Capabilities, check_fit
from palmette.learning.learner import Callback, Learner
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA
from palmette.learning.problem import Problem, Weights
from palmette.parameters import Options, option, require_int
from palmette.tools.dependency.model import (
    Arrays,
    HeadChoice,
    Int32,
    Parses,
    Plan,
    ProbabilitySource,
    ScoredTree,
    Trained,
    TreeModel,
    arrays_of,
    root_labels,
)
from palmette.tools.packed_weights import (
    LevelWeights,
    full_table,
    pack_weights,
    require_size,
    unpack_levels,
    unpack_sparse_rows,
    unpack_weights,
)
from palmette.tools.sequence.model import stride
from palmette.trees.shapes import projectivise

_FILTER_BITS = 20  # at most: the filter needs no more
MOST_TRAINED = 500  # words of a sentence that is learnt from: the time of one grows with its cube
_FILTER = CRF(l2=5.0, n_iter=2)
_LABELS = CRF(l2=0.5, n_iter=4)

_OWNER = "The method 'graph'"
_ADVICE = ", or projective=true, or siblings=false with grandparents=false"
_NON_PROJECTIVE = 0.1  # of the sentences: from here on the search leaves projective trees, if nothing is said

# A log-linear model of trees, by stochastic gradient descent in small batches; and the default where there are no
# sums over trees, because these are not projective and parts are larger than arcs.
LEARNERS: tuple[Learner, ...] = (CRF(l2=5.0, n_iter=5, batch=16), MIRA(n_iter=8, k=1))


@dataclass(frozen=True, kw_only=True)
class GraphOptions(Options):
    """The options of a graph-based parser."""

    projective: bool | None = option(
        None, "whether trees have no arcs that cross; none: false if a tenth of the sentences have some"
    )
    siblings: bool = option(True, "whether the score of an arc sees the sibling before it", fixed=True)
    grandparents: bool = option(True, "whether the score of an arc sees the head of its head", fixed=True)
    labels: str = option(
        "after",
        "when relations are chosen: after the tree, jointly with its arcs, or both",
        choices=("after", "jointly", "both"),
        fixed=True,
    )
    single_root: bool = option(True, "whether every sentence has exactly one word without a head")
    threshold: float = option(
        0.005,
        "least probability of a head that the filter keeps, relative to the word's likeliest head",
        above=0,
        high=1,
    )
    most_heads: int = option(10, "most heads of a word that the filter keeps", low=1)
    bits: int = option(24, "the table of trees has 2^bits weights", low=4, high=28, fixed=True)
    label_bits: int = option(17, "the table of labels has 2^label_bits rows", low=4, high=22, fixed=True)


def offers(options: Mapping[str, Any]) -> Capabilities:
    """Return what learners may ask of a parser with these options; if `projective` is open, as if it were true."""
    made = GraphOptions.of(options, _OWNER)
    first_order = not (made.siblings or made.grandparents)
    return SEARCH if made.projective is False and not first_order else SUMS


@dataclass(frozen=True, eq=False)
class GraphModel:
    """A trained graph-based parser: the weights of the filter, of the trees, and of the labels (if chosen after).

    normalised: do the scores of trees mean probabilities (was a log-linear learner at work)?
    """

    labels: tuple[str, ...]
    options: GraphOptions
    filter_weights: Weights
    tree_weights: Weights | LevelWeights
    label_weights: Weights | SparseRows | None
    normalised: bool = True

    # Parsing

    def parse(
        self,
        views: TokenViews,
        *,
        heads: Int32 | None = None,
        forbidden: Int32 | None = None,
        minimum_risk: bool = False,
        n_jobs: int = 1,
    ) -> Parses:
        """The best tree of every sentence; see `TreeModel.parse`."""
        from palmette.tools.dependency.graph.search import best_trees

        found = best_trees(self, views, heads, forbidden, minimum_risk, n_jobs)
        return replace(found, labels=self.relabelled(views, found.heads, found.labels, n_jobs))

    @property
    def probabilities_from(self) -> ProbabilitySource:
        """Sums over trees if a log-linear learner trained them, else the filter, which always is log-linear."""
        return "trees" if self.normalised else "head filter"

    def arc_probabilities(self, views: TokenViews, parses: Parses, *, n_jobs: int = 1) -> NDArray[np.float32]:
        """The probability of each token's arc, over all projective trees, or by the filter.

        See `TreeModel.arc_probabilities`.
        """
        from palmette.tools.dependency.graph.search import arc_probabilities

        if self.normalised:
            return arc_probabilities(self, views, parses.heads, n_jobs)
        chosen = np.ascontiguousarray(parses.heads, dtype=np.int32)
        return self._filter(views).probabilities(self.filter_weights, chosen, n_jobs)

    def kbest(
        self,
        views: TokenViews,
        k: int,
        *,
        heads: Int32 | None = None,
        forbidden: Int32 | None = None,
        n_jobs: int = 1,
    ) -> list[list[ScoredTree]]:
        """The k best trees of every sentence; see `TreeModel.kbest`."""
        from palmette.tools.dependency.graph.search import best_lists

        require_int("k", k, 1)
        return best_lists(self, views, k, heads, forbidden, n_jobs)

    def explain(
        self, views: TokenViews, sentence: int, token: int, rival_head: int | None = None
    ) -> HeadChoice:
        """Why a token has its head: the best tree against the best with another head there."""
        from palmette.tools.dependency.graph.explanation import explain_head

        return explain_head(self, views, sentence, token, rival_head)

    def require_probabilities(self) -> None:
        """ValueError if the scores of trees do not mean probabilities."""
        if not self.normalised:
            raise ValueError(
                "This parser has no probabilities of trees, because its learner is not log-linear: "
                "train it with --learner crf (in Python learner=CRF())."
            )

    def relabelled(self, views: TokenViews, heads: Int32, labels: Int32, n_jobs: int = 1) -> Int32:
        """The best labels of trees; those that came with the trees where labels are chosen jointly."""
        if self.label_weights is None:
            return labels
        problem, weights = self._label_problem(views, heads, n_jobs)
        found = problem.decode(weights, n_jobs)[0]
        at_root = root_labels(self.labels)
        if at_root is None:
            return found
        wrong = (at_root[found] == 1) != (heads == 0)
        sentence = np.repeat(np.arange(len(views)), np.diff(views.offsets))
        for i in np.unique(sentence[wrong]).tolist():
            tokens = views.places([i])
            scores = self.tree_label_scores(views.select([i]), heads[tokens])
            assert scores is not None
            found[tokens] = scores.argmax(axis=1)
        return found

    def tree_label_scores(self, views: TokenViews, heads: Int32) -> NDArray[np.float32] | None:
        """The scores of labels in given trees, unless they were scored with the arcs; see `TreeModel`.

        Minus infinity for a label that does not fit its head: `root` is for the head 0, all others for words.
        """
        if self.label_weights is None:
            return None
        problem, weights = self._label_problem(views, heads, 1)
        parts = [problem.scores(weights, i)[0] for i in range(len(views))]
        scores = np.concatenate([np.zeros(0, np.float32), *parts]).reshape(-1, len(self.labels))
        at_root = root_labels(self.labels)
        if at_root is not None:
            scores[(heads == 0)[:, None] != (at_root == 1)] = -np.inf
        return scores

    def _label_problem(self, views: TokenViews, heads: Int32, n_jobs: int) -> tuple[ChainProblem, Weights]:
        """The labels of given trees as choices, and the weights that are still to be added."""
        table, bits, n = self.label_weights, self.options.label_bits, len(self.labels)
        assert table is not None
        if isinstance(table, SparseRows):
            return label_problem(views, heads, None, n, bits, n_jobs, table), np.zeros(0, dtype=np.float32)
        return label_problem(views, heads, None, n, bits, n_jobs), table

    @property
    def tree_table(self) -> Weights | tuple[NDArray[np.uint8], Weights]:
        """The weights of trees as the native core takes them."""
        table = self.tree_weights
        return (table.places, table.levels) if isinstance(table, LevelWeights) else table

    def candidates(
        self, views: TokenViews, heads: Int32 | None, n_jobs: int
    ) -> tuple[NDArray[np.int64], Int32]:
        """The heads that the filter keeps, and those that are known: rows and heads, token by token."""
        o = self.options
        return self._filter(views).candidates(self.filter_weights, o.threshold, o.most_heads, heads, n_jobs)

    def _filter(self, views: TokenViews) -> HeadChoiceProblem:
        """The choice of heads, word by word."""
        unknown = np.full(views.n_tokens, -1, dtype=np.int32)
        return HeadChoiceProblem(*arrays_of(views), unknown, filter_bits(self.options))

    def filter_recall(self, views: TokenViews, heads: Int32, n_jobs: int = 1) -> tuple[float, float]:
        """How many of these heads the filter keeps, from 0 to 1, and how many heads it keeps for a word."""
        rows, candidates = self.candidates(views, None, n_jobs)
        kept = candidates == np.repeat(heads, np.diff(rows))
        words = max(views.n_tokens, 1)
        return float(kept.sum()) / words, len(candidates) / words

    @property
    def n_tree_labels(self) -> int:
        """How many labels the trees themselves tell apart."""
        return 1 if self.options.labels == "after" else len(self.labels)

    # Files

    def with_options(self, options: Mapping[str, Any]) -> GraphModel:
        """The same weights with another search: projective or not, more heads, several roots."""
        return replace(self, options=self.options.changed(options, _OWNER))

    def arrays(self, *, compact: bool = False) -> Arrays:
        """Return the weights; compact: those that matter, with 8 bits each."""
        tables = {"filter": self.filter_weights, "trees": self.tree_weights, "labels": self.label_weights}
        return {
            key: array
            for name, weights in tables.items()
            if weights is not None
            for key, array in pack_weights(name, full_table(weights), compact).items()
        }

    def settings(self) -> dict[str, Any]:
        """The options, and whether scores mean probabilities."""
        return {**self.options.to_dict(), "normalised": self.normalised}

    @classmethod
    def restore(
        cls, labels: tuple[str, ...], arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]
    ) -> GraphModel:
        """The model of a file; ValueError if it does not fit together."""
        try:
            options = GraphOptions.of({name: settings[name] for name in GraphOptions.names()}, _OWNER)
            normalised = settings["normalised"]
        except (KeyError, TypeError) as error:
            raise ValueError(f"a graph-based parser lacks something: {error}") from None
        if not isinstance(normalised, bool) or not labels:
            raise ValueError("the settings of a graph-based parser are damaged")
        require_size(n_weights(options, len(labels)))
        made = cls(labels, options, np.zeros(0, np.float32), np.zeros(0, np.float32), None, normalised)
        shape = 1 << options.label_bits, len(labels), stride(len(labels))
        n_trees = n_tree_weights(options, made.n_tree_labels)
        unpack = unpack_levels if made.n_tree_labels == 1 else unpack_weights
        return replace(
            made,
            filter_weights=unpack_weights(arrays, "filter", 1 << filter_bits(options)),
            tree_weights=unpack(arrays, "trees", n_trees),
            label_weights=None
            if options.labels == "jointly"
            else unpack_sparse_rows(arrays, "labels", *shape),
        )


def plan_graph(
    heads: Int32,
    offsets: NDArray[np.int64],
    n_labels: int,
    options: Mapping[str, Any],
    learner: Learner | None,
) -> Plan:
    """Decide whether trees may cross, and which learner learns them; see `PlanFunction`.

    Sums over trees that may cross exist in first order only. So a log-linear learner that is asked for gets
    projective trees; and if no learner is named, it is MIRA where arcs cross often.
    """
    made = GraphOptions.of(options, _OWNER)
    require_size(n_weights(made, n_labels))
    if not (np.diff(offsets) <= MOST_TRAINED).any():
        raise ValueError(
            f"All sentences have more than {MOST_TRAINED} words: take --method transition, which has no limit."
        )
    notes, crossing, free = [], 0.0, made.projective is None
    if free:
        _, lifts = projectivise(np.ascontiguousarray(heads, np.int32), offsets)
        crossing = _crossing(lifts, offsets)
        made = replace(made, projective=crossing < _NON_PROJECTIVE)
        if learner is not None and not learner.needs <= offers(made.to_dict()):
            made = replace(made, projective=True)
            notes.append(
                f"{crossing:.0%} of the sentences have arcs that cross, and are learnt without crossings, because "
                f"{type(learner).__name__} needs sums over trees; --learner mira learns arcs that cross"
            )
    offered = offers(made.to_dict())
    learner = next(usual for usual in LEARNERS if usual.needs <= offered) if learner is None else learner
    check_fit(learner, offered, "a graph-based parser of crossing arcs", advice=_ADVICE)
    choice = ""
    if free and not made.projective:
        choice = (
            f"{crossing:.0%} of the sentences have arcs that cross: {type(learner).__name__} learns trees with "
            "crossing arcs (--set projective=true: without)"
        )
    return Plan(made.to_dict(), learner, tuple(notes), choice)


def train_graph(
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
    """Train a graph-based parser; see `TrainFunction`.

    A projective search learns from trees that are lifted until they are projective.
    """
    plan = plan_graph(heads, views.offsets, len(names), options, learner)
    made = GraphOptions.of(plan.options, _OWNER)
    if learner is None:
        learner = replace(plan.learner, n_jobs=n_jobs)
    views, heads, labels, notes = _of_usual_length(views, heads, labels)
    notes = (*plan.notes, *notes)
    lifted, _ = projectivise(heads, views.offsets)
    filter_weights, label_weights = _side_by_side(
        n_jobs,
        lambda: _learnt(_FILTER, HeadChoiceProblem(*arrays_of(views), heads, filter_bits(made))),
        lambda: (
            None
            if made.labels == "jointly"
            else _learnt(_LABELS, label_problem(views, heads, labels, len(names), made.label_bits, n_jobs))
        ),
    )
    assert filter_weights is not None
    normalised = learner.probabilistic
    gold = lifted if made.projective else heads
    empty = np.zeros(0, dtype=np.float32)
    model = GraphModel(names, made, filter_weights, empty, label_weights, normalised)
    rows, candidates = model.candidates(views, gold, n_jobs)
    tree_labels = labels if model.n_tree_labels > 1 else np.zeros_like(labels)
    problem = arc_problem(model, views, rows, candidates, gold, tree_labels)

    def score(weights: Weights) -> float:
        assert dev is not None
        return dev(replace(model, tree_weights=weights))

    learned = learner.learn(problem, dev=None if dev is None else score, callback=callback)
    trained = replace(model, tree_weights=learned.weights)
    return Trained(trained, learner, learned.history, learned.interrupted, notes)


def _of_usual_length(
    views: TokenViews, heads: Int32, labels: Int32
) -> tuple[TokenViews, Int32, Int32, tuple[str, ...]]:
    """The sentences that are not very long, and a note about those that are."""
    heads, labels = np.ascontiguousarray(heads, np.int32), np.ascontiguousarray(labels, np.int32)
    usual = np.flatnonzero(np.diff(views.offsets) <= MOST_TRAINED)
    left_out = len(views) - len(usual)
    if not left_out:
        return views, heads, labels, ()
    tokens = views.places(usual)
    what = "1 sentence has" if left_out == 1 else f"{left_out:,} sentences have"
    note = f"{what} more than {MOST_TRAINED} words: not learnt from"
    return views.select(usual), heads[tokens], labels[tokens], (note,)


def _side_by_side(n_jobs: int, *tasks: Callable[[], Weights | None]) -> list[Weights | None]:
    """What the tasks give, each on a thread of its own if there may be several: they see nothing of each other."""
    if n_jobs == 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(len(tasks)) as threads:
        return [done.result() for done in [threads.submit(task) for task in tasks]]


def _learnt(learner: Learner, problem: Problem) -> Weights:
    """The weights of a part; KeyboardInterrupt if it was interrupted, since without trees there is no parser."""
    learned = learner.learn(problem)
    if learned.interrupted:
        raise KeyboardInterrupt
    return learned.weights


def arc_problem(
    model: GraphModel,
    views: TokenViews,
    rows: NDArray[np.int64],
    candidates: Int32,
    heads: Int32 | None = None,
    labels: Int32 | None = None,
) -> ArcProblem:
    """Sentences with the heads that their words may have; heads and labels that are not known are -1.

    Without heads, that is when it parses, the relation `root` is for the head 0 and no other; a treebank that it
    learns from may have mistakes.
    """
    o = model.options
    unknown = np.full(views.n_tokens, -1, dtype=np.int32)
    return ArcProblem(
        *arrays_of(views),
        rows,
        candidates,
        unknown if heads is None else heads,
        unknown if labels is None else labels,
        model.n_tree_labels,
        o.bits,
        row_bits(o, model.n_tree_labels),
        o.siblings,
        o.grandparents,
        o.projective is not False,
        o.single_root,
        root_labels(model.labels) if heads is None and model.n_tree_labels > 1 else None,
    )


def label_problem(
    views: TokenViews,
    heads: Int32,
    labels: Int32 | None,
    n_labels: int,
    bits: int,
    n_jobs: int,
    table: SparseRows | None = None,
) -> ChainProblem:
    """Return the label of every word as a choice of its own in a given tree.

    table: the weights, if they are sparse; the problem then has scores and no attributes.
    """
    rows, attributes = label_attributes(*arrays_of(views), heads, bits, n_jobs)
    n_rows, scores = 1 << bits, None
    if table is not None:
        scores = table.sums(rows, attributes, None, n_jobs)
        rows, attributes, n_rows = np.zeros_like(rows), attributes[:0], 0
    if labels is None:
        labels = np.full(views.n_tokens, -1, dtype=np.int32)
    none = (None,) * 4
    masks = (None,) * 3
    return ChainProblem(
        views.offsets,
        rows,
        attributes,
        *none,
        labels,
        None,
        None,
        n_rows,
        0,
        n_labels,
        0,
        *masks,
        False,
        scores,
    )


def n_weights(options: GraphOptions, n_labels: int) -> int:
    """How many weights the filter, the trees and the labels have."""
    trees = n_tree_weights(options, 1 if options.labels == "after" else n_labels)
    after = 0 if options.labels == "jointly" else (1 << options.label_bits) * stride(n_labels)
    return (1 << filter_bits(options)) + trees + after


def n_tree_weights(options: GraphOptions, n_labels: int) -> int:
    """How many weights the trees have."""
    return (1 << options.bits) + (1 << row_bits(options, n_labels)) * stride(n_labels)


def filter_bits(options: GraphOptions) -> int:
    """The table of the filter has 2^filter_bits weights; no more than that of the trees."""
    return min(_FILTER_BITS, options.bits)


def row_bits(options: GraphOptions, n_labels: int) -> int:
    """A single label is not worth a table."""
    return options.label_bits if n_labels > 1 else 1


def _crossing(lifts: NDArray[np.int32], offsets: NDArray[np.int64]) -> float:
    """The fraction of the sentences that are not projective; none is empty."""
    lifted = np.add.reduceat(lifts > 0, offsets[:-1]) > 0
    return float(lifted.mean())

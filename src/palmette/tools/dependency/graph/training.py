"""Training a graph-based parser: the filter of heads and the labels side by side, then the trees.

A projective search learns from trees that are lifted until they are projective.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import SparseRows
from palmette.features.token_views import TokenViews
from palmette.learning.capabilities import check_fit
from palmette.learning.learner import Callback, Learner
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA
from palmette.learning.problem import Problem, Weights
from palmette.learning.votes import votes_of
from palmette.structures.arcs import head_choices
from palmette.tools.dependency.graph.model import GraphModel, arc_problem, label_problem
from palmette.tools.dependency.graph.options import OWNER, GraphOptions, filter_bits, n_weights, offers
from palmette.tools.dependency.model import Int32, Plan, Trained, TreeModel
from palmette.tools.packed_weights import LevelWeights, full_table, require_size
from palmette.tools.sequence.model import stride
from palmette.trees.shapes import projectivise

MOST_TRAINED = 500  # words of a sentence that is learnt from: the time of one grows with its cube
_FILTER = CRF(l2=5.0, n_iter=2)
_LABELS = CRF(l2=0.5, n_iter=4)
_ADVICE = ", or projective=true, or siblings=false with grandparents=false"
_NON_PROJECTIVE = 0.1  # of the sentences: from here on the search leaves projective trees, if nothing is said
# A log-linear model of trees, by stochastic gradient descent in small batches; and the default where there are no
# sums over trees, because these are not projective and parts are larger than arcs.
LEARNERS: tuple[Learner, ...] = (CRF(l2=5.0, n_iter=5, batch=16), MIRA(n_iter=8, k=1))


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
    made = GraphOptions.of(options, OWNER)
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
    start: GraphModel | None = None,
) -> Trained:
    """Train a graph-based parser; see `TrainFunction`. start: the model where training begins."""
    plan = plan_graph(heads, views.offsets, len(names), options, learner)
    made = GraphOptions.of(plan.options, OWNER)
    if learner is None:
        learner = replace(plan.learner, n_jobs=n_jobs)
    views, heads, labels, notes = _of_usual_length(views, heads, labels)
    notes = (*plan.notes, *notes)
    lifted, _ = projectivise(heads, views.offsets)
    filter_weights, label_weights = _side_by_side(
        n_jobs,
        lambda: _learnt(
            _FILTER,
            head_choices(views, filter_bits(made), heads),
            None if start is None else start.filter_weights,
        ),
        lambda: (
            None
            if made.labels == "jointly"
            else _learnt(
                _LABELS,
                label_problem(views, heads, labels, len(names), made.label_bits, n_jobs),
                None if start is None else _of_labels(start, len(names)),
            )
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

    learned = learner.learn(
        problem,
        dev=None if dev is None else score,
        start=None if start is None else full_table(start.tree_weights),
        callback=callback,
    )
    trained = replace(model, tree_weights=learned.weights, votes=votes_of(learned.extra))
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
    """What the tasks give, each on a thread of its own if there may be several: they share nothing."""
    if n_jobs == 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(len(tasks)) as threads:
        return [done.result() for done in [threads.submit(task) for task in tasks]]


def _of_labels(start: GraphModel, n_labels: int) -> Weights | None:
    """The weights of the labels of a model, and zeros for labels that it does not know."""
    if start.label_weights is None:
        return None
    old = full_table(start.label_weights).reshape(-1, stride(len(start.labels)))
    wide = np.zeros((len(old), stride(n_labels)), dtype=np.float32)
    wide[:, : len(start.labels)] = old[:, : len(start.labels)]
    return wide.reshape(-1)


def _learnt(
    learner: Learner, problem: Problem, start: Weights | LevelWeights | SparseRows | None = None
) -> Weights:
    """The weights of a part; KeyboardInterrupt if it was interrupted, since without trees there is no parser."""
    learned = learner.learn(problem, start=None if start is None else full_table(start))
    if learned.interrupted:
        raise KeyboardInterrupt
    return learned.weights


def _crossing(lifts: NDArray[np.int32], offsets: NDArray[np.int64]) -> float:
    """The fraction of the sentences that are not projective; none is empty."""
    lifted = np.add.reduceat(lifts > 0, offsets[:-1]) > 0
    return float(lifted.mean())

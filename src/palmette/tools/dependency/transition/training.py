"""Training a transition-based parser on the moves that build the right trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import projectivise
from palmette.features.token_views import TokenViews
from palmette.learning.capabilities import check_fit
from palmette.learning.learner import Callback, Learner, Report
from palmette.learning.perceptron import Perceptron
from palmette.learning.problem import Weights
from palmette.learning.votes import votes_of
from palmette.structures.transitions import TransitionParses
from palmette.tools.dependency.model import Int32, Plan, Trained, TreeModel
from palmette.tools.dependency.transition.model import TransitionModel
from palmette.tools.dependency.transition.options import OWNER, TransitionOptions, offers, require_tables

LEARNERS: tuple[Learner, ...] = (Perceptron(n_iter=10),)


def plan_transition(
    heads: Int32,
    offsets: NDArray[np.int64],
    n_labels: int,
    options: Mapping[str, Any],
    learner: Learner | None,
) -> Plan:
    """Check the options; the default learner is the averaged perceptron. See `PlanFunction`."""
    made = TransitionOptions.of(options, OWNER)
    require_tables(made, np.arange(n_labels, dtype=np.int32).clip(max=made.groups - 1))
    learner = LEARNERS[0] if learner is None else learner
    check_fit(learner, offers(options), "a transition-based parser with these options")
    return Plan(dict(options), learner)


def train_transition(
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
    """Train a transition-based parser; see `TrainFunction`.

    Trees that are not projective are lifted until they are, unless the system is swap.
    """
    plan = plan_transition(heads, views.offsets, len(names), options, learner)
    made, learner = TransitionOptions.of(plan.options, OWNER), plan.learner
    groups = group_labels(labels, len(names), made.groups)
    heads = np.ascontiguousarray(heads, dtype=np.int32)
    if made.system != "swap":
        heads = projectivise(views.offsets, heads)
    parses = TransitionParses(
        system=made.system,
        training=made.training,
        beam=made.beam,
        max_violation=made.update == "max-violation",
        bits=made.bits,
        label_bits=made.label_bits,
    )
    problem = parses.problem(views, heads, np.ascontiguousarray(labels, dtype=np.int32), groups)
    normalised = learner.probabilistic

    def model_of(weights: Weights) -> TransitionModel:
        return TransitionModel.of_weights(names, made, groups, weights, normalised)

    def after_pass(report: Report) -> None:
        problem.explore(made.exploration, report.epoch)
        if callback is not None:
            callback(report)

    problem.explore(0.0, 0)  # the first pass keeps to right ways: the parser does not know any yet
    score = None if dev is None else lambda weights: dev(model_of(weights))
    learned = learner.learn(problem, dev=score, callback=after_pass)
    trained = replace(model_of(learned.weights), votes=votes_of(learned.extra))
    return Trained(trained, learner, learned.history, learned.interrupted)


def group_labels(labels: Int32, n_labels: int, n_groups: int) -> Int32:
    """The group of every label: the most frequent have their own, and all others the last one."""
    counts = np.bincount(labels, minlength=n_labels)
    groups = np.full(n_labels, min(n_groups, n_labels) - 1, dtype=np.int32)
    for group, label in enumerate(np.argsort(-counts, kind="stable")[: n_groups - 1].tolist()):
        groups[label] = group
    return groups

"""Training of taggers: the problem that examples and a learner make, and the model that comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.features import Instances
from palmette.features.saving import AnyMap
from palmette.features.word_classes import WordClasses
from palmette.learning.votes import votes_of
from palmette.tools.sentences import Gold
from palmette.tools.sequence.histories import of_ngrams, with_states
from palmette.tools.sequence.hmm import TaggedWords
from palmette.tools.sequence.model import SequenceModel, SequenceStructure

if TYPE_CHECKING:
    from palmette.learning.learner import Callback, Learned, Learner, Score
    from palmette.structures.automata import Given


class Examples(NamedTuple):
    """Labelled sentences with their features, and the structure over their labels."""

    structure: SequenceStructure
    features: AnyMap
    instances: Instances
    gold: Gold
    sample_weight: ArrayLike | None


def train_sequences(
    learner: Learner,
    examples: Examples,
    *,
    start: SequenceModel | None,
    automaton: Given | None,
    dev: Callable[[SequenceStructure], Score] | None,
    callback: Callback | None,
) -> tuple[SequenceModel, Learned]:
    """Return the model that a learner finds, and what it says about its training.

    start: a model with the same features and structure, to go on from; dev: the score of weights, given the
    structure with the states of the automaton.
    """
    structure, features, instances, gold, sample_weight = examples
    gold.check(instances.offsets)
    ids, allowed = gold.as_ids(structure.visible)
    counted = isinstance(features, WordClasses)
    if start is None:
        structure = with_states(structure, automaton, ids, instances.offsets, counted=counted)
    weights = _weights(sample_weight, len(instances))
    problem: Any
    if isinstance(features, WordClasses):
        problem = TaggedWords(features, instances, ids, len(structure.labels), structure.order, weights)
    else:
        problem = structure.problem(instances, ids, allowed=allowed, weights=weights)
    score = None if dev is None else dev(structure)
    if score is not None and counted:
        of_rows = score
        score = lambda w: of_rows(of_ngrams(structure, w))  # noqa: E731
    learned = learner.learn(
        problem, dev=score, start=None if start is None else start.weights, callback=callback
    )
    found = of_ngrams(structure, learned.weights) if counted else learned.weights
    return SequenceModel(structure, features, found, votes_of(learned.extra)), learned


def check_warm_start(learner: Learner, model: SequenceModel, gold: Gold) -> None:
    """ValueError unless a learner can go on from the weights of a model, with its labels."""
    if model.network is not None:
        raise ValueError("A warm start goes on from weights of the same kind, and the model has a network.")
    kind = "counts" in learner.needs, learner.local, learner.hidden
    if kind != (isinstance(model.features, WordClasses), model.structure.local, model.structure.hidden):
        raise ValueError(
            f"A warm start goes on from weights of the same kind: those of the last fit are not for a "
            f"{type(learner).__name__}."
        )
    check_labels(model, gold)


def check_labels(model: SequenceModel, gold: Gold) -> None:
    """ValueError if there are labels that a model does not have."""
    new = [label for label in gold.labels if label not in model.structure.visible]
    if new:
        raise ValueError(
            f"A warm start keeps the labels of the last fit, and {', '.join(map(repr, new[:5]))} "
            f"{'is' if len(new) == 1 else 'are'} not among them."
        )


def _weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float32] | None:
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(sample_weight, dtype=np.float32)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"'sample_weight' must be {n} finite numbers of at least 0, one per sentence.")
    return weights

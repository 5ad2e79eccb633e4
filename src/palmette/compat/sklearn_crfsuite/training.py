"""From sentences of features and their labels to a trained model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.compat.sklearn_crfsuite.free_weights import free_weights
from palmette.compat.sklearn_crfsuite.learners import learner_of
from palmette.compat.sklearn_crfsuite.log import TrainingLog, dev_scores, line_of
from palmette.errors import numbered
from palmette.features import Instances, MappingMap
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Epoch, Learner, Report, State
from palmette.learning.problem import Problem, Weights
from palmette.tools.sequence.model import SequenceModel, SequenceStructure, stride

Sentences = Sequence[Sequence[Any]]
Labels = Sequence[Sequence[str]]


def train(
    options: SimpleNamespace,
    X: Sentences,
    y: Labels,
    dev: tuple[Sentences, Labels] | None,
    n_jobs: int,
    verbose: bool,
) -> tuple[SequenceModel, TrainingLog]:
    """The model, with only those attributes that have a weight, and what the training reported."""
    features, instances, zeros = MappingMap.fit_with_zeros(X)
    if not instances.n_tokens:
        raise ValueError("There is no labelled token to learn from.")
    places = _places([*y, *(dev[1] if dev else ())])
    structure = SequenceStructure(tuple(places), 1)
    ids = _ids(y, places, instances)
    problem = structure.problem(instances, ids)
    free = free_weights(problem, instances, zeros, ids, len(places), options)
    del zeros
    if options.algorithm != "lbfgs":
        problem.keep_to(free)
    log = TrainingLog(featgen_num_features=int(np.count_nonzero(free)))
    learner = learner_of(options, problem, free, instances, len(places), n_jobs)
    score = None if dev is None else _scorer(features, structure, dev, places)
    watched: dict[str, Any] = {}
    if score is not None:
        learner = Looked(n_iter=learner.n_iter, inner=learner, look=lambda w: watched.update(score(w)))

    def note(report: Report) -> None:
        log.add(report.seconds, dict(report.numbers), dict(watched))
        if verbose:
            print(line_of(log.iterations[-1]), flush=True)

    learned = learner.learn(problem, callback=note)
    return _active(SequenceModel(structure, features, learned.weights)), log


@dataclass(frozen=True, kw_only=True)
class Looked(Learner):
    """A learner whose weights are looked at after every pass."""

    inner: Learner
    look: Callable[[Weights], None]

    @property
    def needs(self) -> Capabilities:
        """What the inner learner needs."""
        return self.inner.needs

    def epochs(self, problem: Problem, start: Weights, state: State = None) -> Iterator[Epoch]:
        """The passes of the inner learner."""
        for epoch in self.inner.epochs(problem, start, state):
            self.look(epoch.result())
            yield epoch


def _places(y: Labels) -> dict[str, int]:
    """The labels with their ids, in the order in which they come."""
    if any(isinstance(labels, (str, bytes)) for labels in y):
        raise TypeError("The labels of a sentence must be a list of strings, not one string.")
    found = dict.fromkeys(chain.from_iterable(y))
    for label in found:
        if not isinstance(label, str):
            raise TypeError(f"A label must be a string. Got {label!r}.")
    return {str(label): k for k, label in enumerate(found)}


def _ids(y: Labels, places: dict[str, int], instances: Instances) -> NDArray[np.int32]:
    """The labels of all tokens as ids; ValueError where there are more or less of them than tokens."""
    lengths = [len(labels) for labels in y]
    if len(lengths) != len(instances):
        raise ValueError(f"There are {len(instances)} sentences and labels for {len(lengths)}.")
    tokens = np.diff(instances.offsets)
    for i in np.flatnonzero(tokens != lengths)[:1].tolist():
        raise ValueError(f"{numbered(i, 'Sentence')} has {tokens[i]} tokens and {lengths[i]} labels.")
    return np.fromiter(map(places.__getitem__, chain.from_iterable(y)), np.int32, instances.n_tokens)


def _scorer(
    features: MappingMap, structure: SequenceStructure, dev: tuple[Sentences, Labels], places: dict[str, int]
) -> Callable[[Weights], dict[str, Any]]:
    instances = features.transform(dev[0])
    gold = _ids(dev[1], places, instances)
    problem = structure.problem(instances)

    def score(w: Weights) -> dict[str, Any]:
        guess, _ = problem.decode(w, 1)
        return dev_scores(gold, guess, instances.offsets, structure.labels)

    return score


def _active(model: SequenceModel) -> SequenceModel:
    """The model without attributes whose weights are all zero."""
    features, width = model.features, stride(len(model.structure.labels))
    used = np.flatnonzero(model.rows.any(axis=1))
    if len(used) == features.n_attributes or not isinstance(features, MappingMap):
        return model
    states = model.weights[: features.n_attributes * width].reshape(-1, width)
    tables = [states[used].reshape(-1), model.weights[states.size :]]
    return SequenceModel(model.structure, features.select(used), np.concatenate(tables))

"""Trainings of an experiment, one after the other or on several processes, and what was measured.

A trial is one training with its measures. All trials of an experiment are known before the first begins, so the
result does not depend on the number of processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from palmette.tools.experiments.material import Material, Measures, folds_of

Told = Callable[["Trial"], None]


@dataclass(frozen=True)
class Task:
    """A training to be done. test: None for the dev set; fold: its number from 1, 0 for the dev set."""

    train: Sequence[int]
    test: Sequence[int] | None
    fold: int
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """A training that was done. size, tested: the numbers of examples that it learned from and was measured on."""

    fold: int
    settings: Mapping[str, Any]
    size: int
    tested: int
    measures: Measures
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return {
            "fold": self.fold,
            "settings": dict(self.settings),
            "size": self.size,
            "tested": self.tested,
            "seconds": self.seconds,
            **self.measures,
        }


class Interrupted(Exception):  # noqa: N818
    """Ctrl-C ended an experiment. trials: those that were done."""

    def __init__(self, trials: Sequence[Trial], wanted: int) -> None:
        super().__init__(f"interrupted after {len(trials)} of {wanted} trainings")
        self.trials = list(trials)


def parts(
    material: Material, folds: int | None, random_state: int
) -> list[tuple[list[int], list[int] | None]]:
    """Return what each fold learns from and is measured on; without folds, all examples and the dev set."""
    n = len(material)
    if folds is None:
        if n < 1:
            raise ValueError("There must be examples to learn from. Got none.")
        return [(list(range(n)), None)]
    found: list[tuple[list[int], list[int] | None]] = []
    for test in folds_of(n, folds, random_state):
        inside = set(test)
        found.append(([i for i in range(n) if i not in inside], test))
    return found


def run_trials(
    material: Material, tasks: Sequence[Task], n_jobs: int = 1, told: Told | None = None
) -> list[Trial]:
    """Return the trials of all tasks, in their order. told: is called with each trial as it is done.

    Interrupted, with those that are done, if Ctrl-C comes.
    """
    done: dict[int, Trial] = {}
    try:
        for number, trial in _outcomes(material, tasks, n_jobs):
            done[number] = trial
            if told is not None:
                told(trial)
    except KeyboardInterrupt:
        raise Interrupted([done[k] for k in sorted(done)], len(tasks)) from None
    return [done[k] for k in range(len(tasks))]


def _outcomes(material: Material, tasks: Sequence[Task], n_jobs: int) -> Iterator[tuple[int, Trial]]:
    if n_jobs == 1 or len(tasks) == 1:
        for number, task in enumerate(tasks):
            yield number, done(task, material)
        return
    from palmette.cluster.processes import Processes

    with Processes(min(n_jobs, len(tasks))) as engine:
        for outcome in engine.outcomes(done, tasks, material):
            if outcome.error is not None:
                raise outcome.error
            yield outcome.shard, outcome.result


def done(task: Task, material: Material) -> Trial:
    """Do a task."""
    began = time.perf_counter()
    measures = material.trial(task.train, task.test, task.settings)
    tested = 0 if task.test is None else len(task.test)
    return Trial(task.fold, task.settings, len(task.train), tested, measures, time.perf_counter() - began)


def names_of(material: Material, trials: Sequence[Trial]) -> tuple[str, ...]:
    """The names of the measures that a table shows: those of the material that every trial has, or all."""
    found = (
        [name for name in trials[0].measures if all(name in one.measures for one in trials)] if trials else []
    )
    return tuple(name for name in material.measures if name in found) or tuple(found)


@dataclass(frozen=True)
class Summary:
    """The mean of a measure over folds, and its standard deviation (of a sample); 0 for one fold."""

    mean: float
    std: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Summary:
        """Return that of the values of the folds."""
        return cls(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0)

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.std:.4f}"


def summaries(trials: Sequence[Trial]) -> dict[str, Summary]:
    """The summary of every measure that all trials have."""
    names = (
        [name for name in trials[0].measures if all(name in one.measures for one in trials)] if trials else []
    )
    return {name: Summary.of([one.measures[name] for one in trials]) for name in names}

"""Learning curves: how a tool gets better with more examples, and whether more of them would help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from palmette.drawing.curves import Plot
from palmette.drawing.tables import PlotPicture
from palmette.tools.experiments.material import material
from palmette.tools.experiments.trials import (
    Summary,
    Task,
    Told,
    Trial,
    names_of,
    parts,
    run_trials,
    summaries,
)

SIZES = (0.1, 0.2, 0.4, 0.7, 1.0)


@dataclass(frozen=True)
class LearningCurve(PlotPicture):
    """The trials of all sizes and folds. measures: the names of what a table shows, the main one first."""

    trials: Sequence[Trial]
    measures: Sequence[str]

    @cached_property
    def sizes(self) -> dict[int, dict[str, Summary]]:
        """The mean and the standard deviation of every measure by the number of examples, smallest first."""
        sizes = sorted({one.size for one in self.trials})
        return {size: summaries([one for one in self.trials if one.size == size]) for size in sizes}

    def to_dict(self) -> dict[str, Any]:
        """The summaries and the trials, as plain data."""
        return {
            "sizes": [
                {
                    "size": size,
                    "mean": {k: v.mean for k, v in own.items()},
                    "std": {k: v.std for k, v in own.items()},
                }
                for size, own in self.sizes.items()
            ],
            "trials": [one.to_dict() for one in self.trials],
        }

    def rows(self) -> dict[str, dict[str, float]]:
        """The table: a row for every size; the standard deviation of the main measure where there are folds."""
        main, rows = self.measures[0], {}
        for size, own in self.sizes.items():
            rows[f"{size:,}"] = {name: own[name].mean for name in self.measures if name in own}
            if any(one.fold > 1 for one in self.trials) and main in own:
                rows[f"{size:,}"]["std"] = own[main].std
        return rows

    def plot(self, title: str = "") -> Plot:
        """The main measure by the number of examples; dots are folds."""
        main = self.measures[0]
        curves = {main: [(float(size), own[main].mean) for size, own in self.sizes.items()]}
        if len({one.fold for one in self.trials}) > 1:
            curves["folds"] = [(float(one.size), one.measures[main]) for one in self.trials]
        return Plot(curves, "examples", main, title, logarithmic="x", styles={"folds": "points"})


def learning_curve(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    sizes: Sequence[float] = SIZES,
    dev: Any = None,
    folds: int | None = None,
    measure: Callable[[Any, Any, Any], Any] | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
    callback: Told | None = None,
) -> LearningCurve:
    """Train a tool on more and more of the examples, and measure each model on the same other ones.

    sizes: numbers of examples, or shares of them (1.0 is all). A larger part holds the smaller ones. dev: X and y
    to measure on; without it, or with `folds`, folds of the examples (5 by default). Further arguments are those
    of `cross_validate`.
    """
    examples = material(model, X, y, dev, measure, False)
    cut = parts(examples, None if folds is None and examples.has_dev else folds or 5, random_state)
    numbers = _numbers(sizes, min(len(train) for train, _ in cut))
    tasks = []
    for fold, (train, test) in enumerate(cut, 1):
        order = np.random.default_rng([random_state, fold]).permutation(len(train))
        for size in numbers:
            chosen = sorted(train[i] for i in order[:size].tolist())
            tasks.append(Task(chosen, test, fold))
    found = run_trials(examples, tasks, n_jobs, callback)
    return LearningCurve(found, names_of(examples, found))


def _numbers(sizes: Sequence[float], n: int) -> list[int]:
    """Sizes as numbers of examples, in their order, each once; ValueError for one that cannot be."""
    if not sizes:
        raise ValueError("There must be at least one size.")
    found = []
    for size in sizes:
        share = isinstance(size, float) and size <= 1
        number = round(size * n) if share else int(size)
        if size <= 0 or number > n or (not share and number != size):
            raise ValueError(
                f"A size must be a whole number from 1 to {n}, the examples to learn from, or a share of them up "
                f"to 1.0. Got {size}."
            )
        found.append(max(number, 1))
    return sorted(set(found))

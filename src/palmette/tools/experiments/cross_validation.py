"""Cross-validation: how well a tool does on examples that it has not seen, and how much that varies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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


@dataclass(frozen=True)
class CrossValidation(PlotPicture):
    """The trials of all folds. measures: the names of what a table shows, the main one first."""

    trials: Sequence[Trial]
    measures: Sequence[str]

    @cached_property
    def summaries(self) -> dict[str, Summary]:
        """The mean and the standard deviation of every measure."""
        return summaries(self.trials)

    def to_dict(self) -> dict[str, Any]:
        """The summaries and the folds, as plain data."""
        return {
            "folds": len(self.trials),
            "mean": {name: one.mean for name, one in self.summaries.items()},
            "std": {name: one.std for name, one in self.summaries.items()},
            "trials": [one.to_dict() for one in self.trials],
        }

    def rows(self) -> dict[str, dict[str, float]]:
        """The table: a row for every fold, the mean and the standard deviation."""
        shown = [name for name in self.measures if name in self.summaries]
        rows = {f"fold {one.fold}": {name: one.measures[name] for name in shown} for one in self.trials}
        rows["mean"] = {name: self.summaries[name].mean for name in shown}
        rows["std"] = {name: self.summaries[name].std for name in shown}
        return rows

    def plot(self, title: str = "") -> Plot:
        """The folds as dots, and the mean as a line."""
        main, n = self.measures[0], len(self.trials)
        mean = self.summaries[main].mean
        dots = [(float(one.fold), one.measures[main]) for one in self.trials]
        ends = (0.5, n + 0.5)
        curves = {main: dots, "mean": [(x, mean) for x in ends]}
        return Plot(curves, "fold", main, title, styles={main: "points", "mean": "dashed"}, x_range=ends)


def cross_validate(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    folds: int = 5,
    measure: Callable[[Any, Any, Any], Any] | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
    callback: Told | None = None,
) -> CrossValidation:
    """Train a tool on all folds of the examples but one, measure it on that one, and so on in turn.

    model: a tool that is not trained, with examples X and y as its `fit` takes them; or `Material` alone. measure:
    a function of a trained tool, X and y that returns a number, or numbers by name; by default `score`.
    random_state: shuffles the examples. n_jobs: processes. callback: is called with each `Trial` as it is done.

    >>> from palmette import Tagger
    >>> X, y = [["a", "dog"], ["the", "cat"], ["a", "cat"], ["the", "dog"]], [["D", "N"]] * 4
    >>> cross_validate(Tagger(), X, y, folds=2).summaries["score"].mean
    1.0
    """
    examples = material(model, X, y, None, measure, False)
    cut = parts(examples, folds, random_state)
    tasks = [Task(train, test, fold) for fold, (train, test) in enumerate(cut, 1)]
    found = run_trials(examples, tasks, n_jobs, callback)
    return CrossValidation(found, names_of(examples, found))

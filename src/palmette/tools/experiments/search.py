"""The search for options, learners and methods: every candidate on the same folds, compared pair by pair."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from palmette.drawing.curves import Plot, Style
from palmette.drawing.tables import PlotPicture, ReportPicture
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

Settings = Mapping[str, Any]
LEVEL = 0.95


@dataclass(frozen=True)
class Difference(ReportPicture):
    """How much better the best candidate is than another one: the mean over folds, its interval, the p-value.

    The interval is that of Student's t for the differences of the folds, with the variance of Nadeau and Bengio
    (2003): folds share what they learn from, so it is larger by the share of examples that were tested. With one
    fold there is none.
    """

    mean: float
    low: float | None = None
    high: float | None = None
    p_value: float | None = None

    @classmethod
    def of(cls, differences: Sequence[float], train: float, test: float) -> Difference:
        """Return that of the differences in the folds. train, test: the numbers of examples in a fold."""
        n = len(differences)
        mean = float(np.mean(differences))
        if n < 2:
            return cls(mean)
        from scipy.stats import t

        spread = math.sqrt(float(np.var(differences, ddof=1)) * (1 / n + test / train))
        reach = float(t.ppf((1 + LEVEL) / 2, n - 1)) * spread
        p = float(2 * t.sf(abs(mean) / spread, n - 1)) if spread else float(mean == 0)
        return cls(mean, mean - reach, mean + reach, p)

    def to_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return {"mean": self.mean, "low": self.low, "high": self.high, "p_value": self.p_value}


@dataclass(frozen=True)
class Search(PlotPicture):
    """The trials of all candidates. candidates: their settings; measures: the main one first."""

    trials: Sequence[Trial]
    candidates: Sequence[Settings]
    measures: Sequence[str]
    lower_is_better: bool = False

    def of(self, settings: Settings) -> list[Trial]:
        """The trials of a candidate, by fold."""
        return sorted((one for one in self.trials if one.settings == settings), key=lambda one: one.fold)

    @cached_property
    def ranking(self) -> list[tuple[Settings, dict[str, Summary]]]:
        """The candidates with all their trials, and their summaries, the best first; the first of equal ones."""
        n = max((len(self.of(one)) for one in self.candidates), default=0)
        whole = [(one, summaries(self.of(one))) for one in self.candidates if n and len(self.of(one)) == n]
        sign = 1 if self.lower_is_better else -1
        return sorted(whole, key=lambda pair: sign * pair[1][self.measures[0]].mean)

    @property
    def best(self) -> Settings:
        """The settings of the best candidate."""
        return self.ranking[0][0]

    def difference(self, settings: Settings) -> Difference:
        """How far the best candidate is from another one."""
        main, first, second = self.measures[0], self.of(self.best), self.of(settings)
        differences = [a.measures[main] - b.measures[main] for a, b in zip(first, second, strict=True)]
        return Difference.of(differences, float(first[0].size), float(first[0].tested))

    def to_dict(self) -> dict[str, Any]:
        """The ranking with differences to the best, and the trials, as plain data."""
        rows = []
        for settings, own in self.ranking:
            row: dict[str, Any] = {"settings": dict(settings)}
            row["mean"] = {name: one.mean for name, one in own.items()}
            row["std"] = {name: one.std for name, one in own.items()}
            rows.append(row | {"difference": self.difference(settings).to_dict()})
        return {
            "best": dict(self.best),
            "candidates": rows,
            "trials": [one.to_dict() for one in self.trials],
        }

    def rows(self) -> dict[str, dict[str, Any]]:
        """The table: a row for every candidate, the best first."""
        main, rows = self.measures[0], {}
        for settings, own in self.ranking:
            row: dict[str, Any] = {name: own[name].mean for name in self.measures if name in own}
            difference = self.difference(settings)
            if difference.low is not None:
                row["std"] = own[main].std
                is_best = settings == self.best
                row["behind"] = "–" if is_best else f"{difference.mean:.4f}"
                row["interval"] = "–" if is_best else f"{difference.low:.4f} to {difference.high:.4f}"
                row["p"] = "–" if is_best else f"{difference.p_value:.3f}"
            row["seconds"] = float(np.mean([one.seconds for one in self.of(settings)]))
            rows[named(settings)] = row
        return rows

    def plot(self, title: str = "") -> Plot:
        """The mean of each candidate by its rank as a line; dots are folds."""
        main, ranked = self.measures[0], list(enumerate(self.ranking, 1))
        means = [(float(rank), own[main].mean) for rank, (_, own) in ranked]
        curves = {"mean": means}
        for rank, (settings, _) in ranked:
            dots = [(float(rank), one.measures[main]) for one in self.of(settings)]
            curves[f"{rank}: {named(settings)}"] = dots
        styles: dict[str, Style] = {name: "points" for name in curves if name != "mean"}
        return Plot(curves, "rank", main, title, styles=styles, x_range=(0.5, len(ranked) + 0.5))


def named(settings: Settings) -> str:
    """Return settings as one writes them.

    >>> named({"learner": "crf", "l2": 0.5})
    'learner=crf l2=0.5'
    """
    return " ".join(f"{key}={_written(value)}" for key, value in settings.items()) or "as it is"


def _written(value: Any) -> str:
    if isinstance(value, str) or hasattr(value, "names"):
        return str(value)
    try:
        return json.dumps(value)
    except TypeError:
        return repr(value)


def grid(choices: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Return all combinations of the values of each key.

    >>> grid({"order": [1, 2], "l2": [0.1]})
    [{'order': 1, 'l2': 0.1}, {'order': 2, 'l2': 0.1}]
    """
    return [dict(zip(choices, row)) for row in itertools.product(*map(list, choices.values()))]


def search(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    candidates: Mapping[str, Iterable[Any]] | Iterable[Settings],
    at_most: int | None = None,
    dev: Any = None,
    folds: int | None = None,
    measure: Callable[[Any, Any, Any], Any] | None = None,
    lower_is_better: bool = False,
    random_state: int = 0,
    n_jobs: int = 1,
    callback: Told | None = None,
) -> Search:
    """Train a tool with every candidate for its parameters on the same folds, and say which is best.

    candidates: values by name of parameter, of which all combinations are tried, or a list of settings, as
    `set_params` takes them (`{"learner__l2": 0.5}`). at_most: the number of those tried, chosen at random. dev: X
    and y to measure on; without it, or with `folds`, folds of the examples (5 by default). lower_is_better:
    whether the best has the lowest measure. Further arguments are those of `cross_validate`.

    >>> from palmette import Tagger
    >>> X, y = [["a", "dog"], ["the", "cat"], ["a", "cat"], ["the", "dog"]], [["D", "N"]] * 4
    >>> search(Tagger(), X, y, candidates={"order": [0, 1]}, folds=2).best
    {'order': 0}
    """
    examples = material(model, X, y, dev, measure, lower_is_better)
    tried = grid(candidates) if isinstance(candidates, Mapping) else [dict(one) for one in candidates]
    tried = [one for i, one in enumerate(tried) if one not in tried[:i]]
    if not tried:
        raise ValueError("There must be candidates to try. Got none.")
    if at_most is not None and at_most < len(tried):
        if at_most < 1:
            raise ValueError(f"There must be at least 1 candidate to try. Got {at_most}.")
        chosen = np.random.default_rng(random_state).choice(len(tried), size=at_most, replace=False)
        tried = [tried[i] for i in sorted(chosen.tolist())]
    cut = parts(examples, None if folds is None and examples.has_dev else folds or 5, random_state)
    tasks = [
        Task(train, test, fold, settings) for settings in tried for fold, (train, test) in enumerate(cut, 1)
    ]
    found = run_trials(examples, tasks, n_jobs, callback)
    return Search(found, tried, names_of(examples, found), examples.lower_is_better)

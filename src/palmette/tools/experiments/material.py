"""What an experiment works on: examples, and how to learn from some of them and measure on others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from palmette.formats.corpus import Corpus
from palmette.formats.given import listed

Measures = Mapping[str, float]
SCORE = "score"


@runtime_checkable
class Material(Protocol):
    """Examples of a tool, which can be divided."""

    @property
    def measures(self) -> Sequence[str]:
        """The names of what is measured, the one that decides first; empty for all that the first trial has."""

    @property
    def lower_is_better(self) -> bool:
        """Whether the best has the lowest measure."""

    @property
    def has_dev(self) -> bool:
        """Whether models can be measured on a dev set."""

    def __len__(self) -> int:
        """The number of examples."""

    def trial(
        self, train: Sequence[int], test: Sequence[int] | None, settings: Mapping[str, Any]
    ) -> Measures:
        """Learn from some examples and measure on others, or on the dev set if `test` is None."""


@dataclass
class EstimatorMaterial:
    """Examples in Python: a tool, its inputs X and outputs y, in the form that `fit` takes.

    dev: X and y of a dev set, or X alone. measure: a function of a trained tool, X and y that returns a number, or
    numbers by name; by default `score`. It must be a function of a module if there are several processes.
    """

    estimator: Any
    X: Any
    y: Any = None
    dev: Any = None
    measure: Callable[[Any, Any, Any], float | Measures] | None = None
    measures: Sequence[str] = ()
    lower_is_better: bool = False

    def __post_init__(self) -> None:
        self.X = self.X if isinstance(self.X, Corpus) else listed(self.X, "Examples")
        self.y = None if self.y is None else listed(self.y, "Outputs")
        if self.y is not None and len(self.y) != len(self.X):
            raise ValueError(
                f"There must be an output for every example. Got {len(self.X)} and {len(self.y)}."
            )

    @property
    def has_dev(self) -> bool:
        """Whether there is a dev set."""
        return self.dev is not None

    def __len__(self) -> int:
        return len(self.X)

    def trial(
        self, train: Sequence[int], test: Sequence[int] | None, settings: Mapping[str, Any]
    ) -> Measures:
        """Train a new tool with these parameters, as `set_params` takes them, and measure it."""
        tool = type(self.estimator)(**self.estimator.get_params(deep=False)).set_params(**settings)
        X, y = self._chosen(train)
        tool.fit(X) if y is None else tool.fit(X, y)
        if test is not None:
            X, y = self._chosen(test)
        else:
            X, y = self.dev if isinstance(self.dev, tuple) else (self.dev, None)
        found = tool.score(X, y) if self.measure is None else self.measure(tool, X, y)
        return found if isinstance(found, Mapping) else {SCORE: float(found)}

    def _chosen(self, rows: Sequence[int]) -> tuple[Any, Any]:
        X = self.X.select(rows) if isinstance(self.X, Corpus) else [self.X[i] for i in rows]
        return X, None if self.y is None else [self.y[i] for i in rows]


def material(model: Any, X: Any, y: Any, dev: Any, measure: Any, lower_is_better: bool) -> Material:
    """Return material as it is, and a tool with examples as material."""
    if X is None and isinstance(model, Material):
        return model
    if X is None:
        raise TypeError("There must be examples to learn from: give X, and y where the tool needs it.")
    return EstimatorMaterial(model, X, y, dev, measure, lower_is_better=lower_is_better)


def folds_of(n: int, folds: int, random_state: int = 0) -> list[list[int]]:
    """Return the examples of each fold: n places in a random order, cut into parts as equal as can be.

    >>> sorted(sum(folds_of(5, 2), []))
    [0, 1, 2, 3, 4]
    """
    if folds < 2:
        raise ValueError(f"There must be at least 2 folds. Got {folds}.")
    if n < folds:
        raise ValueError(
            f"There must be at least as many examples as folds. Got {n} examples for {folds} folds."
        )
    order = np.random.default_rng(random_state).permutation(n)
    return [np.sort(part).tolist() for part in np.array_split(order, folds)]

"""What the tool asks of a model of classes: scores, probabilities if it has any, reasons, and a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.formats.model import ModelFile

Reals = NDArray[np.float64]
KIND = "classifier"
# What a margin is the difference of: the scores of `decision_function`; the two sides of the machine of a pair;
# the scores of the mean of all vectors that vote.
MARGINS = ("scores", "pair", "mean")


@dataclass(frozen=True)
class Reasons:
    """Why one class is before another: the margin, and what it is made of by name; `rest` is all that was
    left out. margin_of: what the margin is the difference of, one of `MARGINS`.
    """

    margin: float
    amounts: Mapping[str, float]
    rest: float = 0.0
    margin_of: str = "scores"


class ClassModel(ABC):
    """A trained model of n classes, which are numbers from 0 on here."""

    method: ClassVar[str]
    n_classes: int

    @abstractmethod
    def scores(self, items: Sequence[Any], n_jobs: int) -> Reals:
        """A score of every class for every item, [items, classes]."""

    def best(self, scores: Reals) -> NDArray[np.int64]:
        """The class of every row of scores; of equal ones the first."""
        return np.asarray(scores.argmax(axis=1))

    def probabilities(self, items: Sequence[Any], n_jobs: int) -> Reals:
        """The probability of every class for every item; ValueError where a model has none."""
        raise ValueError(f"A {self.noun} has scores and no probabilities: ask for decision_function.")

    @property
    @abstractmethod
    def noun(self) -> str:
        """What it is, in words."""

    @abstractmethod
    def reasons(self, item: Any, label: int, other: int) -> Reasons:
        """Why an item is of one class rather than of another."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What a person may want to know of it."""

    @abstractmethod
    def to_file(self, options: Mapping[str, Any], fingerprint: str, *, compact: bool) -> ModelFile:
        """Return the content of a model file, with these options beside its own.

        compact: without what hardly matters, if there is such.
        """

    @classmethod
    @abstractmethod
    def of_file(cls, file: ModelFile, n_classes: int) -> Self:
        """The model of a file; FormatError or ValueError if it is damaged."""


def setting(file: ModelFile, name: str, kind: type[Any]) -> Any:
    """An option of a file, if it is of that kind."""
    value = file.options.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise FormatError(f"damaged model: its {name!r} is not there", path=file.path)
    return value

"""What the tool asks of a model of classes: training, scores, probabilities if it has any, reasons, and a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from palmette.features.kernels.kernel import Kernel
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import SUMS
from palmette.learning.loop import Callback, Report
from palmette.tools.probabilities import no_probabilities

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


@dataclass(frozen=True, eq=False)
class ClassExamples:
    """What a model learns from: items of classes 0, 1, …

    weights: one for every item, if any. kernel: of models that see one. dev: scores a model, and the best pass is
    kept. A learner gets `weights` and `dev` only if it takes them (`AnyLearner.takes`).
    """

    items: Any
    labels: NDArray[np.int32]
    n_classes: int
    weights: Reals | None = None
    kernel: Kernel | None = None
    dev: Callable[[ClassModel], float] | None = None


@dataclass(frozen=True, eq=False)
class Trained:
    """A model, the reports of the passes that made it, and whether Ctrl-C ended them."""

    model: ClassModel
    history: tuple[Report, ...] = ()
    interrupted: bool = False


class ClassModel(ABC):
    """A trained model of n classes, which are numbers from 0 on here.

    method: the family of its learners (`AnyLearner.family`), and its name in files. sees: what items are to it:
    `features` with names, the arguments of a `kernel`, or `rows` of symbols and numbers.
    """

    method: ClassVar[str]
    sees: ClassVar[str] = "features"
    n_classes: int

    @property
    def probabilities_from(self) -> str | None:
        """What `probabilities` are made of: "scores", "votes", or None where there are none."""
        return None

    @classmethod
    @abstractmethod
    def train(cls, learner: Any, examples: ClassExamples, callback: Callback | None = None) -> Trained:
        """Train a model by a learner of its family."""

    @abstractmethod
    def scores(self, items: Sequence[Any], n_jobs: int) -> Reals:
        """A score of every class for every item, [items, classes]."""

    def best(self, scores: Reals) -> NDArray[np.int64]:
        """The class of every row of scores; of equal ones the first."""
        return np.asarray(scores.argmax(axis=1))

    def probabilities(self, items: Sequence[Any], n_jobs: int) -> Reals:
        """The probability of every class for every item; ValueError where a model has none."""
        raise no_probabilities(f"A {self.noun}", SUMS, "; its scores are those of decision_function")

    @property
    @abstractmethod
    def noun(self) -> str:
        """What it is, in words."""

    @abstractmethod
    def reasons(self, item: Any, label: int, other: int) -> Reasons:
        """Why an item is of one class rather than of another."""

    def renamed(self, name: str, feature: Callable[[str], str]) -> str:
        """The name of a reason for people, where `feature` names its feature."""
        return feature(name)

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
        raise file.damaged(f"its {name!r} is not there")
    return value

"""What the tool asks of a model of senses: scores, reasons, a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from palmette.formats.model import ModelFile
from palmette.parameters import Options, option
from palmette.tools.senses.inventory import Inventory
from palmette.tools.senses.occurrences import Occurrence

KIND = "sense tagger"
Reals = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SenseOptions(Options):
    """What all methods have."""

    window: int = option(1, "sentences on each side whose words count", low=0, fixed=True)
    discourse: bool = option(False, "give a word one sense in all of a document")


class SenseModel(ABC):
    """A model that scores the senses of occurrences. Words and senses that it does not know are left to the
    order."""

    method: ClassVar[str]
    options: SenseOptions

    @abstractmethod
    def scores(self, occurrences: Sequence[Occurrence], inventory: Inventory) -> list[Reals]:
        """Return a score of every sense of every occurrence, in the order of its senses; the highest wins."""

    def reasons(
        self, occurrence: Occurrence, inventory: Inventory, chosen: str, rival: str
    ) -> Mapping[str, float]:
        """Return what makes up the margin of one sense over another, by name."""
        return {}

    def facts(self) -> dict[str, Any]:
        """Return what a person may want to know of it."""
        return {}

    def to_file(self, options: Mapping[str, Any], fingerprint: str) -> ModelFile:
        """Return the content of a model file, with these options beside its own."""
        return ModelFile(KIND, {**options, "own": self.options.to_dict()}, {}, {}, fingerprint)

    @classmethod
    @abstractmethod
    def of_file(cls, file: ModelFile, options: SenseOptions) -> Self:
        """The model of a file; FormatError or ValueError if it is damaged."""


class FirstSense(SenseModel):
    """The first sense of every word: the most frequent one."""

    method = "first"

    def __init__(self, options: SenseOptions) -> None:
        self.options = options

    def scores(self, occurrences: Sequence[Occurrence], inventory: Inventory) -> list[Reals]:
        return [ranks(occurrence) for occurrence in occurrences]

    def reasons(
        self, occurrence: Occurrence, inventory: Inventory, chosen: str, rival: str
    ) -> Mapping[str, float]:
        rank = dict(zip(occurrence.senses, ranks(occurrence).tolist()))
        return {"order of the senses": rank[chosen] - rank[rival]}

    @classmethod
    def of_file(cls, file: ModelFile, options: SenseOptions) -> Self:
        return cls(options)


def ranks(occurrence: Occurrence) -> Reals:
    """Return scores that fall with the place of a sense in its order: 0, −1, −2, …"""
    return -np.arange(len(occurrence.senses), dtype=np.float64)


def train_first(task: Any) -> FirstSense:
    """Return the model that knows nothing but the order of senses."""
    return FirstSense(task.options)

"""`Ranked`: one of the k best outputs, the same record for every tool."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Ranked(Generic[T]):
    """One of the k best outputs of an input, with the score by which it is ranked.

    log_probability: of the output given the input, where the model has probabilities, else None.

    >>> output, score, log_probability = Ranked(["DET", "NOUN"], 3.5, -0.25)
    >>> output, log_probability
    (['DET', 'NOUN'], -0.25)
    """

    output: T
    score: float
    log_probability: float | None = None

    @property
    def probability(self) -> float | None:
        """The probability of the output, where the model has probabilities."""
        return None if self.log_probability is None else math.exp(self.log_probability)

    def __iter__(self) -> Iterator[Any]:
        """Return the output, the score and the log-probability, so that a record can be unpacked."""
        return iter((self.output, self.score, self.log_probability))

"""How each kind of file is corrected: what a model decides under what is fixed, what is shown, what is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from palmette.serve.limits import Limits
from palmette.serve.models import Served
from palmette.tools.annotation.confidence import sureness

State = dict[str, Any]


class Editor(ABC):
    """The sentences of a file with the model that decides them. served: the model, as it is now."""

    keeps = False  # whether a person may change one value and leave all others as they are

    def __init__(self, served: Callable[[], Served], limits: Limits) -> None:
        self._now, self.limits = served, limits

    @property
    def served(self) -> Served:
        """The model, as it is now."""
        return self._now()

    @abstractmethod
    def words(self, n: int) -> list[str]:
        """The words of a sentence."""

    @abstractmethod
    def fix(self, fixed: State, n: int, given: Mapping[str, Any]) -> None:
        """Add to what is fixed what a request says, or take it away; RequestError for what cannot be."""

    @abstractmethod
    def all_of(self, n: int) -> State:
        """Everything that is there now, as fixed."""

    @abstractmethod
    def decoded(self, n: int, fixed: State) -> Any:
        """What the model says, given what is fixed."""

    @abstractmethod
    def values(self, n: int, fixed: State, found: Any) -> Any:
        """What is written for a sentence: what is fixed, and for the rest what was found, or what is there."""

    def changed(self, one: Any, two: Any) -> int:
        """How many words have other values instead of their own; 0 where this is not counted."""
        return 0

    @abstractmethod
    def put(self, n: int, values: Any) -> None:
        """Write the values into the document."""

    @abstractmethod
    def shown(self, n: int, fixed: State, found: Any) -> dict[str, Any]:
        """What the page draws: the values as the file would have them now, with probabilities."""

    @abstractmethod
    def given(self, some: Sequence[int]) -> Any:
        """Sentences as the model takes them, without the values that it is to find."""

    def sure(self, some: Sequence[int]) -> list[float | None]:
        """The confidence of the model in sentences, as `palmette select` has it; None where it cannot tell."""
        try:
            found = sureness(self.served.object, self.given(some))
        except (TypeError, ValueError):
            return [None] * len(some)
        return [one.confidence for one in found]

    def columns(self) -> list[str]:
        """The columns of tokens that the model predicts, as people look at them."""
        return []

    def labels(self) -> dict[str, list[str]]:
        """What may be chosen, by column."""
        return {}

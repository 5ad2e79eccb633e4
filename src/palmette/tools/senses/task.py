"""What a method of sense tagging learns from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palmette.learning.loop import Callback
from palmette.tools.senses.inventory import Inventory
from palmette.tools.senses.model import SenseModel
from palmette.tools.senses.occurrences import Occurrence


@dataclass(frozen=True, eq=False)
class Task:
    """Occurrences of words, and the sense of each; None where it is not known.

    dev: measures a model, for methods with rounds. seeds: words by the sense that they point to.
    """

    occurrences: Sequence[Occurrence]
    gold: Sequence[str | None]
    inventory: Inventory
    options: Any
    learner: Any = None
    callback: Callback | None = None
    dev: Callable[[SenseModel], float] | None = None
    seeds: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def labelled(self) -> tuple[list[Occurrence], list[str]]:
        """Return the occurrences whose sense is known, and the senses."""
        known = [(one, sense) for one, sense in zip(self.occurrences, self.gold) if sense is not None]
        return [one for one, _ in known], [sense for _, sense in known]

"""Which classes the items may have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.formats.given import listed_rows
from palmette.tools.classification.model import Reals

Known = Iterable[Any]  # for every item its class, a collection of classes, or None


def restricted(scores: Reals, known: Known | None, classes: Sequence[Any]) -> Reals:
    """Return the scores with minus infinity for classes that an item cannot have."""
    return scores if known is None else np.where(_allowed(known, classes, len(scores)), scores, -np.inf)


def conditioned(probabilities: Reals, known: Known | None, classes: Sequence[Any]) -> Reals:
    """Return the probabilities given that an item has one of the classes that it may have."""
    if known is None:
        return probabilities
    may = _allowed(known, classes, len(probabilities))
    kept = np.where(may, probabilities, 0.0)
    total = kept.sum(axis=1, keepdims=True)
    alike = may / may.sum(axis=1, keepdims=True)  # where all that is allowed is impossible
    return np.where(total > 0, kept / np.where(total > 0, total, 1.0), alike)


def _allowed(known: Known, classes: Sequence[Any], n: int) -> NDArray[np.bool_]:
    rows = listed_rows(known, "The known classes")
    if len(rows) != n:
        raise ValueError(f"There are {n} items and known classes for {len(rows)}.")
    place = {label: i for i, label in enumerate(classes)}
    may = np.zeros((n, len(classes)), dtype=bool)
    for i, row in enumerate(rows):
        labels = classes if row is None else [row] if isinstance(row, str | int | np.generic) else list(row)
        if not labels:
            raise ValueError(f"Item {i + 1}: not one class is allowed.")
        for label in labels:
            plain = label.item() if isinstance(label, np.generic) else label
            if plain not in place:
                names = ", ".join(map(str, classes))
                raise ValueError(f"Item {i + 1}: {plain!r:.60} is not a class of this model: {names:.200}.")
            may[i, place[plain]] = True
    return may

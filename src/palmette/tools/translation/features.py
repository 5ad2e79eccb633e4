"""The features of a translation by phrases: names and the weights that tuning begins with.

lm            ln p of the target text, with <s> and </s>
distortion    minus the source words that are jumped over, also to the end of the sentence
words         minus the number of target words
phrases       the number of phrases
unknown       minus the number of unknown source words
…             the columns of the phrase table, then those of orientations
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

OWN = ("lm", "distortion", "words", "phrases", "unknown")
FeatureNames = tuple[str, ...]
Weights = NDArray[np.float64]

# As in Moses; the weight of unknown words is a constant, for every derivation of a sentence has nearly as many.
_START = {"lm": 0.5, "distortion": 0.3, "words": -1.0, "phrases": 0.2, "unknown": 100.0}
_COLUMN, _ORIENTATION = 0.2, 0.3


class Columns(Protocol):
    """A table with names of columns, such as a `PhraseTable`."""

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def reordering_columns(self) -> tuple[str, ...]: ...


def feature_names(table: Columns) -> FeatureNames:
    """Return the names of the features of a table, in the order of weights."""
    return (*OWN, *table.columns, *table.reordering_columns)


def start_weights(table: Columns) -> Weights:
    """Return the weights that tuning begins with."""
    return np.array(
        [_START[name] for name in OWN]
        + [_COLUMN] * len(table.columns)
        + [_ORIENTATION] * len(table.reordering_columns),
        dtype=np.float64,
    )


def checked_weights(weights: Sequence[float] | Weights, names: FeatureNames) -> Weights:
    """Return weights as an array; ValueError unless there is one finite number for each feature."""
    found = np.array(weights, dtype=np.float64)
    if found.shape != (len(names),):
        raise ValueError(
            f"There must be one weight for each of the {len(names)} features ({', '.join(names)}). "
            f"Got an array of shape {found.shape}."
        )
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        raise ValueError(f"The weight of {names[bad[0]]!r} must be a finite number. Got {found[bad[0]]}.")
    return found

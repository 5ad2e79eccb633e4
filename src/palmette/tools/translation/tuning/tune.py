"""`tune`: weights for the features of translations, learnt from lists or graphs by one of several methods."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.learning.registry import read_settings
from palmette.parameters import refuse_unknown, require_int
from palmette.threads import n_threads
from palmette.tools.translation.tuning.lists import NBestLists, checked_weights
from palmette.tools.translation.tuning.methods import METHODS
from palmette.tools.translation.tuning.metric import Floats


@dataclass(frozen=True)
class Tuned:
    """The weights found, the names of their features, and the metric on the lists before and after."""

    weights: Floats
    names: tuple[str, ...]
    before: float
    after: float

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "before": self.before,
            "after": self.after,
            "weights": dict(zip(self.names, self.weights.tolist())),
        }


def tune(
    lists: NBestLists,
    start: ArrayLike | None = None,
    method: str = "mert",
    options: Mapping[str, Any] | None = None,
    *,
    fixed: Collection[str] = (),
    random_state: int = 0,
    n_jobs: int = 1,
) -> Tuned:
    """Return weights with a better metric on the lists than the start has, which they never fall below.

    start: weights to begin with; None: 1 for every feature. method: one of `METHODS`. options: of the method.
    fixed: names of features whose weights stay. The result is the same for any number of threads.
    """
    chosen = METHODS.named(method)
    own = chosen.options_class.of(
        read_settings(chosen.options_class, f"the method {method!r}", options or {}), f"The method {method!r}"
    )
    require_int("random_state", random_state, 0)
    weights = checked_weights(np.ones(len(lists.names)) if start is None else start, lists.names)
    found = chosen.train_function(
        lists, weights, tuned_mask(lists.names, fixed), own, random_state, n_threads(n_jobs)
    )
    before, after = lists.score(weights), lists.score(found)
    return Tuned(found if after > before else weights, lists.names, before, max(before, after))


def tuned_mask(names: tuple[str, ...], fixed: Collection[str]) -> NDArray[np.bool_]:
    """Return which features are tuned; ValueError for an unknown name, or if none is left."""
    refuse_unknown(fixed, names, "The list of candidates", "feature")
    mask = np.array([name not in fixed for name in names])
    if not mask.any():
        raise ValueError("All features are fixed: leave one to tune.")
    return mask

"""`tune`: weights for the features of translations, learnt from lists or graphs by one of several methods."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.learning.registry import read_settings
from palmette.parameters import Options, refuse_unknown, require_int
from palmette.threads import n_threads
from palmette.tools.translation.tuning.graphs import GraphSet
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


# Names of the number of unknown words, ours and Moses': nearly every derivation of a sentence has as many.
UNKNOWN = ("unknown", "UnknownWordPenalty0")
_KBEST, _ROUNDS = 100, 10  # derivations and rounds, where a method needs lists of what graphs hold


def tune(
    data: NBestLists | GraphSet,
    start: ArrayLike | None = None,
    method: str = "mert",
    options: Mapping[str, Any] | None = None,
    *,
    fixed: Collection[str] = (),
    explore: bool = False,
    random_state: int = 0,
    n_jobs: int = 1,
) -> Tuned:
    """Return weights with a better metric on lists or graphs than the start has, which they never fall below.

    start: weights to begin with; None: 1 for every feature. method: one of `METHODS`. options: of the method.
    fixed: names of features whose weights stay. explore: return what the method found even if the start is better
    on these lists, for a loop that decodes again. Line searches see all derivations of graphs; other methods see
    the k best, again and again with the weights that they found. Where only the ratios of weights count, the
    absolute values of tuned weights sum to those of the start. The result is the same for any number of threads.
    """
    own = check_method(method, options)
    require_int("random_state", random_state, 0)
    weights = checked_weights(np.ones(len(data.names)) if start is None else start, data.names)
    train, mask = METHODS.named(method).train_function, tuned_mask(data.names, fixed)
    if isinstance(data, NBestLists) or method == "mert":
        found = train(data, weights, mask, own, random_state, n_threads(n_jobs))
    else:
        found = _by_lists(
            data, weights, lambda lists, w: train(lists, w, mask, own, random_state, n_threads(n_jobs))
        )
    if _is_free_of_scale(data, weights, mask):
        found = found.copy()
        found[mask] = scaled_like(found[mask], weights[mask])
    before, after = data.score(weights), data.score(found)
    if after <= before and not explore:
        return Tuned(weights, data.names, before, before)
    return Tuned(found, data.names, before, after)


def scaled_like(weights: Floats, start: Floats) -> Floats:
    """Return weights of the same direction whose absolute values sum to those of the start.

    >>> scaled_like(np.array([2.0, -2.0]), np.array([0.5, 0.5])).tolist()
    [0.5, -0.5]
    """
    wanted, length = float(np.abs(start).sum()), float(np.abs(weights).sum())
    return weights * (wanted / length) if wanted and length else weights


def _is_free_of_scale(data: NBestLists | GraphSet, weights: Floats, tuned: NDArray[np.bool_]) -> bool:
    """Whether only the ratios of tuned weights count: fixed features choose nothing."""
    if tuned.all() or not weights[~tuned].any():
        return True
    if not isinstance(data, NBestLists):
        return False
    fixed = data.features[:, ~tuned] @ weights[~tuned]
    return bool((fixed == np.repeat(fixed[data.lists[:-1]], np.diff(data.lists))).all())


def check_method(method: str, options: Mapping[str, Any] | None) -> Options:
    """Return the options of a method; ValueError for an unknown method, an unknown option or a wrong value."""
    table = METHODS.named(method).options_class
    owner = f"the method {method!r}"
    return table.of(read_settings(table, owner, options or {}), owner)


def _by_lists(data: GraphSet, start: Floats, train: Callable[[NBestLists, Floats], Floats]) -> Floats:
    """Return the best weights that a method finds on the k best derivations, more and more of them."""
    lists, best, score = data.kbest(start, _KBEST), start, data.score(start)
    weights = start
    for _ in range(_ROUNDS):
        weights = train(lists, weights)
        if data.score(weights) > score:
            best, score = weights, data.score(weights)
        lists, new = lists.merged(data.kbest(weights, _KBEST))
        if not new:
            break
    return best


def tuned_mask(names: tuple[str, ...], fixed: Collection[str]) -> NDArray[np.bool_]:
    """Return which features are tuned; ValueError for an unknown name, or if none is left."""
    refuse_unknown(fixed, names, "The list of candidates", "feature")
    mask = np.array([name not in fixed for name in names])
    if not mask.any():
        raise ValueError("All features are fixed: leave one to tune.")
    return mask

"""Minimum error rate training: weights whose best translations have the best metric on the whole corpus.

CSC 448, §21.2.1; Och 2003. Along a line w + x d each candidate is a straight line, the best one of a sentence is
the upper envelope, and the metric of the corpus is piecewise constant: its maximum is found exactly, in one sweep
over the corners of all envelopes. From every start such searches go along all coordinates and along random
directions until none gains. A search costs O(candidates · features), and starts are shared among threads.

The exact maximum on few sentences is often a narrow peak that is nothing but chance. With `noise`, the ends of the
searches, and points between them and the start, are compared by their mean metric under small random changes of
the weights, so that a broad hill wins over a peak (in the spirit of Cer, Jurafsky and Manning 2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from palmette.parameters import Options, option
from palmette.tools.translation.tuning.metric import Floats

if TYPE_CHECKING:
    from palmette._native import TuningData

_SHARES = (0.25, 0.5, 0.75)  # of the way from the start to an end
_CHANGES = 16  # under which weights are compared


@dataclass(frozen=True, kw_only=True)
class MertOptions(Options):
    """How many line searches there are."""

    restarts: int = option(20, "random starts beside the given one", low=0, high=100_000)
    directions: int = option(
        5, "random directions in each round, beside the coordinates", low=0, high=100_000
    )
    rounds: int = option(100, "most rounds over all directions from one start", low=1)
    around: float = option(
        0.0, "how far random starts are from the given one, in mean weights; 0: they are anywhere", low=0
    )
    noise: float = option(
        0.0, "random changes, in mean weights, under which the found weights must stay good; 0: none", low=0
    )


class Searchable(Protocol):
    """Lists or graphs of translations, as line searches see them."""

    @property
    def core(self) -> TuningData: ...

    @property
    def spread(self) -> Floats: ...


def train(
    data: Searchable,
    start: Floats,
    tuned: NDArray[np.bool_],
    options: MertOptions,
    random_state: int,
    n_jobs: int,
) -> Floats:
    """Return the best weights that line searches find from `start` and from random starts.

    Random numbers are divided by the spread of each feature, so that they mean as much for one as for another.
    """
    starts = random_starts(start, tuned, data.spread, options.restarts, random_state, options.around)
    weights, scores = data.core.mert(
        starts.reshape(-1),
        tuned.astype(np.uint8),
        1 / data.spread,
        options.directions,
        options.rounds,
        random_state,
        n_jobs,
    )
    found: Floats = weights.reshape(starts.shape)
    if options.noise:
        return _steadiest(data, start, found, tuned, options.noise, random_state)
    best: Floats = found[int(np.argmax(scores))]
    return best


def random_starts(
    start: Floats, tuned: NDArray[np.bool_], spread: Floats, n: int, random_state: int, around: float = 0.0
) -> Floats:
    """Return the start and n random ones, which differ from it in the tuned weights only.

    around: how far they are from the start, in mean weights; 0: they are around zero, as large as the start is.
    """
    rng = np.random.default_rng(random_state)
    drawn = rng.normal(size=(n, len(start))) * _size(start, tuned, spread) / spread
    if around:
        drawn = start + around * drawn
    return np.ascontiguousarray(np.concatenate([start[None], np.where(tuned, drawn, start)]))


def _size(weights: Floats, tuned: NDArray[np.bool_], spread: Floats) -> float:
    """The mean of tuned weights in units of what their features vary by."""
    return float(np.mean(np.abs(weights * spread)[tuned])) or 1.0


def _steadiest(
    data: Searchable, start: Floats, ends: Floats, tuned: NDArray[np.bool_], noise: float, random_state: int
) -> Floats:
    """Return the start, an end, or a point between the two, whose mean metric under random changes is the best."""
    size = _size(start, tuned, data.spread)
    candidates = [start]
    for end in ends:
        scaled = np.where(tuned, end * size / _size(end, tuned, data.spread), start)
        candidates += [start + share * (scaled - start) for share in _SHARES] + [end]
    changes = np.random.default_rng(random_state).normal(size=(_CHANGES, len(start))) * noise / data.spread

    def mean(weights: Floats) -> float:
        moved = weights + np.where(tuned, changes * _size(weights, tuned, data.spread), 0.0)
        return float(np.mean([data.core.score(row) for row in moved]))

    return max(candidates, key=mean)

"""Minimum error rate training: weights whose best translations have the best metric on the whole corpus.

CSC 448, §21.2.1; Och 2003. Along a line w + x d each candidate is a straight line, the best one of a sentence is
the upper envelope, and the metric of the corpus is piecewise constant: its maximum is found exactly, in one sweep
over the corners of all envelopes. From every start such searches go along all coordinates and along random
directions until none gains. A search costs O(candidates · features), and starts are shared among threads.
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


@dataclass(frozen=True, kw_only=True)
class MertOptions(Options):
    """How many line searches there are."""

    restarts: int = option(20, "random starts beside the given one", low=0, high=100_000)
    directions: int = option(
        5, "random directions in each round, beside the coordinates", low=0, high=100_000
    )
    rounds: int = option(100, "most rounds over all directions from one start", low=1)


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
    starts = random_starts(start, tuned, data.spread, options.restarts, random_state)
    weights, scores = data.core.mert(
        starts.reshape(-1),
        tuned.astype(np.uint8),
        1 / data.spread,
        options.directions,
        options.rounds,
        random_state,
        n_jobs,
    )
    found: Floats = weights.reshape(starts.shape)[int(np.argmax(scores))]
    return found


def random_starts(
    start: Floats, tuned: NDArray[np.bool_], spread: Floats, n: int, random_state: int
) -> Floats:
    """Return the start and n random ones, which differ from it in the tuned weights only."""
    rng = np.random.default_rng(random_state)
    size = float(np.mean(np.abs(start * spread)[tuned])) or 1.0
    drawn = rng.normal(size=(n, len(start))) * size / spread
    return np.ascontiguousarray(np.concatenate([start[None], np.where(tuned, drawn, start)]))

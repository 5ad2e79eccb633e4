"""The contract between learners and everything else: GEN, Φ and the examples, as a learner sees them.

    weights w ──scores──▶ part scores ──structure──▶ part values p      (decode, infer)
    weights w ◀──pullback── part differences gold − p                   (learn)

The two arrows live in the native core, where a pass over all examples is one call. `Problem` is the class of all
problems there: it has every learner's loop as a method, and `ChainProblem`, `ArcProblem` and the others inherit
them. `learning/adapter.py` makes one of an object written in Python. Weights are one flat array of float32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from palmette._native import Problem as Problem

Weights = NDArray[np.float32]
Order = NDArray[np.int64]


def squared_norm(w: Weights) -> float:
    """Return ‖w‖², summed in doubles."""
    return float(np.einsum("i,i->", w, w, dtype=np.float64))

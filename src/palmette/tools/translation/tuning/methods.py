"""The methods of tuning, by the names that `--method` takes.

A method is a function train(data, start, tuned, options, random_state, n_jobs) that returns weights: `data` are
`NBestLists` (or graphs, for line searches), `tuned` says which weights may change.
"""

from __future__ import annotations

from palmette.tools.methods import Method, Methods

_HERE = "palmette.tools.translation.tuning"

METHODS = Methods(
    mert=Method(
        summary="exact line searches for the metric itself, with random restarts",
        train=f"{_HERE}.mert:train",
        model="",
        options=f"{_HERE}.mert:MertOptions",
    ),
)

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
    pro=Method(
        summary="a log-linear classifier of which candidate of a pair is better",
        train=f"{_HERE}.pro:train",
        model="",
        options=f"{_HERE}.pro:ProOptions",
    ),
    mira=Method(
        summary="the smallest changes that keep better candidates ahead by their gain, k best",
        train=f"{_HERE}.margins:train_mira",
        model="",
        options=f"{_HERE}.margins:MiraOptions",
    ),
    risk=Method(
        summary="the best expected metric, where candidates have probabilities",
        train=f"{_HERE}.margins:train_risk",
        model="",
        options=f"{_HERE}.margins:RiskOptions",
    ),
    perceptron=Method(
        summary="averaged perceptron, whose updates fix violations",
        train=f"{_HERE}.margins:train_perceptron",
        model="",
        options=f"{_HERE}.margins:PerceptronOptions",
    ),
)

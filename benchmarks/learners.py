"""Every learner on the same task: parts of speech, pos_en_ptb, the default templates and the default options.

Each must come within 1.5 points of the best, and the HMM of order 2 reach 94.5 %. `ours` is the time of training.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from benchmarks.data import corpus
from benchmarks.measuring.row import Row
from palmette.formats.columns import read_columns
from palmette.learning.registry import make_learner
from palmette.tools.sequence.tagger import Tagger

WITHIN, LEAST_HMM = 1.5, 94.5

# Learner, its options, the order of the chain; None is the usual one.
RUNS: tuple[tuple[str, dict[str, Any], int | None], ...] = (
    ("crf", {}, None),
    ("crf", {"method": "sag", "n_iter": 10}, None),
    ("crf", {"method": "lbfgs", "n_iter": 30}, None),
    ("crf", {"l1": 0.3, "n_iter": 60}, None),
    ("crf", {}, 0),
    ("perceptron", {}, None),
    ("perceptron", {"average": False}, None),
    ("mira", {}, None),
    ("mira", {"k": 5}, None),
    ("pa", {}, None),
    ("pa", {"variant": "II"}, None),
    ("arow", {}, None),
    ("svm", {}, None),
    ("svm", {"method": "subgradient"}, None),
    ("svm", {"method": "cutting-plane", "slack": "1"}, None),
    ("svm", {"method": "cutting-plane", "slack": "n", "n_iter": 5}, None),
    ("eg", {}, None),
    ("risk", {"n_iter": 8}, None),
    ("latent", {"n_iter": 5}, None),
    ("memm", {}, None),
    ("hmm", {}, 1),
    ("hmm", {}, 2),
)
QUICK = ("perceptron", "hmm", "memm")


def rows(quick: bool = False) -> Iterator[Row]:
    """`quick` takes the fast ones alone."""
    train, test = (read_columns(path) for path in corpus("pos_en_ptb/train.tsv", "pos_en_ptb/test.tsv"))
    found = []
    for name, options, order in RUNS:
        if quick and name not in QUICK:
            continue
        start = time.perf_counter()
        tagger = Tagger(make_learner(name, options), order=order).fit(train)
        found.append((name, options, order, time.perf_counter() - start, 100 * tagger.score(test)))
    best = max(score for *_, score in found)
    for name, options, order, seconds, score in found:
        said = [f"{key}={value}" for key, value in options.items()]
        said += [] if order is None else [f"order={order}"]
        least = LEAST_HMM if (name, order) == ("hmm", 2) else best - WITHIN
        yield Row(
            " ".join([name, *said]),
            seconds,
            quality=f"accuracy {score:.2f}",
            holds=score >= max(least, best - WITHIN),
        )

"""How time and memory grow with the data: the Brown corpus once, twice, four and eight times over.

Over 400 labels, 7.6 million tokens at the end. An averaged perceptron, two passes, from the file to the weights.
The peer of a row is the row before: with twice the data, time and memory should at most double.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.data import corpus
from benchmarks.measuring.memory import megabytes_text
from benchmarks.measuring.row import Row
from benchmarks.peers.process import Work, measure

TIMES = (1, 2, 4, 8)


def train(path: str, times: int) -> Work:
    import numpy as np

    from palmette.formats.columns import read_columns
    from palmette.learning.perceptron import Perceptron
    from palmette.tools.sequence.tagger import Tagger

    def run() -> int:
        once = read_columns(path)
        many = once.select(np.tile(np.arange(len(once)), times))
        # A copy makes no attribute less rare: so many times twice keeps the features of the corpus once.
        Tagger(Perceptron(n_iter=2), min_count=2 * times).fit(many)
        return many.n_words

    return Work(run, lambda tokens: {"tokens": tokens})


def rows(quick: bool = False) -> Iterator[Row]:
    """`quick` stops at twice."""
    (path,) = corpus("pos_en_brown/train.tsv.gz")
    before = None
    for times in TIMES[:2] if quick else TIMES:
        made = measure(train, str(path), times, python=sys.executable)
        grown = before is None or (
            made.cpu_seconds <= 2.2 * before.cpu_seconds and made.peak_mb <= 2.2 * before.peak_mb
        )
        yield Row(
            f"training on {times} × Brown",
            made.cpu_seconds,
            None if before is None else before.cpu_seconds,
            amount=made.quality["tokens"] / 1e3,
            unit="k tokens",
            memory=megabytes_text(made.peak_mb * 1e6, (before or made).peak_mb * 1e6),
            holds=grown,
        )
        before = made

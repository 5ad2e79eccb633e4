"""Columns as the steps before will fill them: for every part of the treebank by a model trained on the
other parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.pipeline.joining import join_columns

Annotate = Callable[[Corpus], Corpus]


def jackknifed(
    corpus: Corpus,
    columns: Sequence[str],
    folds: int,
    learn: Callable[[Corpus], Annotate],
    *,
    n_jobs: int = 1,
    seen: Corpus | None = None,
) -> Corpus:
    """The corpus with these columns as models that have not seen the sentences fill them.

    learn: trains on sentences, and gives what annotates others. seen: the same sentences with what the models find
    in them when they annotate, if that is not gold.
    """
    given = corpus if seen is None else seen
    bounds = list(pairwise(np.linspace(0, len(corpus), folds + 1).astype(int).tolist()))

    def annotated(part: tuple[int, int]) -> dict[str, Column]:
        begin, end = part
        others = [*range(begin), *range(end, len(corpus))]
        found = learn(corpus.select(others))(given[begin:end])
        return {name: found.column(name) for name in columns}

    with ThreadPoolExecutor(n_jobs) as pool:  # a part per thread; native code does the work
        parts = list(pool.map(annotated, bounds) if n_jobs > 1 else map(annotated, bounds))
    return given.with_columns({name: join_columns([part[name] for part in parts]) for name in columns})

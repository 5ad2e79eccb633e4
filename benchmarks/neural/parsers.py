"""A biaffine parser of ud_en_ewt with gold tags, by its defaults, beside our linear parser. Hours of training."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.data import treebank
from benchmarks.measuring.row import Row, UnavailableError
from palmette import DependencyParser, Neural
from palmette.formats.conllu import parse_conllu
from palmette.formats.files import read_bytes

LEAST = 0.895
SEEDS = 3


def rows(quick: bool = False) -> Iterator[Row]:
    try:
        import palmette.neural  # noqa: F401
    except ImportError as error:
        raise UnavailableError(str(error)) from error
    train, dev, test = (parse_conllu(read_bytes(treebank("ud_en_ewt", p))) for p in ("train", "dev", "test"))
    scorer = Neural.for_trees()
    if quick:
        train, dev, test = train[:300], dev[:200], test[:200]
        scorer = Neural(n_iter=2, batch=16)
    linear = DependencyParser().fit(train).score(test)
    found, spent = [], 0.0
    for seed in range(1 if quick else SEEDS):
        began = time.process_time()
        parser = DependencyParser(scorer=replace(scorer, random_state=seed)).fit(train, dev=dev)
        spent += time.process_time() - began
        found.append(parser.score(test))
    mean = float(np.mean(found))
    single = ", ".join(f"{100 * las:.2f}" for las in found)
    yield Row(
        "ud_en_ewt, gold tags: training a biaffine parser, beside a linear one",
        spent / len(found),
        quality=f"LAS {100 * mean:.2f} ({single}) beside {100 * linear:.2f}",
        holds=None if quick else mean >= LEAST,
    )

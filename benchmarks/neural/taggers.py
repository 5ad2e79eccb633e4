"""Taggers with networks beside our linear CRFs, by their defaults: UPOS of three treebanks, entities in Spanish.

Passes are chosen on dev; the test set is read once for each seed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.data import corpus as corpus_paths
from benchmarks.data import treebank
from benchmarks.measuring.row import Row, UnavailableError
from palmette import Neural, SpanTagger, Tagger

TREEBANKS = ("ud_tr_imst", "ud_eu_bdt", "ud_en_ewt")
SEEDS = 3


def rows(quick: bool = False) -> Iterator[Row]:
    try:
        import palmette.neural  # noqa: F401
    except ImportError as error:
        raise UnavailableError(str(error)) from error
    for name in TREEBANKS[:1] if quick else TREEBANKS:
        parts = [treebank(name, part) for part in ("train", "dev", "test")]
        yield _row(f"UPOS of {name}", "accuracy", Tagger, parts, 1 if quick else SEEDS, quick)
    if not quick:
        names = [f"ner_es_conll2002/{part}" for part in ("train.txt.gz", "dev.txt", "test.txt")]
        yield _row("entities of ner_es_conll2002", "F1", SpanTagger, corpus_paths(*names), SEEDS, quick)


def _row(work: str, measure: str, kind: Any, parts: list[Any], seeds: int, quick: bool) -> Row:
    train, dev, test = map(str, parts)
    linear = kind().fit(train, dev=dev).score(test)
    found, spent = [], 0.0
    for seed in range(seeds):
        began = time.process_time()
        scorer = Neural(random_state=seed, n_iter=3) if quick else Neural(random_state=seed)
        tagger = kind(scorer=scorer).fit(train, dev=dev)
        spent += time.process_time() - began
        found.append(tagger.score(test))
    mean = float(np.mean(found))
    single = ", ".join(f"{100 * x:.2f}" for x in found)
    return Row(
        f"{work}: training a network, beside a linear CRF",
        spent / seeds,
        quality=f"{measure} {100 * mean:.2f} ({single}) beside {100 * linear:.2f}",
        holds=None if quick else mean > linear,
    )

"""Taggers with networks beside our linear CRFs, by their defaults: UPOS of three treebanks, entities in Spanish.

Passes are chosen on dev; the test set is read once for each seed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.data import corpus as corpus_paths
from benchmarks.data import treebank
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.peers.columns import sentences
from palmette import Neural, SpanTagger, Tagger, Thesaurus

TREEBANKS = ("ud_tr_imst", "ud_eu_bdt", "ud_en_ewt")
SEEDS = 3
WIDTH = 100  # of the vectors


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
        parts, spans = corpus_paths(*names), partial(SpanTagger, lenient=True)
        yield _row("entities of ner_es_conll2002", "F1", spans, parts, SEEDS, quick, equal=True)
        with TemporaryDirectory() as folder:
            path = f"{folder}/vectors.npz"
            began = time.process_time()
            write_vectors(str(parts[0]), path)
            spent = time.process_time() - began
            work = f"entities of ner_es_conll2002, vectors trained on its text in {spent:.0f} s"
            yield _row(work, "F1", spans, parts, SEEDS, quick, equal=True, vectors=path)


def write_vectors(train: str, path: str) -> None:
    """Train vectors of words on the training text, without its labels: what is nearby, in few dimensions."""
    text = [sentence[0] for sentence in sentences(train)]
    thesaurus = Thesaurus(options={"contexts": "windows", "dimensions": WIDTH, "min_count": 2}).fit(text)
    thesaurus.save_vectors(path)


def _row(
    work: str,
    measure: str,
    kind: Any,
    parts: list[Any],
    seeds: int,
    quick: bool,
    *,
    equal: bool = False,
    vectors: str | None = None,
) -> Row:
    """equal: the network need not be better. vectors: a file of them."""
    train, dev, test = map(str, parts)
    linear = kind().fit(train, dev=dev).score(test)
    found, spent = [], 0.0
    for seed in range(seeds):
        began = time.process_time()
        scorer = Neural(random_state=seed, vectors=vectors, **({"n_iter": 3} if quick else {}))
        tagger = kind(scorer=scorer).fit(train, dev=dev)
        spent += time.process_time() - began
        found.append(tagger.score(test))
    mean = float(np.mean(found))
    single = ", ".join(f"{100 * x:.2f}" for x in found)
    return Row(
        f"{work}: training a network, beside a linear CRF",
        spent / seeds,
        quality=f"{measure} {100 * mean:.2f} ({single}) beside {100 * linear:.2f}",
        holds=None if quick else mean > linear or (equal and mean == linear),
    )

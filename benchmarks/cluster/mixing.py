"""Online learners whose shards are mixed after every pass, beside one machine: scores on dev sets, pass by pass.

`python -m benchmarks.cluster.mixing` prints them. The result depends on the number of shards, and not on how many
workers there are, so one thread does the work here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.data import corpus
from palmette.cluster import fit_on
from palmette.formats.columns import read_columns
from palmette.formats.conllu import read_conllu
from palmette.learning import CRF, MIRA, Perceptron
from palmette.learning.learner import Learner
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger

PASSES = 20
DEV_CHUNKS = 1_000  # sentences of the training text: there is no dev text
SHARDS = (4, 16)
MIXINGS = ("uniform", "mistakes")


def learners() -> dict[str, Learner]:
    """Those that are mixed."""
    return {
        "perceptron": Perceptron(n_iter=PASSES),
        "mira": MIRA(n_iter=PASSES),
        "crf, sgd": CRF(method="sgd", n_iter=PASSES),
    }


def tasks() -> Iterator[tuple[str, Any, Any, Any]]:
    """Name, tool, training and dev sentences of every corpus."""
    train, dev = corpus("ud_en_ewt/train.conllu.gz", "ud_en_ewt/dev.conllu.gz")
    yield "tags of ud_en_ewt", Tagger, read_conllu(train), read_conllu(dev)
    (chunks,) = corpus("chunk_en_conll2000/train.txt.gz")
    everything = read_columns(chunks)
    cut = len(everything) - DEV_CHUNKS
    yield "chunks of conll2000", SpanTagger, everything[:cut], everything[cut:]


def curve(fitted: Any) -> list[float]:
    """The score on the dev set after every pass."""
    return [100 * report.numbers["dev"] for report in fitted.history_]


def main(only: str = "") -> None:
    """Print a line for every training: the best score, and those of all passes."""
    for name, tool, train, dev in tasks():
        for learner_name, learner in learners().items():
            if only not in f"{name}, {learner_name}":
                continue
            alone = curve(tool(learner).fit(train, dev=dev))
            tell(name, learner_name, "one machine", alone)
            for shards in SHARDS:
                for mixing in MIXINGS if learner_name != "crf, sgd" else MIXINGS[:1]:
                    made = fit_on("local:1", tool(learner), train, dev=dev, shards=shards, mixing=mixing)
                    tell(name, learner_name, f"{shards} shards, {mixing}", curve(made))


def tell(name: str, learner: str, way: str, scores: list[float]) -> None:
    """Print a line."""
    print(
        f"{name} | {learner} | {way} | {max(scores):.2f} | {' '.join(f'{x:.2f}' for x in scores)}", flush=True
    )


if __name__ == "__main__":
    main(*sys.argv[1:])

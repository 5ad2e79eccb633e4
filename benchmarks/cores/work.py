"""work.py TRAIN TEST CHUNKS SOURCE TARGET: print processor seconds of WORKS by the chosen core, as JSON."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

IMPORT = "import"
SHORT = 5  # times that a work of less than a second is done
WORKS = (
    IMPORT,
    "train chunks, perceptron",
    "train tags, CRF",
    "probabilities of tags",
    "train a graph parser",
    "parse, graph",
    "train a greedy parser",
    "parse, greedy",
    "align, HMM",
    "estimate a language model",
    "score with a language model",
)


def main(train: str, test: str, chunks: str, source: str, target: str) -> None:
    begun = time.process_time()
    import palmette._native  # noqa: F401

    found = {IMPORT: time.process_time() - begun}
    names = iter(WORKS[1:])

    def timed(work: Callable[[], Any], times: int = 1) -> Any:
        """Do a work some times, and keep the least seconds: one run of a short work says little."""
        seconds = []
        for _ in range(times):
            begun = time.process_time()
            made = work()
            seconds.append(time.process_time() - begun)
        found[next(names)] = min(seconds)
        return made

    from palmette import CRF, MIRA, Aligner, DependencyParser, LanguageModel, Perceptron, SpanTagger, Tagger
    from palmette.formats import read_columns, read_conllu
    from palmette.formats.files import read_bytes
    from palmette.tools.alignment import read_pairs

    sentences, few, unseen = read_conllu(train), read_conllu(train)[:2000], read_conllu(test)
    labelled = read_columns(chunks)
    timed(lambda: SpanTagger(Perceptron(n_iter=5)).fit(labelled))
    tagger = timed(lambda: Tagger(CRF(n_iter=4)).fit(sentences))
    timed(lambda: tagger.predict_proba(unseen), SHORT)
    parser = timed(lambda: DependencyParser("graph", MIRA(n_iter=3, k=1)).fit(few))
    timed(lambda: parser.predict(unseen), SHORT)
    parser = timed(lambda: DependencyParser("transition", Perceptron(n_iter=3), options={"beam": 1}).fit(few))
    timed(lambda: parser.predict(unseen), SHORT)
    pairs = read_pairs(source, target)
    timed(lambda: Aligner(["model1", "hmm"]).fit(pairs))
    lines = read_bytes(source).decode().splitlines()
    lm = timed(lambda: LanguageModel.fit(source, order=5), SHORT)
    timed(lambda: [lm.score(line) for line in lines], SHORT)
    print(json.dumps(found))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*sys.argv[1:])

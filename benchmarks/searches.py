"""Searches for the best labels of pos_en_ptb's dev set: states extended, sentences not labelled best, accuracy.

HMMs of order 1 and 2 and a CRF; every search of CSC 448, §7, with several numbers where it has one. Exact searches
must find the best labels of every sentence.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.hidden_states import sentences
from benchmarks.measuring.row import Row
from palmette.learning.loglinear import CRF
from palmette.tools.sequence.hmm import HMM
from palmette.tools.sequence.searching import search_errors
from palmette.tools.sequence.tagger import Tagger

EXACT = ("viterbi", "dijkstra", "astar")
NUMBERS = {
    "weighted-astar": (1.5, 2, 4),
    "constant-astar": (1, 2, 4, 6, 8, 10, 16),
    "top-k": (1, 2, 4, 8),
    "beam": (1, 2, 5, 10),
}


def rows(quick: bool = False) -> Iterator[Row]:
    train, (words, gold) = sentences("train"), sentences("dev")
    n = sum(map(len, words))
    taggers = {"HMM, order 1": Tagger(HMM(), order=1)}
    if not quick:
        taggers |= {"HMM, order 2": Tagger(HMM(), order=2), "CRF": Tagger(CRF())}
    for name, tagger in taggers.items():
        tagger.fit(*train)
        best = tagger.search(words)
        for search in (*EXACT, *(f"{kind}={x:g}" for kind, every in NUMBERS.items() for x in every)):
            began = time.process_time()
            found = tagger.search(words, search)
            seconds = time.process_time() - began
            wrong = search_errors(found, best)
            right = sum(a == b for one, y in zip(found, gold) for a, b in zip(one.output, y))
            yield Row(
                f"{name}: {search}",
                seconds,
                quality=f"{sum(one.states_touched for one in found) / n:.2f} states a word, {wrong} of "
                f"{len(words)} sentences wrong, accuracy {100 * right / n:.2f}",
                holds=wrong == 0 if search in EXACT else None,
            )

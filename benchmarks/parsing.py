"""Dependency parsers beside UDPipe's and spaCy's on the English Web Treebank: same trees, same tokens, gold tags.

Parsing begins with tokens and tags in memory, the model being loaded, and ends with all heads and relations;
training begins with the file and ends with the model on disk. A peer is trained once, and its training time is
that of then; UDPipe's is of two of its ten passes, so a fifth of the ratio to all ten is asked for. LAS is that of
CoNLL-18: all words, universal relations; `las_full` compares their subtypes too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from benchmarks.measuring import beside
from benchmarks.measuring.beside import Requirement
from benchmarks.measuring.row import Row
from benchmarks.ours.parsers import OURS
from benchmarks.peers.process import Measured
from benchmarks.peers.udpipe_parser import ALL_PASSES, PASSES
from benchmarks.peers.works import WORKS

SCORES = ("uas", "las_full")
PART = PASSES / ALL_PASSES  # of UDPipe's training that is run

# Those that train come first, so that the models which parse are those of this run.
REQUIREMENTS = (
    Requirement(
        "train-greedy", "train, greedy, file to model", "udpipe-parser-train", 50 * PART, also=("las",)
    ),
    Requirement(
        "train-best",
        "train, most accurate, file to model",
        "udpipe-parser-train",
        5 * PART,
        most_mb=2000,
        also=("las",),
    ),
    Requirement(
        "train-best", "train, most accurate, file to model", "spacy-parser-train", None, also=("las",)
    ),
    Requirement(
        "parse-greedy", "parse, greedy", "udpipe-parse-greedy", 3, no_less="las", above=0.01, also=SCORES
    ),
    *(
        Requirement("parse-best", "parse, most accurate", peer, 1.5, no_less="las", above=1.5, also=SCORES)
        for peer in ("udpipe-parse", "spacy-parse")
    ),
    *(
        Requirement(f"{work}-2", f"{name}, two threads", work, 1.8, threads=2, clock=True)
        for work, name in (
            ("parse-greedy", "parse, greedy"),
            ("parse-best", "parse, most accurate"),
            ("train-crf", "train, CRF, file to model"),
        )
    ),
)
SLOW = ("train-best", "train-crf-2")


def rows(quick: bool = False, ours: Mapping[str, Callable[[], Measured]] = OURS) -> Iterator[Row]:
    """`quick` leaves out the trainings of ours that take a minute, but for the model that is parsed with."""
    asked = [one for one in REQUIREMENTS if not (quick and one.ours in SLOW)]
    yield from beside.rows(asked, ours, WORKS)

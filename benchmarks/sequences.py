"""Sequence taggers beside the programs of `benchmarks.peers`: same data and features, each in its own process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from benchmarks.measuring import beside
from benchmarks.measuring.beside import Requirement
from benchmarks.measuring.row import Row
from benchmarks.ours.taggers import OURS
from benchmarks.peers.process import Measured
from benchmarks.peers.works import WORKS

REQUIREMENTS = (
    Requirement("crf", "CRF, file to model", "crfsuite-lbfgs-train", 40, no_less="f1"),
    Requirement("lbfgs", "CRF, same objective", "crfsuite-lbfgs-train", 10, no_more="objective", most_mb=660),
    Requirement(
        "lbfgs-2",
        "CRF, same objective, two threads",
        "crfsuite-lbfgs-train",
        16,
        threads=2,
        no_more="objective",
    ),
    Requirement("perceptron", "averaged perceptron, file to model", "crfsuite-ap-train", 8, no_less="f1"),
    Requirement("tag", "chunks, file to file", "crfsuite-lbfgs-tag", 10, no_less="f1"),
    Requirement("marginals", "marginals of chunks, from the file", "crfsuite-marginals-from-file", 20),
    # After as many iterations, both of them unfinished: their F1 differ by chance, so the objectives are compared.
    Requirement(
        "fit",
        "fit on dictionaries",
        "sklearn-crfsuite-fit",
        4,
        no_more="objective",
        memory=0.5,
        also=("f1",),
    ),
    Requirement(
        "predict", "predict on dictionaries", "sklearn-crfsuite-predict", 4, no_less="f1", memory=0.5
    ),
    *(
        Requirement("english", "tags of the English model", f"{peer}-tag", 20, no_less="accuracy")
        for peer in ("nltk", "udpipe", "spacy")
    ),
    *(
        Requirement("batch", "log Z and marginals of a batch", f"batch-{peer}", 1)
        for peer in ("numpy-log", "numpy-scaled", "numpy-scaled-float32", "pytorch-crf", "torch-struct")
    ),
)


SLOW = ("crfsuite-lbfgs-train", "sklearn-crfsuite-fit")


def rows(quick: bool = False, ours: Mapping[str, Callable[[], Measured]] = OURS) -> Iterator[Row]:
    """`quick` leaves out the peers that take minutes."""
    asked = [one for one in REQUIREMENTS if not (quick and one.peer in SLOW)]
    yield from beside.rows(asked, ours, WORKS)

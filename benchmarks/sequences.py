"""Sequence taggers beside the programs of `benchmarks.peers`: same data, same features, each in its own process.

`OURS` has Palmette's works by name, each a function that measures it; a requirement whose work is not there, and
a peer that is not installed, are left out. Times are those of the processors; ours by more than one thread is
that of the clock, beside the peer's one thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from benchmarks.memory import megabytes_text
from benchmarks.ours import OURS
from benchmarks.peers.process import Measured
from benchmarks.peers.works import WORKS
from benchmarks.row import Row, UnavailableError


@dataclass(frozen=True)
class Requirement:
    """What is asked of a work of ours beside a peer's.

    `no_less` names what must not be below the peer's (F1, accuracy), `no_more` what must not be above it by more
    than 0.1 % (the objective). `memory` is the share that ours may have of what the peer needs beyond the data
    that both are given; `most_mb` a limit of the whole process.
    """

    ours: str
    work: str
    peer: str
    least_ratio: float
    threads: int = 1
    no_less: str = ""
    no_more: str = ""
    memory: float | None = None
    most_mb: float | None = None


SLACK = 0.001

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
    Requirement("fit", "fit on dictionaries", "sklearn-crfsuite-fit", 4, no_more="objective", memory=0.5),
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


def rows(quick: bool = False, ours: Mapping[str, Callable[[], Measured]] = OURS) -> Iterator[Row]:
    """`quick` leaves out the peers that take minutes."""
    measured: dict[str, Measured] = {}

    def once(name: str, measure: Callable[[], Measured]) -> Measured:
        if name not in measured:
            measured[name] = measure()
        return measured[name]

    for requirement in REQUIREMENTS:
        slow = requirement.peer in ("crfsuite-lbfgs-train", "sklearn-crfsuite-fit")
        if requirement.ours not in ours or (quick and slow):
            continue
        try:
            peer = once(requirement.peer, WORKS[requirement.peer])
        except UnavailableError as missing:
            print(f"{requirement.peer}: {missing}", file=sys.stderr)
            continue
        yield row(requirement, once(f"our {requirement.ours}", ours[requirement.ours]), peer)


def row(requirement: Requirement, ours: Measured, peer: Measured) -> Row:
    """
    >>> have, there = (Measured(s, s, m, {"f1": f}, m) for s, m, f in ((1.0, 20.0, 93.6), (50.0, 60.0, 93.5)))
    >>> made = row(Requirement("crf", "CRF", "crfsuite", 40, no_less="f1", memory=0.5), have, there)
    >>> made.ratio, made.quality, made.memory, made.met
    (50.0, 'f1 93.6 / 93.5', '20 / 60 MB', True)
    """
    checks = []
    names = [name for name in (requirement.no_less, requirement.no_more) if name]
    if requirement.no_less:
        checks.append(ours.quality[requirement.no_less] >= peer.quality[requirement.no_less])
    if requirement.no_more:
        most = peer.quality[requirement.no_more] * (1 + SLACK)
        checks.append(ours.quality[requirement.no_more] <= most)
    if requirement.memory is not None:
        checks.append(ours.grown_mb <= requirement.memory * peer.grown_mb)
    if requirement.most_mb is not None:
        checks.append(ours.peak_mb <= requirement.most_mb)
    name = "peak_mb" if requirement.memory is None else "grown_mb"
    tokens = ours.quality.get("tokens")
    have = ours.cpu_seconds if requirement.threads == 1 else ours.seconds
    return Row(
        f"{requirement.work} / {requirement.peer}",
        have,
        peer.cpu_seconds,
        amount=None if tokens is None else tokens / 1e3,
        unit="" if tokens is None else "k tokens",
        least_ratio=requirement.least_ratio,
        memory=megabytes_text(getattr(ours, name) * 1e6, getattr(peer, name) * 1e6),
        quality=", ".join(f"{name} {ours.quality[name]:.6g} / {peer.quality[name]:.6g}" for name in names),
        holds=all(checks) if checks else None,
    )

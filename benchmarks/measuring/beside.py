"""Works of ours beside those of peers, and what is required of each.

`ours` and `peers` have works by name, each a function that measures it, at most once in a run. A requirement whose
work is not there, and a peer that is not installed, are left out. Times are those of the processors; ours by more
than one thread is that of the clock, beside the peer's one thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from benchmarks.measuring.memory import megabytes_text
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.peers.process import Measured

SLACK = 0.001


@dataclass(frozen=True)
class Requirement:
    """What is asked of a work of ours beside a peer's, or beside another work of ours.

    `no_less` names what must not be below the peer's (F1, accuracy), or must be `above` it by so much; `no_more`
    what must not be above it by more than 0.1 % (the objective). `memory` is the share of the peer's peak that
    ours may have, the data that both are given included; `most_mb` a limit of its own. `also` names what else the
    row tells. `clock`: the peer's time is that of the clock too.
    """

    ours: str
    work: str
    peer: str
    least_ratio: float | None
    threads: int = 1
    no_less: str = ""
    above: float = 0.0
    no_more: str = ""
    memory: float | None = None
    most_mb: float | None = None
    also: tuple[str, ...] = ()
    clock: bool = False


Works = Mapping[str, Callable[[], Measured]]


def rows(requirements: Iterable[Requirement], ours: Works, peers: Works) -> Iterator[Row]:
    """The rows of the requirements; a peer that is not among the peers is one of our works."""
    measured: dict[str, Measured] = {}

    def once(name: str, measure: Callable[[], Measured]) -> Measured:
        if name not in measured:
            measured[name] = measure()
        return measured[name]

    for requirement in requirements:
        mine, other = requirement.ours, requirement.peer
        if mine not in ours or (other not in peers and other not in ours):
            continue
        try:
            peer = once(other, peers[other]) if other in peers else once(f"our {other}", ours[other])
            have = once(f"our {mine}", ours[mine])
        except UnavailableError as missing:
            print(f"{mine} / {other}: {missing}", file=sys.stderr)
            continue
        yield row(requirement, have, peer)


def row(requirement: Requirement, ours: Measured, peer: Measured) -> Row:
    """
    >>> have, there = (Measured(s, s, m, {"f1": f}, m) for s, m, f in ((1.0, 20.0, 93.6), (50.0, 60.0, 93.5)))
    >>> made = row(Requirement("crf", "CRF", "crfsuite", 40, no_less="f1", memory=0.5), have, there)
    >>> made.ratio, made.quality, made.memory, made.met
    (50.0, 'f1 93.6 / 93.5', '20 / 60 MB; beyond the data 20 / 60 MB', True)
    >>> row(Requirement("crf", "CRF", "crfsuite", 40, no_less="f1", above=1.5), have, there).met
    False
    """
    checks = []
    names = [name for name in (requirement.no_less, requirement.no_more, *requirement.also) if name]
    if requirement.no_less:
        least = peer.quality[requirement.no_less] + requirement.above
        checks.append(ours.quality[requirement.no_less] >= least)
    if requirement.no_more:
        most = peer.quality[requirement.no_more] * (1 + SLACK)
        checks.append(ours.quality[requirement.no_more] <= most)
    if requirement.memory is not None:
        checks.append(ours.peak_mb <= requirement.memory * peer.peak_mb)
    if requirement.most_mb is not None:
        checks.append(ours.peak_mb <= requirement.most_mb)
    memory = megabytes_text(ours.peak_mb * 1e6, peer.peak_mb * 1e6)
    if requirement.memory is not None:
        memory += f"; beyond the data {megabytes_text(ours.grown_mb * 1e6, peer.grown_mb * 1e6)}"
    tokens = ours.quality.get("tokens")
    by_clock = requirement.threads > 1
    return Row(
        f"{requirement.work} / {requirement.peer}",
        ours.seconds if by_clock else ours.cpu_seconds,
        peer.seconds if requirement.clock else peer.cpu_seconds,
        amount=None if tokens is None else tokens / 1e3,
        unit="" if tokens is None else "k tokens",
        least_ratio=requirement.least_ratio,
        memory=memory,
        quality=", ".join(_beside(name, ours, peer) for name in names),
        holds=all(checks) if checks else None,
    )


def _beside(name: str, ours: Measured, peer: Measured) -> str:
    """Such as "las 88 / 86.2"; of what the peer has not, ours alone."""
    both = [f"{one.quality[name]:.6g}" for one in (ours, peer) if name in one.quality]
    return f"{name} {' / '.join(both)}"

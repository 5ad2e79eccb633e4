"""Trained pipelines in the folder of the peers, with what their training took."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.data import treebank
from benchmarks.peers.folder import kept
from benchmarks.peers.process import Measured, TooLongError, measure
from benchmarks.pipelines import ours, udpipe

WORKS: dict[str, Any] = {"ours": ours, "udpipe": udpipe}
_SUFFIXES = {"ours": "palm", "udpipe": "udpipe"}
LIMIT = 3 * 3600  # seconds of a training


class Trained(NamedTuple):
    """A model file and the work of its training; both are None where that took too long."""

    path: str | None
    work: Measured | None


def trained(who: str, name: str) -> Trained:
    """The pipeline of ours or of UDPipe for a treebank: from the folder, or trained now."""
    path = kept(f"{name}.{_SUFFIXES[who]}")
    record = Path(f"{path}.json")
    if record.exists():
        found = json.loads(record.read_text(encoding="utf-8"))
        return Trained(path, Measured(**found)) if found else Trained(None, None)
    train, dev = (str(treebank(name, part)) for part in ("train", "dev"))
    try:
        work = measure(WORKS[who].train, train, dev, path, limit=LIMIT)
    except TooLongError:
        record.write_text("null", encoding="utf-8")
        return Trained(None, None)
    record.write_text(json.dumps(asdict(work)), encoding="utf-8")
    return Trained(path, work)

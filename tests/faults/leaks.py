"""Call every verb again and again, and see whether memory grows: `python tests/faults/leaks.py commands|methods`.

Commands are those of tools/every-verb.py, run in one process, each with its model loaded again. Methods are
those of `leaking.py`, which asks one model of each kind about a sentence. A line for each has the growth of
the resident memory after the first fifth of the calls, which fills caches.
"""

from __future__ import annotations

import argparse
import functools
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.leaking import KINDS, methods
from faults.models import ROOT, Trained, said_by, trained

_ALLOWED = 2_000_000  # bytes: what the allocator keeps for itself
Call = Callable[[], object]


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(call: Call, calls: int, seconds: float = math.inf) -> tuple[int, int]:
    """Call that often, or for so many seconds of the processor.

    Return by how many bytes the memory grew after the first fifth, and how many calls there were.
    """
    began, before, number = time.process_time(), None, 0
    while number < calls and (spent := time.process_time() - began) < seconds:
        if before is None and (number >= calls // 5 or spent >= seconds / 5):
            before = resident()
        call()
        number += 1
    return resident() - (before or 0), number


def run(line: str) -> None:
    """Run a command that ends well."""
    said = said_by(line)
    if said:
        raise SystemExit(f"palmette {line}: {said}")


def calls_of(kind: str, model: Trained) -> Iterator[tuple[str, Call]]:
    """What is called with a model: its commands, or the methods of its tool."""
    Path(model.file).write_bytes(model.path.read_bytes())
    if kind == "commands":
        for line in model.uses:
            yield f"palmette {line.replace(str(ROOT), '')}", functools.partial(run, line)
    elif model.name in KINDS:
        for name, call in methods(model.path):
            yield f"{model.name}, {name}", call


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("commands", "methods"))
    parser.add_argument("--calls", type=int, default=500, help="calls of each (default: 500)")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="of the processor, for each (default: no limit)"
    )
    parser.add_argument("--only", default="", help="only models whose name has this in it")
    given = parser.parse_args()
    grew = False
    warnings.simplefilter("ignore")
    for model in trained(ROOT / "build" / "faults"):
        if given.only not in model.name:
            continue
        for name, call in calls_of(given.kind, model):
            bytes_, calls = growth(call, given.calls, given.seconds)
            wrong = bytes_ > _ALLOWED
            grew = grew or wrong
            print(
                f"{bytes_ / 1e6:8.2f} MB in {calls:7,} calls{' GROWS' if wrong else ''}: {name}", flush=True
            )
    raise SystemExit(int(grew))


if __name__ == "__main__":
    main()

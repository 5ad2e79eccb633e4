"""One model used by many threads: `python tests/faults/threads.py`, also under ThreadSanitizer.

Every model of tools/every-verb.py predicts the inputs of its commands, in 16 threads that share it and begin at
the same time. What must hold: the answers of one thread. `tools/thread-sanitized` runs this with a core that is
built for ThreadSanitizer, which tells of every access that nothing orders.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import os
import shlex
import sys
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.models import ROOT, Trained, trained
from palmette.cli.shards.work import Job, Model
from palmette.cluster.recipe import content_of
from palmette.errors import UsageError
from palmette.formats.reading import Reading

THREADS = 16


def inputs_of(model: Trained) -> Iterator[str]:
    """The files that its commands predict."""
    for line in model.uses:
        words = shlex.split(line)
        if words[0] == "predict":
            yield from [word for word in words[2:3] if Path(word).is_file()]


def answers(job: Job, path: str, rounds: int) -> bytes:
    """What a model answers, the last time; the answers of all times must be equal."""
    found = {b"".join(job.answers(Reading(), path)) for _ in range(rounds)}
    if len(found) != 1:
        raise AssertionError("different answers in one thread")
    return found.pop()


def check(model: Trained, rounds: int) -> str | None:
    """Predict in all threads at once; what does not hold, or None."""
    data = model.path.read_bytes()
    Path(model.file).write_bytes(data)
    job = Job(Model(str(Path(model.file).resolve()), hashlib.sha256(data).hexdigest()))
    content_of(job.model)
    for path in dict.fromkeys(inputs_of(model)):
        barrier = threading.Barrier(THREADS)

        def work(path: str = path, barrier: threading.Barrier = barrier) -> bytes:
            barrier.wait()
            return answers(job, path, rounds)

        with ThreadPoolExecutor(THREADS) as pool:
            found = [future.result() for future in [pool.submit(work) for _ in range(THREADS)]]
        if set(found) != {answers(job, path, 1)}:
            return f"{path}: threads have other answers than one"
    return None


def touch_together(library: str) -> None:
    """Let threads touch the same memory, which ThreadSanitizer must tell."""
    touch, barrier = ctypes.CDLL(library).touch, threading.Barrier(THREADS)

    def work() -> None:
        barrier.wait()
        touch(100_000)

    with ThreadPoolExecutor(THREADS) as pool:
        for future in [pool.submit(work) for _ in range(THREADS)]:
            future.result()


def main() -> None:
    """Check what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="predictions of every thread (default: 5)")
    parser.add_argument("--only", default="", help="only models whose name has this in it")
    parser.add_argument("--most", type=int, help="models of how many tools (default: all)")
    parser.add_argument("--folder", default=str(ROOT / "build" / "faults"), help="where models are kept")
    parser.add_argument("--race", help="only show that a race is seen: race.c, compiled")
    given = parser.parse_args()
    if given.race:
        touch_together(given.race)
        return
    wrong = False
    warnings.simplefilter("ignore")
    for model in trained(Path(given.folder), given.most):
        if given.only not in model.name:
            continue
        try:
            found = check(model, given.rounds)
        except UsageError:
            continue  # it reads several files
        wrong = wrong or found is not None
        print(f"{model.name}: {found or f'{THREADS} threads, the answers of one'}", flush=True)
    sys.stdout.flush()
    if wrong:
        os._exit(1)


if __name__ == "__main__":
    main()

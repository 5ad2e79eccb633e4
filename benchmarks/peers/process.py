"""Time, memory and quality of a piece of work in a new process, with one thread unless more are asked for."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring.memory import peak_of_process, size_of_process
from benchmarks.measuring.row import UnavailableError
from benchmarks.peers.folder import PEERS

_ROOT = Path(__file__).resolve().parents[2]
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class TooLongError(Exception):
    """A piece of work was not done in the time that it had."""


@dataclass(frozen=True)
class Measured:
    """Seconds of the shortest run, by the clock and of all processors; the peak of the whole process in MB,
    and how far that is above what it had before the first run.
    """

    seconds: float
    cpu_seconds: float
    peak_mb: float
    quality: dict[str, float]
    grown_mb: float = float("nan")


class Work(NamedTuple):
    """`run()` is timed; `judge(made)` then says how good the result is."""

    run: Callable[[], Any]
    judge: Callable[[Any], dict[str, float]] = lambda made: {}


def measure(
    prepare: Callable[..., Work],
    *arguments: str | int,
    times: int = 1,
    threads: int = 1,
    python: str | None = None,
    limit: float | None = None,
) -> Measured:
    """Does `prepare(*arguments)` in a new process and its work `times` times.

    `prepare` is a function of a module; `python` is the interpreter, that of the peers if none is given. After
    `limit` seconds the process is ended: TooLongError.
    """
    call = [prepare.__module__, prepare.__name__, json.dumps(arguments), str(times)]
    try:
        done = subprocess.run(
            [python or interpreter(), "-m", "benchmarks.peers.process", *call],
            capture_output=True,
            text=True,
            cwd=_ROOT,
            env=os.environ | dict.fromkeys(_THREADS, str(threads)),
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        raise TooLongError(f"not done after {limit:,.0f} seconds") from None
    if done.returncode:
        raise RuntimeError(f"{prepare.__module__}.{prepare.__name__} failed:\n{done.stderr}")
    answer = json.loads(done.stdout)
    if "missing" in answer:
        raise UnavailableError(f"there is no {answer['missing']}: pip install -r benchmarks/peers.txt")
    return Measured(**answer)


def interpreter() -> str:
    """The Python of the peers: that of their own environment where there is one."""
    own = PEERS / "venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def _measured(module: str, function: str, arguments: str, times: str) -> dict[str, Any]:
    prepare: Callable[..., Work] = getattr(import_module(module), function)
    try:
        work = prepare(*json.loads(arguments))
    except ModuleNotFoundError as missing:
        return {"missing": missing.name}
    seconds = cpu_seconds = float("inf")
    made: Any = None
    gc.collect()
    gc.freeze()
    before = size_of_process() / 1e6
    for _ in range(int(times)):
        made = None
        gc.collect()
        start, cpu_start = time.perf_counter(), time.process_time()
        made = work.run()
        seconds = min(seconds, time.perf_counter() - start)
        cpu_seconds = min(cpu_seconds, time.process_time() - cpu_start)
    peak = peak_of_process() / 1e6
    return asdict(Measured(seconds, cpu_seconds, peak, work.judge(made), peak - before))


def _main() -> None:
    """Prints the result alone: what the peers print goes to standard error."""
    with os.fdopen(os.dup(1), "w") as out:
        os.dup2(2, 1)
        json.dump(_measured(*sys.argv[1:]), out)


if __name__ == "__main__":
    _main()

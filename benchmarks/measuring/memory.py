"""Memory: how far a process of its own grows, at its peak, while it does a piece of work."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_STATUS = Path("/proc/self/status")


def peak_growth(prepare: Callable[..., Callable[[], object]], *arguments: str | int) -> float | None:
    """Bytes by which the peak of a new process grows while it does `prepare(*arguments)()`.

    `prepare` is a function of a module; what it does itself does not count. None where the system does not tell.
    """
    call = [prepare.__module__, prepare.__name__, json.dumps(arguments)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.measuring.memory", *call],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=_ROOT,
    )
    grown = float(done.stdout)
    return grown if grown >= 0 else None


def megabytes_text(*grown: float | None) -> str:
    """Ours, then that of the peers, such as "32 / 1,210 MB"; empty where the system does not tell."""
    if any(size is None for size in grown):
        return ""
    return " / ".join(f"{size / 1e6:,.0f}" for size in grown if size is not None) + " MB"


def peak_of_process() -> float:
    """Bytes that this process has had at most; nan where the system does not tell."""
    try:
        return _resident_peak() if _STATUS.exists() else _peak_so_far()
    except ImportError:  # Windows
        return float("nan")


def size_of_process() -> float:
    """Bytes that this process has now; nan where the system does not tell."""
    return _resident("VmRSS") if _STATUS.exists() else float("nan")


def _measure(module: str, function: str, arguments: str) -> float:
    work: Callable[[], object] = getattr(import_module(module), function)(*json.loads(arguments))
    peak = _resident_peak
    try:
        Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak begins anew
        before = _resident("VmRSS")
    except OSError:
        try:
            before = _peak_so_far()
        except ImportError:  # Windows
            return -1.0
        peak = _peak_so_far
    kept = work()
    grown = peak() - before
    del kept
    return grown


def _resident_peak() -> float:
    return _resident("VmHWM")


def _peak_so_far() -> float:
    """The peak since the process began, on systems that cannot forget it."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit


def _resident(key: str) -> float:
    return int(_STATUS.read_text().split(f"{key}:")[1].split()[0]) * 1024.0


if __name__ == "__main__":
    print(_measure(*sys.argv[1:]))

"""Call every verb of every tool again and again, and see whether the memory grows: `python tests/faults/leaks.py`.

The commands are those of tools/every-verb.py, run in one process, each with its model loaded again. A line for
every command has the growth of the resident memory after the first fifth of the calls, which fills caches.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.models import ROOT, said_by, trained

_ALLOWED = 2_000_000  # bytes: what the allocator keeps for itself


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(line: str, calls: int) -> int:
    """Run a command that often, and return by how many bytes the memory grew after the first fifth."""
    before = 0
    for number in range(calls):
        if number == calls // 5:
            before = resident()
        said = said_by(line)
        if said:
            raise SystemExit(f"palmette {line}: {said}")
    return resident() - before


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=500, help="calls of every command (default: 500)")
    parser.add_argument("--only", default="", help="only models whose name has this in it")
    given = parser.parse_args()
    grew = False
    for model in trained(ROOT / "build" / "faults"):
        if given.only not in model.name:
            continue
        for line in model.uses:
            Path(model.file).write_bytes(model.path.read_bytes())
            bytes_ = growth(line, given.calls)
            wrong = bytes_ > _ALLOWED
            grew = grew or wrong
            print(
                f"{bytes_ / 1e6:8.2f} MB in {given.calls:,} calls{' GROWS' if wrong else ''}: "
                f"palmette {line.replace(str(ROOT), '')}",
                flush=True,
            )
    raise SystemExit(int(grew))


if __name__ == "__main__":
    main()

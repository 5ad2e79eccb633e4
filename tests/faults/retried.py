"""Problems of learners that run out of memory once, and are asked again: `python tests/faults/retried.py LIBRARY`.

Every allocation of a first gradient fails in turn, in a problem of its own. What must hold: a MemoryError, and
then the gradient of a problem that never ran out of memory. Run it with `failing.c` preloaded; names choose kinds
of problems. It prints for each the allocations, the errors, and the wrong answers after them.
"""

from __future__ import annotations

import ctypes
import errno
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from faults.failing import KINDS
from samples.problem_cases import CASES


def asked(problem: Any, w: Any, g: Any) -> float:
    """Ask for the gradient at w."""
    return float(problem.gradient(w, g, False, 1))


def tried(faults: ctypes.CDLL, name: str) -> tuple[int, int, int]:
    """Let each call fail: how many there were, how many errors they made, and how many other answers then."""
    case = CASES[name]()
    w, g = case.random_weights(), np.empty(case.problem.n_weights, np.float32)
    right = asked(CASES[name]().problem, w, g), g.tobytes()
    faults.fault_arm(KINDS["allocations"], -1, 0)
    asked(case.problem, w, g)
    calls, errors, wrong = faults.fault_disarm(), 0, 0
    for number in range(calls):
        problem = CASES[name]().problem
        faults.fault_arm(KINDS["allocations"], number, errno.ENOMEM)
        try:
            asked(problem, w, g)
        except MemoryError:
            errors += 1
        finally:
            faults.fault_disarm()
        wrong += (asked(problem, w, g), g.tobytes()) != right
    return calls, errors, wrong


def main(library: str, *names: str) -> None:
    """Try these kinds of problems, or all that are native: NumPy has faults of its own where memory runs out."""
    faults = ctypes.CDLL(library)
    faults.fault_least.argtypes = [ctypes.c_size_t]
    faults.fault_least(16)
    for name in names or [name for name in CASES if "python" not in name]:
        if "marginals" in CASES[name]().problem.offers:
            print(name, *tried(faults, name), sep="\t", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Weights that are unpacked while memory runs out: `python tests/faults/unpacked.py LIBRARY`.

Those of a model file, and those that a batch learner moves. Every allocation fails in turn. What must hold: a
MemoryError, or the weights; and the interpreter goes on. Run it with `failing.c` preloaded; it prints for each the
allocations, the errors, and the wrong answers.
"""

from __future__ import annotations

import ctypes
import errno
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from faults.failing import KINDS
from palmette.formats.model import ModelFile
from palmette.learning.loglinear import Packed
from palmette.tools.packed_rows import pack_rows, unpack_rows


def of_a_model() -> Callable[[], Any]:
    """The weights of a table in which each takes one byte."""
    table = np.random.default_rng(0).integers(-3, 4, (2000, 50)).astype(np.float32) / 4
    table[:, ::2] = 0
    model = ModelFile("tagger", {}, pack_rows("w", table), {})
    return lambda: unpack_rows(model, "w", table.shape).values  # type: ignore[union-attr]


def of_a_learner() -> Callable[[], Any]:
    """Some weights of a problem."""
    problem: Any = SimpleNamespace(n_weights=100_000)
    packed = Packed(problem, np.arange(0, problem.n_weights, 2))
    x = np.random.default_rng(0).normal(size=problem.n_weights // 2)
    return lambda: packed.unpack(x)


def tried(faults: ctypes.CDLL, unpack: Callable[[], Any]) -> tuple[int, int, int]:
    """Let each call fail: how many there were, how many errors they made, and how many other answers."""
    right = unpack().tobytes()
    faults.fault_arm(KINDS["allocations"], -1, 0)
    unpack()
    calls, errors, wrong = faults.fault_disarm(), 0, 0
    for number in range(calls):
        faults.fault_arm(KINDS["allocations"], number, errno.ENOMEM)
        found = None
        try:
            found = unpack()
        except MemoryError:
            errors += 1
        finally:
            faults.fault_disarm()
        wrong += found is not None and found.tobytes() != right
    return calls, errors, wrong


def main(library: str) -> None:
    """Try both."""
    faults = ctypes.CDLL(library)
    for make in (of_a_model, of_a_learner):
        print(make.__name__, *tried(faults, make()), sep="\t", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

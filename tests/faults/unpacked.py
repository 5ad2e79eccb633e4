"""A table of weights of a model file, unpacked while memory runs out: `python tests/faults/unpacked.py LIBRARY`.

Every allocation fails in turn. What must hold: a MemoryError, or the table; and the interpreter goes on. Run it
with `failing.c` preloaded; it prints the allocations, the errors, and the wrong tables.
"""

from __future__ import annotations

import ctypes
import errno
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from faults.failing import KINDS
from palmette.formats.model import ModelFile
from palmette.tools.packed_rows import Entries, pack_rows, unpack_rows


def main(library: str) -> None:
    """Unpack a table whose weights take one byte each, once for every allocation."""
    faults = ctypes.CDLL(library)
    table = np.random.default_rng(0).integers(-3, 4, (2000, 50)).astype(np.float32) / 4
    table[:, ::2] = 0
    model = ModelFile("tagger", {}, pack_rows("w", table), {})
    right = unpack_rows(model, "w", table.shape)
    assert isinstance(right, Entries)
    faults.fault_arm(KINDS["allocations"], -1, 0)
    unpack_rows(model, "w", table.shape)
    calls, errors, wrong = faults.fault_disarm(), 0, 0
    for number in range(calls):
        faults.fault_arm(KINDS["allocations"], number, errno.ENOMEM)
        try:
            found = unpack_rows(model, "w", table.shape)
        except MemoryError:
            errors += 1
        else:
            wrong += not (isinstance(found, Entries) and np.array_equal(found.values, right.values))
        finally:
            faults.fault_disarm()
    print(calls, errors, wrong, sep="\t", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

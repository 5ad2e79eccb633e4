"""`textbook.cpp`, compiled when it is needed and called through ctypes."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.measuring.row import UnavailableError
from palmette.tools.constituency.pcfg.chart_batch import SentenceBatch
from palmette.tools.constituency.pcfg.grammar import TreeGrammar

_SOURCE = Path(__file__).with_name("textbook.cpp")


def best_scores(grammar: TreeGrammar, batch: SentenceBatch) -> npt.NDArray[np.float32]:
    """The log-probability of the best tree of every sentence; -inf where there is none."""
    scores = np.zeros(len(batch.lengths), dtype=np.float32)
    binary, unary = np.ascontiguousarray(grammar.binary), np.ascontiguousarray(grammar.unary)
    library().best_scores(
        ctypes.c_int32(len(grammar.names)),
        ctypes.c_int32(grammar.root),
        ctypes.c_int64(binary.shape[1]),
        _pointer(binary),
        _pointer(grammar.binary_weights),
        ctypes.c_int64(unary.shape[1]),
        _pointer(unary),
        _pointer(grammar.unary_weights),
        ctypes.c_int64(len(scores)),
        *[_pointer(array) for array in batch.arrays()],
        _pointer(scores),
    )
    return scores


def _pointer(array: npt.NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


@cache
def library() -> ctypes.CDLL:
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is None:
        raise UnavailableError("there is no C++ compiler for the textbook's CKY; name one with CXX")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "textbook.so"
        flags = ["-std=c++20", "-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(_SOURCE), "-o", str(path)], check=True)
        return ctypes.CDLL(str(path))  # loaded before the folder goes

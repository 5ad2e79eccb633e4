"""The sums by `loop.cpp`, compiled when it is needed and called through ctypes."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.cky.problem import Floats, Problem
from benchmarks.measuring.row import UnavailableError

_SOURCE = Path(__file__).with_name("loop.cpp")


class _Rules(ctypes.Structure):
    """Rules grouped by one of their labels, as loop.cpp has them."""

    _fields_ = tuple((name, ctypes.c_void_p) for name in ("start", "first", "second", "weight"))


def log_space(problem: Problem) -> tuple[Floats, Floats]:
    """A sum of exponentials below the greatest term, cell by cell."""
    return _run("log_space", problem, problem.rule_scores, -np.inf)


def rescaled(problem: Problem) -> tuple[Floats, Floats]:
    """Plain sums of products; every span is brought back to a greatest value of one."""
    return _run("rescaled", problem, np.exp(problem.rule_scores), 0.0)


def _run(name: str, problem: Problem, weights: Floats, nothing: float) -> tuple[Floats, Floats]:
    n, labels = problem.n_words, problem.n_labels
    head, left, right = problem.rules.T
    kept = []  # the arrays that the structures point to
    views = []
    for key, first, second in ((head, left, right), (left, head, right), (right, head, left)):
        order = np.argsort(key, kind="stable")
        start = np.searchsorted(key[order], np.arange(labels + 1)).astype(np.int32)
        arrays = (start, *(np.ascontiguousarray(a[order]) for a in (first, second, weights)))
        kept.append(arrays)
        views.append(_Rules(*(array.ctypes.data for array in arrays)))
    inside = np.full((n + 1, n + 1, labels), -np.inf)
    inside[np.arange(n), np.arange(1, n + 1)] = problem.word_scores
    outside = np.full_like(inside, nothing)
    _library()[name](
        ctypes.c_int32(n),
        ctypes.c_int32(labels),
        *(ctypes.byref(view) for view in views),
        ctypes.c_void_p(inside.ctypes.data),
        ctypes.c_void_p(outside.ctypes.data),
    )
    if nothing == 0.0:  # what the loops over spans do not reach
        i, k = np.tril_indices(n + 1)
        inside[i, k] = outside[i, k] = -np.inf
    return inside, outside


@cache
def _library() -> ctypes.CDLL:
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is None:
        raise UnavailableError("there is no C++ compiler for the loops to compare with; name one with CXX")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "loop.so"
        flags = ["-std=c++20", "-O3", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(_SOURCE), "-o", str(path)], check=True)
        return ctypes.CDLL(str(path))  # loaded before the folder goes

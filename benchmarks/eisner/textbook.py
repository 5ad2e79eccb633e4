"""`textbook.cpp`, compiled when it is needed and called through ctypes."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.measuring.row import UnavailableError

_SOURCE = Path(__file__).with_name("textbook.cpp")


def parse_all(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.int32]:
    """The heads of the best projective trees of sentences, [sentence, word]; scores are [sentence, head, word]."""
    sentences, width, _ = scores.shape
    heads = np.zeros((sentences, width - 1), dtype=np.int32)
    library().parse_all(
        ctypes.c_int32(width - 1),
        ctypes.c_int32(sentences),
        ctypes.c_void_p(scores.ctypes.data),
        ctypes.c_void_p(heads.ctypes.data),
    )
    return heads


@cache
def library() -> ctypes.CDLL:
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is None:
        raise UnavailableError("there is no C++ compiler for the textbook's Eisner; name one with CXX")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "textbook.so"
        flags = ["-std=c++20", "-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(_SOURCE), "-o", str(path)], check=True)
        return ctypes.CDLL(str(path))  # loaded before the folder goes

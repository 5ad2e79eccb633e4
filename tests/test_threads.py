"""More threads than a machine has room for, or than it can start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from faults.failing import KINDS, library

KERNEL = """
from palmette import Tree
from palmette.features.kernels import TreeKernel
kernel = TreeKernel(decay=0.4)
trees = kernel.prepare([Tree.parse("(S (NP (NN a)) (VP (VB b) (NP (NN c))))")] * 1000)
"""
FEW_ADDRESSES = """
import resource
limit = 3 << 30  # of addresses, of which every thread wants some megabytes
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
print(kernel.gram(trees, trees, n_jobs=3000).std() < 1e-9)
"""
FEW_THREADS = """
import ctypes, errno, sys
faults = ctypes.CDLL(sys.argv[1])
for started in (0, 1, 5):
    faults.fault_arm(int(sys.argv[2]), started, errno.EAGAIN)
    right = kernel.gram(trees, trees, n_jobs=8).std() < 1e-9
    print(right, faults.fault_disarm() > started)
"""


def test_many_jobs_want_no_more_threads_than_there_is_room_for() -> None:
    done = subprocess.run(
        [sys.executable, "-c", KERNEL + FEW_ADDRESSES], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_those_that_can_be_started_do_the_work(tmp_path: Path) -> None:
    try:
        made = str(library(tmp_path))
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        pytest.skip(f"the library that makes calls fail cannot be built: {error}")
    done = subprocess.run(
        [sys.executable, "-c", KERNEL + FEW_THREADS, made, str(KINDS["threads"])],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "LD_PRELOAD": made},
    )
    assert (done.returncode, done.stdout) == (0, "True True\n" * 3), done.stderr

"""More threads than a machine has room for."""

import subprocess
import sys

PROGRAM = """
import resource
from palmette import Tree
from palmette.features.kernels import TreeKernel
kernel = TreeKernel(decay=0.4)
trees = kernel.prepare([Tree.parse("(S (NP (NN a)) (VP (VB b) (NP (NN c))))")] * 4000)
limit = 3 << 30  # of addresses, of which every thread wants some megabytes
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
print(kernel.gram(trees, trees, n_jobs=3000).std() < 1e-9)
"""


def test_those_that_there_are_do_the_work() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr

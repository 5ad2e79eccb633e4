"""Feed the readers of text with what atheris finds, which looks for inputs that reach new lines of Python.

`python tests/faults/guided.py --executions 1000000` runs one process for each reader of `readers.py`; it needs the
package atheris (the readers in C++ have tools/fuzz-readers). Inputs that reach something new are kept in
build/fuzz/guided/, and those that show a fault in tests/faults/corpus/TARGET/, where the tests find them.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).parent / "corpus"
KEPT = ROOT / "build" / "fuzz" / "guided"
_MOST_BYTES = 4096
_SECONDS = 30  # after which one input is too slow


def explore(name: str, executions: int, seconds: int) -> None:
    """Explore one reader in this process, which ends with it; 77 where an input shows a fault."""
    atheris: Any = importlib.import_module("atheris")
    _import_from_source()
    with atheris.instrument_imports(include=["palmette"]):
        from faults.readers import READERS
        from faults.targets import problem
    target = next(reader for reader in READERS if reader.name == name)
    folder = KEPT / name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    for seed in target.seeds:
        (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed[:_MOST_BYTES])

    def run(data: bytes) -> None:
        wrong = problem(target.run, data)
        if wrong is None:
            return
        found = CORPUS / name.replace(" ", "-")
        found.mkdir(parents=True, exist_ok=True)
        (found / f"{hashlib.sha256(data).hexdigest()[:12]}.input").write_bytes(data)
        print(f"FAULT: {wrong[:300]}", flush=True)

    limits = [f"-runs={executions}", f"-max_len={_MOST_BYTES}", f"-timeout={_SECONDS}", "-rss_limit_mb=3000"]
    limits += [f"-max_total_time={seconds}"]
    atheris.Setup([sys.argv[0], *limits, "-print_final_stats=1", str(folder)], run)
    atheris.Fuzz()


def _import_from_source() -> None:
    """Import modules from their files: those that an editable install finds are not instrumented."""
    native = importlib.import_module("palmette._native").__file__
    for name in [name for name in sys.modules if name.partition(".")[0] == "palmette"]:
        if not name.startswith("palmette._"):
            del sys.modules[name]
    sys.meta_path = [finder for finder in sys.meta_path if "Redirecting" not in type(finder).__name__]
    sys.path.insert(0, str(ROOT / "src"))
    package = importlib.import_module("palmette")
    package.__path__.append(str(Path(str(native)).parent))


def main() -> None:
    """Explore what the command line asks for, and print a line for every reader."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=100_000, help="of each reader (default: 100000)")
    parser.add_argument("--seconds", type=int, default=0, help="of each reader at most (default: no limit)")
    parser.add_argument("--only", default="", help="only readers that have this in their name")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        explore(given.inside, given.executions, given.seconds)
        return
    from faults.readers import READERS

    wrong = False
    for reader in READERS:
        if given.only not in reader.name:
            continue
        line = [sys.executable, __file__, "--inside", reader.name, "--executions", str(given.executions)]
        line += ["--seconds", str(given.seconds)]
        done = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False, cwd=ROOT)
        said = done.stdout + done.stderr
        stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", said))
        faults = sorted(set(re.findall(r"FAULT: .*", said)))
        if done.returncode and not faults:
            faults = [said.strip().splitlines()[-1] if said.strip() else f"ended with {done.returncode}"]
        n, new = int(stats.get("number_of_executed_units", 0)), int(stats.get("new_units_added", 0))
        print(f"{reader.name:24} {n:9,} executions  {new:5,} new paths  {len(faults)} faults", flush=True)
        for fault in faults:
            wrong = True
            print(f"    {fault[:200]}", flush=True)
    raise SystemExit(int(wrong))


if __name__ == "__main__":
    main()

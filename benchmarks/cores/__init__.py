"""What it costs and gains that a wheel has its core several times, and chooses one at import.

Every core of a wheel beside the one that is built for this machine alone, on the same works. The wheel is the
newest in `dist/` or `build/` (`make dist`, `make test-wheel`).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.cores.work import WORKS
from benchmarks.data import corpus, treebank
from benchmarks.measuring.row import Row, UnavailableError, seconds_text

ROOT = Path(__file__).resolve().parents[2]
LEAST = 0.97  # of the speed of the core for this machine alone
NATIVE = "native"


def rows(quick: bool = False) -> Iterator[Row]:
    wheels = sorted(
        [*ROOT.glob("dist/*.whl"), *ROOT.glob("build/*.whl")], key=lambda path: path.stat().st_mtime
    )
    if not wheels:
        raise UnavailableError("there is no wheel in dist/ or build/: run `make dist` or `make test-wheel`")
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheels[-1]) as archive:
            archive.extractall(folder)
        variants = sorted(path.name for path in Path(folder, "palmette", "variants").iterdir())
        best = _best(folder)
        names = ["x86-64-v2", *(name for name in variants if name <= best), NATIVE]
        found = _measured(names, folder, 1 if quick else 7)
    for work in WORKS:
        seconds = {name: found[name][work] for name in names}
        yield Row(
            f"{work}: {best} of the wheel / the core for this machine alone",
            seconds[best],
            seconds[NATIVE],
            least_ratio=None if quick else LEAST,
            quality=", ".join(f"{name} {seconds_text(seconds[name])}" for name in names),
        )


def _measured(names: list[str], folder: str, rounds: int) -> dict[str, dict[str, float]]:
    """Return the least seconds of the processor by core and work. The cores take turns."""
    found: dict[str, dict[str, float]] = {name: {} for name in names}
    files = [str(treebank("ud_en_ewt", part)) for part in ("train", "test")]
    pairs = (f"mt_en_de_multi30k/train.tok.lc.{language}.gz" for language in ("en", "de"))
    files += map(str, corpus("chunk_en_conll2000/train.txt.gz", *pairs))
    for _ in range(rounds):
        for name in names:
            for work, seconds in _run(name, folder, files).items():
                found[name][work] = min(seconds, found[name].get(work, seconds))
    return found


def _run(name: str, folder: str, files: list[str]) -> dict[str, float]:
    environment = {key: value for key, value in os.environ.items() if key != "PALMETTE_CORE"}
    environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    command = [sys.executable, str(Path(__file__).with_name("work.py")), *files]
    if name != NATIVE:
        command.insert(1, "-S")  # no editable install comes first
        environment["PYTHONPATH"] = os.pathsep.join(
            [folder, *sysconfig.get_paths()["purelib"].split(os.pathsep)]
        )
        environment["PALMETTE_CORE"] = name
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _best(folder: str) -> str:
    """Return the core that a wheel chooses here."""
    packages = sysconfig.get_paths()["purelib"]
    command = [sys.executable, "-S", "-c", "from palmette.variants import active; print(active())"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([folder, packages])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()

"""A Dask scheduler that is killed in the middle of a training, which goes on with another one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from benchmarks.data import corpus
from benchmarks.measuring.row import Row

PASSES = 6
_SCHEDULER = "scheduler --host 127.0.0.1 --port 0 --no-dashboard --no-show --scheduler-file"
_WORKER = "worker --host 127.0.0.1 --nthreads 1 --no-dashboard --no-nanny --death-timeout 60 --scheduler-file"


def killed_scheduler(share: float) -> Iterator[Row]:
    """How long until a training says that its scheduler is gone, and how long the rest takes with another one."""
    if find_spec("distributed") is None:
        return
    (train,) = corpus("ud_en_ewt/train.conllu.gz")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        line = ["train", "tag", "--train", str(train), "--set", f"n_iter={PASSES}", "-q"]
        whole, model = folder / "whole.palm", folder / "model.palm"
        with _cluster(folder / "first.json") as _:
            began = time.perf_counter()
            code, said = _ended(_palmette(*line, "--cluster", str(folder / "first.json"), "-o", str(whole)))
            usual = time.perf_counter() - began
        if code:
            raise SystemExit(f"a training on Dask ended with {code}: {said}")
        line += ["-o", str(model), "--checkpoint-every", "0", "--cluster"]
        kept = Path(f"{model}.checkpoint")
        with _cluster(folder / "second.json") as scheduler:
            job = _palmette(*line, str(folder / "second.json"))
            while job.poll() is None and not kept.exists():
                time.sleep(0.01)
            os.kill(scheduler, signal.SIGKILL)
            began = time.perf_counter()
            code, said = _ended(job)
            noticed = time.perf_counter() - began
        clear = code == 1 and "--resume" in said and len(said.strip().splitlines()) <= 3 and kept.exists()
        yield Row(
            "a scheduler killed -9: until the error (by the clock)",
            noticed,
            quality="one sentence and a checkpoint" if clear else f"{code}, {said.strip()[-200:]}",
            holds=clear and not model.exists(),
        )
        with _cluster(folder / "third.json") as _:
            began = time.perf_counter()
            code, said = _ended(_palmette(*line, str(folder / "third.json"), "--resume"))
            took = time.perf_counter() - began
        same = code == 0 and model.read_bytes() == whole.read_bytes()
        yield Row(
            f"the rest of {PASSES} passes over EWT with another scheduler, beside all of them (by the clock)",
            took,
            usual,
            quality="the same bytes" if same else f"other bytes; {said.strip()[-200:]}",
            holds=same,
        )


@contextmanager
def _cluster(file: Path) -> Iterator[int]:
    """A scheduler and a worker in processes of their own; the number of the scheduler's."""
    with ExitStack() as stack:
        for line in (_SCHEDULER, _WORKER):
            verb, *options = line.split()
            one = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{verb}", *options, str(file)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=file.parent,
            )
            stack.callback(one.wait)
            stack.callback(one.kill)
            if line is _SCHEDULER:
                number = one.pid
        yield number


def _palmette(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "palmette", *words], stderr=subprocess.PIPE, text=True)


def _ended(job: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = job.communicate()
    return job.returncode, said

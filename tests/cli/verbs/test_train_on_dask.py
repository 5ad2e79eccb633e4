"""A scheduler of Dask that is killed in the middle of a training, which goes on with another one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from palmette.cli.training.checkpoints import Checkpoints

pytest.importorskip("distributed", reason="dask is not installed")
GARDEN = Path(__file__).parents[2] / "data" / "garden"
SCHEDULER = "scheduler --host 127.0.0.1 --port 0 --no-dashboard --no-show --scheduler-file"
WORKER = "worker --host 127.0.0.1 --nthreads 1 --no-dashboard --no-nanny --death-timeout 60 --scheduler-file"


@contextmanager
def scheduler_and_worker(file: Path) -> Iterator[int]:
    """Processes of their own; the number of the scheduler's, which writes its address to the file."""
    with ExitStack() as stack:
        for line in (SCHEDULER, WORKER):
            command = [sys.executable, "-m", "distributed.cli.dask_" + line.split()[0], *line.split()[1:]]
            log = stack.enter_context((file.parent / f"{line.split()[0]}.log").open("wb"))
            one = subprocess.Popen([*command, str(file)], stdout=log, stderr=log, cwd=file.parent)
            stack.callback(one.wait)
            stack.callback(one.kill)
            if line is SCHEDULER:
                number = one.pid
        yield number


def test_a_killed_scheduler(
    palmette: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ["train", "tag", "--train", GARDEN / "train.conllu", "--set", "n_iter=4", "--shards", "3", "-q"]
    whole, model = tmp_path / "whole.palm", tmp_path / "model.palm"
    assert palmette(*line, "--cluster", "local:1", "-o", whole).code == 0
    write, victims = Checkpoints._write, []

    def then(self: Checkpoints, course: Any) -> None:
        write(self, course)
        for number in victims:
            os.kill(number, signal.SIGKILL)
        victims.clear()

    monkeypatch.setattr(Checkpoints, "_write", then)
    for k, more in enumerate(([], ["--resume"])):
        file = tmp_path / f"scheduler{k}.json"
        with scheduler_and_worker(file) as number:
            victims[:] = [] if more else [number]
            result = palmette(*line, *more, "--cluster", file, "-o", model, "--checkpoint-every", "0")
        if not more:
            assert result.code == 1
            assert "the connection to the Dask scheduler" in result.err
            assert f"with --resume it goes on from {model}.checkpoint" in result.err
            assert not model.exists()
    assert (result.code, result.err) == (0, "")
    assert model.read_bytes() == whole.read_bytes()
    assert not Path(f"{model}.checkpoint").exists()

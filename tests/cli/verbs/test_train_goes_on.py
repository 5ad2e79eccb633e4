"""Trainings that are killed and go on: the same bytes as if nothing had happened."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from palmette.cli import progress
from palmette.cli.progress import Progress
from palmette.cli.training import checkpoints
from palmette.cli.training.checkpoints import Checkpoints
from palmette.cluster import EngineError, Threads
from palmette.course import follow
from palmette.learning.loop import Pass, run_passes
from samples.on_engines.tiny_models import TOOLS

GARDEN = Path(__file__).parents[2] / "data" / "garden"
TRAININGS = {
    "tag": ["tag", "--train", GARDEN / "train.conllu", "--dev", GARDEN / "dev.conllu", "--set", "n_iter=4"],
    "tag lbfgs": ["tag", "--train", GARDEN / "train.conllu", "--learner", "crf", "--set", "method=lbfgs"],
    "depparse": ["depparse", "--train", GARDEN / "train.conllu", "--learner", "mira", "--set", "n_iter=3"],
    "transition": ["depparse", "--train", GARDEN / "train.conllu", "--method", "transition"],
    "classify": ["classify", "--train", GARDEN / "train.questions.tsv"],
    "parse": ["parse", "--train", GARDEN / "train.mrg", "--method", "features"],
}
NETWORK = "size=6 words=6 width=4 letter_size=4 affixes=2 n_iter=5".split()
OF_HISTORY = "size=6 words=6 letters=4 n_iter=5".split()
NETWORKS = {
    "network": [
        "tag",
        "--train",
        GARDEN / "train.conllu",
        "--dev",
        GARDEN / "dev.conllu",
        "--scorer",
        "neural",
    ],
    "network of trees": ["depparse", "--train", GARDEN / "train.conllu", "--scorer", "neural"],
    "network of histories": ["history", "--train", GARDEN / "train.conllu"],
}
for _name, _line in NETWORKS.items():
    for _setting in OF_HISTORY if _name.endswith("histories") else NETWORK:
        _line += ["--set", _setting]


class Killed(BaseException):
    """The power is gone."""


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Ends a training just after its n-th checkpoint."""
    write = Checkpoints._write

    def after(n: int) -> None:
        left = [n]

        def then(self: Checkpoints, course: Any) -> None:
            write(self, course)
            left[0] -= 1
            if not left[0]:
                raise Killed

        monkeypatch.setattr(Checkpoints, "_write", then)

    return after


@pytest.mark.parametrize("name", [*TRAININGS, *NETWORKS, "align", "diagonal", "hmm", "induce"])
def test_killed_trainings_end_the_same(
    palmette: Callable[..., Any], killed: Callable[[int], None], tmp_path: Path, name: str
) -> None:
    if name in NETWORKS:
        pytest.importorskip("torch")
        line = NETWORKS[name]
    elif name in TRAININGS:
        line = TRAININGS[name]
    else:
        tool = "align" if name in ("diagonal", "hmm") else name
        file, data, options = TOOLS[tool]
        options = ["--method", name] if tool != name else options
        (tmp_path / file).write_text(data)
        line = [tool, "--train", tmp_path / file, *options]
    whole, model = tmp_path / "whole.palm", tmp_path / "model.palm"
    checkpoint = tmp_path / "model.palm.checkpoint"
    assert palmette("train", *line, "-o", whole).code == 0
    for n in (1, 4):
        killed(n)
        try:
            palmette("train", *line, "-o", model, "--checkpoint-every", "0", "-q")
        except Killed:
            assert checkpoint.exists()
        killed(1000)
        result = palmette("train", *line, "-o", model, "--checkpoint-every", "0", "--resume")
        assert result.code == 0, result.err
        assert model.read_bytes() == whole.read_bytes()
        assert not checkpoint.exists()


def test_kill_9(tmp_path: Path) -> None:
    line = [*map(str, TRAININGS["tag"]), "-o", str(tmp_path / "model.palm"), "--checkpoint-every", "0", "-q"]
    program = (
        "import os, sys\n"
        "from palmette.cli import main\n"
        "from palmette.cli.training.checkpoints import Checkpoints\n"
        "write = Checkpoints._write\n"
        "def then(self, course):\n"
        "    write(self, course)\n"
        "    os.kill(os.getpid(), 9)\n"
        "Checkpoints._write = then\n"
        "main(sys.argv[1:])\n"
    )
    done = subprocess.run([sys.executable, "-c", program, "train", *line], env=dict(os.environ), check=False)
    assert done.returncode == -signal.SIGKILL
    assert [path.name for path in tmp_path.iterdir()] == ["model.palm.checkpoint"]


@pytest.fixture
def checkpoint(palmette: Callable[..., Any], killed: Callable[[int], None], tmp_path: Path) -> Path:
    killed(1)
    with pytest.raises(Killed):
        palmette("train", *TRAININGS["tag"], "-o", tmp_path / "model.palm", "--checkpoint-every", "0")
    killed(1000)
    return tmp_path / "model.palm.checkpoint"


def test_a_checkpoint_of_another_training_is_refused(palmette: Callable[..., Any], checkpoint: Path) -> None:
    model = checkpoint.with_suffix("")
    result = palmette("train", *TRAININGS["tag"], "--seed", "5", "-o", model, "--resume")
    assert result.code == 2
    assert "is of another training (seed was 0, and is 5)" in result.err
    damaged = checkpoint.read_bytes()
    checkpoint.write_bytes(damaged[:-50])
    result = palmette("train", *TRAININGS["tag"], "-o", model, "--resume")
    assert "the checkpoint is damaged" in result.err
    head = damaged[: damaged.index(b"\n", 25) + 1]
    checkpoint.write_bytes(head + b"cposix\nsystem\n(S'touch pwned'\ntR.")
    assert (
        "does not belong into a checkpoint"
        in palmette("train", *TRAININGS["tag"], "-o", model, "--resume").err
    )
    checkpoint.write_bytes(b"something")
    assert "not a checkpoint" in palmette("train", *TRAININGS["tag"], "-o", model, "--resume").err
    assert not model.exists()


def test_changed_input_is_refused(
    palmette: Callable[..., Any], killed: Callable[[int], None], tmp_path: Path
) -> None:
    train = tmp_path / "train.conllu"
    train.write_bytes((GARDEN / "train.conllu").read_bytes())
    line = ["train", "tag", "--train", train, "-o", tmp_path / "m.palm", "--checkpoint-every", "0"]
    killed(1)
    with pytest.raises(Killed):
        palmette(*line)
    killed(1000)
    assert "--resume goes on from it" in palmette(*line).err
    killed(1)
    with pytest.raises(Killed):
        palmette(*line)
    train.write_bytes((GARDEN / "dev.conllu").read_bytes())
    assert "train.conllu has changed" in palmette(*line, "--resume").err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--checkpoint-every", "soon"], "expected a time such as 30s, 5m or 2h, or never"),
        (["--memory", "lots"], "expected a size such as 500M or 2G"),
        (["--cluster", "grid"], "is not the address of a cluster"),
    ],
)
def test_bad_options(palmette: Callable[..., Any], tmp_path: Path, options: list[str], sentence: str) -> None:
    result = palmette("train", *TRAININGS["tag"], "-o", tmp_path / "m.palm", *options)
    assert result.code != 0
    assert sentence in result.err
    assert not list(tmp_path.iterdir())


def test_a_lost_engine_says_what_happened(
    palmette: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reduce, left = Threads.reduce, [0]

    def lost(self: Threads, *args: Any, **named: Any) -> Any:
        left[0] -= 1
        if not left[0]:
            raise EngineError("the workers are gone")
        return reduce(self, *args, **named)

    monkeypatch.setattr(Threads, "reduce", lost)
    model = tmp_path / "model.palm"
    line = ["train", *TRAININGS["tag"], "-o", model, "--cluster", "local:2", "-q"]
    for every, more in (
        (["--checkpoint-every", "never"], ""),
        ([], f"; with --resume it goes on from {model}"),
    ):
        left[0] = 3
        result = palmette(*line, *every)
        assert (result.code, result.out) == (1, "")
        assert result.err.strip().removesuffix(".checkpoint") == f"palmette: the workers are gone{more}"
    assert palmette(*line, "--resume").code == 0
    left[0] = 0
    assert palmette(*line, "-o", tmp_path / "whole.palm").code == 0
    assert model.read_bytes() == (tmp_path / "whole.palm").read_bytes()


def test_a_checkpoint_that_cannot_be_written(
    palmette: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    lines: list[str] = []
    monkeypatch.setattr(checkpoints, "write_atomically", full)
    monkeypatch.setattr(progress, "_log", lines.append)
    model = tmp_path / "model.palm"
    assert palmette("train", *TRAININGS["tag"], "-o", model, "--checkpoint-every", "0").code == 0
    assert (
        f"no checkpoint could be written ({model}.checkpoint: no space left on device); the training goes on"
        in lines
    )
    assert list(tmp_path.iterdir()) == [model]


@pytest.mark.parametrize(
    ("every", "times"),
    [
        (None, range(600, 7261, 300)),  # ten minutes, and then every five
        ("never", []),
        ("1h", [3600, 7200]),
        ("0", range(60, 7261, 60)),
    ],
)
def test_when_checkpoints_are_written(tmp_path: Path, every: str | None, times: Sequence[int]) -> None:
    now, found = [0], []
    one = Checkpoints(tmp_path / "m.palm", {}, every, Progress(quiet=True), clock=lambda: 1e6 + now[0])

    def passes(state: Any) -> Iterator[Pass[None]]:
        for minute in range(1, 122):
            now[0] = 60 * minute
            yield Pass({}, lambda: None, state=minute)
            if one.path.exists():
                found.append(now[0])
                one.path.unlink()

    with follow(one.course(resume=False)):
        run_passes(passes)
    assert found == list(times)


@pytest.mark.parametrize("name", ["model1", "diagonal", "hmm", "induce"])
def test_counts_on_a_cluster(palmette: Callable[..., Any], tmp_path: Path, name: str) -> None:
    file, data, options = TOOLS["induce" if name == "induce" else "align"]
    (tmp_path / file).write_text(data * 3)
    line = ["train", "induce" if name == "induce" else "align", "--train", tmp_path / file]
    line += options if name == "induce" else ["--method", name]
    for cluster in ("local:1", "processes:2"):
        model = tmp_path / f"{cluster[:5]}.palm"
        result = palmette(*line, "--cluster", cluster, "--shards", "4", "-o", model, "-q")
        assert (result.code, result.err) == (0, "")
    assert (tmp_path / "local.palm").read_bytes() == (tmp_path / "proce.palm").read_bytes()


def test_training_on_a_cluster(palmette: Callable[..., Any], tmp_path: Path) -> None:
    line = ["train", *TRAININGS["tag"], "--shards", "4", "-q"]
    for cluster in ("local:2", "processes:2"):
        result = palmette(*line, "--cluster", cluster, "-o", tmp_path / f"{cluster[:5]}.palm")
        assert (result.code, result.err) == (0, "")
    assert (tmp_path / "local.palm").read_bytes() == (tmp_path / "proce.palm").read_bytes()
    refused = palmette("train", *TRAININGS["transition"], "--cluster", "local:2", "-o", tmp_path / "x.palm")
    assert "take --method graph" in refused.err
    trees = ["train", "parse", "--train", GARDEN / "train.mrg", "--method", "pcfg", "-o", tmp_path / "x.palm"]
    assert "'pcfg' trains on one machine" in palmette(*trees, "--cluster", "local:2").err
    tokens = ["train", "tokens", "--train", GARDEN / "train.conllu", "-o", tmp_path / "x.palm"]
    assert "tokens trains on one machine" in palmette(*tokens, "--cluster", "local:2").err
    assert not (tmp_path / "x.palm").exists()
    text = ["train", "lm", "--train", GARDEN / "train.txt", "--order", "2"]
    assert palmette(*text, "--cluster", "processes:2", "-o", tmp_path / "x.palm").code == 0
    assert palmette(*text, "-o", tmp_path / "y.palm").code == 0
    assert (tmp_path / "x.palm").read_bytes() == (tmp_path / "y.palm").read_bytes()

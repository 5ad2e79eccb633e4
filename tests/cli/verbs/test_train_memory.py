"""`palmette train … --memory`: what does not fit ends in one sentence that says how much would."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palmette.cli.training.memory import expected, ran_out, text_size

pytest.importorskip("resource", reason="this system has no limits of resources")
GARDEN = Path(__file__).parents[2] / "data" / "garden"
TRAIN = (GARDEN / "train.conllu").read_text()
SENTENCE = re.compile(r"palmette: (--memory \S+ is too little: .*|the training needs more than .*)\n")
LIMITED = (
    "import sys\n"
    "from palmette.cli.training.memory import limited, MemoryLimitError\n"
    "try:\n"
    "    with limited('400M', 'tag', {}):\n"
    "        %s\n"
    "except MemoryLimitError as error:\n"
    "    print(error)\n"
)


def run(*arguments: Any) -> tuple[int, str]:
    """The exit code of a command in a process of its own, and what it said."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False
    )
    assert not done.stdout or arguments[0] == "-c"
    return done.returncode, done.stderr + done.stdout


def test_sizes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.txt").write_bytes(b"x" * 1000)
    (tmp_path / "a" / "c.txt.gz").write_bytes(gzip.compress(b"x" * 50_000))
    (tmp_path / "a" / "d.gz").write_bytes(b"x")
    assert text_size(tmp_path / "a" / "c.txt.gz") == 50_000
    assert text_size(tmp_path) == 51_001
    assert text_size(Path("-")) == text_size(tmp_path / "nothing") == 0
    of_one = expected("tag", {"train": tmp_path / "a" / "b.txt"})
    both = {"train": [tmp_path / "a" / "b.txt", tmp_path / "a" / "c.txt.gz"], "dev": tmp_path / "a" / "b.txt"}
    assert expected("tag", both) - of_one == 50 * of_one


@pytest.mark.parametrize(
    "wrong",
    [
        MemoryError(),
        ImportError("libx.so: failed to map segment from shared object"),
        RuntimeError("can't start new thread"),
        OSError(12, "Cannot allocate memory"),
        RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory"),
    ],
)
def test_what_means_that_memory_ran_out(wrong: Exception) -> None:
    assert ran_out(wrong)
    behind = ValueError("nothing was found")
    behind.__cause__ = wrong
    assert ran_out(behind)


@pytest.mark.parametrize("other", [ValueError("out of range"), OSError(2, "No such file or directory")])
def test_what_means_something_else(other: Exception) -> None:
    assert not ran_out(other)


def test_memory_is_limited() -> None:
    code, told = run("-c", LIMITED % "import numpy; held = [numpy.ones(10_000_000) for _ in range(100)]")
    assert (code, told) == (
        0,
        "the training needs more than --memory 400M: give 600.0 MB or more, or less input\n",
    )
    code, told = run("-c", LIMITED % "raise ValueError('something else')")
    assert code == 1
    assert "ValueError: something else" in told


@pytest.mark.parametrize("cluster", [[], ["--cluster", "processes:2"]], ids=["one", "processes"])
@pytest.mark.parametrize("size", ["1K", "60M", "80M"])
def test_too_little_to_begin_with(tmp_path: Path, size: str, cluster: list[str]) -> None:
    line = ["train", "tag", "--train", GARDEN / "train.conllu", "-o", tmp_path / "m.palm", "--memory", size]
    code, told = run("-m", "palmette", *line, *cluster, "-q")
    assert code == 1
    assert re.fullmatch(
        r"palmette: --memory \S+ is too little: Palmette takes \S+ MB before it reads anything, and this training "
        r"about \S+ MB in all\n",
        told,
    )
    assert not list(tmp_path.iterdir())


TOOLS = {
    "tag": (["tag"], "x.conllu", TRAIN),
    "spans": (["spans"], "x.txt", (GARDEN / "train.chunks.txt").read_text()),
    "parse": (["parse", "--method", "pcfg"], "x.mrg", (GARDEN / "train.mrg").read_text()),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_every_limit_is_kept_or_refused(tmp_path: Path, tool: str) -> None:
    """Less and less memory: at first a model, then one sentence; the need that it tells is enough."""
    words, name, text = TOOLS[tool]
    (tmp_path / name).write_text(text * max(1, 400_000 // len(text)))
    line = ["-m", "palmette", "train", *words, "--train", tmp_path / name, "-o", tmp_path / "m.palm", "-q"]
    wanted = "80M"  # Palmette itself takes 90 MB or more
    refused = 0
    for _ in range(8):
        code, told = run(*line, "--memory", wanted)
        if not code:
            break
        refused += 1
        assert (code, bool(SENTENCE.fullmatch(told))) == (1, True), told
        assert not (tmp_path / "m.palm").exists()
        found = re.findall(r"(?:about|give) ([\d.]+) ([MG])B", told)
        assert found, told
        wanted = "".join(found[-1])
    assert told == ""
    assert 1 <= refused < 5


def test_a_checkpoint_goes_on_with_more_memory(palmette: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(TRAIN)
    program = (
        "import os, sys\n"
        "from palmette.cli import main\n"
        "from palmette.learning.loop import _Run\n"
        "take = _Run._take\n"
        "def greedy(self, number, one):\n"
        "    take(self, number, one)\n"
        "    if number == 3:\n"
        "        held = [bytearray(10_000_000) for _ in range(1000)]\n"
        "_Run._take = greedy\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    line = ["train", "tag", "--train", tmp_path / "x.conllu", "--checkpoint-every", "0", "-q"]
    model = tmp_path / "m.palm"
    code, told = run("-c", program, *line, "-o", model, "--memory", "500M")
    assert code == 1
    assert told.endswith(f"or less input; with --resume it goes on from {model}.checkpoint\n")
    assert run("-m", "palmette", *line, "-o", model, "--memory", "2G", "--resume") == (0, "")
    assert palmette(*line, "-o", tmp_path / "whole.palm").code == 0
    assert model.read_bytes() == (tmp_path / "whole.palm").read_bytes()

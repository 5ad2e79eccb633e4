"""A short run of the campaign of `make faults`: damaged text and models, failing writes, too little memory."""

from __future__ import annotations

import mmap
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from faults import kills, leaking, leaks, retried, unpacked
from faults.campaign import CORPUS
from faults.failing import library, run_preloaded
from faults.models import models
from faults.readers import READERS
from faults.targets import Target, problem
from palmette import LanguageModel

pytestmark = pytest.mark.filterwarnings("ignore")
N_INPUTS = 150
PRELOADS = sys.platform.startswith("linux") and "LD_PRELOAD" not in os.environ and shutil.which("cc")


def check(target: Target, numbers: range) -> None:
    wrong = {number: problem(target.run, target.input(number)) for number in numbers}
    assert not {number: text for number, text in wrong.items() if text}


@pytest.mark.native
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_damaged_text_is_read_or_refused_in_a_sentence(reader: Target) -> None:
    for seed in reader.seeds:
        reader.run(seed)
    check(reader, range(N_INPUTS))


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_what_showed_a_fault_once_shows_none(reader: Target) -> None:
    for path in sorted((CORPUS / reader.name.replace(" ", "-")).glob("*.input")):
        assert problem(reader.run, path.read_bytes()) is None, path.name


# The fewest small inputs that reach all of a reader in C++, as libFuzzer found them; names of tools/fuzz-readers.
NATIVE = {"conllu-words": "words of conllu", "phrase-table": "moses table"}


@pytest.mark.native
@pytest.mark.parametrize("path", sorted((CORPUS / "native").glob("*.zip")), ids=lambda path: path.stem)
def test_inputs_that_reach_all_of_a_reader(path: Path) -> None:
    name = NATIVE.get(path.stem, path.stem.replace("-", " "))
    (reader,) = [reader for reader in READERS if reader.name == name]
    with zipfile.ZipFile(path) as kept:
        assert len(kept.namelist()) > 20
        for one in kept.namelist():
            assert problem(reader.run, kept.read(one)) is None, one


def test_damaged_models_are_used_or_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for target in models(tmp_path, most=1):
        check(target, range(60))


def test_killed_trainings_go_on(tmp_path: Path) -> None:
    line = [sys.executable, str(Path(kills.__file__)), "--moments", "3", "--only", "train tag"]
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 trainings killed" in done.stdout


@pytest.mark.skipif(
    not PRELOADS, reason="needs Linux and a C compiler, and no other library that is preloaded"
)
def test_problems_that_ran_out_of_memory_are_right_again(tmp_path: Path) -> None:
    made = str(library(tmp_path))
    names = [
        "chain with everything",
        "arcs with siblings",
        "anchored rules 3",
        "transitions, arc-eager, 1 groups",
    ]
    line = [sys.executable, str(Path(retried.__file__)), made, *names, "ranking 1", "factored"]
    environment = {**os.environ, "LD_PRELOAD": made, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    rows = [row.split("\t") for row in done.stdout.splitlines()]
    assert len(rows) == 6
    for name, calls, _, wrong in rows:
        assert int(calls) > 5, name
        assert int(wrong) == 0, name


@pytest.mark.skipif(
    not PRELOADS, reason="needs Linux and a C compiler, and no other library that is preloaded"
)
def test_weights_are_unpacked_or_memory_runs_out(tmp_path: Path) -> None:
    made = str(library(tmp_path))
    line = [sys.executable, str(Path(unpacked.__file__)), made]
    environment = {**os.environ, "LD_PRELOAD": made, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    rows = [row.split("\t") for row in done.stdout.splitlines()]
    assert [name for name, *_ in rows] == ["of_a_model", "of_a_learner"]
    for _, calls, errors, wrong in rows:
        assert int(calls) > 0
        assert (int(errors) > 0, int(wrong)) == (True, 0)


def test_a_leak_is_noticed(tmp_path: Path) -> None:
    kept: list[mmap.mmap] = []  # other memory may be there already

    def leak() -> None:
        kept.append(mmap.mmap(-1, 100_000))
        kept[-1].write(b"x" * 100_000)

    grown, calls = leaks.growth(leak, 50)
    assert calls == 50
    assert grown > leaks._ALLOWED
    path = tmp_path / "lm.palm"
    LanguageModel.fit(["the dog sleeps", "the cat sees a dog"], order=2).save(path)
    for name, call in leaking.methods(path):
        grown, calls = leaks.growth(call, 200)
        assert grown < leaks._ALLOWED, name


def test_a_fault_is_noticed() -> None:
    def broken(data: bytes) -> None:
        raise KeyError("x")

    assert problem(broken, b"") == "KeyError: 'x'"
    assert problem(lambda data: data.decode("utf-8"), b"\xff") is not None
    assert problem(int, b"x") is None


@pytest.mark.skipif(
    not PRELOADS, reason="needs Linux and a C compiler, and no other library that is preloaded"
)
@pytest.mark.parametrize("kind", ["writes", "allocations"])
def test_failing_calls(kind: str) -> None:
    printed = run_preloaded(kind, most=3, commands=2)
    assert "FAULT" not in printed, printed
    assert printed.count("faults in") == 2, printed

"""The program as a process: exit codes, clean streams, closed pipes, and what it does not import."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
WITH_TOY = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from samples import toy_tool; "
    "from palmette.cli import main; from palmette.tools import register; register(toy_tool.TOOL); sys.exit(main())"
)


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "palmette", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, **options)


def toy_line(*arguments: object) -> list[str]:
    return [sys.executable, "-c", WITH_TOY, str(TESTS), *map(str, arguments)]


def test_exit_codes_and_streams(model: Path, tmp_path: Path) -> None:
    well = run("inspect", model, "--json")
    assert (well.returncode, well.stderr) == (0, "")
    wrong = run("inspect", tmp_path / "missing.palm")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr == f"palmette: {tmp_path / 'missing.palm'}: no such file or directory\n"
    assert run("inspect").returncode == 2


def test_debugging_shows_the_traceback(tmp_path: Path) -> None:
    result = run("inspect", tmp_path / "missing.palm", env=os.environ | {"PALMETTE_DEBUG": "1"})
    assert result.returncode == 1
    assert "Traceback" in result.stderr


def test_the_installed_program() -> None:
    result = subprocess.run(
        [Path(sys.executable).with_name("palmette"), "--version"], capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("line", ["--help", "convert --help", "convert --list"])
def test_help_imports_nothing_large(line: str) -> None:
    code = (
        f"import sys; from palmette.cli import main; main({line.split()}); "
        "print(*{'numpy', 'scipy', 'rich.progress', 'torch'} & set(sys.modules), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "\n")


def test_a_reader_that_has_seen_enough(text: Path, tmp_path: Path) -> None:
    subprocess.run(toy_line("train", "count", "--train", text, "-o", tmp_path / "c.palm"), check=True)
    (tmp_path / "long.txt").write_text("rose " * 100_000)
    process = subprocess.Popen(
        toy_line("predict", tmp_path / "c.palm", tmp_path / "long.txt"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(12) == b"rose\tcommon\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk(model: Path) -> None:
    with Path("/dev/full").open("w") as full:
        line = [sys.executable, "-m", "palmette", "inspect", str(model)]
        result = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (result.returncode, result.stderr) == (1, "palmette: standard output: no space left on device\n")


@pytest.mark.parametrize("quiet", [False, True])
def test_progress_of_training(text: Path, tmp_path: Path, quiet: bool) -> None:
    """Bars and notes on a terminal, plain lines elsewhere; nothing at all when quiet."""
    flags = ["--quiet"] if quiet else []
    line = toy_line("train", "count", "--train", text, "-o", tmp_path / "c.palm", *flags)
    plain = subprocess.run(line, capture_output=True, text=True)
    assert (plain.returncode, plain.stdout) == (0, "")
    saved = "" if quiet else f"saved {tmp_path / 'c.palm'} ({(tmp_path / 'c.palm').stat().st_size} B)\n"
    assert plain.stderr == saved

    code, out, seen = on_terminal(line)
    assert (code, out) == (0, b"")
    assert (b"Counting" in seen, b"saved" in seen) == (not quiet, not quiet)


@pytest.mark.parametrize("quiet", [False, True])
def test_progress_of_prediction(tmp_path: Path, quiet: bool) -> None:
    """A bar on a terminal, unless the predictions go there too; nothing elsewhere."""
    (tmp_path / "x.txt").write_text("Time flies.\n")
    line = [sys.executable, "-m", "palmette", "predict", "en", str(tmp_path / "x.txt"), *["-q"] * quiet]
    plain = subprocess.run(line, capture_output=True)
    assert (plain.returncode, plain.stderr) == (0, b"")
    code, out, seen = on_terminal(line)
    assert (code, out) == (0, plain.stdout)
    assert (b"12 B of 12 B" in seen) is not quiet


def on_terminal(line: list[str]) -> tuple[int, bytes, bytes]:
    """Exit code, standard output, and what a terminal shows that is standard error."""
    ours, theirs = pty.openpty()
    shown = subprocess.run(
        line, stdout=subprocess.PIPE, stderr=theirs, env=os.environ | {"TERM": "xterm", "COLUMNS": "200"}
    )
    os.close(theirs)
    seen = _read_all(ours)
    os.close(ours)
    return shown.returncode, shown.stdout, seen


def test_passes_are_told_in_a_log(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("time\tN\nflies\tV\n\n" * 3)
    result = run(
        "train", "tag", "--train", tmp_path / "train.tsv", "--set", "n_iter=3", "-o", tmp_path / "t.palm"
    )
    assert result.returncode == 0
    passes = [line for line in result.stderr.splitlines() if line.startswith("pass ")]
    assert len(passes) == 3
    assert passes[0].split()[:2] == ["pass", "1"]


def test_counts_of_a_pass_have_no_decimals(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("time\tN\nflies\tV\n\n" * 3)
    result = run(
        "train",
        "tag",
        "--train",
        tmp_path / "train.tsv",
        "--learner",
        "perceptron",
        "-o",
        tmp_path / "t.palm",
    )
    passes = [line for line in result.stderr.splitlines() if line.startswith("pass ")]
    assert all(re.search(r"  mistakes \d+  loss \d+\.\d{4}\b", line) for line in passes)
    assert passes


def test_a_closed_standard_error(tmp_path: Path) -> None:
    """What is told goes nowhere then, and not into the data."""
    (tmp_path / "x.conllu").write_text("not CoNLL-U\n")
    line = f'"{sys.executable}" -m palmette predict en "{tmp_path / "x.conllu"}" 2>&-'
    result = subprocess.run(line, shell=True, stdout=subprocess.PIPE)
    assert (result.returncode, result.stdout) == (1, b"")
    line = f'"{sys.executable}" -m palmette convert "{tmp_path / "x.conllu"}" "{tmp_path / "y.tsv"}" 2>&-'
    assert subprocess.run(line, shell=True).returncode == 1
    assert not (tmp_path / "y.tsv").exists()


def test_text_that_is_not_utf8_in_an_argument() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "palmette", "explain", "en", b"caf\xe9"], capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        "palmette: Invalid value for 'TEXT': the text is not UTF-8; write it to a file and give the file's name "
        "(palmette explain --help shows how)\n"
    )


def _read_all(descriptor: int) -> bytes:
    data = b""
    while True:
        try:
            piece = os.read(descriptor, 4096)
        except OSError:  # how Linux says that the other end is closed
            return data
        if not piece:
            return data
        data += piece


def test_long_names_are_not_repeated_whole(tmp_path: Path) -> None:
    (tmp_path / "x.grammar").write_text(f"S -> A\n{'x' * 1_000_000}\n")
    for line in (
        ["grammar", tmp_path / "x.grammar", "a"],
        ["draw", "x" * 100_000],
        ["x" * 100_000],
        ["draw", "--" + "x" * 100_000],
        ["score", "x" * 5_000, "y"],
    ):
        result = run(*line)
        assert result.returncode in (1, 2)
        assert result.stderr.startswith("palmette: ")
        assert len(result.stderr) < 3_000

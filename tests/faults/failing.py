"""Commands in which one call of the system fails: a full disk, a broken one, an interrupt, too little memory.

`python tests/faults/failing.py writes|allocations` runs itself with `failing.c` preloaded. Every command runs
once without a fault, which counts the calls; then call 1 fails, then call 2, and so on. What must hold: an exit
code, one sentence, the old file as it was, and nothing left beside it. Prints a line for every command,
and one for everything that does not hold.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import errno
import io
import os
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"writes": 1, "allocations": 2, "threads": 3}
SHORT = -1
# What is written when nothing else is said: the errors of a disk, an interrupt, and half of what was asked for.
ERRORS = {"writes": (errno.ENOSPC, errno.EIO, errno.EINTR, SHORT), "allocations": (errno.ENOMEM,)}
_TIMES = b"seconds"  # what has them in it differs from run to run
HARMLESS = (errno.EINTR, SHORT)  # the write must go on, and the result be the same

# Beside the trainings of tools/every-verb.py: commands that write something, OUT. M is a tagger.
WRITERS = (
    "predict M {conllu_test} -o OUT",
    "predict M {conllu_test} -o OUT.gz",
    "convert {trees} OUT --to export",
    "draw {conllu_test} --svg -o OUT",
    "train lm --train {text} --order 2 -o OUT.arpa",
)
# Commands that load something; beside the trainings, too.
LOADERS = (
    "predict M {conllu_test}",
    "evaluate M {conllu_test}",
    "inspect M",
    "explain M 'The dog sleeps .'",
    "predict en {lines}",
    "convert {conllu} - --to columns",
    "convert {trees} - --to export",
    "train depparse --method graph --train {conllu} -o OUT -q",
)


def library(folder: Path) -> Path:
    """Compile what makes calls fail; FileNotFoundError without a compiler."""
    compiler = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
    if compiler is None:
        raise FileNotFoundError("there is no C compiler")
    made = folder / "failing.so"
    source = str(Path(__file__).with_suffix(".c"))
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(made), source, "-ldl"], check=True)
    return made


def run_preloaded(kind: str, *, most: int, commands: int | None = None, only: str = "") -> str:
    """Run this file with the library preloaded, and return what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        made = library(Path(folder))
        arguments = [
            sys.executable,
            "-X",
            "faulthandler",
            __file__,
            kind,
            "--most",
            str(most),
            "--inside",
            str(made),
        ]
        arguments += ["--only", only]
        if commands is not None:
            arguments += ["--commands", str(commands)]
        environment = {**os.environ, "LD_PRELOAD": str(made), "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(arguments, capture_output=True, text=True, env=environment, check=False)
    return done.stdout + (f"ended with {done.returncode}: {done.stderr[-2000:]}" if done.returncode else "")


def inside(kind: str, made: str, most: int, commands: int | None, only: str) -> None:
    """Run all commands with faults; prints what does not hold."""
    faults = ctypes.CDLL(made)
    table = runpy.run_path(str(ROOT / "tools" / "every-verb.py"))
    known = table["files"](ROOT / "examples")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        table["write_data"](ROOT / "examples")
        known["lines"] = "lines.txt"
        _run("train tag --train {conllu} -o M -q".format(**known))
        writers, loaders = ([line.format(**known) for line in lines] for lines in (WRITERS, LOADERS))
        lines = [*_trainings(), *writers] if kind == "writes" else [*loaders, *_trainings()]
        for line in [line for line in lines if only in line][:commands]:
            _try(faults, kind, line, most)
        os.chdir("/")


def _trainings() -> list[str]:
    """Those that are killed too: all methods of all tools."""
    from faults.kills import trainings

    return [f"{line.replace(' -o M', ' -o OUT')} -q" for line in trainings()]


def _try(faults: ctypes.CDLL, kind: str, line: str, most: int) -> None:
    """Run a command without a fault, then with one at every call, or at `most` of them."""
    target = next((word for word in shlex.split(line) if word.startswith("OUT")), None)
    _clean()
    faults.fault_arm(KINDS[kind], -1, 0)
    code, said, right = _run(line)
    calls = faults.fault_disarm()
    if code:
        print(f"FAULT: without a fault, palmette {line}: {said}")
        return
    written = Path(target).read_bytes() if target else right
    tried = 0
    for error in ERRORS[kind]:
        for number in _spread(calls, most):
            _clean()
            before = {path.name for path in Path().iterdir()}
            if target:
                Path(target).write_bytes(b"the old content")
                before.add(target)
            faults.fault_arm(KINDS[kind], number, error)
            code, said, output = _run(line)
            faults.fault_disarm()
            tried += 1
            where = f"palmette {line}, call {number + 1} of {calls} with {_name(error)}"
            for wrong in _wrong(code, said, target, written, output, harmless=error in HARMLESS):
                print(f"FAULT: {where}: {wrong}")
            left = {path.name for path in Path().iterdir()} - before
            if left:
                print(f"FAULT: {where}: leaves {', '.join(sorted(left))}")
    print(f"{tried:5} faults in {calls:6} calls: palmette {line.replace(str(ROOT), '')}", flush=True)


def _wrong(
    code: int, said: str, target: str | None, written: bytes, output: bytes, *, harmless: bool
) -> Iterator[str]:
    """What does not hold after a command with a fault."""
    now = Path(target).read_bytes() if target else output
    if "internal error" in said or "Traceback" in said:
        yield said
    elif code and not said.strip():
        yield f"exit code {code} and nothing said"
    elif code and len(said.strip().splitlines()) > 3:
        yield f"more than a sentence: {said}"
    if harmless and code:
        yield f"ended with {code}: {said}"
    if code and target and now != b"the old content":
        yield "the old file is not as it was"
    if not code and now != written and _TIMES not in now:
        yield "the result is another one, without an error"


def _spread(calls: int, most: int) -> Sequence[int]:
    """Numbers of calls: all, or `most` of them from the first to the last."""
    if calls <= most:
        return range(calls)
    return sorted({round(k * (calls - 1) / (most - 1)) for k in range(most)})


def _name(error: int) -> str:
    return "half of it written" if error == SHORT else errno.errorcode[error]


def _clean() -> None:
    for path in Path().glob("OUT*"):
        path.unlink()


def _run(line: str) -> tuple[int, str, bytes]:
    """Run a command in this process: its exit code, what it says, what it writes to standard output."""
    from palmette.cli import main

    written, errors = io.BytesIO(), io.StringIO()
    output = io.TextIOWrapper(written)
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = main(shlex.split(line))
    output.flush()
    return code, errors.getvalue() if code else "", written.getvalue()


def main_() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=tuple(ERRORS))
    parser.add_argument("--most", type=int, default=10**9, help="calls of a command that fail (default: all)")
    parser.add_argument("--commands", type=int, help="how many commands (default: all)")
    parser.add_argument("--only", default="", help="only commands that have this in them")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        inside(given.kind, given.inside, given.most, given.commands, given.only)
    else:
        print(run_preloaded(given.kind, most=given.most, commands=given.commands, only=given.only), end="")


if __name__ == "__main__":
    main_()

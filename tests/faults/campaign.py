"""Feed targets with damaged input: `python tests/faults/campaign.py readers --executions 100000`.

Every input is made from its number, in a process of its own for every few thousand, so that a crash costs one
input and is known by its number. Inputs that show a fault are kept in tests/faults/corpus/TARGET/, where the
tests find them.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import mmap
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.targets import Target, problem
from palmette.grammars.checks import GrammarWarning

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).parent / "corpus"
_PIECE = 2_000
_SECONDS = 30  # after which one input is too slow


def targets_of(kind: str) -> Sequence[Target]:
    """The targets of a kind: readers, or models."""
    if kind == "readers":
        from faults.readers import READERS

        return READERS
    from faults.models import models

    return models(ROOT / "build" / "faults")


def run_piece(target: Target, begin: int, end: int, place: mmap.mmap) -> None:
    """Run inputs in this process; what is wrong goes to standard output as JSON lines, the number to `place`."""
    faulthandler.enable()
    warnings.simplefilter("ignore", GrammarWarning)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process: the parent sees it
    for number in range(begin, end):
        place[:8] = number.to_bytes(8, "little")
        data = target.input(number)
        signal.alarm(_SECONDS)
        wrong = problem(target.run, data)
        signal.alarm(0)
        if wrong is not None:
            _found(target, number, wrong)


def campaign(target: Target, executions: int, first: int = 0) -> Counter[str]:
    """Run that many inputs and return how many showed a fault, by what it was."""
    for old in (CORPUS / _folder(target)).glob("*.new.json"):
        old.unlink()
    place = mmap.mmap(-1, 8)
    faults: Counter[str] = Counter()
    number, last = first, first + executions
    while number < last:
        end = min(number + _PIECE, last)
        child = multiprocessing.get_context("fork").Process(
            target=run_piece, args=(target, number, end, place)
        )
        child.start()
        child.join()
        if child.exitcode == 0:
            number = end
            continue
        at = int.from_bytes(place[:8], "little")
        code = child.exitcode or 0
        name = signal.Signals(-code).name if code < 0 else f"exit {code}"
        _found(target, at, "slower than 30 s" if name == "SIGALRM" else f"crash: {name}")
        number = at + 1
    for path in (CORPUS / _folder(target)).glob("*.new.json"):
        faults[json.loads(path.read_text())["wrong"]] += 1
    return faults


def _folder(target: Target) -> str:
    return target.name.replace(" ", "-")


def _found(target: Target, number: int, wrong: str) -> None:
    """Keep an input that shows a fault, one for each kind of fault."""
    folder = CORPUS / _folder(target)
    folder.mkdir(parents=True, exist_ok=True)
    kind = hashlib.sha256("".join(sign for sign in wrong[:60] if not sign.isdigit()).encode()).hexdigest()[
        :12
    ]
    data = folder / f"{kind}.input"
    if not data.exists():
        data.write_bytes(target.input(number))
        (folder / f"{kind}.new.json").write_text(json.dumps({"number": number, "wrong": wrong}))


def main() -> None:
    """Run the campaign that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("readers", "models"))
    parser.add_argument(
        "--executions", type=int, default=10_000, help="inputs for each target (default: 10000)"
    )
    parser.add_argument("--first", type=int, default=0, help="number of the first input (default: 0)")
    parser.add_argument("--only", help="targets whose name has this in it")
    given = parser.parse_args()
    wrong = False
    for target in targets_of(given.kind):
        if given.only and given.only not in target.name:
            continue
        began = time.perf_counter()
        faults = campaign(target, given.executions, given.first)
        seconds = time.perf_counter() - began
        print(
            f"{target.name:24} {given.executions:9,} inputs {given.executions / seconds:9,.0f}/s  "
            f"{len(faults)} kinds of faults",
            flush=True,
        )
        for text, _ in faults.most_common():
            wrong = True
            print(f"    {text[:200]}", flush=True)
    os._exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

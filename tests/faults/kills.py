"""Kill trainings (SIGKILL) at random moments, and let them go on: `python tests/faults/kills.py --moments 100`.

Trainings are those of tools/every-verb.py. Each runs once to its end, which takes some time; then it is killed
at a moment within this time, goes on with --resume, may be killed again, and ends. What must hold: the same
bytes as the uninterrupted model, the old model until then, and nothing left beside it but, where the kill came
between two steps of renaming, one hidden file that later runs remove. A moment follows from its number.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import runpy
import shlex
import signal
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from palmette.cli import main as palmette

ROOT = Path(__file__).resolve().parents[2]
MODEL, OLD = "OUT", b"the old content"
MOST_KILLS = 3  # of one training, before it may end


def trainings() -> list[str]:
    """The trainings of the table without a network and without what other commands made; the data lie here."""
    table = runpy.run_path(str(ROOT / "tools" / "every-verb.py"))
    table["write_data"](ROOT / "examples")
    known = table["files"](ROOT / "examples")
    lines = [line.format(**known) for commands in table["TOOLS"].values() for line in commands]
    lines = [line for line in lines if line.startswith("train") and " -o M" in line]
    needs = (" neural", "--start", "--table", "--alignment", " M ", "--use", "--mix", "--cluster", " N")
    return [line for line in lines if not any(word in line.replace(" -o M", "") for word in needs)]


def begin(line: str) -> int:
    """Start a training in a process of its own, and return its number."""
    child = os.fork()
    if child:
        return child
    code = 1
    with contextlib.suppress(BaseException), Path("said").open("w") as said, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = palmette(shlex.split(line))
    os._exit(code)


def ended(child: int, seconds: float | None = None) -> int | None:
    """Wait for a process and return its exit code; after so many seconds kill it, and return None."""
    killer = None if seconds is None else threading.Timer(seconds, os.kill, (child, signal.SIGKILL))
    if killer is not None:
        killer.start()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if killer is not None:
        killer.cancel()
        killer.join()
    return None if code == -signal.SIGKILL else code


def once(line: str, rng: random.Random, seconds: float, whole: bytes) -> tuple[int, list[str]]:
    """Kill a training up to a few times, and return how often, and what does not hold."""
    Path(MODEL).write_bytes(OLD)
    before = {path.name for path in Path().iterdir()} | {"said"}
    wrong: list[str] = []
    for kills in range(MOST_KILLS + 1):
        moment = rng.uniform(0, seconds) if kills < MOST_KILLS else None
        resume = " --resume" if kills else ""
        code = ended(begin(f"{line} -o {MODEL} --checkpoint-every 0 -q{resume}"), moment)
        if code is not None:
            break
        if Path(MODEL).read_bytes() not in (OLD, whole):
            wrong.append("after the kill the old model is not as it was")
        more = {path.name for path in Path().iterdir()} - before - {f"{MODEL}.checkpoint"}
        hidden = {name for name in more if name.startswith(".palmette-") and name.endswith(".part")}
        before |= hidden
        if more - hidden or len(hidden) > 1:
            wrong.append(f"the kill leaves {', '.join(sorted(more))}")
    if code != 0:
        wrong.append(f"ends with {code}: {Path('said').read_text()}")
    elif Path(MODEL).read_bytes() != whole:
        wrong.append("other bytes than without a kill")
    for path in [*Path().glob(f"{MODEL}*"), *Path().glob(".palmette-*")]:
        path.unlink()
    return kills, wrong


def campaign(moments: int, first: int = 0, only: str = "", without: str = "\0") -> int:
    """Kill at that many moments, shared by all trainings, and return how many showed a fault."""
    lines = [line for line in trainings() if only in line and without not in line]
    faults = 0
    for place, line in enumerate(lines):
        bare = line.replace(" -o M", "")
        began = time.monotonic()
        code = ended(begin(f"{bare} -o {MODEL} -q"))
        seconds = time.monotonic() - began
        if code:
            print(f"FAULT: without a kill, palmette {bare}: {Path('said').read_text()}", flush=True)
            faults += 1
            continue
        whole = Path(MODEL).read_bytes()
        Path(MODEL).unlink()
        numbers = range(first + place, first + moments, len(lines))
        kills = 0
        for number in numbers:
            more, found = once(bare, random.Random(number), seconds, whole)
            kills += more
            faults += len(found)
            for wrong in found:
                print(f"FAULT: palmette {bare}, moment {number}: {wrong}", flush=True)
        name = bare.replace(str(ROOT), "")
        print(f"{len(numbers):4} trainings killed, {kills} times: palmette {name}", flush=True)
    return faults


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=100, help="trainings that are killed (default: 100)")
    parser.add_argument("--first", type=int, default=0, help="number of the first (default: 0)")
    parser.add_argument("--only", default="", help="only trainings that have this in them")
    parser.add_argument("--without", default="\0", help="no trainings that have this in them")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        faults = campaign(given.moments, given.first, given.only, given.without)
        os.chdir("/")
    raise SystemExit(int(faults > 0))


if __name__ == "__main__":
    main()

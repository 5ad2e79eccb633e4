"""A process that is killed (`kill -9`) in the middle of a save: nothing that was answered is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from palmette.formats import read_conllu
from palmette.serve.editing.journal import SUFFIX
from palmette.serve.editing.sessions import Session
from palmette.serve.limits import Limits
from palmette.serve.models import Models
from serve.conftest import EXAMPLES

COPIES = 300  # a large file, so that a save takes a while
TAGS = ("INTJ", "PART")  # no sentence of the file begins with one
CHILD = """
import sys
from palmette.serve.editing.sessions import Session
from palmette.serve.limits import Limits
from palmette.serve.models import Models

path, model, first = sys.argv[1:]
session = Session(path, Models([model]), Limits())
for n in range(int(first), len(session.document)):
    session.correct(n, {"token": 1, "label": ("INTJ", "PART")[n % 2], "keep": True})
    print("corrected", n, flush=True)
    print("saving", flush=True)
    session.save()
"""


def state(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def killed_at(path: Path, model: str, first: int, moment: str) -> list[int]:
    """Correct sentences from the first on, and kill the process in its second save; what it had answered.

    moment: at the start of the save, once the journal announces it, or once the file is another one.
    """
    command = [sys.executable, "-c", CHILD, str(path), model, str(first)]
    journal, done, begun = path.with_name(path.name + SUFFIX), [], 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        before = state(path)
        for line in process.stdout:
            word, _, number = line.partition(" ")
            if word == "corrected":
                done.append(int(number))
                before = state(path)
            begun += word == "saving\n"
            if begun == 2:
                break
        while process.poll() is None:
            if moment == "journal" and b'"saving"' not in journal.read_bytes()[-100:]:
                continue
            if moment == "file" and state(path) == before:
                continue
            process.kill()
            break
        # what it wrote before it died counts too
        done += [int(line.split()[1]) for line in process.stdout if line.startswith("corrected")]
    assert process.returncode == -9
    return done


def test_nothing_is_lost(trained: dict[str, str], tmp_path: Path) -> None:
    path, models = tmp_path / "t.conllu", Models([trained["tag"]])
    path.write_bytes((EXAMPLES / "parsing/test.conllu").read_bytes() * COPIES)
    before = [list(sentence["upos"]) for sentence in read_conllu(path)]
    kept: list[int] = []
    for moment in ("start", "journal", "file") * 3:
        known = len(kept)
        kept += killed_at(path, trained["tag"], known, moment)
        assert len(kept) == len(set(kept)) >= known + 2
        file = [list(sentence["upos"]) for sentence in read_conllu(path)]
        assert len(file) == len(before)  # whole: as it was before the save, or as it is after
        session = Session(str(path), models, Limits())
        for n in kept:
            assert session.sentence(n)["tokens"][0]["label"] == TAGS[n % 2]
    session.save()
    after = [list(sentence["upos"]) for sentence in read_conllu(path)]
    for n, (old, new) in enumerate(zip(before, after, strict=True)):
        assert new == ([TAGS[n % 2], *old[1:]] if n in kept else old)

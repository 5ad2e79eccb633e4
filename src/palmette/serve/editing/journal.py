"""A journal beside a file that is corrected: every step is on the disk before it is answered.

The first line says which content of the file the steps belong to. A step is the state of a sentence afterwards.
Saving writes what the file will be into the journal, then the file, then a new journal: wherever a crash comes,
the file and the journal together have everything.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from palmette.errors import FormatError
from palmette.formats.files import write_atomically

SUFFIX = ".journal"


def sum_of(data: bytes) -> str:
    """What tells contents apart."""
    return hashlib.sha256(data).hexdigest()


class Journal:
    """The steps since the file was last saved. steps: those that were there when it was opened."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path.with_name(path.name + SUFFIX)
        self.steps: list[dict[str, Any]] = []
        self._written = b""  # what the file has, if no other program wrote it
        if self.path.exists():
            self._read(sum_of(data))
        else:
            self._begin(data, [])

    def add(self, step: dict[str, Any]) -> None:
        """Write a step, and wait until it is on the disk; FormatError if another program wrote others."""
        line = json.dumps(step).encode() + b"\n"
        if not self.path.exists():  # somebody deleted it
            self._write(self._written + line)
            return
        with self.path.open("ab") as file:
            if file.tell() != len(self._written):
                raise FormatError(
                    "another program wrote into this journal: is the file open in a second server? Stop both, and "
                    "start one again",
                    path=str(self.path),
                )
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self._written += line

    def save(self, target: Path, data: bytes, states: list[dict[str, Any]]) -> None:
        """Write the file, and begin again with the states that are to be remembered."""
        self.add({"saving": sum_of(data)})
        with write_atomically(target) as file:
            file.write(data)
        self._begin(data, states)

    def close(self) -> None:
        """Delete the journal if there is nothing in it."""
        if self.path.exists() and self.path.read_bytes().count(b"\n") <= 1:
            self.path.unlink()

    def _begin(self, data: bytes, states: list[dict[str, Any]]) -> None:
        lines = [{"journal": 1, "sum": sum_of(data)}, *({**state, "saved": True} for state in states)]
        self._write("".join(json.dumps(line) + "\n" for line in lines).encode())

    def _write(self, content: bytes) -> None:
        with write_atomically(self.path) as file:
            file.write(content)
        self._written = content

    def _read(self, found: str) -> None:
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:  # the machine stopped while the last line was written
            self._write(whole)
        self._written = whole
        try:
            lines = [json.loads(line) for line in whole.splitlines()]
            known, *steps = lines
            sums = [known["sum"], *(step["saving"] for step in steps if "saving" in step)]
        except (ValueError, KeyError, TypeError):
            raise FormatError(
                "this is not a journal: delete it, or move it away", path=str(self.path)
            ) from None
        if found not in sums:
            raise FormatError(
                "the file was changed by another program since these corrections: move the journal away to begin "
                "again",
                path=str(self.path),
            )
        done = sums.index(found)  # the number of savings that came to their end
        for step in steps:
            if "saving" in step:
                done -= 1
            else:
                self.steps.append({**step, "saved": bool(step.get("saved")) or done > 0})

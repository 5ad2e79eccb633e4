"""Every kind of model file, with the commands that use it: those of tools/every-verb.py."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import random
import runpy
import shlex
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from faults.mutation import mutated_model
from faults.targets import Target
from palmette.cli import main

ROOT = Path(__file__).resolve().parents[2]
_TABLE = ROOT / "tools" / "every-verb.py"


class ModelFaultError(Exception):
    """What a command said that it should not say."""


@dataclass(frozen=True)
class Trained:
    """A model of the table: where it is kept, the name of its file in commands, and the commands that use it."""

    name: str
    path: Path
    file: str
    uses: tuple[str, ...]


def models(folder: Path, most: int | None = None) -> list[Target]:
    """Return the models of the table as targets. most: of how many tools; None: of all."""
    return [
        Target(one.name, functools.partial(_use, one.file, one.uses), (one.path.read_bytes(),), _mutate)
        for one in trained(folder, most)
    ]


def trained(folder: Path, most: int | None = None) -> list[Trained]:
    """Train every model of the table in a folder, unless it is there, and go to that folder."""
    table = runpy.run_path(str(_TABLE))
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    table["write_data"](ROOT / "examples")
    known = table["files"](ROOT / "examples")
    found: list[Trained] = []
    for name, lines in list(table["TOOLS"].items())[:most]:
        commands = [line.format(**known).replace(" M", f" {name}.palm") for line in lines]
        starts = [
            k for k, line in enumerate(commands) if line.startswith("train") and f"-o {name}.palm" in line
        ]
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(commands)]), 1):
            if any(word.startswith("--table") or word == "--start" for word in commands[start].split()):
                continue  # it needs what other commands made
            uses = [
                line for line in commands[start + 1 : end] if f" {name}.palm" in line and "-o " not in line
            ]
            if uses:
                kept = folder / f"{name}-{number}.model"
                _train(commands[start], folder / f"{name}.palm", kept)
                found.append(Trained(f"{name} {number}", kept, f"{name}.palm", tuple(uses)))
    return found


def _train(command: str, made: Path, kept: Path) -> None:
    """Run a training unless its model is kept already."""
    if kept.exists():
        return
    said = said_by(f"{command} -q")
    if said:
        raise SystemExit(f"palmette {command}: {said}")
    made.replace(kept)


def _mutate(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    return mutated_model(rng, data)


def _use(file: str, uses: Sequence[str], data: bytes) -> None:
    """Run the commands with a model; ModelFaultError if one ends otherwise than with a result or a sentence."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        path = Path(folder) / file
        path.write_bytes(data)
        for line in uses:
            said = said_by(line.replace(f" {file}", f" {path}"))
            if "internal error" in said or "Traceback" in said or (said and not said.strip()):
                raise ModelFaultError(said.replace(str(path), file))
            if "damaged" in said:
                return  # the others would say the same


def said_by(line: str) -> str:
    """Run a command and return what it says on standard error, or nothing where it ends well."""
    output, errors = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = main(shlex.split(line))
    said = errors.getvalue()
    if code and not said.strip():
        return f"internal error: exit code {code} and nothing said"
    return said if code else ""

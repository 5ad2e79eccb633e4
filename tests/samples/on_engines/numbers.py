"""Shards and functions for the tests of engines; workers import them from here."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Drawn:
    """Random numbers of very different sizes, so that the order of a sum matters."""

    seed: int
    folder: str = ""

    @property
    def key(self) -> str:
        return f"{self.folder}/{self.seed}"

    def make(self) -> Numbers:
        if self.folder:  # a mark for every time
            Path(self.folder, f"{self.seed}-{os.urandom(4).hex()}").touch()
        rng = np.random.default_rng(self.seed)
        return rng.normal(size=50) * 10.0 ** rng.integers(-9, 9, size=50)


def times(numbers: Numbers, factor: Any) -> Numbers:
    return numbers * (1.0 if factor is None else factor)


def bad(numbers: Numbers, limit: Any) -> Numbers:
    if numbers[0] == limit:
        raise FormatError("a bad number", path="numbers.txt", line=3)
    return numbers


def killed_once(numbers: Numbers, mark: str) -> Numbers:
    """The worker that finds the mark takes it away, and dies."""
    try:
        Path(mark).unlink()
    except OSError:
        return numbers
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def always_killed(numbers: Numbers, _: Any) -> Numbers:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def name_of_process(_: object, __: object) -> int:
    return os.getpid()

"""Networks beside their peers: what structures cost in training, and taggers and parsers with networks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module

from benchmarks.measuring.row import Row, UnavailableError

PARTS = ("installation", "gradients", "epochs", "speed", "taggers", "parsers")


def rows(quick: bool) -> Iterator[Row]:
    """The rows of all parts; a part that cannot run here costs its own rows only, and is named."""
    for part in PARTS:
        try:
            yield from import_module(f"benchmarks.neural.{part}").rows(quick)
        except UnavailableError as missing:
            left_out(part, missing)


def left_out(what: str, why: object) -> None:
    """Say which rows are not there."""
    print(f"left out: {what}: {why}", file=sys.stderr)

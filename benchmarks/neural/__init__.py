"""Networks beside their peers: what structures cost in training, and taggers and parsers with networks."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from benchmarks.measuring.row import Row

PARTS = ("gradients", "epochs", "taggers", "parsers")


def rows(quick: bool) -> Iterator[Row]:
    """The rows of all parts."""
    for part in PARTS:
        yield from import_module(f"benchmarks.neural.{part}").rows(quick)

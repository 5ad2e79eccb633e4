"""The English pipeline that comes with Palmette: its size, the time until it is loaded, and its first sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring.row import Row
from benchmarks.peers.process import Work, measure
from palmette import Pipeline
from palmette.models import find_model

MOST_BYTES = 20_000_000
MOST_SECONDS = 1.0
_SENTENCE = "Time flies like an arrow."


def rows() -> Iterator[Row]:
    """A row for loading, and one for the first sentence after it."""
    size = Path(find_model("en")).stat().st_size
    loading = measure(load, times=5)
    yield Row(
        "load en",
        loading.seconds,
        memory=f"{size / 1e6:.1f} MB, {loading.grown_mb:.0f} MB in memory",
        quality=f"required: at most {MOST_BYTES / 1e6:.0f} MB and {MOST_SECONDS:g} s",
        holds=size <= MOST_BYTES and loading.seconds < MOST_SECONDS,
    )
    yield Row("load en, annotate a sentence", measure(first_sentence, times=5).seconds)


def load() -> Work:
    """The pipeline from its file."""
    return Work(lambda: Pipeline.load("en"))


def first_sentence() -> Work:
    """The same, and a sentence of it: this reads what loading left in the file."""
    return Work(lambda: Pipeline.load("en")(_SENTENCE).to_conllu())

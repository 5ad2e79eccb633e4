"""A tool for the tests: it counts words, and says of each whether it is common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import typer

from palmette.cli.run import Run
from palmette.formats.files import read_bytes
from palmette.formats.model import ModelFile, fingerprint
from palmette.tools import Tool

TOOL = Tool("count", "word counter", "Count the words of a text.", "samples.toy_tool")
EXAMPLES = {"train": ["palmette train count --train text.txt -o x.palm"]}


def train(
    run: Run,
    train: Annotated[str, typer.Option("--train", help="A text.")],
    lower: Annotated[bool, typer.Option("--lower", help="Ignore case.")] = False,
) -> ModelFile:
    """Count words."""
    data = read_bytes(train)
    words = (data.lower() if lower else data).decode().split()
    counts = Counter(run.progress.track(words, "Counting"))
    options = {"learner": run.learner, "settings": dict(run.settings), "seed": run.seed, "n_jobs": run.n_jobs}
    arrays = {"counts": np.array(list(counts.values()), dtype=np.int64)}
    return ModelFile(TOOL.kind, options, arrays, {"words": list(counts)}, fingerprint(data))


def predict(
    model: ModelFile,
    run: Run,
    source: Annotated[str, typer.Argument(metavar="INPUT", help="A text.")] = "-",
    at_least: Annotated[int, typer.Option("--at-least", help="How often a common word occurs.")] = 2,
) -> Iterator[bytes]:
    """Say of each word whether it is common."""
    common = {w for w, n in zip(model.table("words"), model.arrays["counts"], strict=True) if n >= at_least}
    for word in read_bytes(source).decode().split():
        yield f"{word}\t{'common' if word in common else 'rare'}\n".encode()


def evaluate(model: ModelFile, run: Run, gold: Annotated[str, typer.Option("--gold")]) -> dict[str, Any]:
    """Which part of a text is known."""
    known = set(model.table("words"))
    words = read_bytes(gold).decode().split()
    return {"known": np.float64(np.mean([word in known for word in words])), "tokens": np.int64(len(words))}


def inspect(
    model: ModelFile, run: Run, top: Annotated[int, typer.Option("--top", help="How many words.")] = 1
) -> dict[str, Any]:
    """Show what is in a word counter."""
    ranked = sorted(zip(model.arrays["counts"].tolist(), model.table("words")), reverse=True)
    return {word: count for count, word in ranked[:top]}

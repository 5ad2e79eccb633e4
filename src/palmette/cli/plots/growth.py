"""How the time of a prediction grows with the length of a sentence, measured."""

from __future__ import annotations

import re
import tempfile
import time
from pathlib import Path

from palmette.cli.progress import Progress
from palmette.cli.run import Run, forget, keep
from palmette.drawing.curves import Plot, Point
from palmette.errors import FormatError, UsageError
from palmette.formats.files import display_name, read_text
from palmette.formats.guess import format_of_file
from palmette.formats.model import ModelFile
from palmette.models import find_model
from palmette.tools.registry import tool_for

_EDGES = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_WORDS = 1500  # of a measurement, at least


def growth(model: str, source: str, quiet: bool) -> Plot:
    """Return the milliseconds that a model takes for a sentence, by its length; axes are logarithmic.

    Sentences of nearly the same length are predicted together, several times if they are few; the time of an
    empty run is not subtracted. Tools whose `predict` reads one file are measured.
    """
    file = ModelFile.load(find_model(model))
    tool = tool_for(file.kind)
    work = tool.command("predict") if tool else None
    if tool is None or work is None:
        raise UsageError(f"{model}: this kind of model predicts nothing")
    groups = _groups(source)
    points: list[Point] = []
    keep(file)
    try:
        with Progress(quiet) as progress, tempfile.TemporaryDirectory(prefix="palmette") as folder:
            place = Path(folder) / f"sentences{_suffix(source)}"
            for sentences, words in progress.track(groups, "Measuring"):
                times = max(1, -(-_WORDS // words))
                place.write_text("".join(sentences * times), encoding="utf-8")
                run = Run(progress=Progress(quiet=True))
                if not points:
                    _spend(work, file, run, place)  # once before, so that the model is there
                seconds = _spend(work, file, run, place)
                points.append((words / len(sentences), 1000 * seconds / (times * len(sentences))))
    finally:
        forget(file)
    if len(points) < 2:
        raise ValueError(f"{display_name(source)}: sentences of different lengths are needed to show growth")
    note = f"about the length to the power of {_slope(points):.2f}" if len(points) > 3 else ""
    name = f"{model.rpartition('/')[2]} ({tool.name})"
    return Plot({name: points}, "words", "ms per sentence", "Time by length", note, logarithmic="xy")


def _spend(work: object, file: ModelFile, run: Run, place: Path) -> float:
    began = time.process_time()
    for _ in work(file, run, str(place)):  # type: ignore[operator]
        pass
    return time.process_time() - began


def _groups(source: str) -> list[tuple[list[str], int]]:
    """Return sentences of about the same length, as text, with the number of their words."""
    text, path = read_text(source), display_name(source)
    if format_of_file(source) is None:
        pieces = [(f"{line}\n", len(line.split())) for line in text.splitlines()]
    else:
        blocks = [f"{block.strip()}\n\n" for block in re.split(r"\n\s*\n", text) if block.strip()]
        pieces = [(block, sum(line[:1] != "#" for line in block.strip().splitlines())) for block in blocks]
    groups: dict[int, list[tuple[str, int]]] = {}
    for piece, words in pieces:
        if words:
            groups.setdefault(sum(words > edge for edge in _EDGES), []).append((piece, words))
    if not groups:
        raise FormatError("expected sentences; the file has none", path=path)
    return [([p for p, _ in groups[key]], sum(n for _, n in groups[key])) for key in sorted(groups)]


def _suffix(source: str) -> str:
    name = source.removesuffix(".gz")
    return Path(name).suffix if source != "-" else ""


def _slope(points: list[Point]) -> float:
    """Return the slope of the line through logarithms that has the least squares."""
    from math import log

    xs, ys = [log(x) for x, _ in points], [log(max(y, 1e-9)) for _, y in points]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mx) ** 2 for x in xs)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / spread if spread else 0.0

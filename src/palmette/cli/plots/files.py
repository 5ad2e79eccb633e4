"""Plots from files: curves as JSON or as a table, JSON of `palmette evaluate`, and logs of `palmette train`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from palmette.drawing.confusion import draw_confusion_svg
from palmette.drawing.curves import Plot, Point, Scale
from palmette.drawing.panels import Panels, passes_panels
from palmette.errors import FormatError
from palmette.evaluation.calibration import Reliability, ReliabilityBin
from palmette.formats.files import display_name, read_text

# "pass  3     1.2 s  loss 12.5  dev 0.75" of the program, or a line in the log of a program that uses Palmette.
_PASS = re.compile(
    r"(?:(?P<where>[^:]*?),? )?pass +(?P<number>\d+)(?: +[0-9.]+ s  |: )(?P<numbers>.*?)(?: \([0-9.]+ s\))?$"
)
_NUMBER = re.compile(r"(\S+) (-?[0-9.]+(?:e[-+]?\d+)?)(?:, |  +|$)")


def curves(source: str, logarithmic: Scale) -> Plot | Panels:
    """Return the curves of a file: JSON, or a table whose first column is x and whose others are a curve each.

    JSON is an object with `curves`, from names to lists of [x, y], and if wanted `x`, `y` and `title`; or one with
    `plots`, a list of such.
    """
    text, path = read_text(source), display_name(source)
    if not text.lstrip().startswith("{"):
        return _table(text, path, logarithmic)
    found = _object(text, path)
    if isinstance(found.get("plots"), list):
        return Panels(
            tuple(_plot(one, path, logarithmic) for one in found["plots"]), str(found.get("title", ""))
        )
    return _plot(found, path, logarithmic)


def passes(source: str) -> Panels:
    """Return the numbers of every pass in what `palmette train` says, or a program that logs."""
    found: dict[str, dict[str, list[Point]]] = {}
    for line in read_text(source).splitlines():
        match = _PASS.search(line)
        if match is None:
            continue
        for name, value in _NUMBER.findall(match["numbers"]):
            where = (match["where"] or "").removeprefix("palmette: ")
            found.setdefault(name, {}).setdefault(where, []).append((int(match["number"]), float(value)))
    if not found:
        raise FormatError(
            "expected lines of passes, as palmette train writes them to standard error: save them with 2>",
            path=display_name(source),
        )
    return passes_panels(found)


def reliability_of(source: str) -> Reliability:
    """Return the bins in the JSON of `palmette evaluate --probabilities --json`."""
    path = display_name(source)
    found = _object(read_text(source), path)
    rows = found.get("calibration", found.get("bins"))
    if not isinstance(rows, Mapping):
        raise FormatError("expected a table 'calibration': use palmette evaluate --probabilities", path=path)
    bins = []
    try:
        for name, row in rows.items():
            low, high = name.split(" to ")
            bins.append(
                ReliabilityBin(
                    float(low),
                    float(high),
                    int(row["count"]),
                    float(row["probability"]),
                    float(row["accuracy"]),
                )
            )
    except (KeyError, TypeError, ValueError):
        raise FormatError("expected bins with count, probability and accuracy", path=path) from None
    return Reliability(tuple(bins))


def confusion_of(source: str, most: int) -> str:
    """Return the confusion matrix in the JSON of `palmette evaluate --json` as an image."""
    path = display_name(source)
    table = _object(read_text(source), path).get("confusion")
    if not isinstance(table, Mapping) or not all(isinstance(row, Mapping) for row in table.values()):
        raise FormatError("the report has no table 'confusion': give a model and its gold file", path=path)
    names = list(table)
    try:
        counts = [[int(table[a].get(b, 0)) for b in names] for a in names]
    except (TypeError, ValueError):
        raise FormatError("the table 'confusion' must have whole numbers", path=path) from None
    return draw_confusion_svg(names, counts, title="Gold and guess", most=most)


def _object(text: str, path: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise FormatError(f"expected JSON: {error}", path=path) from None
    if not isinstance(found, dict):
        raise FormatError("expected one JSON object", path=path)
    return found


def _plot(found: Mapping[str, Any], path: str, logarithmic: Scale) -> Plot:
    given = found.get("curves")
    if not isinstance(given, Mapping):
        raise FormatError("expected an object 'curves': names with lists of [x, y]", path=path)
    try:
        made = {str(name): [(float(x), float(y)) for x, y in curve] for name, curve in given.items()}
    except (TypeError, ValueError):
        raise FormatError("a curve is a list of pairs of numbers [x, y]", path=path) from None
    x, y, title = (str(found.get(key, default)) for key, default in (("x", "x"), ("y", "y"), ("title", "")))
    return Plot(made, x, y, title, logarithmic=logarithmic)


def _table(text: str, path: str, logarithmic: Scale) -> Plot:
    rows = [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise FormatError(
            "expected JSON, or a table with tabs: names in the first line, then numbers", path=path
        )
    head = rows[0]
    made: dict[str, list[Point]] = {name: [] for name in head[1:]}
    for number, row in enumerate(rows[1:], start=2):
        _fill(made, head, row, path, number)
    if len(head) == 2:
        return Plot({"": made[head[1]]}, head[0], head[1], logarithmic=logarithmic)
    return Plot(made, head[0], "", logarithmic=logarithmic)


def _fill(
    made: dict[str, list[Point]], head: Sequence[str], row: Sequence[str], path: str, line: int
) -> None:
    try:
        numbers = [float(cell) if cell.strip() else None for cell in row]
    except ValueError:
        raise FormatError(f"expected numbers, got {' '.join(row)!r}", path=path, line=line) from None
    if len(numbers) != len(head) or numbers[0] is None:
        raise FormatError(f"expected {len(head)} columns as in line 1, got {len(row)}", path=path, line=line)
    for name, value in zip(head[1:], numbers[1:]):
        if value is not None:
            made[name].append((numbers[0], value))

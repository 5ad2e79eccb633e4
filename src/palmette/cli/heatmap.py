"""A table of numbers by pairs of labels, as colours in a terminal and as numbers elsewhere."""

from __future__ import annotations

import os
import shutil
import sys

import numpy as np
from numpy.typing import NDArray

_CELL = 5


class Heatmap:
    """`values[i, j]` goes from label i (a row) to label j (a column). Blue is low, red is high, white is zero."""

    def __init__(self, labels: list[str], values: NDArray[np.floating]) -> None:
        self.labels = labels
        self.values = np.asarray(values, dtype=np.float64)

    def tolist(self) -> dict[str, dict[str, float]]:
        """The numbers by row and column, for JSON."""
        rows = self.values.tolist()
        return {a: dict(zip(self.labels, row)) for a, row in zip(self.labels, rows)}

    def show(self, indent: str = "") -> None:
        """Print it, in colours if standard output is a terminal; wide tables in several pieces."""
        names = [label if len(label) <= 12 else label[:11] + "…" for label in self.labels]
        width = max(map(len, names), default=0)
        colours = sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        room = _columns() - len(indent) - width - 1 if colours else 10**6
        per_piece = max(room // (_CELL + 1), 1)
        for first in range(0, len(names), per_piece):
            part = slice(first, first + per_piece)
            heading = " ".join(f"{_short(name):>{_CELL}}" for name in names[part])
            print(f"{indent}{'':<{width}} {heading}")
            for name, row in zip(names, self.values):
                print(f"{indent}{name:<{width}} ", end="")
                self._print_row(row[part], colours)

    def _print_row(self, row: NDArray[np.float64], colours: bool) -> None:
        cells = [_number(value) for value in row.tolist()]
        if not colours:
            print(" ".join(cells))
            return
        from rich.console import Console
        from rich.text import Text

        scale = float(np.abs(self.values).max()) or 1.0
        line = Text(end="\n")
        for cell, value in zip(cells, row.tolist()):
            line.append(cell, style=f"black on {_colour(value / scale)}")
            line.append(" ")
        Console(file=sys.stdout, highlight=False).print(line, soft_wrap=True)


def _short(name: str) -> str:
    return name if len(name) <= _CELL else name[: _CELL - 1] + "…"


def _number(value: float) -> str:
    return f"{value:>+{_CELL}.1f}" if value else f"{'·':>{_CELL}}"


def _colour(value: float) -> str:
    """From blue (-1) over white to red (1)."""
    faded = round(255 * (1 - min(abs(value), 1.0) ** 0.7))
    return f"rgb(255,{faded},{faded})" if value > 0 else f"rgb({faded},{faded},255)"


def _columns() -> int:
    return shutil.get_terminal_size((100, 24)).columns

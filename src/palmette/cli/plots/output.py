"""Write an image: SVG, or PNG by the suffix of the file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from palmette.errors import UsageError
from palmette.formats.files import write_atomically

if TYPE_CHECKING:
    from palmette.drawing.curves import Plot
    from palmette.drawing.panels import Panels


def write_image(svg: str, output: str) -> None:
    """Write an SVG image, as PNG to a file of this suffix; "-" is standard output."""
    from palmette.drawing.raster import png

    write(png(svg) if is_png(output) else svg.encode(), output)


def write_plot(plot: Plot | Panels, output: str, matplotlib: bool = False) -> None:
    """Write a plot, by our own drawing or by Matplotlib."""
    if matplotlib:
        from palmette.drawing.raster import by_matplotlib

        write(by_matplotlib(plot, "png" if is_png(output) else "svg"), output)
    else:
        write_image(plot.svg(), output)


def is_png(output: str) -> bool:
    """Say whether a file is for PNG; UsageError for images of another kind."""
    suffix = output.rpartition(".")[2].lower() if "." in output.rpartition("/")[2] else ""
    if suffix in ("jpg", "jpeg", "pdf", "gif", "webp", "eps"):
        raise UsageError(f"{output}: images are written as .svg or .png")
    return suffix == "png"


def write(data: bytes, output: str) -> None:
    """Write bytes to a file, all or nothing, or to standard output."""
    if output == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        with write_atomically(output) as file:
            file.write(data)

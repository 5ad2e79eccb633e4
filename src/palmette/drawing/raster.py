"""SVG images as PNG, by what draws them here: CairoSVG, librsvg, Inkscape or a browser; plots by Matplotlib."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

from palmette.drawing.curves import COLOURS, Plot
from palmette.drawing.panels import Panels
from palmette.optional import optional_module

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SIZE = re.compile(r'<svg[^>]* width="([0-9.]+)"[^>]* height="([0-9.]+)"')
_SECONDS = 60
_SCALE = 2  # points of the image for a pixel of the drawing


class RasterError(OSError):
    """No program here can make the image, or the one that could has failed."""


# Letters that join, or go from right to left: CairoSVG puts them one after the other, from left to right.
_JOINED = re.compile("[\u0590-\u109f\u1780-\u18af\ufb1d-\ufdff\ufe70-\ufefc]")


def png(svg: str) -> bytes:
    """Return an SVG image as PNG, on white; RasterError where nothing here can draw it."""
    joined = _JOINED.search(svg) is not None
    if find_spec("cairosvg") is not None and not joined:
        found: bytes = optional_module("cairosvg", extra="plot").svg2png(
            svg.encode(), scale=_SCALE, background_color="white"
        )
        return found
    for program in ("rsvg-convert", "inkscape", *_BROWSERS):
        path = shutil.which(program)
        if path is not None:
            return _by_program(program, path, svg)
    if joined:
        raise RasterError(
            "to write PNG with letters as of Arabic, Hebrew or Hindi, install rsvg-convert, Inkscape or Chromium; "
            "SVG needs none of them"
        )
    raise RasterError(
        "to write PNG, install one of CairoSVG (pip install cairosvg), rsvg-convert, Inkscape or Chromium; "
        "SVG needs none of them"
    )


def _by_program(program: str, path: str, svg: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="palmette") as name:
        folder = Path(name)
        source, target = folder / "image.svg", folder / "image.png"
        source.write_text(svg, encoding="utf-8")
        if program == "rsvg-convert":
            command = [
                path,
                "--zoom",
                str(_SCALE),
                "--background-color",
                "white",
                "-o",
                str(target),
                str(source),
            ]
        elif program == "inkscape":
            command = [
                path,
                str(source),
                "--export-background=white",
                "-d",
                str(96 * _SCALE),
                "-o",
                str(target),
            ]
        else:
            command = _browser(path, folder, svg, target)
        try:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise RasterError(f"{program} needed more than {_SECONDS} seconds for the image") from None
        if done.returncode or not target.is_file():
            told = done.stderr.decode(errors="replace").strip().splitlines()
            raise RasterError(f"{program} could not draw the image{': ' + told[-1] if told else ''}")
        return target.read_bytes()


def _browser(path: str, folder: Path, svg: str, target: Path) -> list[str]:
    found = _SIZE.search(svg)
    width, height = (int(float(size)) + 1 for size in found.groups()) if found else (800, 600)
    page = folder / "page.html"
    page.write_text(f'<meta charset="utf-8"><body style="margin:0;background:#fff">{svg}', encoding="utf-8")
    return [
        path,
        "--headless",
        "--no-sandbox",  # it sees nothing but this image
        "--disable-gpu",
        "--hide-scrollbars",
        f"--force-device-scale-factor={_SCALE}",
        f"--user-data-dir={folder / 'profile'}",
        f"--window-size={width},{height}",
        f"--screenshot={target}",
        page.as_uri(),
    ]


def by_matplotlib(plot: Plot | Panels, kind: str) -> bytes:
    """Return a plot as Matplotlib draws it; kind: "svg" or "png". ImportError where it is not installed."""
    figures: Any = optional_module("matplotlib.figure", extra="plot")
    plots = plot.plots if isinstance(plot, Panels) else (plot,)
    rows, columns = (len(plots) + 1) // 2, min(len(plots), 2)
    figure = figures.Figure(figsize=(6.4 * columns, 4.4 * rows), layout="constrained")
    for number, one in enumerate(plots, start=1):
        axes = figure.add_subplot(rows, columns, number)
        for k, (name, curve) in enumerate(one.curves.items()):
            xs, ys = zip(*curve)
            style, colour = one.styles.get(name, "line"), COLOURS[k % len(COLOURS)]
            if style == "bars":
                axes.bar(
                    xs, ys, width=0.8 * min(_gaps(xs), default=1.0), label=name, color=colour, alpha=0.55
                )
            else:
                line = {"dashed": "--", "points": "none"}.get(style, "-")
                axes.plot(xs, ys, line, marker="." if style != "dashed" else "", label=name, color=colour)
        if "x" in one.logarithmic:
            axes.set_xscale("log")
        if "y" in one.logarithmic:
            axes.set_yscale("log")
        axes.set(xlabel=one.x_name, ylabel=one.y_name, title=one.title)
        if one.x_range is not None:
            axes.set_xlim(*one.x_range)
        if one.y_range is not None:
            axes.set_ylim(*one.y_range)
        if any(one.curves):
            axes.legend()
        axes.grid(alpha=0.3)
    file = BytesIO()
    figure.savefig(file, format=kind, dpi=96 * _SCALE)
    return file.getvalue()


def _gaps(xs: Any) -> list[float]:
    ordered = sorted(set(xs))
    return [b - a for a, b in itertools.pairwise(ordered)]

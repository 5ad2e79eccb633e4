"""`python -m benchmarks.peers [NAME ...] [--json]`: the peers alone, with times, memory and quality."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from benchmarks.measuring.row import UnavailableError, number_text, seconds_text
from benchmarks.peers.process import Measured
from benchmarks.peers.works import WORKS


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description="Measures the peers alone."
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"which: {', '.join(WORKS)}; all by default")
    parser.add_argument("--json", action="store_true", help="print one object instead of a table")
    options = parser.parse_args()
    for name in options.names:
        if name not in WORKS:
            parser.error(f"there is no work {name!r}; there are {', '.join(WORKS)}")

    notes = Console(stderr=True)
    found: dict[str, Measured] = {}
    for name in options.names or WORKS:
        with notes.status(f"{name} ..."):
            try:
                found[name] = WORKS[name]()
            except UnavailableError as missing:
                notes.print(f"{name}: {missing}", highlight=False)
    if options.json:
        print(json.dumps({name: asdict(measured) for name, measured in found.items()}, indent=2))
    else:
        Console(width=None if sys.stdout.isatty() else 170).print(_table(found))


def _table(found: dict[str, Measured]) -> Table:
    table = Table(title="peers", title_justify="left")
    table.add_column("work")
    for column in ("CPU", "clock", "peak", "tokens/s"):
        table.add_column(column, justify="right")
    table.add_column("quality", overflow="fold")
    for name, measured in found.items():
        quality = dict(measured.quality)
        tokens = quality.pop("tokens", None)
        table.add_row(
            name,
            seconds_text(measured.cpu_seconds),
            seconds_text(measured.seconds),
            f"{measured.peak_mb:,.0f} MB",
            "" if tokens is None else number_text(tokens / measured.cpu_seconds),
            ", ".join(f"{key} {value:.6g}" for key, value in quality.items()),
        )
    return table


if __name__ == "__main__":
    main()

"""`python -m benchmarks [NAME ...] [--quick] [--json] [--check]`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from importlib import import_module

from rich.console import Console
from rich.table import Table

from benchmarks import NAMES
from benchmarks.measuring.row import Row, UnavailableError, number_text, seconds_text, times_text


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measures Palmette beside its peers."
    )
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help=f"which benchmarks: {', '.join(NAMES)}; all by default"
    )
    parser.add_argument(
        "--quick", action="store_true", help="less work and fewer runs: a try, not a measurement"
    )
    parser.add_argument("--json", action="store_true", help="print one object instead of tables")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a requirement is missed")
    options = parser.parse_args()
    for name in options.names:
        if name not in NAMES:
            parser.error(f"there is no benchmark {name!r}; there are {', '.join(NAMES)}")

    found: dict[str, list[Row]] = {}
    notes = Console(stderr=True)
    for name in options.names or NAMES:
        with notes.status(f"{name} ..."):
            found[name] = list(_rows(name, options.quick, notes))
        if found[name] and not options.json:
            Console(width=None if sys.stdout.isatty() else 150).print(_table(name, found[name]))
    if options.json:
        print(json.dumps({name: [row.as_dict() for row in rows] for name, rows in found.items()}, indent=2))
    missed = [row.work for rows in found.values() for row in rows if row.met is False]
    for work in missed:
        notes.print(f"missed: {work}", highlight=False)
    return 1 if options.check and missed else 0


def _rows(name: str, quick: bool, notes: Console) -> Iterator[Row]:
    """The rows of a benchmark as far as it can run here."""
    try:
        yield from import_module(f"benchmarks.{name}").rows(quick)
    except (UnavailableError, ModuleNotFoundError) as missing:
        notes.print(f"{name}: {missing}", highlight=False)


def _table(name: str, rows: list[Row]) -> Table:
    table = Table(title=name, title_justify="left")
    table.add_column("work", overflow="fold")
    for column in ("ours", "peer", "ratio", "rate", "required", "met", "memory"):
        table.add_column(column, justify="right")
    with_quality = any(row.quality for row in rows)
    if with_quality:
        table.add_column("quality", overflow="fold")
    for row in rows:
        table.add_row(
            row.work,
            seconds_text(row.ours),
            "" if row.peer is None else seconds_text(row.peer),
            "" if row.ratio is None else times_text(row.ratio),
            "" if row.rate is None else f"{number_text(row.rate)} {row.unit}/s",
            row.required,
            {None: "", True: "yes", False: "no"}[row.met],
            row.memory,
            *([row.quality] if with_quality else []),
        )
    return table


if __name__ == "__main__":
    sys.exit(main())

"""`python -m benchmarks.cluster [PART ...] [--share S]`: its parts, also with less data."""

from __future__ import annotations

import argparse

from benchmarks.cluster import PARTS
from benchmarks.measuring.row import UnavailableError, seconds_text


def main() -> None:
    """Print a line for every row as soon as it is there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("parts", metavar="PART", nargs="*", help=f"{', '.join(PARTS)}; all by default")
    parser.add_argument("--share", type=float, default=1.0, help="of the data that is taken (default: 1)")
    given = parser.parse_args()
    for name in given.parts or PARTS:
        if name not in PARTS:
            parser.error(f"there is no part {name!r}; there are {', '.join(PARTS)}")
    for name in given.parts or PARTS:
        try:
            for row in PARTS[name](given.share):
                beside = "" if row.peer is None else f", beside {seconds_text(row.peer)}: {row.ratio:.2f}"
                print(f"{row.work}: {seconds_text(row.ours)}{beside}; {row.quality}", flush=True)
        except UnavailableError as missing:
            print(f"{name}: {missing}", flush=True)


if __name__ == "__main__":
    main()

"""Engines by their addresses, as `--cluster` takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palmette.errors import UsageError
from palmette.threads import n_threads

if TYPE_CHECKING:
    from palmette.cluster.engine import Engine

ADDRESSES = (
    "local:N (threads), processes:N, tcp://HOST:PORT (a Dask scheduler), or its scheduler file (*.json)"
)


def connect(address: str) -> Engine:
    """Return the engine at an address; UsageError for what is not one.

    >>> connect("local:2").n_workers
    2
    """
    kind, _, number = address.partition(":")
    if kind in ("local", "processes"):
        n = _number(number, address)
        if kind == "local":
            from palmette.cluster.threads import Threads

            return Threads(n)
        from palmette.cluster.processes import Processes

        return Processes(n)
    if address.endswith(".json"):
        from palmette.cluster.dask_engine import DaskEngine

        return DaskEngine(scheduler_file=address)
    if "://" in address:
        from palmette.cluster.dask_engine import DaskEngine

        return DaskEngine(address)
    raise UsageError(f"{address!r} is not the address of a cluster: expected {ADDRESSES}")


def _number(text: str, address: str) -> int:
    try:
        return n_threads(int(text) if text else -1, "workers")
    except ValueError:
        raise UsageError(
            f"{address!r}: expected a number of workers after the colon, such as processes:2, or -1 for all "
            "processors"
        ) from None

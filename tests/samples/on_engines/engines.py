"""The engines that tests share: one pool of processes and one Dask cluster inside this process."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from palmette.cluster import Engine, Processes, Threads

KINDS = ("threads", "processes", "dask")


@contextmanager
def engine_of(kind: str, n: int = 2) -> Iterator[Engine]:
    """An engine of a kind; the test is skipped where its packages are not installed."""
    if kind == "threads":
        with Threads(n) as engine:
            yield engine
    elif kind == "processes":
        with Processes(n) as engine:
            yield engine
    else:
        with dask_cluster(n, processes=kind == "dask processes") as engine:
            yield engine


@contextmanager
def dask_cluster(n: int, *, processes: bool) -> Iterator[Engine]:
    distributed = pytest.importorskip("distributed", reason="dask is not installed")
    from palmette.cluster import DaskEngine

    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about ports and resources of this machine
        cluster = stack.enter_context(
            distributed.LocalCluster(
                n_workers=n,
                threads_per_worker=1,
                processes=processes,
                dashboard_address=None,
                silence_logs="CRITICAL",
            )
        )
        client = stack.enter_context(distributed.Client(cluster))
        yield stack.enter_context(DaskEngine(client))

"""Threads of this process: the native loops run side by side, and nothing is copied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from palmette.cluster.engine import Engine, Function, Outcome, applied
from palmette.cluster.recipe import Recipe, forget
from palmette.threads import n_threads


class Threads(Engine):
    """An engine of threads; one of them works like a plain loop."""

    def __init__(self, n: int = 1) -> None:
        """n: how many; -1 for all processors."""
        self._n = n_threads(n, "workers")
        self._pool = ThreadPoolExecutor(self._n, thread_name_prefix="palmette")
        self._keys: set[str] = set()

    @property
    def n_workers(self) -> int:
        """The number of threads."""
        return self._n

    def outcomes(self, function: Function, shards: Sequence[Any], value: Any = None) -> Iterator[Outcome]:
        """Yield what becomes of every shard, as soon as it is there."""
        self._keys |= {shard.key for shard in shards if isinstance(shard, Recipe)}
        futures = {self._pool.submit(applied, function, shard, value): k for k, shard in enumerate(shards)}
        try:
            for future in as_completed(list(futures)):
                k, error = futures.pop(future), future.exception()
                if error is None:
                    yield Outcome(k, future.result())
                elif isinstance(error, Exception):
                    yield Outcome(k, error=error)
                else:
                    raise error
        finally:
            for future in futures:
                future.cancel()

    def close(self) -> None:
        """Wait for the threads, and drop what they made of the shards."""
        self._pool.shutdown(cancel_futures=True)
        forget(self._keys)

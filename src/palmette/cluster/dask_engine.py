"""Dask: workers on this machine or on many, by a scheduler that runs already.

A shard is a future that a worker makes from its recipe; Dask makes it again if the worker is lost, and runs
functions where their shards are. Sums are added up on the workers.
"""

from __future__ import annotations

import logging
import operator
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from palmette.cluster.engine import ATTEMPTS, Engine, EngineError, Function, Outcome, applied, homes
from palmette.cluster.recipe import Content, Recipe
from palmette.cluster.tree import Add
from palmette.optional import optional_module

if TYPE_CHECKING:
    from distributed import Client, Future

WAIT = "30 s"  # for the scheduler, and for the first worker


class DaskEngine(Engine):
    """An engine of the workers of a Dask scheduler."""

    def __init__(self, client: Client | str | None = None, *, scheduler_file: str | None = None) -> None:
        """client: a `distributed.Client`, or the address of a scheduler; scheduler_file: or its file."""
        distributed = optional_module("distributed", extra="cluster")
        self._own = client is None or isinstance(client, str)
        if self._own:  # what is lost is told as an error, once
            logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        if client is None or isinstance(client, str):
            where = scheduler_file or client
            try:
                made = distributed.Client(client, scheduler_file=scheduler_file, timeout=WAIT)
            except (OSError, TimeoutError, ValueError) as error:
                raise EngineError(f"no Dask scheduler answers at {where}: {_reason(error)}") from error
        else:
            made = client
        self.client: Any = made
        self._address = self.client.scheduler.address if self.client.scheduler else "?"
        self._made: dict[str, Future] = {}
        try:
            self.client.wait_for_workers(1, timeout=WAIT)
        except (OSError, TimeoutError) as error:
            self.close()
            raise EngineError(f"the Dask scheduler at {self._address} has no worker") from error

    @property
    def n_workers(self) -> int:
        """The number of threads of all workers."""
        return sum(self.client.nthreads().values())

    def outcomes(self, function: Function, shards: Sequence[Any], value: Any = None) -> Iterator[Outcome]:
        """Yield what becomes of every shard, as soon as it is there."""
        from distributed import as_completed

        missing = dict(enumerate(shards))
        for _ in range(ATTEMPTS):
            with _Errors(self):
                contents = self._contents(shards)
                shared = self._broadcast(value)
                futures = {
                    self.client.submit(applied, function, contents[k], shared, key=_key("map"), pure=False): k
                    for k in missing
                }
                for future in as_completed(list(futures)):
                    k = futures[future]
                    if future.status == "finished":
                        missing.pop(k)
                        yield Outcome(k, future.result())
                    elif future.status == "error":
                        missing.pop(k)
                        yield Outcome(k, error=_told(future.exception()))
                if not missing:
                    return
                self._check()  # what is missing was lost with workers that had the value
        raise self._gave_up()

    def reduce(
        self, function: Function, shards: Sequence[Any], value: Any = None, *, add: Add = operator.add
    ) -> Any:
        """Return the sum over the shards, which the workers add up."""
        if not shards:
            raise ValueError("There is nothing to sum: no shards.")
        for _ in range(ATTEMPTS):
            with _Errors(self):
                shared = self._broadcast(value)
                level = [
                    self.client.submit(applied, function, content, shared, key=_key("map"), pure=False)
                    for content in self._contents(shards)
                ]
                while len(level) > 1:
                    pairs = [level[k : k + 2] for k in range(0, len(level), 2)]
                    level = [
                        self.client.submit(add, *pair, key=_key("add"), pure=False, priority=1)
                        if len(pair) == 2
                        else pair[0]
                        for pair in pairs
                    ]
                (total,) = level
                total_status = _finished(total)
                if total_status == "finished":
                    return total.result()
                if total_status == "error":
                    raise _told(total.exception())
                self._check()
        raise self._gave_up()

    def close(self) -> None:
        """Drop the shards, and the connection if it is the engine's own."""
        self._made.clear()
        if self._own:
            self.client.close()

    def _contents(self, shards: Sequence[Any]) -> list[Any]:
        """The shards as futures of their contents, in runs that begin on the same worker."""
        addresses = sorted(self.client.nthreads()) or [None]
        for address, run in zip(addresses, homes(len(shards), len(addresses))):
            for k in run:
                shard = shards[k]
                if isinstance(shard, Recipe) and self._status(shard.key) != "kept":
                    self._made[shard.key] = self.client.submit(
                        Content.made,
                        shard,
                        key=_key("shard"),
                        pure=False,
                        workers=None if address is None else [address],
                        allow_other_workers=address is not None,
                    )
        return [self._made[shard.key] if isinstance(shard, Recipe) else shard for shard in shards]

    def _status(self, key: str) -> str:
        found = self._made.get(key)
        return "kept" if found is not None and found.status in ("pending", "finished") else "missing"

    def _broadcast(self, value: Any) -> Any:
        return None if value is None else self.client.scatter(value, broadcast=True, hash=False)

    def _gave_up(self) -> EngineError:
        return EngineError(
            f"the Dask scheduler at {self._address} lost its workers again and again, or they cannot import what "
            "is sent: Palmette must be installed, in the same version, where the scheduler and the workers run"
        )

    def _check(self) -> None:
        """EngineError if the scheduler is gone."""
        if self.client.status != "running":
            raise self.failed(None)

    def failed(self, error: BaseException | None) -> EngineError:
        """The error of an engine whose scheduler is gone, or cannot go on."""
        from distributed.comm import CommClosedError

        # A call may see the closed connection before the client does.
        if error is None or isinstance(error, CommClosedError) or self.client.status != "running":
            return EngineError(
                f"the connection to the Dask scheduler at {self._address} is lost: start the scheduler and its "
                "workers again, and give the same command"
            )
        return EngineError(f"the Dask scheduler at {self._address} cannot go on: {_reason(error)}")


class _Errors:
    """Inside, what Dask says about a lost connection, or about work that it cannot do, becomes an EngineError."""

    def __init__(self, engine: DaskEngine) -> None:
        self._engine = engine

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        from asyncio import CancelledError

        ours = type(error).__module__.startswith("distributed") or isinstance(error, CancelledError)
        if isinstance(error, OSError | TimeoutError) and "Timed out" in str(error):
            ours = True
        if ours and not isinstance(error, EngineError):
            raise self._engine.failed(error) from error


def _finished(future: Any) -> str:
    """Wait for a future, and return how it ended: "finished", "error", or "cancelled" if its data are lost."""
    from distributed import wait
    from distributed.client import FuturesCancelledError

    try:
        wait(future)
    except FuturesCancelledError:
        return "cancelled"
    return str(future.status)


def _told(error: Any) -> Exception:
    """The error of a function as it was raised; a worker that is lost again and again as a sentence."""
    from distributed.scheduler import KilledWorker

    if isinstance(error, KilledWorker):
        return EngineError("a worker ended several times with the same shard: is there enough memory?")
    return error if isinstance(error, Exception) else EngineError(_reason(error))


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _key(verb: str) -> str:
    return f"palmette-{verb}-{uuid.uuid4().hex}"

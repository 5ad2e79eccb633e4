"""Processes of this machine. Each has its own shards, so that what it makes of them stays in its memory.

Every worker is an executor of one process: if it is killed, only the shard that it was working on is lost, and
another process takes its place. Values that all shards share are written once to a folder of temporary files.
"""

from __future__ import annotations

import itertools
import operator
import os
import pickle
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

from palmette.cluster.engine import ATTEMPTS, Engine, EngineError, Function, Outcome, applied, homes
from palmette.cluster.recipe import content_of
from palmette.cluster.tree import Add, Node, TreeSum, cover
from palmette.threads import n_threads

_KILLED = (
    f"a worker process ended {ATTEMPTS} times with the same shard ({{}} of {{}}): is there enough memory?"
)
SUBTREES = 4  # into which the run of a worker is cut at least, so that little is lost with it


class Processes(Engine):
    """An engine of processes, which are started when they are first needed."""

    def __init__(self, n: int = 1) -> None:
        """n: how many; -1 for all processors."""
        self._n = n_threads(n, "workers")
        self._workers = [_Worker() for _ in range(self._n)]
        self._folder = tempfile.TemporaryDirectory(prefix="palmette-", ignore_cleanup_errors=True)
        self._numbers = itertools.count()

    @property
    def n_workers(self) -> int:
        """The number of processes."""
        return self._n

    @property
    def process_ids(self) -> list[int]:
        """The processes that work now."""
        return [found for worker in self._workers if (found := worker.process_id) is not None]

    def outcomes(self, function: Function, shards: Sequence[Any], value: Any = None) -> Iterator[Outcome]:
        """Yield what becomes of every shard, as soon as it is there."""
        with _Shared(Path(self._folder.name), next(self._numbers), value) as shared:
            calls = [(applied_shared, function, shard, shared) for shard in shards]
            runs: list[Sequence[int]] = list(homes(len(shards), self._n))
            if not any(hasattr(shard, "make") for shard in shards):
                runs = [range(len(shards))] * self._n  # nobody has made them: all take from one queue
            yield from self._run(calls, runs)

    def reduce(
        self, function: Function, shards: Sequence[Any], value: Any = None, *, add: Add = operator.add
    ) -> Any:
        """Return the sum over the shards; each process adds up subtrees of its own before it sends them."""
        n = len(shards)
        nodes: list[Node] = []
        runs: list[Sequence[int]] = []
        if not n:
            raise ValueError("There is nothing to sum: no shards.")
        for run in homes(n, self._n):
            begin = len(nodes)
            nodes += cover(run.start, run.stop, n, largest=max(1, len(run) // SUBTREES))
            runs.append(range(begin, len(nodes)))
        total = TreeSum(n, add)
        with _Shared(Path(self._folder.name), next(self._numbers), value) as shared:
            calls = [
                (_subtree, function, [shards[k] for k in node.leaves if k < n], shared, add) for node in nodes
            ]
            for outcome in self._run(calls, runs):
                if outcome.error is not None:
                    raise outcome.error
                total.put(nodes[outcome.shard], outcome.result)
        return total.value

    def close(self) -> None:
        """End the processes, also those that are working."""
        for worker in self._workers:
            worker.end()
        self._folder.cleanup()

    def _run(self, calls: Sequence[tuple[Any, ...]], runs: Sequence[Sequence[int]]) -> Iterator[Outcome]:
        """Make every call once on a process whose run has it; calls of a process that dies are made again."""
        taken: set[int] = set()
        queues = [deque(run) for run in runs]
        running: dict[Future[Any], tuple[int, int]] = {}
        attempts = [0] * len(calls)
        idle = set(range(self._n))
        done = False
        for worker, queue in zip(self._workers, queues):
            if queue:
                worker.start()  # side by side
        try:
            while True:
                for w in sorted(idle):
                    k = _next(queues[w], taken)
                    if k is not None:
                        taken.add(k)
                        attempts[k] += 1
                        running[self._workers[w].submit(*calls[k])] = (w, k)
                        idle.discard(w)
                if not running:
                    break
                ready, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ready:
                    w, k = running.pop(future)
                    idle.add(w)
                    error = future.exception()
                    if isinstance(error, BrokenProcessPool):
                        self._workers[w].end()
                        if attempts[k] >= ATTEMPTS:
                            yield Outcome(k, error=EngineError(_KILLED.format(k + 1, len(calls))))
                        else:
                            taken.discard(k)
                            queues[w].appendleft(k)
                    elif error is None:
                        yield Outcome(k, future.result())
                    elif isinstance(error, Exception):
                        yield Outcome(k, error=error)
                    else:
                        raise error
            done = True
        finally:
            if not done:  # nobody waits for what is still running
                for w, _ in running.values():
                    self._workers[w].end()


class _Worker:
    """An executor of one process, started when there is work."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._asked: Future[int] | None = None

    @property
    def process_id(self) -> int | None:
        """The number of the process, once it runs."""
        asked = self._asked
        return asked.result() if asked is not None and asked.done() and not asked.exception() else None

    def start(self) -> None:
        if self._pool is None:
            # A new interpreter: a copy of this one might hold locks of its threads.
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_started)
            self._asked = self._pool.submit(os.getpid)

    def submit(self, function: Any, *args: Any) -> Future[Any]:
        self.start()
        assert self._pool is not None
        assert self._asked is not None
        try:
            self._asked.result()
        except BrokenProcessPool as error:
            self.end()
            raise EngineError(
                "a worker process ended as soon as it was started: a program that uses processes must start "
                "its work below `if __name__ == '__main__':`"
            ) from error
        try:
            return self._pool.submit(function, *args)
        except BrokenProcessPool as error:  # it died between two shards
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def end(self) -> None:
        pool, process_id = self._pool, self.process_id
        self._pool = self._asked = None
        if pool is not None:
            if process_id is not None:
                with suppress(OSError):
                    os.kill(process_id, signal.SIGTERM)
            pool.shutdown(wait=True, cancel_futures=True)


class _Shared:
    """A value in a file, from which every process reads it once; small ones travel with the calls."""

    def __init__(self, folder: Path, number: int, value: Any) -> None:
        self._value, self._path = value, folder / f"{number}.pickle"

    def __enter__(self) -> tuple[str, Any]:
        if self._value is None:
            return ("", None)
        with self._path.open("wb") as file:
            pickle.dump(self._value, file, protocol=pickle.HIGHEST_PROTOCOL)
        return (str(self._path), None)

    def __exit__(self, *_: object) -> None:
        self._path.unlink(missing_ok=True)


_last: tuple[str, Any] = ("", None)  # the value that this process read last, by its file


def _read(shared: tuple[str, Any]) -> Any:
    global _last
    path, value = shared
    if not path:
        return value
    if _last[0] != path:
        with Path(path).open("rb") as file:
            _last = (path, pickle.load(file))
    return _last[1]


def applied_shared(function: Function, shard: Any, shared: tuple[str, Any]) -> Any:
    """`applied`, with a value that lies in a file."""
    return applied(function, shard, _read(shared))


def _subtree(function: Function, shards: Sequence[Any], shared: tuple[str, Any], add: Add) -> Any:
    """The sum over the shards of a subtree, in the order of the tree."""
    value, total = _read(shared), TreeSum(len(shards), add)
    for k, shard in enumerate(shards):
        total.put(Node(0, k), function(content_of(shard), value))
    return total.value


def _next(queue: deque[int], taken: set[int]) -> int | None:
    while queue:
        k = queue.popleft()
        if k not in taken:
            return k
    return None


def _started() -> None:
    """Leave Ctrl-C to the process that has the workers, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

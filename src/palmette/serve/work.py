"""Threads for the work of requests, with a queue that does not grow without bound."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from palmette.serve.limits import Limits, RequestError

T = TypeVar("T")
_MOST = 64  # jobs that are done together
_ENOUGH = 16  # of them: worth another thread


@dataclass(eq=False)
class _Group:
    """Jobs of one kind that wait. closed: a thread has taken them."""

    jobs: list[Any] = field(default_factory=list)
    answers: list[asyncio.Future[Any]] = field(default_factory=list)
    submitted: bool = False
    closed: bool = False


class Work:
    """Runs functions outside the event loop. `pending` counts jobs that run or wait."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.pending = 0
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="palmette")
        self._usual = 0.05  # seconds of a job, averaged over the last ones
        self._lock = threading.Lock()
        self._waiting: dict[Hashable, _Group] = {}
        self._running: Counter[Hashable] = Counter()

    async def run(self, function: Callable[[], T]) -> T:
        """Return what a function returns; RequestError if too many wait, or it takes too long.

        A function that takes too long goes on in its thread, and counts as pending until it ends.
        """
        self._check()
        self.pending += 1
        job = asyncio.get_running_loop().run_in_executor(self._threads, self._timed, function, 1)
        job.add_done_callback(self._done)
        return await self._in_time(job)

    async def join(self, kind: Hashable, job: Any, together: Callable[[Sequence[Any]], Sequence[Any]]) -> Any:
        """Do a job together with others of its kind that wait; what was done is an exception if it went wrong.

        The first one begins at once. Those that come while it runs are done together when it ends, or when there
        are enough of them.
        """
        self._check()
        self.pending += 1
        answer = asyncio.get_running_loop().create_future()
        with self._lock:
            group = self._waiting.get(kind)
            if group is None or group.closed or len(group.jobs) == _MOST:
                group = self._waiting[kind] = _Group()
            group.jobs.append(job)
            group.answers.append(answer)
            ready = not self._running[kind] or len(group.jobs) >= _ENOUGH
        if ready:
            self._submit(kind, group, together)
        return await self._in_time(answer)

    def _submit(
        self, kind: Hashable, group: _Group, together: Callable[[Sequence[Any]], Sequence[Any]]
    ) -> None:
        if group.submitted:
            return
        group.submitted = True
        self._running[kind] += 1

        def take() -> Sequence[Any]:
            with self._lock:
                group.closed = True
            return self._timed(lambda: together(group.jobs), len(group.jobs))

        def done(job: asyncio.Future[Sequence[Any]]) -> None:
            self.pending -= len(group.jobs)
            self._running[kind] -= 1
            _answer(group.answers, job)
            following = self._waiting.get(kind)
            if following is group:
                del self._waiting[kind]
            elif following is not None:
                self._submit(kind, following, together)
            if not self._running[kind]:
                del self._running[kind]

        asyncio.get_running_loop().run_in_executor(self._threads, take).add_done_callback(done)

    async def _in_time(self, job: asyncio.Future[T]) -> T:
        try:
            return await asyncio.wait_for(asyncio.shield(job), self.limits.seconds)
        except TimeoutError:
            raise RequestError(
                504, f"the work took more than {self.limits.seconds:g} s; send less at once"
            ) from None

    def _check(self) -> None:
        if self.pending >= self.limits.waiting + self.limits.workers:
            seconds = max(1, math.ceil(self._usual * self.pending / self.limits.workers))
            raise RequestError(503, f"too many requests wait; come back in {seconds} s", retry_after=seconds)

    def _timed(self, function: Callable[[], T], n: int) -> T:
        began = time.perf_counter()
        try:
            return function()
        finally:
            self._usual = 0.9 * self._usual + 0.1 * (time.perf_counter() - began) / n

    def _done(self, job: Any) -> None:
        self.pending -= 1
        if not job.cancelled():
            job.exception()  # it may have come after its request was answered

    def stop(self) -> None:
        """Take no more work; what runs comes to its end."""
        self._threads.shutdown(wait=True, cancel_futures=True)


def _answer(answers: Sequence[asyncio.Future[Any]], job: asyncio.Future[Sequence[Any]]) -> None:
    """Give every answer to the one that waits for it."""
    if job.cancelled():
        found: Sequence[Any] = [asyncio.CancelledError()] * len(answers)
    elif (error := job.exception()) is not None:
        found = [error] * len(answers)
    else:
        found = job.result()
    for answer, one in zip(answers, found):
        if answer.done():
            continue
        if isinstance(one, BaseException):
            answer.set_exception(one)
            answer.exception()  # it may have come after its request was answered
        else:
            answer.set_result(one)

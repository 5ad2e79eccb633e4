"""Threads for the work of requests, with a queue that does not grow without bound."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from palmette.serve.limits import Limits, RequestError

T = TypeVar("T")


class Work:
    """Runs functions outside the event loop. `pending` counts those that run or wait."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.pending = 0
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="palmette")
        self._usual = 0.05  # seconds of a job, averaged over the last ones

    async def run(self, function: Callable[[], T]) -> T:
        """Return what a function returns; RequestError if too many wait, or it takes too long.

        A function that takes too long goes on in its thread, and counts as pending until it ends.
        """
        if self.pending >= self.limits.waiting + self.limits.workers:
            seconds = max(1, math.ceil(self._usual * self.pending / self.limits.workers))
            raise RequestError(503, f"too many requests wait; come back in {seconds} s", retry_after=seconds)
        self.pending += 1
        job = asyncio.get_running_loop().run_in_executor(self._threads, self._timed, function)
        job.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.shield(job), self.limits.seconds)
        except TimeoutError:
            raise RequestError(
                504, f"the work took more than {self.limits.seconds:g} s; send less at once"
            ) from None

    def _timed(self, function: Callable[[], T]) -> T:
        began = time.perf_counter()
        try:
            return function()
        finally:
            self._usual = 0.9 * self._usual + 0.1 * (time.perf_counter() - began)

    def _done(self, job: Any) -> None:
        self.pending -= 1
        if not job.cancelled():
            job.exception()  # it may have come after its request was answered

    def stop(self) -> None:
        """Take no more work; what runs comes to its end."""
        self._threads.shutdown(wait=True, cancel_futures=True)

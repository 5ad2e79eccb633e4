"""Time: the shortest of some runs, the works taking turns so that a busy machine slows all of them alike."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def shortest(
    *works: Callable[[], object], times: int = 5, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The seconds of the shortest of `times` runs of each work; with `time.process_time`, those of the processors.

    What is alive before is kept from the garbage collector, which would visit it while a work makes objects.
    """
    best = [float("inf")] * len(works)
    gc.collect()
    gc.freeze()
    try:
        for _ in range(times):
            for i, work in enumerate(works):
                best[i] = min(best[i], _seconds(work, clock))
    finally:
        gc.unfreeze()
    return best


def _seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    gc.collect()
    start = clock()
    made = work()
    seconds = clock() - start
    del made  # freeing is not part of the work
    return seconds

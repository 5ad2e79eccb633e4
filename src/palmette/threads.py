"""How many threads `n_jobs` asks for: the one rule of all tools, learners, kernels and commands."""

from __future__ import annotations

import os

MOST = 4096  # that may be asked for
_MOST_STARTED = 1024  # more would only wait for each other


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def n_threads(n_jobs: object, name: str = "n_jobs") -> int:
    """Return how many threads to start for `n_jobs`: 1 or more, or -1 for all processors; ValueError otherwise.

    >>> n_threads(2)
    2
    >>> n_threads(0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: The 'n_jobs' parameter must be an int in the range [1, 4096], or -1 for all processors. G...
    """
    whole = hasattr(n_jobs, "__index__") and not isinstance(n_jobs, bool)
    wanted = n_jobs.__index__() if whole else 0  # type: ignore[attr-defined]
    if wanted == -1:
        return processors()
    if not 1 <= wanted <= MOST:
        raise ValueError(
            f"The {name!r} parameter must be an int in the range [1, {MOST}], or -1 for all processors. "
            f"Got {n_jobs!r:.60} instead."
        )
    return min(int(wanted), _MOST_STARTED)

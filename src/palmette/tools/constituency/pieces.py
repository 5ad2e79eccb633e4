"""Many sentences in pieces over threads.

A loop in native code lets go of the interpreter, what is around it does not. With a thread for all of a piece,
from words to trees, one thread's Python runs beside another's loops, so two threads take half the time as long as
Python has less than half of it. Sentences do not depend on each other: pieces and threads never change a result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, pairwise
from typing import TypeVar

from palmette._native import StopFlag

V = TypeVar("V")

_PIECES = 16  # for each thread, so that none waits long for the last
_FEWEST = 4  # sentences of a piece, on average: smaller ones cost more than they gain


def in_pieces(
    work: Callable[[Sequence[list[str]], int], Sequence[V]], sentences: Sequence[list[str]], n_jobs: int
) -> list[V]:
    """Return what work(sentences, threads) gives for every sentence, with that many threads at once.

    Ctrl-C comes to the main thread only, which asks the loops of all others to end.

    >>> in_pieces(lambda part, n_jobs: [len(words) for words in part], [["a"], ["b", "c"]] * 20, 2)[:3]
    [1, 2, 1]
    """
    pieces = cut(sentences, min(_PIECES * n_jobs, len(sentences) // _FEWEST)) if n_jobs > 1 else []
    if len(pieces) < 2:
        return list(work(sentences, n_jobs))
    stop = StopFlag()

    def part(piece: Sequence[list[str]]) -> Sequence[V]:
        stop.enter()
        try:
            return work(piece, 1)
        finally:
            stop.leave()

    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            return [value for found in pool.map(part, pieces) for value in found]
        except BaseException:
            stop.set()
            raise


def cut(sentences: Sequence[list[str]], n: int) -> list[Sequence[list[str]]]:
    """At most n runs of sentences, none empty, of about as many words each."""
    if n < 2 or len(sentences) < 2:
        return [sentences] if sentences else []
    *starts, total = accumulate(map(len, sentences), initial=0)
    pieces = [n * start // total for start in starts]  # of every sentence
    ends = [i for i in range(1, len(pieces)) if pieces[i - 1] < pieces[i]]
    return [sentences[first:last] for first, last in pairwise([0, *ends, len(sentences)])]

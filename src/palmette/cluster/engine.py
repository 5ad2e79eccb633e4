"""The two verbs of an engine, *map* over shards and *reduce*, and what every engine does alike.

A function gets the content of a shard (see `recipe`) and a value that all shards share, such as the weights of a
pass, which is sent to every worker once. Functions are those of a module, so that every worker can import them.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self

from palmette.cluster.recipe import content_of
from palmette.cluster.tree import Add, Node, TreeSum

Function = Callable[[Any, Any], Any]
Told = Callable[["Outcome"], None]
ATTEMPTS = 4  # of a shard whose worker ends


class EngineError(OSError):
    """An engine that cannot go on: its workers or its scheduler are gone."""


class Outcome(NamedTuple):
    """What became of one shard: its number, and the result, or the error that the function raised there."""

    shard: int
    result: Any = None
    error: Exception | None = None


class Engine(ABC):
    """Workers that apply a function to shards. Use it in a `with`, or `close` it."""

    @property
    @abstractmethod
    def n_workers(self) -> int:
        """How many shards are worked on at the same time, now."""

    @abstractmethod
    def outcomes(self, function: Function, shards: Sequence[Any], value: Any = None) -> Iterator[Outcome]:
        """Yield what becomes of every shard once, in the order in which they are ready.

        A shard whose worker is lost is worked on again. EngineError if there is nobody left to work.
        """

    @abstractmethod
    def close(self) -> None:
        """Let the workers go."""

    def map(
        self, function: Function, shards: Sequence[Any], value: Any = None, *, told: Told | None = None
    ) -> list[Any]:
        """Return function(content, value) for every shard, in their order.

        The error of the first shard that has one is raised when all are done, the end of the engine at once. told:
        called with every outcome as soon as it is there.
        """
        found: dict[int, Outcome] = {}
        for outcome in self.outcomes(function, shards, value):
            if told is not None:
                told(outcome)
            if isinstance(outcome.error, EngineError):
                raise outcome.error
            found[outcome.shard] = outcome
        for k in range(len(shards)):
            if (error := found[k].error) is not None:
                raise error
        return [found[k].result for k in range(len(shards))]

    def reduce(
        self, function: Function, shards: Sequence[Any], value: Any = None, *, add: Add = operator.add
    ) -> Any:
        """Return the sum of function(content, value) over the shards, added up as a tree in a fixed order.

        The tree depends on the number of shards alone, and so do the bytes of the sum. `add` leaves its arguments
        as they are.
        """
        if not shards:
            raise ValueError("There is nothing to sum: no shards.")
        total = TreeSum(len(shards), add)
        for outcome in self.outcomes(function, shards, value):
            if outcome.error is not None:
                raise outcome.error
            total.put(Node(0, outcome.shard), outcome.result)
        return total.value

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def applied(function: Function, shard: Any, value: Any) -> Any:
    """Apply a function to the content of a shard; this is what runs on a worker."""
    return function(content_of(shard), value)


def homes(n_shards: int, n_workers: int) -> list[range]:
    """Return the shards of every worker: runs of about the same length.

    >>> homes(5, 2)
    [range(0, 2), range(2, 5)]
    """
    return [range(n_shards * k // n_workers, n_shards * (k + 1) // n_workers) for k in range(n_workers)]

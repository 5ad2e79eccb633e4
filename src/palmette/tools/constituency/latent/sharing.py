"""Trees of latent grammars in shards: EM of one trainer, or of one for each shard, whose counts are summed up.

    weights ──▶ every shard: inside and outside of its trees ──▶ counts, summed ──▶ new weights

A shard keeps its arrays and gets the weights of every pass: a worker that is lost costs a pass over its trees.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.course import Workers
from palmette.tools.constituency.latent.grammar import Floats, Int32s

Arrays = tuple[Any, ...]


class Trainer(Protocol):
    """What split-merge training asks of a trainer (native/tools/constituency/latent/training.hpp)."""

    def expectation(self, n_jobs: int) -> float: ...
    def maximization(self, rule_smoothing: float, word_smoothing: float, n_jobs: int) -> None: ...
    def split(self, noise: float, seed: int) -> None: ...
    def merge_losses(self, n_jobs: int) -> NDArray[np.float64]: ...
    def merge(self, merged: NDArray[np.uint8]) -> Int32s: ...
    def restore(self, *weights: Any) -> None: ...
    def substates(self) -> Int32s: ...
    def binary(self) -> Floats: ...
    def unary(self) -> Floats: ...
    def same(self) -> Floats: ...
    def root(self) -> Floats: ...
    def mass(self) -> Floats: ...
    def counts(self) -> Floats: ...
    def prior(self) -> Floats: ...
    @property
    def smoothing(self) -> float: ...


def weights_of(trainer: Trainer) -> Arrays:
    """Return what another trainer of the same rules and words can go on from, by its `restore`."""
    return (
        trainer.substates(),
        trainer.binary(),
        trainer.unary(),
        trainer.same(),
        trainer.root(),
        trainer.counts(),
        trainer.prior(),
        trainer.smoothing,
    )


@dataclass(frozen=True, eq=False)
class TreeShard:
    """Some trees, with all rules and words.

    rules: the number of symbols, and the columns of the rules. begin: of each tree, one past the last. nodes:
    their kinds, numbers and symbols. children: left and right ones. forms, lexicon: of the words.
    """

    rules: Arrays
    begin: NDArray[np.int64]
    nodes: Arrays
    children: Arrays
    forms: Arrays
    lexicon: Arrays

    def part(self, first: int, last: int) -> TreeShard:
        """The trees from one to another."""
        a, b = self.begin[first], self.begin[last]
        begin = np.ascontiguousarray(self.begin[first : last + 1] - a)
        nodes = tuple(np.ascontiguousarray(column[a:b]) for column in self.nodes)
        children = tuple((column[a:b] - a).astype(np.int32) for column in self.children)
        return TreeShard(self.rules, begin, nodes, children, self.forms, self.lexicon)

    @cached_property
    def trainer(self) -> _native.LatentTrainer:
        """A trainer with one substate per symbol."""
        arrays: Any = (*self.rules, self.begin, *self.nodes, *self.children, *self.forms, *self.lexicon)
        return _native.LatentTrainer(*arrays)


def expected_of(shard: TreeShard, weights: Arrays) -> Arrays:
    """What a shard adds to the log-probability and to the counts."""
    trainer = shard.trainer
    trainer.restore(*weights)
    log = trainer.expectation(1)
    words = trainer.prior().astype(np.float64) * trainer.n_words
    found = (*trainer.expected(), trainer.counts(), trainer.mass())
    return (log, trainer.n_words, words, *(one.astype(np.float64) for one in found))


def losses_of(shard: TreeShard, given: tuple[Arrays, Floats]) -> Arrays:
    """What a shard adds to the losses of merging; given: weights, and how frequent substates are in all trees."""
    weights, mass = given
    trainer = shard.trainer
    trainer.restore(*weights)
    trainer.expectation(1)
    trainer.take_mass(mass)
    return (trainer.merge_losses(1),)


class SharedTrainer:
    """A trainer whose passes over the trees are those of workers. Use it in a `with`."""

    def __init__(self, trainer: _native.LatentTrainer, shards: Any, workers: Workers) -> None:
        """shards: of the trees, as they come."""
        self._trainer, self._given, self._workers = trainer, shards, workers
        self._stack = ExitStack()

    def __enter__(self) -> SharedTrainer:
        self._shards = self._stack.enter_context(self._workers.stored(self._given))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._trainer, name)

    def expectation(self, n_jobs: int) -> float:
        """The log-probability of all trees; makes the counts."""
        log, n_words, words, binary, unary, same, root, counts, mass = self._workers.reduce(
            expected_of, self._shards, weights_of(self._trainer)
        )
        prior = words / max(n_words, 1)
        self._trainer.take(
            *(one.astype(np.float32) for one in (binary, unary, same, root, counts, prior, mass))
        )
        return float(log)

    def merge_losses(self, n_jobs: int) -> NDArray[np.float64]:
        """What merging loses, by row."""
        given = (weights_of(self._trainer), self._trainer.mass())
        losses: NDArray[np.float64] = self._workers.reduce(losses_of, self._shards, given)[0]
        return losses

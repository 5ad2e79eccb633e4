"""Split-merge training (Petrov, Barrett, Thibaux and Klein 2006): symbols learn their own subclasses.

A round splits every substate in two, runs EM on the trees, takes back the half of the splits whose loss of
likelihood would be least, and runs EM again, at the end with smoothing. The trees are known, so a pass is linear
in their nodes (native/tools/constituency/latent/training.hpp).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.course import workers
from palmette.tools.constituency.latent.grammar import GrammarWeights, Int32s, Rules, levels_of, rows_of
from palmette.tools.constituency.latent.lexicon import LexiconTables, WordForms, count_words
from palmette.tools.constituency.latent.sharing import SharedTrainer, Trainer, TreeShard, weights_of
from palmette.tools.constituency.latent.trees import WORD, FlatTrees, ints
from palmette.trees.tree import Tree

STRENGTH = (0.0, 1.0, 1.0)  # of the contexts of a word
NOISE = 0.01  # between the halves of a split
AFTER_SPLIT, AFTER_MERGE, SMOOTHED = 25, 10, 8  # passes of EM
RULE_SMOOTHING, WORD_SMOOTHING = 0.01, 0.1


@dataclass(frozen=True, eq=False)
class TrainingTrees:
    """What all grammars of a training share: rules, words, and the trees as arrays."""

    rules: Rules
    lexicon: LexiconTables
    forms: WordForms
    flat: FlatTrees

    @classmethod
    def of(cls, trees: Sequence[Tree], *, horizontal: int, leftward: bool, rare: int) -> TrainingTrees:
        """Binarize and number everything."""
        flat = FlatTrees.of(trees, horizontal=horizontal, leftward=leftward)
        lexicon, forms = count_words(flat.tokens, rare=rare, strength=STRENGTH)
        binary = np.array(list(flat.binary), dtype=np.int32).reshape(-1, 3)
        rules = Rules(tuple(flat.symbols), binary, tuple(flat.unary), horizontal, leftward)
        return cls(rules, lexicon, forms, flat)

    def shards(self, n: int) -> Iterator[TreeShard]:
        """Cut the trees into n parts, or into as many as there are trees."""
        whole = self.whole()
        n_trees = len(whole.begin) - 1
        n = min(n, n_trees)
        for k in range(n):
            yield whole.part(n_trees * k // n, n_trees * (k + 1) // n)

    def trainer(self) -> _native.LatentTrainer:
        """A trainer with one substate per symbol."""
        return self.whole().trainer

    def whole(self) -> TreeShard:
        """All trees as arrays."""
        kind = np.array(self.flat.kind, dtype=np.uint8)
        number = ints(self.flat.id)
        number[kind == WORD] = self.forms.of[number[kind == WORD]]
        words = self.lexicon
        return TreeShard(
            (len(self.rules.symbols), self.rules.binary_columns, self.rules.unary_columns),
            np.array(self.flat.begin, dtype=np.int64),
            (kind, number, ints(self.flat.symbol)),
            (ints(self.flat.left), ints(self.flat.right)),
            (self.forms.tag, self.forms.chain, self.forms.counted),
            (words.begin, words.tag, words.total, words.strength, words.tags),
        )


class State(NamedTuple):
    """Where a training is after a round, to go on from."""

    rounds: int
    weights: tuple[Any, ...]  # as `restore` takes them
    history: tuple[tuple[Int32s, Int32s], ...]


@dataclass(frozen=True, eq=False)
class Round:
    """The grammar after a round, and the log-probability of the trees (words given but for their tags)."""

    weights: GrammarWeights
    log_likelihood: float
    state: State


def split_merge(
    data: TrainingTrees,
    *,
    rounds: int,
    merge: float,
    n_jobs: int,
    seed: int,
    begun: State | None = None,
) -> Iterator[Round]:
    """The grammar after every round; after none if `rounds` is 0, then the treebank's own.

    merge: the share of splits that are taken back. begun: go on from there. On a cluster workers share the trees.
    """
    cluster = workers()
    if cluster is None:
        yield from _rounds(data.trainer(), rounds, merge, n_jobs, seed, begun)
        return
    with SharedTrainer(data.trainer(), data.shards(cluster.shards), cluster) as trainer:
        yield from _rounds(trainer, rounds, merge, n_jobs, seed, begun)


def _rounds(
    trainer: Trainer, rounds: int, merge: float, n_jobs: int, seed: int, begun: State | None
) -> Iterator[Round]:
    history: list[tuple[Int32s, Int32s]] = []
    first = 0
    if begun is not None:
        trainer.restore(*begun.weights)
        first, history = begun.rounds, list(begun.history)
    elif rounds == 0:
        substates = trainer.substates()
        history.append((substates, np.zeros(rows_of(substates)[-1], dtype=np.int32)))
        log = trainer.expectation(n_jobs)
        yield Round(_weights(trainer, history), log, _state(trainer, 0, history))
    for number in range(first, rounds):
        trainer.split(NOISE, seed * 1000 + number)
        for _ in range(AFTER_SPLIT):
            trainer.expectation(n_jobs)
            trainer.maximization(0.0, 0.0, n_jobs)
        trainer.expectation(n_jobs)
        history.append(_merge(trainer, merge, n_jobs))
        for k in range(AFTER_MERGE + SMOOTHED):
            log = trainer.expectation(n_jobs)
            smooth = k >= AFTER_MERGE
            trainer.maximization(RULE_SMOOTHING * smooth, WORD_SMOOTHING * smooth, n_jobs)
        yield Round(_weights(trainer, history), log, _state(trainer, number + 1, history))


def _state(trainer: Trainer, rounds: int, history: Sequence[tuple[Int32s, Int32s]]) -> State:
    return State(rounds, weights_of(trainer), tuple(history))


def _merge(trainer: Trainer, share: float, n_jobs: int) -> tuple[Int32s, Int32s]:
    """Take back the splits that lose least; the substates left, and what each was before the split."""
    before = trainer.substates()
    rows = rows_of(before)
    losses = trainer.merge_losses(n_jobs)
    pairs = np.concatenate([rows[a] + np.arange(n // 2) for a, n in enumerate(before)])
    order = pairs[np.argsort(losses[pairs], kind="stable")]
    merged = np.zeros(rows[-1], dtype=np.uint8)
    merged[order[: int(len(order) * share)]] = 1
    to_new: NDArray[np.int32] = trainer.merge(merged)
    after = trainer.substates()
    new_rows = rows_of(after)
    origin = np.zeros(new_rows[-1], dtype=np.int32)
    for a, n in enumerate(before):
        old = np.arange(n)
        origin[new_rows[a] + to_new[rows[a] + old]] = old // 2
    return after, origin


def _weights(trainer: Trainer, history: Sequence[tuple[Int32s, Int32s]]) -> GrammarWeights:
    return GrammarWeights(
        trainer.substates(),
        trainer.binary(),
        trainer.unary(),
        trainer.same(),
        trainer.root(),
        trainer.mass(),
        trainer.counts(),
        trainer.prior(),
        levels_of(history),
    ).pruned()

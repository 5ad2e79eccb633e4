"""The method `latent`: grammars whose symbols learn their own subclasses, one or a product of several.

q(rule, i, k, j) = its posterior, summed over substates;    tree = argmax Π over grammars Π over rules of q
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from palmette.course import workers
from palmette.learning.learner import Learner
from palmette.learning.loop import Callback, Pass, run_passes
from palmette.tools.constituency.latent.grammar import GrammarWeights
from palmette.tools.constituency.latent.model import OWNER, LatentModel, LatentOptions
from palmette.tools.constituency.latent.training import (
    WORD_SMOOTHING,
    Round,
    State,
    TrainingTrees,
    split_merge,
)
from palmette.tools.constituency.model import ConstituencyModel, Trained
from palmette.trees.tree import Tree

__all__ = ["LatentModel", "LatentOptions", "train"]


def train(
    trees: Sequence[Tree],
    *,
    options: Mapping[str, Any],
    learner: Learner | None = None,
    dev: Callable[[ConstituencyModel], float] | None = None,
    callback: Callback | None = None,
    n_jobs: int = 1,
    seed: int = 0,
) -> Trained:
    """Train `grammars` grammars of `rounds` rounds each; the same result for every `n_jobs`."""
    if learner is not None:
        raise ValueError("The method 'latent' learns by EM and takes no learner.")
    chosen = LatentOptions.of(options, OWNER)
    data = TrainingTrees.of(trees, horizontal=chosen.horizontal, leftward=chosen.leftward, rare=chosen.rare)

    def model(members: Sequence[GrammarWeights]) -> LatentModel:
        return LatentModel(data.rules, data.lexicon, WORD_SMOOTHING, tuple(members), chosen.search)

    def rounds(number: int, jobs: int, begun: State | None = None) -> Iterator[Round]:
        return split_merge(
            data, rounds=chosen.rounds, merge=chosen.merge, n_jobs=jobs, seed=seed * 64 + number, begun=begun
        )

    def passes(state: Any) -> Iterator[Pass[list[GrammarWeights]]]:
        if chosen.grammars == 1:
            for done in rounds(0, n_jobs, state):
                numbers = _numbers(done, len(data.forms.of))
                yield Pass(numbers, partial(list, [done.weights]), state=done.state)
            return
        members: list[GrammarWeights] = list(state or ())
        for done in _last_rounds(rounds, range(len(members), chosen.grammars), n_jobs):
            members.append(done.weights)
            numbers = _numbers(done, len(data.forms.of))
            yield Pass(numbers, partial(list, tuple(members)), state=tuple(members))

    chooses = dev if chosen.grammars == 1 else None
    score = None if chooses is None else lambda members: chooses(model(members))
    found = run_passes(passes, score=score, callback=callback)
    if found.result is None:
        raise KeyboardInterrupt  # nothing was learnt that would be worth keeping
    return Trained(model(found.result), history=found.history, interrupted=found.interrupted)


def _last_rounds(
    rounds: Callable[[int, int], Iterator[Round]], numbers: Sequence[int], n_jobs: int
) -> Iterator[Round]:
    """The last rounds of several grammars, each trained by one thread; by all workers on a cluster."""

    def last(number: int) -> Round:
        *_, done = rounds(number, 1)
        return done

    if workers() is not None:
        yield from map(last, numbers)
        return
    with ThreadPoolExecutor(max_workers=max(1, n_jobs)) as pool:
        yield from pool.map(last, numbers)


def _numbers(done: Round, n_words: int) -> dict[str, float]:
    return {"loss": -done.log_likelihood / n_words, "substates": int(done.weights.substates.sum())}

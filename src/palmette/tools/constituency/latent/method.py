"""The method `latent`: grammars whose symbols learn their own subclasses, one or a product of several.

q(rule, i, k, j) = its posterior, summed over substates;    tree = argmax Π over grammars Π over rules of q
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from palmette.learning.learner import Callback, Learner, Report
from palmette.tools.constituency.latent.grammar import GrammarWeights
from palmette.tools.constituency.latent.model import OWNER, LatentModel, LatentOptions
from palmette.tools.constituency.latent.training import WORD_SMOOTHING, Round, TrainingTrees, split_merge
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

    def rounds(number: int, jobs: int) -> Iterator[Round]:
        return split_merge(
            data, rounds=chosen.rounds, merge=chosen.merge, n_jobs=jobs, seed=seed * 64 + number
        )

    watch = _Watch(dev, callback, len(data.forms.of))
    members: list[GrammarWeights] = []
    try:
        if chosen.grammars == 1:
            for done in rounds(0, n_jobs):
                if watch.seen(done, partial(model, [done.weights])):
                    members = [done.weights]
        else:
            members = _product(rounds, chosen.grammars, n_jobs, watch)
    except KeyboardInterrupt:
        if not members:
            raise
        return Trained(model(members), history=tuple(watch.history), interrupted=True)
    return Trained(model(members), history=tuple(watch.history))


def _product(
    rounds: Callable[[int, int], Iterator[Round]], grammars: int, n_jobs: int, watch: _Watch
) -> list[GrammarWeights]:
    """The last rounds of several grammars, each trained by one thread."""

    def last(number: int) -> Round:
        *_, done = rounds(number, 1)
        return done

    members = []
    with ThreadPoolExecutor(max_workers=max(1, n_jobs)) as pool:
        for done in pool.map(last, range(grammars)):
            watch.seen(done, None)
            members.append(done.weights)
    return members


class _Watch:
    """Reports of rounds, and which was the best for the dev set."""

    def __init__(
        self, dev: Callable[[ConstituencyModel], float] | None, callback: Callback | None, n_words: int
    ) -> None:
        self.dev, self.callback, self.n_words = dev, callback, n_words
        self.history: list[Report] = []
        self.best = float("-inf")
        self.began = time.perf_counter()

    def seen(self, done: Round, model: Callable[[], LatentModel] | None) -> bool:
        """Report a round; whether its grammar is the one to keep so far."""
        numbers = {
            "loss": -done.log_likelihood / self.n_words,
            "substates": int(done.weights.substates.sum()),
        }
        better = True
        if self.dev is not None and model is not None:
            numbers["dev"] = self.dev(model())
            better = numbers["dev"] > self.best
            self.best = max(self.best, numbers["dev"])
        seconds = time.perf_counter() - self.began
        self.history.append(Report(len(self.history) + 1, seconds, numbers, better))
        if self.callback is not None:
            self.callback(self.history[-1])
        return better

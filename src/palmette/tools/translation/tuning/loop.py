"""The n-best loop: decode with the weights, merge what is new, tune, until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.learning.loop import Callback, Pass, Report, run_passes
from palmette.messages import logged
from palmette.parameters import Rule, check_value, require_int
from palmette.tools.translation.tuning.lists import NBestLists, checked_weights
from palmette.tools.translation.tuning.metric import Floats
from palmette.tools.translation.tuning.references import References
from palmette.tools.translation.tuning.tuner import check_method, tune, tuned_mask


class KBest(NamedTuple):
    """The k best translations of every sentence, as a decoder gives them.

    Those of sentence i are lists[i] … lists[i + 1] − 1; translation t has the words ids[words[t] : words[t + 1]]
    and the features features[t].
    """

    lists: NDArray[np.int64]
    words: NDArray[np.int64]
    ids: NDArray[np.uint32]
    features: Floats

    @staticmethod
    def with_more(found: KBest, size: int, more: Iterable[str], references: References) -> KBest:
        """Return translations whose words from `size` on are those of `more`, by the numbers of the references.

        So a decoder copies words that its vocabulary of `size` words lacks.
        """
        known = references.numbers(more)
        ids = found.ids.copy()
        copied = ids >= size
        ids[copied] = known[ids[copied] - size]
        return found._replace(ids=ids)


@dataclass(frozen=True)
class LoopResult:
    """The best weights of all rounds by the metric of what they decode.

    score: that metric, or None if no round was finished; history: a report of each round; interrupted: whether
    Ctrl-C ended the loop; lists: what the best weights decoded.
    """

    weights: Floats
    names: tuple[str, ...]
    score: float | None
    history: tuple[Report, ...]
    interrupted: bool
    lists: NBestLists | None = None


def tuning_loop(
    decode: Callable[[Floats], KBest | NBestLists],
    references: References,
    names: Sequence[str],
    start: ArrayLike,
    method: str = "mert",
    options: Mapping[str, Any] | None = None,
    *,
    fixed: Collection[str] = (),
    n_iter: int = 15,
    patience: int = 0,
    step: float = 1.0,
    callback: Callback | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> LoopResult:
    """Decode, merge and tune until no new translation is found, or the weights stay.

    decode: a function of weights that returns the k best translations of every sentence. n_iter: most rounds;
    patience: rounds without a better metric after which the loop ends, 0: never. step: how far the weights go to
    those that the method finds, 1: all the way; small steps steady PRO (Hopkins and May 2011). After each round
    `callback` gets a report with the number of candidates, of new ones, and `dev`, the metric of the best
    translations. Ctrl-C ends the loop and keeps the best weights. The result depends on `random_state` alone.
    """
    require_int("n_iter", n_iter, 1)
    require_int("patience", patience, 0)
    check_value("step", step, (float,), Rule("", above=0, high=1))
    first = checked_weights(start, tuple(names))
    check_method(method, options)
    tuned_mask(tuple(names), fixed)

    def rounds() -> Iterator[Pass[tuple[Floats, NBestLists]]]:
        weights, merged = first, None
        for number in range(n_iter):
            found = _lists(decode(weights), references, names, n_jobs)
            merged, new = (found, found.n_candidates) if merged is None else merged.merged(found)
            made = weights, found
            numbers = {"candidates": merged.n_candidates, "new": new}
            yield Pass(numbers, lambda made=made: made, converged=not new)  # type: ignore[misc]
            after = tune(
                merged,
                weights,
                method,
                options,
                fixed=fixed,
                explore=True,
                random_state=random_state + number,
                n_jobs=n_jobs,
            ).weights
            if np.array_equal(after, weights):
                return
            weights = weights + step * (after - weights)

    outcome = run_passes(
        rounds(),
        limit=n_iter,
        score=lambda made: made[1].score(made[0]),
        patience=patience,
        callback=logged(callback, "tuning"),
    )
    weights, lists = outcome.result or (first, None)
    score = None if lists is None else lists.score(weights)
    return LoopResult(weights, tuple(names), score, outcome.history, outcome.interrupted, lists)


def _lists(
    found: KBest | NBestLists, references: References, names: Sequence[str], n_jobs: int
) -> NBestLists:
    if isinstance(found, NBestLists):
        return found
    return NBestLists.from_words(*found, references, names, n_jobs)

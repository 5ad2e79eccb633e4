"""The last stage of a training: weights for a metric on a dev text, and the scale of their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from palmette.tools.translation.model import Dev, Floats, TranslationModel
from palmette.tools.translation.scale import fit_scale
from palmette.tools.translation.search_arrays import TranslationArrays
from palmette.tools.translation.stages import Record
from palmette.tools.translation.tuning.lists import NBestLists
from palmette.tools.translation.tuning.loop import KBest, tuning_loop
from palmette.tools.translation.tuning.metric import TuningMetric
from palmette.tools.translation.tuning.references import References
from palmette.tools.translation.tuning.tuner import UNKNOWN

_STEADY = {"around": 0.5, "noise": 0.1}  # of MERT: chosen on pairs put aside from two training texts


class TuningOptions(Protocol):
    """Options of a method that are about tuning."""

    @property
    def metric(self) -> str: ...
    @property
    def tuning_rounds(self) -> int: ...
    @property
    def tuning_list(self) -> int: ...
    @property
    def restarts(self) -> int: ...


@dataclass(frozen=True, eq=False)
class TunedWeights:
    """The best weights, the scale of their scores, and the metric on the dev text."""

    weights: Floats
    scale: float
    numbers: Mapping[str, float]


def tuned(
    model: TranslationModel,
    dev: Dev,
    method: str,
    options: TuningOptions,
    record: Record,
    n_jobs: int,
    seed: int,
) -> TunedWeights:
    """Tune the weights of a model: translate, merge the lists of all rounds, tune, until nothing changes.

    The weights whose translations have the best metric are kept. Ctrl-C keeps the best so far.
    """
    vocabulary = model.target_words if options.metric == "bleu" else ()
    references = References(list(dev.references), TuningMetric(options.metric), vocabulary)

    def decode(weights: Floats) -> KBest | NBestLists:
        found = model.with_weights(weights).kbest_arrays(dev.sentences, options.tuning_list, n_jobs=n_jobs)
        return decoded(found, references, model, n_jobs)

    found = tuning_loop(
        decode,
        references,
        model.names,
        model.weights,
        method,
        {"restarts": options.restarts, **_STEADY} if method == "mert" else None,
        fixed=[name for name in UNKNOWN if name in model.names],
        n_iter=options.tuning_rounds,
        callback=record.passes("tune"),
        random_state=seed,
        n_jobs=n_jobs,
    )
    record.interrupted |= found.interrupted
    if found.lists is None or found.score is None:
        return TunedWeights(model.weights, 1.0, {})
    metric = "dev" if options.metric == "bleu" else f"dev_{options.metric}"
    numbers = {"start": found.history[0].numbers["dev"], metric: found.score}
    return TunedWeights(found.weights, _scale(found.lists, found.weights), numbers)


def decoded(
    found: TranslationArrays, references: References, model: TranslationModel, n_jobs: int = 1
) -> KBest | NBestLists:
    """Return translations as the loop takes them: by numbers of words for BLEU, as lists for other metrics."""
    words, own = model.target_words, len(model.target_words)
    if references.metric.name == "bleu":
        made = KBest(found.sentence_start, found.word_start, found.words, found.features)
        return KBest.with_more(made, own, found.more, references)
    strings = [words[k] if k < own else found.more[k - own] for k in found.words.tolist()]
    texts = [" ".join(strings[a:b]) for a, b in pairwise(found.word_start.tolist())]
    ends = found.sentence_start.tolist()
    return NBestLists.from_texts(
        [texts[a:b] for a, b in pairwise(ends)],
        [found.features[a:b] for a, b in pairwise(ends)],
        references,
        model.names,
        n_jobs,
    )


def _scale(lists: NBestLists, weights: Floats) -> float:
    scores, gains = lists.features @ weights, lists.sentence_scores
    cuts = lists.lists[1:-1]
    return fit_scale(np.split(scores, cuts), np.split(gains, cuts))

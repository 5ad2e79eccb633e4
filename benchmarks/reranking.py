"""Rerankers: what they gain on parses and entities, how long they learn, and how that grows with the data.

Lists are made by cross-training in five folds and kept; only training data is learned from. The settings of the
kernels are chosen by nested cross-validation over it (`benchmarks.ours.reranker_settings`), those of trees on the
English ones, and serve for Icelandic as they are; the settings of the features were fixed with dev and test set in
view. A gain is that over the first model's most probable output, with the p-value of a paired bootstrap. Times of
growth are those of the processors, others those of the clock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.measuring.row import Row
from benchmarks.ours.ranked_lists import Lists, entities, icelandic_parses, parses
from benchmarks.ours.reranker_settings import SEQUENCES, TREES, best_setting
from palmette.evaluation.candidates import compare_choices, expected_losses
from palmette.features.kernels.trees import TreeKernel
from palmette.features.sequence_templates import SequenceTemplates
from palmette.features.tree_templates import TreeTemplates
from palmette.formats.candidates import Candidates
from palmette.learning.mira import MIRA
from palmette.learning.perceptron import Perceptron
from palmette.tools.reranking.probabilities import probabilities_of
from palmette.tools.reranking.reranker import Reranker

BEST = "crf"  # of the parsers that rank n trees by probability, the most accurate
QUICK = "lexicalized"
LEAST_GAIN, MOST_P = 0.6, 0.05
MOST_SECONDS = 600.0
SENTENCES, CANDIDATES = 3000, 20
PARSES, ENTITIES = parses(BEST, 50), entities(CANDIDATES)


def rows(quick: bool = False) -> Iterator[Row]:
    if quick:
        yield from speed_rows(parses(QUICK, 50).parts()[0])
        return
    train, dev, test = PARSES.parts()
    yield from speed_rows(train)
    setting = best_setting(PARSES, TREES)
    name = f"parses, voted perceptron, all subtrees, {setting}"
    voted = setting.reranker(voted=True, n_jobs=2)
    yield from gain_rows(name, voted, train, None, test, LEAST_GAIN)
    others = icelandic_parses(BEST, 50).parts()
    yield from gain_rows(f"Icelandic {name}", voted, others[0], None, others[2], 0.0)
    mira = Reranker(MIRA(c=0.01, k=10, n_iter=6), features=TreeTemplates(), min_count=3)
    yield from gain_rows("parses, MIRA, features of trees", mira, train, dev, test, LEAST_GAIN)

    train, dev, test = ENTITIES.parts()
    fragments = best_setting(ENTITIES, SEQUENCES)
    name = f"entities, fragments of three states, {fragments}"
    yield from gain_rows(name, fragments.reranker(), train, None, test, 0.0)
    whole = fragments.reranker(longest=None, n_jobs=2)
    yield from gain_rows(f"entities, all fragments, {fragments}", whole, train, None, test, None)
    mira = Reranker(MIRA(c=0.03, k=5, n_iter=6), features=SequenceTemplates(), min_count=3)
    yield from gain_rows("entities, MIRA, features", mira, train, dev, test, 0.0)


def gain_rows(
    name: str, reranker: Reranker, train: Lists, dev: Lists | None, test: Lists, least: float | None
) -> Iterator[Row]:
    """What the choices of minimum risk gain, which must be `least`, and what the highest scores do."""
    began = time.perf_counter()
    reranker.fit(train, dev=dev)
    seconds = time.perf_counter() - began
    first = compare_choices(test, [least_risk(given, reranker.measure_) for given in test], n_resamples=1)
    for minimum_risk in (True, False):
        scores = reranker.evaluate(test, minimum_risk=minimum_risk)
        gain = 100 * (scores.f1 - scores.baseline)
        p = scores.significance.p_value if scores.significance is not None else 1.0
        yield Row(
            name if minimum_risk else f"{name}, highest scores",
            seconds,
            quality=f"F1 {100 * scores.f1:.2f}, first model {100 * scores.baseline:.2f}, p {p:.3f}, "
            f"its minimum risk {100 * first.f1:.2f}, best of the lists {100 * scores.oracle:.2f}",
            holds=None if least is None or not minimum_risk else _enough(gain, p, least),
        )


def _enough(gain: float, p: float, least: float) -> bool:
    """Above zero, or at least so much and not by chance."""
    return gain >= least and p < MOST_P if least else gain > 0


def least_risk(given: Candidates, measure: str) -> int | None:
    """The candidate with the fewest mistakes expected by the first model's own probabilities."""
    if not len(given):
        return None
    return int(np.argmin(expected_losses(given, probabilities_of(given.log_probabilities), measure)))


def speed_rows(lists: Lists) -> Iterator[Row]:
    """A training of three passes with two threads, and of one pass over once, twice, four times the lists."""
    some = [_first(given, CANDIDATES) for given in lists[:SENTENCES]]
    kernel = TreeKernel(decay=0.2)
    began = time.perf_counter()
    Reranker(Perceptron(voted=True, n_iter=3), kernel=kernel, n_jobs=2).fit(some)
    seconds = time.perf_counter() - began
    yield Row(
        f"voted perceptron, {len(some):,} × {CANDIDATES} trees, three passes, 2 threads, ≤ {MOST_SECONDS:g} s",
        seconds,
        amount=3 * sum(map(len, some)),
        unit="candidates",
        holds=seconds <= MOST_SECONDS,
    )
    before = None
    for part in (4, 2, 1):
        fewer = some[: len(some) // part]
        began = time.process_time()
        Reranker(Perceptron(n_iter=1), kernel=kernel).fit(fewer)
        now = time.process_time() - began
        # O(T n k): twice the candidates, each against twice the supports, takes at most four times as long.
        holds = None if before is None else now <= 4.4 * before
        yield Row(f"one pass over {len(fewer):,} lists, at most 4 × that of half", now, before, holds=holds)
        before = now


def _first(given: Candidates, k: int) -> Candidates:
    counts = None if given.counts is None else given.counts[:k]
    return Candidates(given.outputs[:k], given.log_probabilities[:k], given.gold, counts)

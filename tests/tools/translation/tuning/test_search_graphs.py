"""Tuning with a decoder: graphs of a search beside its k best, and the loop."""

from __future__ import annotations

import random

import numpy as np
import pytest

from oracles.phrase_derivations import random_lm, random_table
from palmette.tools.translation.phrases.search import PhraseSearch
from palmette.tools.translation.phrases.search_options import SearchOptions
from palmette.tools.translation.tuning import (
    GraphSet,
    KBest,
    NBestLists,
    References,
    TranslationGraph,
    metric_curve,
    tune,
    tuning_loop,
)
from palmette.tools.translation.tuning.metric import Floats

pytestmark = pytest.mark.native


def search_of(seed: int) -> tuple[PhraseSearch, list[list[str]], References]:
    """A search, sentences with unknown words, and references from other weights of the same search."""
    table, rng = random_table(seed, orientations=6), random.Random(seed)
    search = PhraseSearch(table, random_lm(seed, 3), None, SearchOptions(stack=20, pop_limit=20))
    sentences = [[rng.choice("abcdx") for _ in range(6)] for _ in range(8)]
    hidden = search.weights * np.random.default_rng(seed).uniform(-0.5, 2.0, len(search.weights))
    right = [" ".join(found.words) for found in search.with_weights(hidden).translate(sentences)]
    return search, sentences, References(right, vocabulary=table.target_strings)


@pytest.mark.parametrize("seed", range(4))
def test_graphs_of_a_search_are_tuned_as_all_their_derivations(seed: int) -> None:
    search, sentences, references = search_of(seed)
    found = search.graphs(sentences)
    graphs = GraphSet(
        [TranslationGraph.from_words(one.hypergraph, one.features, one.words, references) for one in found],
        references,
        search.names,
    )
    assert graphs.score(search.weights) == pytest.approx(
        lists_at(search, sentences, references, 1)(search.weights).score(search.weights)
    )
    every = graphs.kbest(search.weights, max(one.hypergraph.count() for one in found))
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=len(search.names))
    have, want = (metric_curve(data, search.names, search.weights, direction) for data in (graphs, every))
    for x in rng.normal(size=50):
        assert have(x) == pytest.approx(want(x), abs=1e-12)
    tuned = tune(graphs, search.weights, fixed=["unknown"], options={"restarts": 3})
    assert tuned.after >= tuned.before
    assert tuned.after == pytest.approx(every.score(tuned.weights))


def lists_at(search: PhraseSearch, sentences: list[list[str]], references: References, k: int):
    def decode(weights: Floats) -> NBestLists:
        found = search.with_weights(weights).kbest_arrays(sentences, k)
        arrays = KBest(found.sentence_start, found.word_start, found.words, found.features)
        arrays = KBest.with_more(arrays, len(search.table.target_strings), found.more, references)
        return NBestLists.from_words(*arrays, references, search.names)

    return decode


def test_the_loop_with_a_search() -> None:
    search, sentences, references = search_of(1)
    decode = lists_at(search, sentences, references, 20)
    found = tuning_loop(decode, references, search.names, search.weights, fixed=["unknown"])
    assert found.score is not None
    assert found.score > found.history[0].numbers["dev"]
    assert found.score == pytest.approx(decode(found.weights).score(found.weights))
    assert found.weights[search.names.index("unknown")] == 100.0

"""Graphs of a search by rules: probabilities, expected n-grams, minimum risk, line searches."""

import itertools
import math
import random

import numpy as np
import pytest

from oracles.phrase_derivations import random_lm
from oracles.rule_derivations import derivations, features, random_rules, text
from palmette.tools.translation.chart.search import ChartSearch
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.minimum_risk import expected_ngrams, ngrams
from palmette.tools.translation.tuning import GraphSet, References, TranslationGraph, metric_curve, tune

pytestmark = pytest.mark.native


def sentence_of(seed, n=4):
    rng = random.Random(seed)
    return [rng.choice("abcdx") for _ in range(n)]


def search_of(seed, **others):
    table, lm = random_rules(seed, labels="XA", n_rules=16), random_lm(seed, 3)
    return ChartSearch(table, lm, None, ChartOptions.exhaustive(**others))


@pytest.mark.parametrize("seed", range(8))
def test_expected_ngrams_are_those_of_all_derivations(seed):
    search, words = search_of(seed), sentence_of(seed)
    graph = search.graphs([words])[0]
    rows = list(derivations(search.table, words))
    scores = [float(features(one, search.lm, search.table) @ search.weights) for one in rows]
    p = np.exp(np.array(scores) - np.logaddexp.reduce(scores))
    want = {}
    for share, one in zip(p.tolist(), rows):
        for gram, n in ngrams(text(one)).items():
            want[gram] = want.get(gram, 0.0) + n * share
    found, length = expected_ngrams(graph, graph.scores(), graph.hypergraph.root)
    assert found.keys() == want.keys()
    for gram, value in want.items():
        assert found[gram] == pytest.approx(value, abs=1e-4)
    assert length == pytest.approx(sum(len(text(one)) * share for one, share in zip(rows, p)), abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_the_probability_of_every_translation_is_the_sum_over_its_derivations(seed):
    search, words = search_of(seed), sentence_of(seed)
    graph = search.graphs([words])[0]
    sums = {}
    for one in derivations(search.table, words):
        score = float(features(one, search.lm, search.table) @ search.weights)
        sums[text(one)] = float(np.logaddexp(sums.get(text(one), -math.inf), score))
    total = float(np.logaddexp.reduce(list(sums.values())))
    for spelled, value in itertools.islice(sums.items(), 20):
        assert graph.log_probability(spelled) == pytest.approx(value - total, abs=1e-4)
    assert graph.log_probability(["nothing", "like", "it"]) == -math.inf
    best = graph.best()
    assert all(0 < share <= 1 for share in graph.word_probabilities(best))
    # Distinct translations come with their best derivations, all of them.
    assert {one.words for one in graph.kbest(10**4)} == sums.keys()


@pytest.mark.parametrize("seed", range(4))
def test_graphs_are_tuned_as_all_their_derivations(seed):
    search = search_of(seed)
    sentences = [sentence_of(10 * seed + k) for k in range(6)]
    hidden = search.weights * np.random.default_rng(seed).uniform(-0.5, 2.0, len(search.weights))
    right = [found.text for found in search.with_weights(hidden).translate(sentences)]
    references = References(right, vocabulary=search.table.target_strings)
    found = search.graphs(sentences)
    noise = np.random.default_rng(seed)  # no two derivations are equally good
    graphs = GraphSet(
        [
            TranslationGraph.from_items(
                one.hypergraph,
                one.features + 1e-3 * noise.normal(size=one.features.shape),
                one.items,
                references,
            )
            for one in found
        ],
        references,
        search.names,
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


def test_a_graph_as_json():
    search = search_of(1)
    graph = search.graphs([sentence_of(1)])[0]
    told = graph.to_dict()
    assert len(told["edges"]) == graph.n_edges
    assert told["root"] == graph.hypergraph.root
    root = [edge for edge in told["edges"] if edge["head"] == told["root"]]
    assert all(edge["label"] == "S" and len(edge["tails"]) == 1 for edge in root)
    for edge in told["edges"]:
        assert edge["score"] == pytest.approx(float(np.array(edge["features"]) @ search.weights))
        assert sorted(item for item in edge["target"] if isinstance(item, int)) == list(
            range(len(edge["tails"]))
        )

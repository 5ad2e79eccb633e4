"""Search by synchronous rules against all derivations of small sentences."""

import math
import pickle
import random

import numpy as np
import pytest

from oracles.phrase_derivations import random_lm
from oracles.rule_derivations import derivations, features, random_rules, text
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.chart.search import ChartSearch
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.rules.rule_table import RuleTable

pytestmark = pytest.mark.native

# labels, rank, span, rules over one nonterminal in a row, order of the language model (0: none)
CASES = [
    ("X", 2, 255, 1, 3),
    ("X", 2, 2, 1, 2),
    ("X", 3, 255, 1, 1),
    ("X", 2, 255, 1, 0),
    ("XAB", 2, 255, 1, 3),
    ("XAB", 2, 255, 2, 5),
    ("XAB", 3, 3, 0, 2),
]


def weights_of(seed, table):
    rng = np.random.default_rng(seed)
    found = rng.uniform(0.1, 1.0, 6 + len(table.columns))
    found[1] = -found[1]
    return found


def sentence_of(seed, n):
    rng = random.Random(seed)
    return [rng.choice("abcdx") for _ in range(n)]


@pytest.mark.parametrize(("labels", "rank", "span", "chain", "order"), CASES)
@pytest.mark.parametrize("seed", range(5))
def test_a_search_without_limits_has_all_derivations(labels, rank, span, chain, order, seed):
    table = random_rules(seed, labels=labels, rank=rank)
    lm = random_lm(seed, order) if order else None
    weights = weights_of(seed, table)
    words = sentence_of(seed, 3 + seed % 2)
    exhaustive = ChartOptions.exhaustive(span=span, chain=chain)
    search = ChartSearch(table, lm, weights, exhaustive)
    rows = [
        (features(one, lm, table), text(one)) for one in derivations(table, words, span=span, chain=chain)
    ]
    assert len(rows) < 30_000
    want = sorted((float(row @ weights) for row, _ in rows), reverse=True)

    graph = search.graphs([words])[0]
    assert graph.exact
    assert graph.hypergraph.count() == len(rows)
    np.testing.assert_allclose(graph.hypergraph.log_z(graph.scores()), np.logaddexp.reduce(want), atol=1e-4)
    have = search.kbest([words], len(rows), distinct=False)[0]
    np.testing.assert_allclose([one.score for one in have], want, atol=1e-4)
    # Φ of every derivation, whatever their order.
    key = np.random.default_rng(1).normal(size=len(weights))
    np.testing.assert_allclose(
        sorted(one.features @ key for one in have), sorted(row @ key for row, _ in rows), atol=1e-4
    )
    best = search.translate([words])[0]
    assert best.score == pytest.approx(want[0], abs=1e-4)
    np.testing.assert_allclose(best.features @ weights, best.score)
    assert tuple(best.derivation.words()) == best.words

    # Cube pruning and cube growing that may take everything are as exact.
    for others in ({"pop_limit": 10**6}, {"growing": True}, {"growing": True, "pop_limit": 10**6}):
        options = ChartOptions.exhaustive(span=span, chain=chain, **others)
        again = ChartSearch(table, lm, weights, options).graphs([words])[0]
        assert again.exact
        assert again.hypergraph.count() == len(rows)
        np.testing.assert_allclose(again.best().score, want[0], atol=1e-4)

    # Distinct translations, each with its best derivation; the probability of one is the sum of its derivations.
    best_of = {}
    for row, spelled in rows:
        best_of[spelled] = max(best_of.get(spelled, -math.inf), float(row @ weights))
    distinct = search.kbest([words], 5)[0]
    assert len({one.words for one in distinct}) == len(distinct)
    np.testing.assert_allclose(
        [one.score for one in distinct],
        sorted(best_of.values(), reverse=True)[: len(distinct)],
        atol=1e-4,
    )
    own = np.logaddexp.reduce([float(row @ weights) for row, spelled in rows if spelled == best.words])
    assert graph.log_probability(best.words) == pytest.approx(own - np.logaddexp.reduce(want), abs=1e-4)


@pytest.mark.parametrize("growing", [False, True])
def test_pruned_searches_find_derivations_and_rarely_miss_the_best(growing):
    found = 0
    for seed in range(30):
        table, lm = random_rules(seed, n_rules=20), random_lm(seed, 3)
        words = sentence_of(seed, 6)
        weights = weights_of(seed, table)
        exact = ChartSearch(table, lm, weights, ChartOptions.exhaustive()).translate([words])[0]
        narrow = ChartSearch(table, lm, weights, ChartOptions(pop_limit=10, growing=growing))
        best = narrow.translate([words])[0]
        assert best.score <= exact.score + 1e-4
        np.testing.assert_allclose(best.features @ weights, best.score)
        found += best.score > exact.score - 1e-4
    assert found >= 24


def test_threads_and_repetition_change_nothing():
    table, lm = random_rules(1, n_rules=20), random_lm(1, 3)
    search = ChartSearch(table, lm, None, ChartOptions(pop_limit=20))
    sentences = [sentence_of(seed, seed % 12) for seed in range(40)]
    one, two = search.kbest(sentences, 5), search.kbest(sentences, 5, n_jobs=2)
    assert [[(o.words, o.score, o.phrases) for o in row] for row in one] == [
        [(o.words, o.score, o.phrases) for o in row] for row in two
    ]
    again = pickle.loads(pickle.dumps(search))
    assert [o.words for o in again.translate(sentences)] == [o.words for o in search.translate(sentences)]


def test_every_sentence_has_a_derivation():
    search = ChartSearch(random_rules(0), random_lm(0, 3))
    assert search.translate([[]])[0].words == ()
    long = [f"w{k}" for k in range(3000)]
    assert search.translate([long])[0].words == tuple(long)
    dropped = ChartSearch(random_rules(0), random_lm(0, 3), None, ChartOptions(unknown="drop"))
    assert dropped.translate([["y", "z"]])[0].words == ()
    marked = ChartSearch(random_rules(0), random_lm(0, 3), None, ChartOptions(unknown="mark"))
    assert marked.translate([["y"]])[0].text == "<unk>y</unk>"


def test_words_are_linked_across_gaps():
    table = RuleTable.from_rules(
        [
            ("X", "ne [X,1] pas", "does not [X,1]", [0.0] * 4, [(0, 1), (2, 1)]),
            ("X", "va", "go", [0.0] * 4, [(0, 0)]),
            ("X", "il", "he", [0.0] * 4, [(0, 0)]),
        ]
    )
    found = ChartSearch(table, None).translate(["il ne va pas"])[0]
    assert found.text == "he does not go"
    assert found.alignment() == [(0, 0), (1, 2), (2, 3), (3, 2)]
    assert [(one.begin, one.end, one.target) for one in found.phrases] == [
        (0, 1, ("he",)),
        (1, 4, ("does", "not")),
        (2, 3, ("go",)),
    ]
    tree = found.derivation
    assert [(node.label, node.begin, node.end, node.kind) for node in tree] == [
        ("S", 0, 4, "glue"),
        ("S", 0, 1, "glue"),
        ("X", 0, 1, "table"),
        ("X", 1, 4, "table"),
        ("X", 2, 3, "table"),
    ]
    assert tree.children[1].source("il ne va pas".split()) == ("ne", 0, "pas")


def test_a_cycle_of_rules_over_one_nonterminal_ends():
    table = RuleTable.from_rules(
        [
            ("X", "[X,1]", "so [X,1]", [1.0] * 4),
            ("X", "a", "p", [0.0] * 4),
        ]
    )
    for chain, words in ((0, "p"), (1, "so p"), (3, "so so so p")):
        search = ChartSearch(table, None, None, ChartOptions.exhaustive(chain=chain))
        assert search.translate(["a"])[0].text == words
        assert search.graphs(["a"])[0].hypergraph.count() == chain + 1


def test_samples_of_a_graph_are_translations():
    table, lm = random_rules(2, labels="XAB"), random_lm(2, 3)
    graph = ChartSearch(table, lm, None, ChartOptions.exhaustive()).graphs([sentence_of(2, 4)])[0]
    for derivation in graph.hypergraph.kbest(graph.scores(), 20):
        one = graph.translation(derivation)
        assert one.score == pytest.approx(derivation.score)
        assert tuple(one.derivation.words()) == one.words
    with pytest.raises(ValueError, match="not a derivation"):
        graph.core.one(table.native, np.array([0], np.int32), graph.weights)


def test_bad_tables_and_options():
    with pytest.raises(ValueError, match="no rules"):
        ChartSearch(RuleTable.from_rules([]), None)
    with pytest.raises(ValueError, match="span"):
        ChartOptions(span=300)


def test_translations_can_be_pickled_with_their_derivations():
    table, lm = random_rules(1), random_lm(1, 3)
    one = ChartSearch(table, lm).translate([sentence_of(1, 5)])[0]
    again = pickle.loads(pickle.dumps(one))
    assert again.words == one.words
    assert again.derivation == one.derivation


def test_long_sentences_may_have_more_candidates_where_a_limit_bounds_each_word(monkeypatch):
    monkeypatch.setattr("palmette.tools.translation.chart.search._MOST_CANDIDATES", 3_000)
    table = random_rules(0)
    lm = random_lm(0, 2)
    words = sentence_of(0, 600)
    pruned = ChartOptions(pop_limit=2, span=4)
    assert ChartSearch(table, lm, None, pruned).translate([words])[0].words
    with pytest.raises(ValueError, match="more than 3000 candidates"):
        ChartSearch(table, lm, None, ChartOptions.exhaustive(span=6)).translate([words])


def test_many_candidates_are_scored_before_the_best_of_a_span_are_taken() -> None:
    """The best of 216 candidates has the lowest estimate: only the language model over the whole knows it."""
    rules = [("S", "[A,1] [B,2] [C,3] .", "[A,1] [B,2] [C,3] .", [0.0] * 4)]
    for left, source, target in ("Aap", "Bbq", "Ccr"):
        rules += [(left, source, f"{target}{k}", [-0.01 * k] * 4) for k in range(6)]
    apart = [[f"{name}{k}", "z"] for name in "pqr" for k in range(5)] * 60
    lm = LanguageModel.fit([*apart, *[["p5", "q5", "r5", "."]] * 20], order=3, smoothing="dirichlet")
    found = [
        ChartSearch(
            RuleTable.from_rules(rules), lm, None, ChartOptions(pop_limit=pops, table_limit=None)
        ).translate(["a b c ."])[0]
        for pops in (6, None)
    ]
    assert found[0].text == found[1].text == "p5 q5 r5 ."

"""Search by phrases against all derivations of small sentences."""

import itertools
import math
import pickle
import random

import numpy as np
import pytest

from oracles.phrase_derivations import LN10, derivations, features, options, random_lm, random_table, text
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.phrases.search import PhraseSearch
from palmette.tools.translation.phrases.search_options import SearchOptions
from palmette.tools.translation.tables.phrase_table import PhraseTable

pytestmark = pytest.mark.native

# orientations, kind, distortion limit, order of the language model (0: none)
CASES = [
    (0, "phrase", None, 3),
    (0, "phrase", 0, 3),
    (0, "phrase", 1, 2),
    (0, "phrase", 2, 5),
    (3, "phrase", None, 2),
    (6, "phrase", None, 3),
    (6, "phrase", 2, 1),
    (6, "hierarchical", None, 3),
    (6, "hierarchical", 3, 2),
    (6, "word", None, 0),
]


def weights_of(seed, table):
    rng = np.random.default_rng(seed)
    n = 5 + len(table.columns) + len(table.reordering_columns)
    found = rng.uniform(0.1, 1.0, n)
    found[2] = -found[2]
    return found


def sentence_of(seed, n):
    rng = random.Random(seed)
    return [rng.choice("abcdx") for _ in range(n)]


@pytest.mark.parametrize(("orientations", "kind", "limit", "order"), CASES)
@pytest.mark.parametrize("seed", range(4))
def test_a_search_without_limits_has_all_derivations(orientations, kind, limit, order, seed):
    table = random_table(seed, orientations=orientations)
    lm = random_lm(seed, order) if order else None
    weights = weights_of(seed, table)
    words = sentence_of(seed, 4 + seed % 2)
    chosen = SearchOptions.exhaustive(distortion_limit=limit, orientation=kind)
    search = PhraseSearch(table, lm, weights, chosen)
    rows = [
        (features(path, len(words), lm, table, kind == "hierarchical"), text(path))
        for path in derivations(len(words), options(table, words), limit)
    ]
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

    # Cube pruning that may take everything is as exact.
    cube = SearchOptions.exhaustive(distortion_limit=limit, orientation=kind, pop_limit=10**6)
    again = PhraseSearch(table, lm, weights, cube).graphs([words])[0]
    assert again.exact
    assert again.hypergraph.count() == len(rows)

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


def test_pruned_searches_find_derivations_and_rarely_miss_the_best():
    found = 0
    for seed in range(30):
        table = random_table(seed, orientations=6, n_pairs=25)
        lm, weights = random_lm(seed), weights_of(seed, table)
        words = sentence_of(seed, 6)
        exact = PhraseSearch(table, lm, weights, SearchOptions.exhaustive(distortion_limit=3))
        score = exact.translate([words])[0].score
        pruned = PhraseSearch(table, lm, weights, SearchOptions(stack=20, pop_limit=20, distortion_limit=3))
        have = pruned.translate([words])[0]
        assert have.score <= score + 1e-4
        found += have.score > score - 1e-4
    assert found >= 25


def test_walls_and_thresholds():
    table, lm = random_table(3), random_lm(3)
    words = ["a", ",", "b", "c"]
    search = PhraseSearch(table, lm, None, SearchOptions.exhaustive(walls=True))
    want = sum(1 for _ in derivations(4, options(table, words), None, [False, True, False, False]))
    assert search.graphs([words])[0].hypergraph.count() == want
    free = PhraseSearch(table, lm, None, SearchOptions.exhaustive()).graphs([words])[0]
    assert free.hypergraph.count() > want
    narrow = PhraseSearch(table, lm, None, SearchOptions.exhaustive(threshold=0.5)).graphs([words])[0]
    assert not narrow.exact
    assert 0 < narrow.hypergraph.count() < free.hypergraph.count()


def test_limits_of_phrases_and_translations():
    table, words = random_table(5, n_pairs=25), sentence_of(5, 5)
    short = PhraseSearch(table, None, None, SearchOptions.exhaustive(max_phrase=1))
    assert all(one.end - one.begin == 1 for row in short.kbest([words], 50)[0] for one in row.phrases)
    few = PhraseSearch(table, None, None, SearchOptions.exhaustive(table_limit=1)).graphs([words])[0]
    spans = {tuple(span) for span in few.spans.tolist()}
    assert len({(tuple(s), w) for s, w in zip(few.spans.tolist(), few.words)}) == len(spans)
    # The translation that stays is the best with the language model inside the phrase.
    lm = random_lm(5)
    one = PhraseSearch(table, lm, None, SearchOptions.exhaustive(table_limit=1, max_phrase=1))
    kept = dict(zip(map(tuple, one.graphs([words])[0].spans.tolist()), one.graphs([words])[0].words))
    for i, word in enumerate(words):
        pairs = table.lookup(word)
        value = [
            one.weights[5:] @ pair.scores
            + len(pair.target)
            + 0.5 * LN10 * lm.score(list(pair.target), bos=False, eos=False)
            for pair in pairs
        ]
        if pairs:
            assert kept[i, i + 1] == pairs[int(np.argmax(value))].target


def test_threads_do_not_change_anything():
    table, lm = random_table(1, orientations=6, n_pairs=30), random_lm(1)
    search = PhraseSearch(table, lm)
    sentences = [sentence_of(seed, seed % 12) for seed in range(40)]
    one, three = search.translate(sentences), search.translate(sentences, n_jobs=3)
    assert [(a.words, a.score) for a in one] == [(b.words, b.score) for b in three]
    lists = search.kbest(sentences, 5), search.kbest(sentences, 5, n_jobs=3)
    assert [[b.score for b in row] for row in lists[0]] == [[b.score for b in row] for row in lists[1]]
    arrays = search.kbest_arrays(sentences, 5)
    assert arrays.features.shape == (len(arrays.score), len(search.names))
    assert len(arrays) == 40
    np.testing.assert_allclose(arrays.features @ search.weights, arrays.score)


def test_edge_cases():
    table, lm = random_table(2, orientations=6), random_lm(2)
    search = PhraseSearch(table, lm)
    empty = search.translate([""])[0]
    assert empty.words == ()
    assert empty.phrases == ()
    assert empty.features[0] == pytest.approx(math.log(10) * lm.score(""), abs=1e-6)
    assert search.graphs([[]])[0].hypergraph.count() == 1
    long = search.translate([["a", "b", "zz"] * 100])[0]
    assert sum(one.end - one.begin for one in long.phrases) == 300
    free = PhraseSearch(table, lm, None, SearchOptions(distortion_limit=None))
    covered = sorted((p.begin, p.end) for p in free.translate([["a", "b", "zz"] * 100])[0].phrases)
    assert covered[0][0] == 0
    assert all(a[1] == b[0] for a, b in itertools.pairwise(covered))
    assert search.translate(["zz yy zz"])[0].words == ("zz", "yy", "zz")
    assert search.translate([]) == []
    nothing = PhraseTable.from_pairs([])
    assert PhraseSearch(nothing, lm).translate(["a b"])[0].words == ("a", "b")
    strange = random_lm(2)
    other = PhraseTable.from_pairs([("a", "ξένος", [-1.0] * 4)])
    assert PhraseSearch(other, strange).translate(["a"])[0].words == ("ξένος",)
    with pytest.raises(ValueError, match="Sentence 2 has 2,001 words"):
        free.translate(["a", ["a"] * 2001])


def test_unknown_words():
    table = random_table(2)
    kinds = {
        kind: PhraseSearch(table, None, None, SearchOptions(unknown=kind)).translate(["zz a"])[0]
        for kind in ("copy", "drop", "mark")
    }
    assert kinds["copy"].words[0] == "zz"
    assert kinds["mark"].words[0] == "<unk>zz</unk>"
    assert len(kinds["drop"].words) == len(kinds["copy"].words) - 1
    assert {one.features[4] for one in kinds.values()} == {-1.0}
    assert kinds["copy"].phrases[0].kind == "unknown"
    assert kinds["copy"].alignment()[0] == (0, 0)


def test_bad_weights_and_options(monkeypatch):
    table = random_table(2)
    with pytest.raises(ValueError, match=r"The weight of 'lm' must be a finite number\. Got nan"):
        PhraseSearch(table, None, [math.nan] + [1.0] * 8)
    with pytest.raises(ValueError, match="one weight for each of the 9 features"):
        PhraseSearch(table, None, [1.0])
    with pytest.raises(ValueError, match="'stack'"):
        SearchOptions(stack=0)
    big = PhraseTable.from_pairs([("a", f"A{k}", [-0.1] * 4) for k in range(300)])
    lines = [f"A{i} A{j}" for i in range(300) for j in range(300)]
    lm = LanguageModel.fit(lines, order=2, smoothing="dirichlet", concentration=1.0)
    monkeypatch.setattr("palmette.tools.translation.phrases.search._MOST_CANDIDATES", 1_000_000)
    endless = PhraseSearch(big, lm, None, SearchOptions.exhaustive())
    with pytest.raises(ValueError, match="too many candidates"):
        endless.translate([["a"] * 8])


def test_a_search_is_pickled():
    search = PhraseSearch(random_table(4), random_lm(4))
    again = pickle.loads(pickle.dumps(search))
    assert again.translate(["a b c"])[0].words == search.translate(["a b c"])[0].words


def test_links_and_json():
    table = PhraseTable.from_pairs([("das haus", "the house", [-0.3] * 4, [], [(0, 0), (1, 1)])])
    search = PhraseSearch(table, None)
    found = search.translate(["x das haus"])[0]
    assert found.alignment() == [(0, 0), (1, 1), (2, 2)]
    assert found.to_dict()["phrases"][1] == {
        "begin": 1,
        "end": 3,
        "target": "the house",
        "kind": "table",
        "links": [[0, 0], [1, 1]],
    }
    graph = search.graphs(["x das haus"])[0]
    data = graph.to_dict()
    assert len(data["edges"]) == graph.n_edges
    assert data["root"] == graph.hypergraph.root
    best = graph.translation(graph.hypergraph.best(graph.scores()))
    assert best.words == found.words
    assert best.alignment() == found.alignment()
    assert best.score == pytest.approx(found.score)
    sampled = graph.translation(graph.hypergraph.samples(graph.scores(), 1)[0])
    assert sampled.words == ("x", "the", "house") or sampled.words == ("the", "house", "x")

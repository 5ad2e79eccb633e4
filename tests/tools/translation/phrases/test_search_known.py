"""What is known of a translation, obeyed by every search: against all derivations of small sentences."""

import math
import random

import numpy as np
import pytest

from oracles.phrase_derivations import (
    Step,
    derivations,
    features,
    options,
    random_lm,
    random_table,
    text,
)
from palmette.tools.translation.forced import Forced, Unreachable
from palmette.tools.translation.known import Known
from palmette.tools.translation.phrases.search import PhraseSearch
from palmette.tools.translation.phrases.search_options import SearchOptions
from palmette.tools.translation.tables.phrase_table import PhraseTable

pytestmark = pytest.mark.native

WORDS = ["a", "b", "c", "x"]
SEARCHES = [
    SearchOptions.exhaustive(),
    SearchOptions.exhaustive(pop_limit=100_000),
    SearchOptions.exhaustive(distortion_limit=2, orientation="hierarchical"),
]


def has(words, phrase):
    return any(words[k : k + len(phrase)] == phrase for k in range(len(words) - len(phrase) + 1))


def scores_of(paths, table, lm, weights, chosen):
    blocks = chosen.orientation == "hierarchical"
    return [float(features(path, len(WORDS), lm, table, blocks) @ weights) for path in paths]


@pytest.mark.parametrize("chosen", SEARCHES)
@pytest.mark.parametrize("seed", range(5))
def test_forbidden_phrases_appear_nowhere(chosen, seed):
    table, lm = random_table(seed, orientations=6, n_pairs=20), random_lm(seed)
    search = PhraseSearch(table, lm, None, chosen)
    rng = random.Random(seed)
    phrases = [tuple(rng.choice("ABCD") for _ in range(rng.choice([1, 2, 2, 3]))) for _ in range(3)]
    # "a" may be written by a copy alone where all of its translations are forbidden.
    steps = [step for step in options(table, WORDS) if not any(has(step.target, p) for p in phrases)]
    for i, word in enumerate(WORDS):
        if not any((step.begin, step.end) == (i, i + 1) for step in steps):
            steps.append(Step(i, i + 1, (word,), None))
    limit = chosen.distortion_limit
    paths = list(derivations(4, steps, limit, allowed=lambda words: not any(has(words, p) for p in phrases)))
    graph = search.graphs([WORDS], [Known(forbidden=phrases)])[0]
    assert graph.hypergraph.count() == len(paths) > 0
    best = search.translate([WORDS], [Known(forbidden=phrases)])[0]
    want = max(scores_of(paths, table, lm, search.weights, chosen))
    assert best.score == pytest.approx(want, abs=1e-4)
    assert not any(has(best.words, phrase) for phrase in phrases)


@pytest.mark.parametrize("chosen", SEARCHES)
@pytest.mark.parametrize("exclusive", [True, False])
def test_fixed_translations(chosen, exclusive):
    table, lm = random_table(1, n_pairs=20), random_lm(1)
    search = PhraseSearch(table, lm, None, chosen)
    known = Known(fixed=[(1, 3, "Q R", exclusive)])
    steps = options(table, WORDS)
    if exclusive:
        steps = [step for step in steps if step.end <= 1 or step.begin >= 3]
    steps.append(Step(1, 3, ("Q", "R"), None))
    paths = list(derivations(4, steps, chosen.distortion_limit))
    graph = search.graphs([WORDS], [known])[0]
    assert graph.hypergraph.count() == len(paths)
    for translation in search.kbest([WORDS], 20, known=[known])[0]:
        given = [phrase for phrase in translation.phrases if phrase.kind == "given"]
        assert bool(given) == has(translation.words, ("Q", "R"))
        assert given or not exclusive
    if exclusive:
        # A given span has no scores of the table and is no unknown word.
        best = search.translate([WORDS], [known])[0]
        span = next(phrase for phrase in best.phrases if phrase.kind == "given")
        assert (span.begin, span.end, span.pair) == (1, 3, -1)
        unknown = sum(phrase.kind == "unknown" for phrase in best.phrases)
        assert best.features[4] == -unknown


def test_alternatives_of_a_span_and_long_spans():
    table, lm = random_table(1), random_lm(1)
    search = PhraseSearch(table, lm)  # a distortion limit of 10
    two = Known(fixed=[(0, 1, "A", True), (0, 1, "B", True)])
    assert {row.words[0] for row in search.kbest([["a"]], 10, known=[two])[0]} == {"A", "B"}
    words = ["a", *("zz" for _ in range(20)), "b"]
    found = search.translate([words], [Known(fixed=[(1, 21, "Z", True)])])[0]
    assert found.words.count("Z") == 1
    assert "zz" not in found.words


def test_what_cannot_be_placed_is_said():
    table = PhraseTable.from_pairs([("a", "A", [-1.0] * 4), ("b", "B", [-1.0] * 4)])
    search = PhraseSearch(table, random_lm(1))
    with pytest.raises(
        ValueError, match="the fixed translation 'A B' cannot be placed, since 'B' is forbidden"
    ):
        search.translate(["a"], [Known(fixed=[(0, 1, "A B", True)], forbidden=["B"])])
    with pytest.raises(ValueError, match="Sentence 2 has 1 word, and no span 0 to 2"):
        search.translate(["a", "a"], [None, Known(fixed=[(0, 2, "X", True)])])
    with pytest.raises(ValueError, match="since they overlap"):
        search.translate(["a b a"], [Known(fixed=[(0, 2, "X", True), (1, 3, "Y", True)])])
    with pytest.raises(ValueError, match=r"the target 'A C' is not reachable .* nearest beginning is 'A'"):
        search.translate(["a b"], [Known(target="A C")])
    with pytest.raises(ValueError, match="the target 'A B' contains the forbidden phrase 'B'"):
        search.translate(["a b"], [Known(target="A B", forbidden=["B"])])
    with pytest.raises(ValueError, match="cannot be placed, since the target does not contain it"):
        search.translate(["a b"], [Known(fixed=[(0, 1, "X", True)], target="A B")])
    # Two fixed terms that give what is forbidden only side by side.
    known = Known(fixed=[(0, 1, "X", True), (1, 2, "Y", True)], forbidden=["X Y", "Y X"])
    with pytest.raises(ValueError, match="no translation was found that has 'X', 'Y' and none of 'X Y'"):
        search.translate(["a b"], [known])


def test_words_are_left_out_rather_than_written_if_forbidden():
    table = PhraseTable.from_pairs([("a", "A", [-1.0] * 4), ("b", "B", [-1.0] * 4)])
    search = PhraseSearch(table, None)
    found = search.translate(["a b"], [Known(forbidden=["A B", "B A"])])[0]
    assert len(found.words) == 1
    assert found.features[4] == -1
    assert search.translate(["zz"], [Known(forbidden=["zz"])])[0].words == ()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limit", [None, 1])
def test_forced_decoding(seed, limit):
    table, lm = random_table(seed, n_pairs=20), random_lm(seed)
    chosen = SearchOptions.exhaustive(distortion_limit=limit)
    search = PhraseSearch(table, lm, None, chosen)
    paths = list(derivations(4, options(table, WORDS), limit))
    scores = scores_of(paths, table, lm, search.weights, chosen)
    total = np.logaddexp.reduce(scores)
    target = text(random.Random(seed).choice(paths))
    own = [score for path, score in zip(paths, scores) if text(path) == target]
    found, lost = search.forced([WORDS, WORDS], [target, (*target, "E", "E", "E", "E", "E", "E", "E", "E")])
    assert isinstance(found, Forced)
    assert found.translation.words == target
    assert found.translation.score == pytest.approx(max(own), abs=1e-4)
    assert found.log_probability == pytest.approx(np.logaddexp.reduce(own) - total, abs=1e-4)
    assert isinstance(lost, Unreachable)
    assert lost.exact
    assert lost.nearest == lost.target[: len(lost.nearest)]
    begun = derivations(
        4,
        options(table, WORDS),
        limit,
        allowed=lambda words: words == lost.target[: len(words)],
        partial=True,
    )
    assert len(lost.nearest) == max(len(text(path)) for path in begun)
    # The same by translate, which every search obeys.
    again = search.translate([WORDS], [Known(target=target)])[0]
    assert again.score == pytest.approx(max(own), abs=1e-4)


def test_probabilities_of_a_pruned_search_are_below_one():
    table, lm = random_table(1, n_pairs=30), random_lm(1)
    search = PhraseSearch(table, lm, None, SearchOptions(stack=5, pop_limit=5))
    words = ["a", "b", "c", "a", "b"]
    for row in PhraseSearch(table, lm, None, SearchOptions.exhaustive()).kbest([words], 30)[0]:
        found = search.forced([words], [row.words])[0]
        assert isinstance(found, Forced)
        assert found.log_probability <= 1e-9
        assert math.isfinite(found.log_probability)


def test_word_probabilities_are_sums_over_derivations():
    table, lm = random_table(3, n_pairs=20), random_lm(3)
    search = PhraseSearch(table, lm, None, SearchOptions.exhaustive())
    graph = search.graphs([WORDS])[0]
    best = graph.best()
    paths = list(derivations(4, options(table, WORDS)))
    scores = scores_of(paths, table, lm, search.weights, SearchOptions.exhaustive())
    p = np.exp(np.array(scores) - graph.marginals().log_z)
    have = graph.word_probabilities(best)
    k = 0
    for phrase in best.phrases:
        for word in phrase.target:
            i = phrase.begin  # the table has no links
            want = sum(
                one
                for path, one in zip(paths, p)
                for step in path
                if step.begin <= i < step.end and word in step.target
            )
            assert have[k] == pytest.approx(want, abs=1e-4)
            k += 1
    assert k == len(have) == len(best.words)

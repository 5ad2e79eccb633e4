"""What is known of a translation, obeyed by a search by rules: against all derivations of small sentences."""

import math
import random

import numpy as np
import pytest

from oracles.phrase_derivations import random_lm
from oracles.rule_derivations import derivations, features, random_rules, text
from palmette.tools.translation.chart.search import ChartSearch
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.forced import Forced, Unreachable
from palmette.tools.translation.known import Fixed, Known
from palmette.tools.translation.rules.rule_table import RuleTable

pytestmark = pytest.mark.native


def sentence_of(seed, n=4):
    rng = random.Random(seed)
    return [rng.choice("abcdx") for _ in range(n)]


def case(seed):
    table, lm = random_rules(seed, labels="XA", n_rules=16), random_lm(seed, 3)
    search = ChartSearch(table, lm, None, ChartOptions.exhaustive())
    words = sentence_of(seed)
    rows = [
        (text(one), float(features(one, lm, table) @ search.weights)) for one in derivations(table, words)
    ]
    return search, words, rows


@pytest.mark.parametrize("seed", range(8))
def test_forced_search_finds_the_best_derivation_and_the_sum(seed):
    search, words, rows = case(seed)
    total = np.logaddexp.reduce([score for _, score in rows])
    targets = sorted({spelled for spelled, _ in rows})[:5]
    for target, found in zip(targets, search.forced([words] * len(targets), targets)):
        own = [score for spelled, score in rows if spelled == target]
        assert isinstance(found, Forced)
        assert found.translation.words == target
        assert found.translation.score == pytest.approx(max(own), abs=1e-4)
        assert found.log_probability == pytest.approx(np.logaddexp.reduce(own) - total, abs=1e-4)
    (missing,) = search.forced([words], [("zz", "zz")])
    assert isinstance(missing, Unreachable)
    assert "distortion" not in str(missing)  # a chart has no such limit
    assert missing.exact
    assert "not reachable" in str(missing)
    with pytest.raises(ValueError, match="not reachable"):
        search.translate([words], [Known(target=("zz",))])


@pytest.mark.parametrize("seed", range(8))
def test_forbidden_phrases_do_not_occur(seed):
    search, words, rows = case(seed)
    rng = random.Random(seed)
    line = rng.choice(rows)[0]
    phrases = [line[k : k + 2] for k in range(len(line) - 1)][:2] or [line]

    def allowed(spelled):
        return not any(spelled[k : k + len(p)] == p for p in phrases for k in range(len(spelled)))

    kept = [score for spelled, score in rows if allowed(spelled)]
    known = [Known(forbidden=phrases)]
    graph = search.graphs([words], known)[0]
    # A rule that no text may have is left out, and then a word without other rules is copied.
    assert graph.hypergraph.count() >= len(kept)
    best = search.translate([words], known)[0]
    assert allowed(best.words)
    if kept:
        assert best.score == pytest.approx(max(kept), abs=1e-4)
    else:
        assert "unknown" in {one.kind for one in best.phrases}


def test_fixed_translations_are_used_and_competing_ones_may_be():
    rules = [
        ("X", "a", "p", [-1.0] * 4),
        ("X", "b", "q", [-1.0] * 4),
        ("X", "a b", "r", [0.0] * 4),
        ("X", "[X,1] c", "s [X,1]", [0.0] * 4),
    ]
    search = ChartSearch(RuleTable.from_rules(rules), None, None, ChartOptions.exhaustive())
    fixed = Known(fixed=[Fixed(1, 2, ("t", "u"), True)])
    found = search.translate(["a b c"], [fixed])[0]
    assert found.text == "s p t u" or found.text == "p s t u"
    assert {one.kind for one in found.phrases} == {"table", "given"}
    assert all("t u" in one.text for one in search.kbest(["a b c"], 100, known=[fixed])[0])
    long = Known(fixed=[Fixed(0, 3, ("whole",), True)])
    assert search.translate(["a b c"], [long])[0].text == "whole"
    short = ChartSearch(search.table, None, None, ChartOptions(span=1))
    assert short.translate(["a b c"], [long])[0].text == "whole"
    free = Known(fixed=[Fixed(1, 2, ("t",), False)])
    texts = {one.text for one in search.kbest(["a b c"], 100, known=[free])[0]}
    assert any("t" in one.split() for one in texts)
    assert any("t" not in one.split() for one in texts)


def test_an_unreachable_target_says_how_far_the_search_came():
    table = RuleTable.from_rules([("X", "a", "p", [0.0] * 4), ("X", "b", "q", [0.0] * 4)])
    search = ChartSearch(table, None)
    (found,) = search.forced(["a b"], ["p z"])
    assert isinstance(found, Unreachable)
    assert found.nearest == ("p",)
    (reached,) = search.forced(["a b"], ["p q"])
    assert math.exp(reached.log_probability) == pytest.approx(1.0)

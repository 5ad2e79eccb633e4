"""Search by rules, the same as a weighted deduction over items [A, i, j, l, r] (CSC 448, §17.1)."""

import itertools
import math
import random

import numpy as np
import pytest

from oracles.phrase_derivations import LN10, random_lm
from palmette.inference import Deduction
from palmette.tools.translation.chart.search import ChartSearch
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.rules.rule_table import RuleTable

pytestmark = pytest.mark.native

# With a bigram model, the first and the last target word of an item say all that the model must know of it.
DECODER = Deduction("""
    [i, j, l, r]   <- lexical(i, j, l, r)
    [i, m, l, r2]  <- [i, j, l, r] * [j, m, l2, r2] * follow(r, l2) * monotone()
    [i, m, l2, r]  <- [i, j, l, r] * [j, m, l2, r2] * follow(r2, l) * swapped()
    [i, m, l, r2]  <- [i, j, l, r] * tail(j, m, l2, r2) * follow(r, l2)
    glued(j, r)    <- [0, j, l, r] * start(l) * glue()
    glued(m, r2)   <- glued(j, r) * [j, m, l, r2] * follow(r, l) * glue()
    goal()         <- glued(n, r) * whole(n) * stop(r)
""")


@pytest.mark.parametrize("seed", range(5))
def test_search_is_a_deduction(seed):
    rng = random.Random(seed)
    columns = ["phi_target"]
    lexical = {
        (source, target): -3 * rng.random()
        for source in "abc"
        for target in rng.sample(["p", "q", "r", "p s", "q r s"], 3)
    }
    # Words behind a nonterminal: X → X1 d, X1 s.
    tails = {("d", "s"): -rng.random(), ("d", "p q"): -rng.random()}
    swap, mono = -rng.random(), -rng.random()
    rules = [("X", source, target, [score]) for (source, target), score in lexical.items()]
    rules += [
        ("X", f"[X,1] {source}", f"[X,1] {target}", [score]) for (source, target), score in tails.items()
    ]
    rules += [("X", "[X,1] [X,2]", "[X,1] [X,2]", [mono]), ("X", "[X,1] [X,2]", "[X,2] [X,1]", [swap])]
    table = RuleTable.from_rules(rules, columns=columns)
    lm = random_lm(seed, order=2)
    search = ChartSearch(table, lm, None, ChartOptions.exhaustive())
    w = dict(zip(search.names, search.weights))
    words = ["a", *(rng.choice("abcd") for _ in range(3))]
    words = [word if k == 0 or word != "d" or words[k - 1] != "d" else "a" for k, word in enumerate(words)]
    n = len(words)

    def say(history, target):
        state, total = lm.begin() if history == "<s>" else lm.state([history], bos=False), 0.0
        for word in target:
            step = lm.advance(state, word)
            total, state = total + step.log_prob, step.state
        return w["lm"] * LN10 * total

    def inside(target):
        return sum(say(a, [b]) for a, b in itertools.pairwise(target))

    def own(score, target, hierarchical):
        features = w["rules"] + w["hierarchical"] * hierarchical - w["words"] * len(target)
        return math.exp(features + w["phi_target"] * score + inside(target))

    pieces, ends = {}, {}
    for k, word in enumerate(words):
        for (source, target), score in lexical.items():
            if source == word:
                one = target.split()
                key = k, k + 1, one[0], one[-1]
                pieces[key] = pieces.get(key, 0.0) + own(score, one, False)
        for (source, target), score in tails.items():
            if source == word:
                one = target.split()
                ends[k, k + 1, one[0], one[-1]] = own(score, one, True)
        if word == "d":  # no rule of its own: copied
            pieces[k, k + 1, "d", "d"] = math.exp(w["rules"] - w["words"] - w["unknown"])
    said = {"p", "q", "r", "s", "d"}
    facts = {
        "lexical": pieces,
        "tail": ends,
        "follow": {(a, b): math.exp(say(a, [b])) for a in said for b in said},
        "start": {a: math.exp(say("<s>", [a])) for a in said},
        "stop": {a: math.exp(say(a, ["</s>"])) for a in said},
        "monotone": {(): own(mono, [], True)},
        "swapped": {(): own(swap, [], True)},
        "glue": {(): math.exp(w["glue"])},
        "whole": [(n,)],
    }
    forest = DECODER.run(facts, goal="goal()")
    graph = search.graphs([words])[0]
    assert forest.log_z() == pytest.approx(graph.hypergraph.log_z(graph.scores()), abs=1e-4)
    assert np.isfinite(forest.log_z())
    if len(pieces) == sum(source == word for word in words for source, _ in lexical) + words.count("d"):
        assert forest.count() == graph.hypergraph.count()
        assert forest.best().score == pytest.approx(search.translate([words])[0].score, abs=1e-4)
        np.testing.assert_allclose(
            [proof.score for proof in forest.kbest(10)],
            [one.score for one in search.kbest([words], 10, distinct=False)[0]],
            atol=1e-4,
        )

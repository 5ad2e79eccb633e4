"""Search by phrases, the same as a weighted deduction, as a segmentation, and as a travelling salesman."""

import importlib.util
import itertools
import math
import random
from pathlib import Path

import numpy as np
import pytest

from oracles.phrase_derivations import LN10, options, random_lm, random_table
from palmette.inference import Deduction
from palmette.tools.translation.phrases.search import PhraseSearch
from palmette.tools.translation.phrases.search_options import SearchOptions
from palmette.tools.translation.tables.phrase_table import PhraseTable

pytestmark = pytest.mark.native

EXAMPLE = Path(__file__).parents[4] / "examples" / "translation" / "tsp.py"

# Items are covered words (a bit set), the end of the last phrase and the last target word.
DECODER = Deduction("""
    [0, 0, h]     <- start(h)
    [c, e, h2]    <- [b, l, h] * fits(b, i, e, c) * option(i, e, r) * jump(l, i) * say(h, r, h2)
    translation() <- [c, l, h] * whole(c, n) * jump(l, n) * stop(h)
""")


@pytest.mark.parametrize("seed", range(5))
def test_search_is_a_deduction(seed):
    table, lm = random_table(seed, n_pairs=16), random_lm(seed, order=2)
    words = [random.Random(seed).choice("abcdx") for _ in range(4)]
    n = len(words)
    search = PhraseSearch(table, lm, None, SearchOptions.exhaustive())
    w = dict(zip(search.names, search.weights))
    steps = options(table, words)
    histories = {"<s>"} | {step.target[-1] for step in steps}

    def say(history, target):
        state, total = lm.begin() if history == "<s>" else lm.state([history], bos=False), 0.0
        for word in target:
            step = lm.advance(state, word)
            total, state = total + step.log_prob, step.state
        return math.exp(w["lm"] * LN10 * total)

    def own(step):
        score = w["phrases"] - w["words"] * len(step.target)
        if step.pair is None:
            return math.exp(score - w["unknown"])
        return math.exp(score + sum(w[name] * x for name, x in zip(table.columns, step.pair.scores)))

    bits = {(i, e): sum(1 << k for k in range(i, e)) for i in range(n) for e in range(i + 1, n + 1)}
    facts = {
        "start": ["<s>"],
        "fits": [(b, i, e, b | m) for b in range(2**n) for (i, e), m in bits.items() if not b & m],
        "option": {(step.begin, step.end, k): own(step) for k, step in enumerate(steps)},
        "jump": {(a, b): math.exp(-w["distortion"] * abs(a - b)) for a in range(n + 1) for b in range(n + 1)},
        "say": {
            (h, k, step.target[-1]): say(h, step.target) for h in histories for k, step in enumerate(steps)
        },
        "whole": [(2**n - 1, n)],
        "stop": {h: say(h, ["</s>"]) for h in histories},
    }
    forest = DECODER.run(facts, goal="translation()")
    graph = search.graphs([words])[0]
    assert forest.count() == graph.hypergraph.count()
    assert forest.best().score == pytest.approx(search.translate([words])[0].score, abs=1e-4)
    assert forest.log_z() == pytest.approx(graph.hypergraph.log_z(graph.scores()), abs=1e-4)
    np.testing.assert_allclose(
        [proof.score for proof in forest.kbest(10)],
        [one.score for one in search.kbest([words], 10, distinct=False)[0]],
        atol=1e-4,
    )


def test_algorithm_12_is_the_best_segmentation():
    """Monotone, without a language model: the best way to cut letters into words of a dictionary."""
    rng = random.Random(0)
    letters = [rng.choice("ab") for _ in range(12)]
    words = {"".join(rng.choice("ab") for _ in range(rng.randint(1, 4))) for _ in range(14)} | {"a", "b"}
    score = {word: -4 * rng.random() for word in words}
    table = PhraseTable.from_pairs(
        [(" ".join(word), word, [score[word]]) for word in words], columns=["phi_target"]
    )
    weights = [0.0] * 5 + [1.0]
    search = PhraseSearch(table, None, weights, SearchOptions.exhaustive(monotone=True))
    found = search.translate([letters])[0]

    best = [0.0] + [-math.inf] * len(letters)
    for i in range(1, len(letters) + 1):
        for j in range(i):
            best[i] = max(best[i], best[j] + score.get("".join(letters[j:i]), -math.inf))
    assert found.score == pytest.approx(best[-1], abs=1e-5)
    assert "".join(found.words) == "".join(letters)
    assert sum(score[word] for word in found.words) == pytest.approx(best[-1], abs=1e-5)


@pytest.mark.parametrize("n", [4, 7])
def test_the_travelling_salesman(n):
    spec = importlib.util.spec_from_file_location("tsp", EXAMPLE)
    tsp = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tsp)
    if n == 4:
        home, miles = tsp.HOME, tsp.MILES
        cities = ["Buffalo", "Ithaca", "Syracuse", "Toronto"]
    else:
        rng = random.Random(1)
        home, *cities = (f"v{k}" for k in range(n + 1))
        miles = {pair: rng.randint(1, 500) for pair in itertools.combinations([home, *cities], 2)}

    def length(tour):
        stops = [home, *tour, home]
        return sum(miles.get((a, b), miles.get((b, a))) for a, b in itertools.pairwise(stops))

    found = tsp.shortest_tour(home, cities, miles)
    assert sorted(found) == sorted(cities)
    assert length(found) == min(map(length, itertools.permutations(cities)))

"""Pairs of sentences by the general engine, against all derivations of small grammars; CSC 448, §16.1."""

from __future__ import annotations

import math
from collections import defaultdict
from random import Random

import pytest

from oracles.synchronous import Pair, all_pairs, random_grammar
from palmette.grammars.synchronous.grammar import SynchronousGrammar
from palmette.grammars.synchronous.parsing import PairParser

pytestmark = pytest.mark.native

COUNTING = SynchronousGrammar("S -> a S1 b , b S1 a\nS -> ε , ε", weighted=True)


@pytest.mark.parametrize("n", range(5))
def test_the_language_that_is_not_context_free(n: int) -> None:
    source, target = ["a"] * n + ["b"] * n, ["b"] * n + ["a"] * n
    assert COUNTING.parse(source, target).count() == 1
    assert not COUNTING.recognises(source, [*target, "a"])
    assert not COUNTING.recognises(source, ["b"] * (n + 1) + ["a"] * (n + 1))
    if n:
        assert not COUNTING.recognises(source, source)


@pytest.mark.parametrize("seed", range(25))
def test_all_derivations(seed: int) -> None:
    grammar = random_grammar(Random(seed))
    weights: dict[Pair, list[float]] = defaultdict(list)
    for pair, weight in all_pairs(grammar):
        weights[pair].append(weight)
    by_source: dict[tuple[str, ...], list[float]] = defaultdict(list)
    by_target: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for (source, target), found in weights.items():
        by_source[source] += found
        by_target[target] += found
    chosen = Random(seed).sample(sorted(weights), min(6, len(weights)))
    pairs, sources, targets = (PairParser(grammar, *sides) for sides in ((1, 1), (1, 0), (0, 1)))
    for pair in chosen:
        for forest, want in (
            (pairs.parse(*pair), weights[pair]),
            (sources.parse(pair[0]), by_source[pair[0]]),
            (targets.parse(None, pair[1]), by_target[pair[1]]),
        ):
            assert forest.count() == len(want)
            assert forest.probability == pytest.approx(sum(want))
            best = forest.best()
            assert best is not None
            assert best.probability == pytest.approx(max(want))
            have = [one.probability for one in forest.kbest(len(want) + 1)]
            assert have == pytest.approx(sorted(want, reverse=True))
            assert sum(forest.expected_counts()) == pytest.approx(
                sum(len(one) * one.probability for one in forest.kbest(len(want))) / sum(want)
            )
        for one in pairs.parse(*pair).kbest(3):
            assert (tuple(one.source_words), tuple(one.target_words)) == pair
        for one in sources.parse(pair[0]).samples(3):
            assert tuple(one.source_words) == pair[0]
            assert (pair[0], tuple(one.target_words)) in weights
    assert not pairs.parse(["b"] * 30, ["y"] * 30).is_derived


def test_trees_of_both_sides() -> None:
    grammar = SynchronousGrammar(
        "S -> NP VP , NP VP\nNP -> il , he\nVP -> ne VB1 pas , not VB1\nVB -> va , go"
    )
    best = grammar.parse("il ne va pas".split()).best()
    assert best is not None
    source, target = best.trees()
    assert str(source) == "(S (NP il) (VP ne (VB va) pas))"
    assert str(target) == "(S (NP he) (VP not (VB go)))"
    assert best.children == ((1, 2), (), (3,), ())
    back = grammar.parse(None, "he not go".split()).best()
    assert back is not None
    assert back.source_words == "il ne va pas".split()


def test_a_cycle_of_unary_rules() -> None:
    text = "S -> X1 , X1\n0.5: X -> Y1 , Y1\n0.5: X -> a , b\nY -> X1 , X1"
    grammar = SynchronousGrammar(text)
    assert [rule.arrow() for rule in grammar.unary_cycle()] == ["X -> Y1 , Y1", "Y -> X1 , X1"]
    forest = grammar.parse(["a"], ["b"])
    assert forest.probability == pytest.approx(1.0)  # 0.5 + 0.25 + …
    assert forest.best().probability == 0.5  # type: ignore[union-attr]
    for ask in (forest.count, lambda: forest.kbest(2)):
        with pytest.raises(ValueError, match="X -> Y1 , Y1; Y -> X1 , X1 lead from a nonterminal back"):
            ask()
    assert not COUNTING.unary_cycle()


def test_samples_and_what_is_computed_from_the_weights() -> None:
    grammar = SynchronousGrammar("0.4: S -> a S1 b , b S1 a\n0.6: S -> ε , ε")
    drawn = grammar.samples(2000, random_state=1)
    mean = sum(len(one.source_words) for one in drawn) / len(drawn) / 2
    assert mean == pytest.approx(0.4 / 0.6, abs=0.08)
    assert all(one.target_words == one.source_words[::-1] for one in drawn)
    assert grammar.consistency().is_consistent
    assert [rule.arrow() for rule in grammar.finiteness().cycle] == ["S -> a S1 b , b S1 a"]
    assert SynchronousGrammar("S -> A1 , A1\nA -> a , b").finiteness().is_finite
    assert not SynchronousGrammar("0.1: S -> S1 , S1 a\n0.9: S -> b , b").finiteness().is_finite


def test_useless_rules_and_bad_arguments() -> None:
    grammar = SynchronousGrammar("S -> a , b\nS -> A1 , A1\nB -> c , d", weighted=True)
    assert [rule.arrow() for rule in grammar.trimmed().rules] == ["S -> a , b"]
    assert grammar.parse(["a"]).count() == 1
    nothing = SynchronousGrammar("S -> S1 a , S1")
    empty = nothing.parse(["a"])
    assert (empty.count(), empty.best(), empty.kbest(2)) == (0, None, [])
    assert nothing.parse(["a"]).log_z == -math.inf
    with pytest.raises(ValueError, match="derives no pair"):
        nothing.trimmed()
    with pytest.raises(ValueError, match="split it"):
        grammar.parse("a")
    with pytest.raises(ValueError, match="or both"):
        grammar.parse(None)
    with pytest.raises(ValueError, match="other sides"):
        PairParser(grammar, True, False).parse(["a"], ["b"])


def test_tightened_and_projections() -> None:
    grammar = SynchronousGrammar("2: S -> a S1 , S1 x\n1: S -> a S1 , x S1\n3: S -> b , y", weighted=True)
    assert grammar.normalised().weights.tolist() == pytest.approx([1 / 3, 1 / 6, 1 / 2])
    assert [str(rule) for rule in grammar.normalised().source.rules] == ["0.5: S -> 'a' S", "0.5: S -> 'b'"]
    assert [rule.arrow() for rule in grammar.target.rules] == ["S -> S 'x'", "S -> 'x' S", "S -> 'y'"]
    half = SynchronousGrammar("0.25: S -> S1 S2 , S2 S1\n0.25: S -> a , b", weighted=True)
    assert half.tightened().is_proper

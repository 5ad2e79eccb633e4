"""Conversions that keep every weight: strings, best derivations, and the way back."""

from __future__ import annotations

import pytest

from oracles.grammars import random_grammar, string_weights, strings
from palmette.formats.brackets import read_brackets
from palmette.grammars.binarize import binarized
from palmette.grammars.conversion import Conversion
from palmette.grammars.derivation import LeftmostDerivation
from palmette.grammars.empty_rules import without_empty
from palmette.grammars.grammar import Grammar
from palmette.grammars.normal_form import normal_form
from palmette.grammars.parsing import Parser
from palmette.grammars.unary_rules import without_unaries
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree
from samples.corpora import real_file

pytestmark = pytest.mark.native


def is_normal(grammar: Grammar) -> bool:
    """A → B C or A → a, and ε only for a start symbol that stands on no right side."""
    rights = {name for rule in grammar.rules for name in rule.nonterminals}
    for rule in grammar.rules:
        if not rule.right:
            if rule.left != grammar.start or grammar.start in rights:
                return False
        elif (len(rule.right), len(rule.nonterminals)) not in ((2, 2), (1, 0)):
            return False
    return True


@pytest.mark.parametrize("seed", range(12))
def test_strings_keep_their_weights(seed: int) -> None:
    grammar = random_grammar(seed, n=3, proper=seed % 3 != 0)
    form = normal_form(grammar)
    assert is_normal(form.grammar)
    want = string_weights(grammar, 4)
    assert string_weights(form.grammar, 4) == pytest.approx(want, rel=1e-9)
    assert string_weights(form.best, 4, best=True) == pytest.approx(string_weights(grammar, 4, best=True))


@pytest.mark.parametrize("seed", range(12))
def test_best_derivations_are_those_of_the_original(seed: int) -> None:
    grammar = random_grammar(seed, n=3)
    form = normal_form(grammar)
    original, normal = Parser(grammar), Parser(form.best)
    for words in strings("ab", 3):
        want, have = original.parse(words).best(), normal.parse(words).best()
        assert (want is None) == (have is None)
        if want is not None and have is not None:
            back = form.original(have)
            assert back.words == list(words)
            assert back.grammar is grammar
            assert back.score == pytest.approx(want.score) == pytest.approx(have.score)


@pytest.mark.parametrize("seed", range(6))
def test_every_derivation_maps_back_to_one_of_the_same_string(seed: int) -> None:
    grammar = random_grammar(seed, n=3)
    form = normal_form(grammar)
    for sample in form.grammar.samples(50, random_state=seed):
        back = form.original(sample)
        assert back.words == sample.words
        assert back.score <= sample.score + 1e-9  # the new rule stands for this one, and perhaps for others


@pytest.mark.parametrize("seed", range(6))
def test_each_step_keeps_weights_and_maps_back(seed: int) -> None:
    grammar = random_grammar(seed, n=3)
    want = string_weights(grammar, 3)
    first = binarized(grammar)
    second = without_empty(first.grammar)
    third = without_unaries(grammar)
    for step in (first, second, third):
        assert string_weights(step.grammar, 3) == pytest.approx(want, rel=1e-9)
        _check_way_back(step)
    assert all(len(rule.right) <= 2 for rule in first.grammar.rules)
    assert first.best.tolist() == first.grammar.weights.tolist()
    assert all(rule.right or rule.left == second.grammar.start for rule in second.grammar.rules)
    assert not any(len(rule.right) == len(rule.nonterminals) == 1 for rule in third.grammar.rules)


def _check_way_back(step: Conversion) -> None:
    for sample in step.grammar.samples(20):
        back = LeftmostDerivation(step.source, tuple(step.original(sample.numbers)))
        assert back.words == sample.words


def test_the_example_of_a_language_with_the_empty_string() -> None:
    grammar = Grammar("S -> 'a' S 'b' [0.4] | ε [0.6]")
    form = grammar.cnf()
    for n in range(5):
        words = ["a"] * n + ["b"] * n
        assert form.grammar.parse(words).probability == pytest.approx(0.6 * 0.4**n)
    (derivation,) = form.grammar.parse(["a", "a", "b", "b"]).kbest(9)
    assert form.original(derivation).numbers == (0, 0, 1)
    (empty,) = form.grammar.parse([]).kbest(9)
    assert form.original(empty).numbers == (1,)


def test_unary_cycles() -> None:
    grammar = Grammar("A -> B [0.5] | 'a' [0.5]\nB -> A [0.5] | 'b' [0.5]")
    form = grammar.cnf()
    assert {str(rule.right[0]): round(rule.weight, 6) for rule in form.grammar.rules} == {
        "'a'": 0.666667,
        "'b'": 0.333333,
    }
    assert form.best.weights.tolist() == [0.5, 0.25]
    with pytest.raises(ValueError, match=r"unary rules of .* go in a circle and have no finite total weight"):
        Grammar("A -> B | 'a'\nB -> A | 'b'").cnf()
    with pytest.raises(ValueError, match="S derives no string"):
        Grammar("S -> S 'a'").cnf()


def test_names_that_are_taken() -> None:
    grammar = Grammar(
        "@S -> S S S [0.5] | 'a' 'b' [0.5]\n<@S S> -> 'x'\nS -> <@S S> [0.5] | ε [0.5]\n@@S -> 's'"
    )
    form = grammar.cnf()
    assert string_weights(form.grammar, 3) == pytest.approx(string_weights(grammar, 3))


def test_trees_map_back() -> None:
    grammar = Grammar("S -> NP VP NP\nNP -> N\nN -> 'dogs' [0.5] | 'cats' [0.5]\nVP -> 'chase'")
    form = grammar.cnf()
    best = form.best.parse("dogs chase cats".split()).best()
    assert best is not None
    assert form.original(best.tree()).tree() == Tree.parse("(S (NP (N dogs)) (VP chase) (NP (N cats)))")
    with pytest.raises(ValueError, match="another grammar"):
        form.original(grammar.samples(1)[0])


def test_what_is_not_binarized_is_refused() -> None:
    with pytest.raises(ValueError, match="must be binarized first; it has the rule S -> A A A"):
        without_empty(Grammar("S -> A A A\nA -> ε"))


def test_a_grammar_of_a_treebank() -> None:
    trees = [t for t in clean_trees(read_brackets(real_file("const_en_ptb/dev.mrg"))) if t is not None]
    short = [tree for tree in trees if len(tree.words) <= 12][:25]
    grammar = Grammar.from_trees(short)
    form = grammar.cnf()
    assert is_normal(form.grammar)
    original, normal, best = Parser(grammar), Parser(form.grammar), Parser(form.best)
    for tree in short[:8]:
        forest = original.parse(tree.words)
        assert normal.parse(tree.words).log_z == pytest.approx(forest.log_z)
        want, have = forest.best(), best.parse(tree.words).best()
        assert want is not None
        assert have is not None
        assert form.original(have).score == pytest.approx(want.score)

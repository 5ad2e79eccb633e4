"""Grammars read off trees: relative frequencies."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from palmette.formats.brackets import read_brackets
from palmette.grammars.derivation import LeftmostDerivation
from palmette.grammars.estimation import productions, rule_counts
from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import Rule, Terminal
from palmette.trees.tree import Tree
from samples.corpora import real_file

TREES = [
    Tree.parse("(S (NP (NN time)) (VP (VBZ flies)))"),
    Tree.parse("(S (NP (NN time) (NNS flies)) (VP (VBP like) (NP (NN arrows))))"),
]


def test_relative_frequencies() -> None:
    grammar = Grammar.from_trees(TREES)
    weights = {rule[:2]: rule.weight for rule in grammar.rules}
    assert weights["NP", ("NN",)] == pytest.approx(2 / 3)
    assert weights["NN", (Terminal("time"),)] == pytest.approx(2 / 3)
    assert weights["VP", ("VBP", "NP")] == 0.5
    assert grammar.is_proper
    assert grammar.start == "S"


def test_the_likelihood_is_at_its_greatest() -> None:
    """No other weights give the trees a greater probability: small changes lower it."""
    grammar = Grammar.from_trees(TREES)

    def log_likelihood(grammar: Grammar) -> float:
        return math.fsum(LeftmostDerivation.of_tree(grammar, tree).score for tree in TREES)

    top = log_likelihood(grammar)
    for n in range(len(grammar)):
        for factor in (0.9, 1.1):
            weights = grammar.weights.copy()
            weights[n] *= factor
            assert log_likelihood(grammar.with_weights(weights).normalised()) <= top + 1e-12


def test_over_tags() -> None:
    grammar = Grammar.from_trees(TREES, tags=True)
    assert grammar.terminals == ("NN", "VBZ", "NNS", "VBP")
    assert grammar.parse(["NN", "VBZ"]).probability == pytest.approx(2 / 3 / 2)


def test_roots() -> None:
    mixed = [*TREES, Tree.parse("(NP (NN time))")]
    with pytest.raises(ValueError, match=r"different roots \(S, NP\): name a start symbol"):
        Grammar.from_trees(mixed)
    grammar = Grammar.from_trees(mixed, start="TOP")
    assert [rule.weight for rule in grammar.rules_of("TOP")] == pytest.approx([2 / 3, 1 / 3])
    assert Grammar.from_trees(TREES, start="S") == Grammar.from_trees(TREES)


def test_what_cannot_be_counted() -> None:
    with pytest.raises(ValueError, match="no trees"):
        Grammar.from_trees([])
    with pytest.raises(ValueError, match="Tree 1 is discontinuous"):
        Grammar.from_trees([Tree.parse("(S (VP 0=What 2=done) (VBZ 1=is))", positions=True)])
    with pytest.raises(ValueError, match="Tree 1 is a tag and a word alone"):
        Grammar.from_trees([Tree.parse("(UH oh)")], tags=True)


def test_cyclic_unaries_are_kept_and_summed() -> None:
    """A treebank with A → B → A gives a grammar with a cycle, which is consistent all the same."""
    grammar = Grammar.from_trees([Tree.parse("(A (B (A (B b))))"), Tree.parse("(A (B b))")])
    assert grammar.consistency().is_consistent
    # A → B (1), B → A (1/3) | b (2/3): the sum over the cycle is 2/3 / (1 - 1/3)
    assert grammar.parse(["b"]).probability == pytest.approx(1.0)
    assert grammar.cnf().grammar.parse(["b"]).probability == pytest.approx(1.0)


def test_productions_of_a_treebank_against_nltk() -> None:
    nltk = pytest.importorskip("nltk")
    trees = list(read_brackets(real_file("const_en_ptb/dev.mrg")))[:50]
    have = Counter(Rule(*production).arrow() for tree in trees for production in productions(tree))
    want: Counter[str] = Counter()
    for tree in trees:
        for production in nltk.Tree.fromstring(str(tree)).productions():
            right = tuple(Terminal(s) if isinstance(s, str) else s.symbol() for s in production.rhs())
            want[Rule(production.lhs().symbol(), right).arrow()] += 1
    assert have == want
    assert sum(rule_counts(trees, start="TOP")[1].values()) >= sum(have.values())

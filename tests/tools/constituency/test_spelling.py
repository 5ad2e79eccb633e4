from __future__ import annotations

import pytest

from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.constituency.spelling import Spelling, with_words
from palmette.trees.tree import Tree
from samples.phrase_treebank import cats, toy_method

QUOTED = "(S (`` ``) (NP (NNS cats)) (-LRB- -LRB-) (NP (NNS dogs)) (-RRB- -RRB-) (VP (VBP sleep)) ('' ''))"


def test_how_a_treebank_spells():
    assert Spelling.of([Tree.parse(QUOTED)]) == Spelling(brackets=True, quotes=True)
    assert Spelling.of([Tree.parse('(S (A a) (Q "))')]) == Spelling()
    assert Spelling.of([]) == Spelling()


def test_words_are_spelt_and_counted():
    words = ["“", "(", "a", ")", "”", "{", "}"]
    assert Spelling().spelt(words) == words
    assert Spelling(brackets=True).spelt(words) == ["“", "-LRB-", "a", "-RRB-", "”", "-LCB-", "-RCB-"]
    assert Spelling(quotes=True).spelt(['"', '"', '"']) == ["``", "''", "``"]


def test_a_tree_over_other_words():
    tree = Tree.parse("(VP (A 0=x) (B 2=z) (C 1=y))", positions=True)
    (made,) = with_words([tree], ["a", "b", "c"])
    assert made == Tree.parse("(VP (A 0=a) (B 2=c) (C 1=b))", positions=True)
    one, two = with_words([tree, Tree("S", [tree])], ["a", "b", "c"])
    assert one is two[0]


@pytest.mark.native
def test_a_parser_knows_the_signs_of_text(tmp_path):
    with toy_method():
        parser = ConstituencyParser("toy").fit([*cats(), Tree.parse(QUOTED)])
        words = '" cats ( dogs ) sleep "'.split()
        (parse,) = parser.parse([words])
        assert parse.note == ""
        assert parse.tree.words == words
        assert parse.tree.tags == ["``", "NNS", "-LRB-", "NNS", "-RRB-", "VBP", "''"]
        assert parser.kbest([words], 1)[0][0].tree == parse.tree
        parser.save(tmp_path / "x.palm")
        assert ConstituencyParser.load(tmp_path / "x.palm").predict([words]) == [parse.tree]
        assert parser.explain(words).decisions

"""What every method of constituency parsing does, whatever it learns: one body of tests for all."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from palmette.tools.constituency.model import METHODS, Bracket, Constraints, method_options
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.constituency.treebank import clean_trees
from palmette.tools.constituency.votes import spans_of
from palmette.trees import Tree
from phrase_bank import garden

pytestmark = pytest.mark.native

WORDS = "The old cook leaves the light on in the kitchen .".split()
SENTENCES = [
    WORDS,
    ["Birds", "laughed", "."],
    "If it rains , she reads a book about the sea .".split(),
    ["Go"],
]
STRANGE = ["Xyzzy-9", "QWERTY", "zzz", "(", "ñandú", "…", "42"]
SMALL = {  # so that training takes a moment
    "latent": {"rounds": 1},
    "combined": {"methods": "pcfg,markov"},
}
NAMES = [name for name in METHODS if name != "combined" or "pcfg" in METHODS]


@pytest.fixture(scope="module", params=NAMES)
def parser(request) -> ConstituencyParser:
    known = method_options(request.param)
    small = {name: v for name, v in SMALL.get(request.param, {}).items() if name in known}
    return ConstituencyParser(request.param, options=small or None).fit(garden())


def decoder(parser) -> bool | None:
    """What ranks the k best: their probability, or for some methods their risk."""
    return None if parser.method in ("combined", "plcfrs") else False


def trees(parses) -> list[Tree]:
    return [parse.tree for parse in parses]


def test_trees_are_of_the_one_form(parser):
    for words, tree in zip(SENTENCES, parser.predict(SENTENCES)):
        assert tree.words == words
        assert tree.label == "TOP"
        assert clean_trees([tree]) == [tree]  # no cycles, no functional tags, nothing made
        assert all("@" not in node.label and "^" not in node.label for node in tree.preorder())


def test_what_was_learnt_is_known(parser):
    assert parser.score(garden()) > 0.6
    assert parser.score(garden("test")) > 0.3


def test_threads_and_batches_do_not_change_the_trees(parser):
    one = parser.predict(SENTENCES)
    assert [parser.predict([words])[0] for words in SENTENCES] == one
    parser.n_jobs = 2
    try:
        assert parser.predict(SENTENCES * 3) == one * 3
    finally:
        parser.n_jobs = None


def test_training_again_gives_the_same(parser):
    again = ConstituencyParser(**parser.get_params(deep=False)).fit(garden())
    assert again.predict(SENTENCES) == parser.predict(SENTENCES)


def test_k_best_are_different_and_in_order(parser):
    for words, ranked in zip(SENTENCES, parser.kbest(SENTENCES, 8)):
        found = trees(ranked)
        assert 1 <= len(found) <= 8
        assert len(set(found)) == len(found)
        assert all(tree.words == words for tree in found)
        scores = [parse.score for parse in ranked[parser.method == "combined" :]]
        assert all(a >= b - 1e-4 * max(1, abs(a)) for a, b in pairwise(scores))
        (fewer,) = parser.kbest([words], 2)
        assert trees(fewer) == found[:2]


def test_the_first_of_k_is_the_most_probable(parser):
    best = parser.parse(SENTENCES, minimum_risk=decoder(parser))
    for parse, ranked in zip(best, parser.kbest(SENTENCES, 1)):
        assert ranked[0].score == pytest.approx(parse.score, rel=1e-3)


def test_marginals_are_probabilities(parser):
    try:
        tables = parser.marginals(SENTENCES)
    except ValueError:
        return  # it has none
    for words, table in zip(SENTENCES, tables):
        assert all(0 <= p <= 1 + 1e-4 for p in table.values())
        assert all(0 <= b.start < b.end <= len(words) and b.label for b in table)
    ranked = parser.kbest([WORDS], 30)[0]
    if all(parse.log_probability is not None for parse in ranked):
        assert sum(math.exp(parse.log_probability) for parse in ranked) <= 1 + 1e-3
        for bracket in spans_of(ranked[0].tree):  # the k best alone give a lower bound
            least = sum(math.exp(p.log_probability) for p in ranked if bracket in spans_of(p.tree))
            assert tables[0].get(bracket, 0.0) >= least - 2e-2


def test_contributions_make_up_the_score(parser):
    for words, parse in zip(SENTENCES, parser.parse(SENTENCES, minimum_risk=decoder(parser))):
        if parse.note:
            continue
        parts = parser.model_.contributions(words, parse.tree)
        assert math.fsum(part.amount for part in parts) == pytest.approx(parse.score, rel=1e-3, abs=1e-3)
        assert all(0 <= part.start < part.end <= len(words) for part in parts)


def test_constraints_are_kept_or_refused(parser):
    wanted = [Bracket(4, 7, "NP"), Bracket(7, 10, "PP"), Bracket(4, 7), Bracket(1, 3)]
    for bracket in wanted:
        for required in (True, False):
            known = Constraints((bracket,), ()) if required else Constraints((), (bracket,))
            try:
                (tree,) = parser.predict([WORDS], constraints=[known])
            except ValueError:
                continue
            spans = [(b.start, b.end) if bracket.label is None else tuple(b) for b in spans_of(tree)]
            if bracket.label is None:
                assert ((bracket.start, bracket.end) in spans) is required
            else:
                assert (tuple(bracket) in spans) is required


def test_given_tags_stand_in_the_tree(parser):
    try:
        (tree,) = parser.predict([[("cook", "VB"), ("leaves", "NNS"), (".", "")]])
    except ValueError:
        return
    assert tree.tags[:2] == ["VB", "NNS"]


def test_unknown_words_only(parser):
    for parse in parser.parse([STRANGE, STRANGE[:1], ["⁂"]]):
        assert parse.tree.label == "TOP"
        assert not math.isnan(parse.score)


@pytest.mark.parametrize("n", [1, 200])
def test_sentences_of_any_length(parser, n):
    words = ([*WORDS[:-1], "and"] * (n // 5 + 1))[:n]
    (parse,) = parser.parse([words])
    assert parse.tree.words == words


def test_words_that_no_tree_covers(parser):
    (parse,) = parser.parse([[",", ",", "?", "to", "to", "the"]])
    assert parse.tree.words == [",", ",", "?", "to", "to", "the"]


def test_explanations_add_up(parser):
    for decision in parser.explain(SENTENCES[1]).decisions:
        if decision.rival is not None:
            assert math.fsum(p.amount for p in decision.contributions) == pytest.approx(decision.margin)
            assert decision.margin >= -1e-3
            amounts = {(p.feature.removeprefix("not "), round(p.amount, 9)) for p in decision.contributions}
            assert not any((feature, -amount) in amounts for feature, amount in amounts)


def test_unknown_options_are_refused(parser):
    with pytest.raises(ValueError, match="no option 'nonsense'"):
        ConstituencyParser(parser.method, options={**(parser.options or {}), "nonsense": 1}).fit(garden())
    with pytest.raises(ValueError, match="nonsense"):
        parser.with_options(nonsense=1)


def test_one_tree_of_one_word_is_enough():
    for method in NAMES:
        options = SMALL.get(method) if method == "combined" else None
        parser = ConstituencyParser(method, options=options).fit([Tree.parse("(S (A a))")])
        assert parser.predict([["a"], ["b", "a"]])[0] == Tree.parse("(TOP (S (A a)))")


def test_odd_trees_can_be_learnt():
    odd = [
        "(A (B (A (B (T x)))))",
        "(S (X (Y (Z (T a)) (T b)) (T c)) (T d) (T e) (T f) (T g) (T h))",
        "(T alone)",
        "(S (NP-SBJ (-NONE- *)) (VP (VB go)))",
    ]
    for method in NAMES:
        parser = ConstituencyParser(method, options=SMALL.get(method) if method == "combined" else None)
        parser.fit([Tree.parse(text) for text in odd])
        assert parser.predict([["a", "b", "c", "d"], ["go"], ["x"]])[1].words == ["go"]

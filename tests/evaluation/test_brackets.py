from __future__ import annotations

import random
from dataclasses import replace

import pytest

from oracles.evalb import evalb
from palmette.errors import FormatError
from palmette.evaluation.bracket_rules import COLLINS, EVERYTHING, parse_rules
from palmette.evaluation.brackets import best_of_ranked, evaluate_brackets
from palmette.evaluation.counts import Counts
from palmette.formats.brackets import read_brackets
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree
from samples.corpora import real_file
from samples.random_brackets import random_tree

GOLD = (
    "(TOP (S (NP-SBJ (DT The) (NN cook)) (VP (VBZ puts) (PRT (RP out)) (NP (NP (DT the) (NN fire)) "
    "(PP (IN in) (NP (DT the) (NN oven))))) (. .)))"
)
GUESS = (
    "(TOP (S (NP (DT The) (NN cook)) (VP (VBZ puts) (ADVP (RB out)) (NP (DT the) (NN fire)) "
    "(PP (IN in) (NP (DT the) (NN oven)))) (. .)))"
)


def test_a_sentence_by_hand():
    """Gold: S, NP, VP, PRT, NP, NP, PP, NP = 8; guess: S, NP, VP, ADVP, NP, PP, NP = 7, all of them in gold."""
    scores = evaluate_brackets([Tree.parse(GOLD)], [Tree.parse(GUESS)])
    assert scores.overall == Counts(8, 7, 7)
    assert scores.precision == 1.0
    assert scores.recall == 7 / 8
    assert scores.f1 == 14 / 15
    assert scores.exact_match == 0
    assert scores.crossing == 0
    assert scores.tagging_accuracy == 8 / 9  # the full stop does not count, RP is not RB
    assert scores.labels["NP"] == Counts(4, 3, 3)
    assert scores.labels["ADVP"] == Counts(1, 1, 1)  # PRT counts as ADVP
    assert "Bracketing FMeasure       =  93.33" in str(scores)


def test_crossing_brackets_by_hand():
    gold = Tree.parse("(TOP (S (NP (A a) (B b)) (VP (C c) (NP (D d) (E e)))))")
    guess = Tree.parse("(TOP (S (A a) (X (B b) (C c)) (X (X (B2 d) (E e)))))")
    scores = evaluate_brackets([gold], [guess])
    assert scores.crossing == 1  # X over b c crosses NP and VP, and counts once
    assert (scores.at_most_crossing(0), scores.at_most_crossing(2)) == (0, 1)


def test_nodes_that_punctuation_empties_do_not_count():
    gold = Tree.parse("(TOP (S (NP (NN a)) (PRN (, ,)) (VP (VB b) (, ,))))")
    guess = Tree.parse("(TOP (S (NP (NN a) (, ,)) (VP (VB b)) (, ,)))")
    assert evaluate_brackets([gold], [guess]).f1 == 1.0
    assert evaluate_brackets([gold], [guess], EVERYTHING).f1 == 2 / 7  # only S is right, of 4 and 3


@pytest.mark.parametrize("seed", range(60))
def test_the_numbers_are_those_of_evalb(seed):
    golds = [random_tree(1000 * seed + i, n=2 + (seed + i) % 9) for i in range(4)]
    # The same words; every second guess has the same tags, so that EVALB can compare them.
    guesses = [
        _with_tags(random_tree(77 + 1000 * seed + i, n=len(tree.words), words=tree.words), tree.tags, i % 2)
        for i, tree in enumerate(golds)
    ]
    want = evalb(map(str, golds), map(str, guesses))
    errors = want.pop("errors")
    scores = evaluate_brackets(golds, guesses, replace(COLLINS, as_evalb=True))
    have = scores.to_dict()
    assert {name: have[name] for name in want} == pytest.approx(want)
    assert len(golds) - scores.sentences == errors
    short = evalb(map(str, golds), map(str, guesses), longest=5)
    few = evaluate_brackets(golds, guesses, replace(COLLINS, as_evalb=True, length=5)).short
    assert (few.f1, few.sentences) == (pytest.approx(short["f1"]), short["sentences"])


def _with_tags(tree: Tree, tags: list[str], other: int) -> Tree:
    def relabelled(node, below):
        if not node.is_preterminal:
            return Tree(node.label, below)
        tag = tags[node.first]
        return Tree("VB" if other and tag == "NN" else tag, below)

    return tree.fold(lambda leaf: leaf, relabelled)


def test_where_evalb_gives_up_gold_decides_what_is_punctuation():
    gold = Tree.parse("(TOP (S (NP (NN a)) (, ,) (VP (VB b))))")
    guess = Tree.parse("(TOP (S (NP (NN a) (NN ,)) (VP (VB b))))")
    assert evalb([str(gold)], [str(guess)])["errors"] == 1
    scores = evaluate_brackets([gold], [guess])
    assert (scores.f1, scores.disagreeing) == (1.0, 1)
    assert evaluate_brackets([gold], [guess], replace(COLLINS, as_evalb=True)).sentences == 0


def test_empty_elements_are_no_words():
    gold = Tree.parse("(TOP (S (NP-SBJ (-NONE- *)) (VP (VB go) (NP (-NONE- *T*)))))")
    assert evaluate_brackets([gold], [Tree.parse("(TOP (S (VP (VB go))))")]).exact_match == 1.0


def test_discontinuous_brackets():
    gold = Tree.parse("(TOP (S (VP (WP 0=What) (VBN 2=done)) (VBZ 1=is)))", positions=True)
    scores = evaluate_brackets([gold], [Tree.parse("(TOP (S (VP (WP What)) (VBZ is) (VBN done)))")])
    assert scores.overall == Counts(2, 2, 1)
    assert scores.discontinuous == Counts(1, 0, 0)
    assert evaluate_brackets([gold], [gold]).discontinuous == Counts(1, 1, 1)
    only = evaluate_brackets([gold], [gold], replace(COLLINS, discontinuous=True))
    assert only.overall == Counts(1, 1, 1)
    # A gap of punctuation alone is none.
    tree = Tree.parse("(TOP (S (VP (WP 0=What) (VBN 2=done)) (, 1=,)))", positions=True)
    assert evaluate_brackets([tree], [tree]).discontinuous == Counts(0, 0, 0)


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_is_exactly_itself(seed):
    tree = random_tree(seed, gaps=True)
    scores = evaluate_brackets([tree], [tree])
    assert scores.f1 == 1.0 or not scores.overall.gold
    assert scores.exact_match == 1.0
    assert scores.tagging_accuracy == (1.0 if scores.totals["words"] else 0.0)


def test_the_interval_holds_the_score():
    golds = [random_tree(i) for i in range(30)]
    guesses = [random_tree(i + 99, words=tree.words) for i, tree in enumerate(golds)]
    scores = evaluate_brackets(golds, guesses)
    found = scores.interval()
    assert found.value == pytest.approx(scores.f1)
    assert found.low <= scores.f1 <= found.high


@pytest.mark.parametrize("seed", range(10))
def test_an_oracle_chooses_the_best(seed):
    gold = random_tree(seed)
    trees = [random_tree(seed + 50 * k, words=gold.words) for k in range(1, 6)]
    (best,) = best_of_ranked([gold], [trees])
    scores = [evaluate_brackets([gold], [tree]).f1 for tree in trees]
    assert best == trees[scores.index(max(scores))]
    assert best_of_ranked([gold], [[*trees, gold]]) == [gold]
    with pytest.raises(ValueError, match="no tree to choose from for sentence 1"):
        best_of_ranked([gold], [[]])


def test_different_sentences_are_refused():
    one, two, three = map(Tree.parse, ("(TOP (A a))", "(TOP (A a) (B b))", "(TOP (A b))"))
    with pytest.raises(ValueError, match="1 gold trees and 2 guessed"):
        evaluate_brackets([one], [one, one])
    with pytest.raises(ValueError, match="Sentence 2 has 1 words in gold, 2 in the guess"):
        evaluate_brackets([one, one], [one, two])
    with pytest.raises(ValueError, match="Word 1 of sentence 1 is 'a' in gold, 'b' in the guess"):
        evaluate_brackets([one], [three])
    assert evaluate_brackets([one], [three], replace(COLLINS, same_words=(("b", "a"),))).sentences == 1
    assert evaluate_brackets([], []).f1 == 0.0


PARAMETERS = """
# as of EVALB
DEBUG 0
CUTOFF_LEN 3
LABELED 1
DELETE_LABEL TOP
DELETE_LABEL -NONE-
DELETE_LABEL .
DELETE_LABEL_FOR_LENGTH .
EQ_LABEL NP NX
DELETE_WORD uh
"""


def test_parameter_files():
    rules = parse_rules(PARAMETERS)
    assert rules.punctuation == {"TOP", "."}
    assert rules.empty == {"-NONE-"}
    assert rules.length == 3
    gold = Tree.parse("(TOP (S (NP (NN a) (UH uh)) (VP (VB b) (, ,)) (. .)))")
    guess = Tree.parse("(TOP (S (NX (NN a)) (UH uh) (VP (VB b)) (, ,) (. .)))")
    scores = evaluate_brackets([gold], [guess], rules)
    assert scores.overall == Counts(3, 3, 2)  # the comma counts here, so VP is wrong
    assert scores.short.sentences == 0
    unlabelled = parse_rules(PARAMETERS.replace("LABELED 1", "LABELED 0").replace("EQ_LABEL NP NX", ""))
    assert evaluate_brackets([gold], [guess], unlabelled).overall == Counts(3, 3, 2)
    below_root = parse_rules("DELETE_ROOT_PRETERMS 1")
    tree = Tree.parse("(ROOT (NP (A a)) (B b))")
    assert evaluate_brackets([tree], [tree], below_root).totals["words"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DELETE_LABELS X", "no parameter 'DELETE_LABELS'"),
        ("\nEQ_LABEL X", "x.prm:2: EQ_LABEL needs 2 values"),
        ("DELETE_LABEL", "DELETE_LABEL needs 1 value$"),
        ("CUTOFF_LEN many", "needs a number. Got 'many'"),
    ],
)
def test_bad_parameter_files(text, message):
    with pytest.raises(FormatError, match=message):
        parse_rules(text, path="x.prm")


def test_real_trees_as_they_stand_in_the_treebank_against_others():
    golds = read_brackets(real_file("const_en_ptb/dev.mrg"))[:150]  # with empty elements and functional tags
    guesses = [_damaged(tree, seed) for seed, tree in enumerate(clean_trees(golds))]
    want = evalb(map(str, golds), map(str, guesses))
    scores = evaluate_brackets(golds, guesses)
    have = scores.to_dict()
    assert want.pop("errors") == 0
    assert 0.3 < want["f1"] < 0.95
    assert {name: have[name] for name in want} == pytest.approx(want)
    short = evalb(map(str, golds), map(str, guesses), longest=40)
    assert scores.short.f1 == pytest.approx(short["f1"])
    assert scores.short.sentences == short["sentences"]
    assert scores.short.tagging_accuracy == pytest.approx(short["tagging_accuracy"])


def _damaged(tree: Tree, seed: int) -> Tree:
    """The tree with some nodes taken out, some relabelled, some children grouped anew."""
    rng = random.Random(seed)

    def changed(node, below):
        children = [child for part in below for child in part]
        if node.is_preterminal:
            tag = "NN" if node.label == "VB" else node.label
            return [Tree(tag, children)]
        if node.label != "TOP" and rng.random() < 0.1:
            return children
        if len(children) > 2 and rng.random() < 0.3:
            children = [Tree("X", children[:2]), *children[2:]]
        return [Tree("ADVP" if rng.random() < 0.05 else node.label, children)]

    (made,) = tree.fold(lambda leaf: [leaf], changed)
    return made

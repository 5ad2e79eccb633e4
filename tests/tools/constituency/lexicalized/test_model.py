"""The lexicalised model against its definition, and what a constituency parser asks of it."""

from __future__ import annotations

from math import exp, inf

import numpy as np
import pytest

from oracles.lexicalized import SlowModel
from palmette.tools.constituency.lexicalized.model import LexicalizedModel, train
from palmette.tools.constituency.lexicalized.options import LexicalizedOptions
from palmette.tools.constituency.model import (
    METHODS,
    Bracket,
    Constraints,
)
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.transforms.heads import ENGLISH
from palmette.trees.tree import Tree
from samples.phrase_treebank import garden

TEXT = """
(TOP (S (NP (DT the) (NN man)) (VP (VBD saw) (NP (DT a) (NN dog))) (. .)))
(TOP (S (NP (NN dog)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN hat))))) (. .)))
(TOP (S (NP (DT a) (NN man)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT a) (NN hat)))) (. .)))
(TOP (S (NP (NNS dogs)) (VP (VBP bark)) (. .)))
(TOP (S (NP (NNS men)) (VP (VBP bark) (PP (IN with) (NP (NNS dogs)))) (. .)))
(TOP (S (NP (NP (DT the) (NN man)) (CC and) (NP (DT the) (NN dog))) (VP (VBD saw) (NP (NNS hats))) (. .)))
(TOP (S (NP (NNS dogs)) (VP (VBP want) (S (VP (TO to) (VP (VB bark))))) (. .)))
(TOP (NP (DT the) (NN man) (. .)))
"""
TREES = [Tree.parse(line) for line in TEXT.strip().splitlines()]
AMBIGUOUS = "the man saw a dog with the hat .".split()
EXACT = {"prune_first": 0.0, "prune_second": 0.0, "beam": 0.0}


@pytest.fixture(scope="module")
def model() -> LexicalizedModel:
    found = train(TREES, options={"heads": "english", "rare": 3}).model
    assert isinstance(found, LexicalizedModel)
    return found


def test_scores_are_those_of_the_definition(model: LexicalizedModel) -> None:
    slow = SlowModel(TREES, ENGLISH, 3)
    parses = model.with_options(EXACT).kbest([AMBIGUOUS], 20)[0]
    assert len(parses) > 3
    for parse in parses:
        assert parse.score == pytest.approx(slow.score(parse.tree), rel=1e-5)
    for tree in TREES:
        have = sum(step.amount for step in model.contributions(tree.words, tree))
        assert have == pytest.approx(slow.score(tree), rel=1e-5)


@pytest.mark.parametrize("words", ["dogs bark .", "the man saw dogs .", "the man saw a dog with hats ."])
def test_the_sum_over_all_trees(model: LexicalizedModel, words: str) -> None:
    """No constituent of this treebank has two possible heads: so trees and derivations are the same."""
    exact = model.with_options(EXACT)
    sentence = words.split()
    every = exact.kbest([sentence], 5000)[0]
    probabilities = [exp(parse.log_probability or 0.0) for parse in every]
    assert sum(probabilities) == pytest.approx(1.0, abs=2e-3)
    marginals = exact.marginals([sentence])[0]
    want: dict[Bracket, float] = {}
    for parse, p in zip(every, probabilities, strict=True):
        for span in parse.tree.spans():
            if span.label != "TOP":
                ((start, end),) = span.segments
                bracket = Bracket(start, end, span.label)
                want[bracket] = want.get(bracket, 0.0) + p
    for bracket, p in want.items():
        if p > 0.01:
            assert marginals[bracket] == pytest.approx(p, abs=5e-3)


def test_the_best_tree_is_the_first_of_the_k_best(model: LexicalizedModel) -> None:
    exact = model.with_options(EXACT)
    best = exact.parse([AMBIGUOUS], minimum_risk=False)[0]
    parses = exact.kbest([AMBIGUOUS], 30)[0]
    assert (parses[0].tree, parses[0].score) == (best.tree, best.score)
    assert len({parse.tree for parse in parses}) == len(parses)
    scores = [parse.score for parse in parses]
    assert scores == sorted(scores, reverse=True)


def test_contributions_add_up_and_have_names(model: LexicalizedModel) -> None:
    parse = model.parse([AMBIGUOUS])[0]
    steps = model.contributions(AMBIGUOUS, parse.tree)
    assert sum(step.amount for step in steps) == pytest.approx(parse.score, rel=1e-9)
    assert any(
        step.feature == "head word of TOP: saw" and step.where == tuple(range(1, 10)) for step in steps
    )
    assert any(step.feature == "VP: NP on the right" for step in steps)


def test_words_decide_attachment() -> None:
    """`with` after `hats` and `dogs` belongs to whichever the trees say, though labels alone cannot tell."""
    low = "(TOP (S (NP (NNS men)) (VP (VBP see) (NP (NP (NNS hats)) (PP (IN with) (NP (NNS bows))))) (. .)))"
    high = "(TOP (S (NP (NNS men)) (VP (VBP hit) (NP (NNS dogs)) (PP (IN with) (NP (NNS bows)))) (. .)))"
    trees = [Tree.parse(low), Tree.parse(high)] * 20
    model = train(trees, options={}).model
    for tree in trees[:2]:
        assert model.parse([tree.words])[0].tree == tree


def test_given_tags_are_kept(model: LexicalizedModel) -> None:
    words = "dogs saw .".split()
    tree = model.parse([words], tags=[["", "NNS", "."]])[0].tree
    assert tree.tags[1] == "NNS"
    with pytest.raises(ValueError, match="Sentence 1 has 3 words, but 1 tags"):
        model.parse([words], tags=[["NNS"]])


@pytest.mark.parametrize("label", ["NP", "VP", None])
def test_required_brackets(model: LexicalizedModel, label: str | None) -> None:
    span = {"NP": (3, 8), "VP": (2, 8), None: (5, 8)}[label]
    want = Constraints(required=(Bracket(*span, label),))
    tree = model.parse([AMBIGUOUS], constraints=[want], minimum_risk=False)[0].tree
    assert any(have.segments == (span,) and label in (None, have.label) for have in tree.spans())


def test_forbidden_brackets(model: LexicalizedModel) -> None:
    for span, label in (((3, 8), "NP"), ((3, 5), None)):
        want = Constraints(forbidden=(Bracket(*span, label),))
        tree = model.parse([AMBIGUOUS], constraints=[want], minimum_risk=False)[0].tree
        assert not any(have.segments == (span,) and label in (None, have.label) for have in tree.spans())


def test_impossible_constraints(model: LexicalizedModel) -> None:
    crossing = Constraints(required=(Bracket(0, 3), Bracket(2, 5)))
    with pytest.raises(ValueError, match="Sentence 2: no tree meets its constraints"):
        model.parse([AMBIGUOUS, AMBIGUOUS], constraints=[Constraints(), crossing])
    with pytest.raises(ValueError, match="Sentence 1: the bracket \\(3, 30\\) is not within its 9 words"):
        model.parse([AMBIGUOUS], constraints=[Constraints(required=(Bracket(3, 30),))])
    with pytest.raises(ValueError, match="no tree can have a bracket 'WHNP'"):
        model.parse([AMBIGUOUS], constraints=[Constraints(required=(Bracket(3, 5, "WHNP"),))])


@pytest.mark.parametrize("words", ["with with with", "zzz Qqq 12,345", "and", ". . the", "the " * 40 + "dog"])
def test_any_words_have_a_tree(model: LexicalizedModel, words: str) -> None:
    sentence = words.split()
    for risk in (False, True):
        parse = model.parse([sentence], minimum_risk=risk)[0]
        assert (parse.tree.words, parse.tree.label) == (sentence, "TOP")
        assert parse.score > -inf


def test_a_long_sentence(model: LexicalizedModel) -> None:
    sentence = [*AMBIGUOUS[:-1], "and"] * 22 + ["dogs"]
    parse = model.parse([sentence])[0]
    assert parse.tree.words == sentence
    assert parse.score > -inf


def test_fragments_are_noted(model: LexicalizedModel) -> None:
    words = "with . the and the .".split()
    parse = model.parse([words], tags=[["IN", ".", "DT", "CC", "DT", "."]])[0]
    assert "fragments" in parse.note
    assert model.parse([AMBIGUOUS])[0].note == ""


def test_threads_change_nothing(model: LexicalizedModel) -> None:
    sentences = [tree.words for tree in TREES] * 3
    one, two = model.parse(sentences), model.parse(sentences, n_jobs=2)
    assert [(p.tree, p.score) for p in one] == [(p.tree, p.score) for p in two]


def test_saved_and_restored(model: LexicalizedModel) -> None:
    again = LexicalizedModel.restore(model.arrays(), model.strings(), model.settings())
    sentences = [AMBIGUOUS, ["dogs", "zzz", "."]]
    assert [(p.tree, p.score) for p in again.parse(sentences)] == [
        (p.tree, p.score) for p in model.parse(sentences)
    ]
    assert again.options == model.options


def test_generic_heads_are_saved() -> None:
    model = train(TREES, options={"heads": "generic"}).model
    again = type(model).restore(model.arrays(), model.strings(), model.settings())
    tree = TREES[1]
    assert again.contributions(tree.words, tree) == model.contributions(tree.words, tree)


def test_broken_files(model: LexicalizedModel) -> None:
    arrays, strings, settings = model.arrays(), model.strings(), model.settings()
    for name in arrays:
        with pytest.raises(ValueError, match=name):
            LexicalizedModel.restore({k: v for k, v in arrays.items() if k != name}, strings, settings)
        with pytest.raises(ValueError, match=r"\w"):
            LexicalizedModel.restore({**arrays, name: arrays[name][:-1]}, strings, settings)
    for name in strings:
        with pytest.raises(ValueError, match=name):
            LexicalizedModel.restore(arrays, {k: v for k, v in strings.items() if k != name}, settings)
    bad = {**arrays, "pairs": np.full_like(arrays["pairs"], 10_000)}
    with pytest.raises(ValueError, match="pair of labels"):
        LexicalizedModel.restore(bad, strings, settings)


def test_bad_input(model: LexicalizedModel) -> None:
    with pytest.raises(ValueError, match="Sentence 2 is empty"):
        model.parse([["dogs"], []])
    with pytest.raises(ValueError, match=r"range \[1, inf"):
        model.kbest([["dogs"]], 0)
    with pytest.raises(ValueError, match="no option 'speed'"):
        train(TREES, options={"speed": 1})
    with pytest.raises(ValueError, match="'offset' parameter must be a number"):
        model.with_options({"offset": 2})
    with pytest.raises(ValueError, match="cannot change the option 'rare' after training"):
        model.with_options({"rare": 2})
    with pytest.raises(ValueError, match="no label 'WHNP'"):
        model.contributions(["dogs"], Tree.parse("(TOP (WHNP (NNS dogs)))"))
    assert (model.parse([]), model.kbest([], 3), model.marginals([])) == ([], [], [])


def test_labels_that_are_tags_and_phrases() -> None:
    tree = Tree.parse("(TOP (S (NP (S x)) (VP (S y) (NP z))))")
    model = train([tree] * 3, options={}).model
    assert model.parse([tree.words])[0].tree == tree
    again = type(model).restore(model.arrays(), model.strings(), model.settings())
    assert again.parse([tree.words], tags=[["S", "", "NP"]])[0].tree == tree


def test_the_method_is_registered() -> None:
    assert METHODS["lexicalized"].train_function is train
    assert METHODS["lexicalized"].model_class is LexicalizedModel
    assert METHODS["lexicalized"].options_class is LexicalizedOptions


def test_a_search_stays_within_its_memory():
    """It prunes more first; where that is not enough, the words are parsed in parts."""
    parser = ConstituencyParser("lexicalized").fit(garden())
    words = [word.lower() for tree in garden() for word in tree.words if word != "."][:60]
    notes = []
    for memory in (500, 8, 4, 2, 1):
        small = parser.with_options(memory=memory)
        (parse,), ranked = small.parse([words]), small.kbest([words], 2)[0]
        assert parse.tree.words == words
        assert ranked[0].tree.words == words
        assert len(small.marginals([words])) == 1
        notes.append(parse.note)
    assert "memory" not in notes[0]
    assert "A search takes more than the 1 MB of the option 'memory'; it was done in parts." in notes[-1]
    assert any("pruned more than asked for, to stay within" in note for note in notes)
    with pytest.raises(ValueError, match="raise the option 'memory'"):
        parser.with_options(memory=1).parse([words], known=[Constraints((Bracket(0, 3),))])

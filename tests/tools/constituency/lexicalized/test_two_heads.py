"""A syntactic and a semantic head word: scores and sums against the definition, files, explanations."""

from __future__ import annotations

from math import exp

import pytest

from oracles.lexicalized import SlowModel
from palmette.tools.constituency.lexicalized.model import LexicalizedModel, train
from palmette.transforms.heads import ENGLISH, generic_rules
from palmette.transforms.semantic_heads import (
    ENGLISH_GIVING,
    Giving,
    SemanticHeads,
    generic_giving,
    semantic_rules,
)
from palmette.trees.tree import Tree

TEXT = """
(TOP (S (NP (DT the) (NN man)) (VP (VBD saw) (NP (DT a) (NN dog))) (. .)))
(TOP (S (NP (DT the) (NN dog)) (VP (VBZ has) (VP (VBN barked))) (. .)))
(TOP (S (NP (NNS dogs)) (VP (MD may) (VP (VB have) (VP (VBN barked) (PP (IN with) (NP (NNS men)))))) (. .)))
(TOP (S (NP (DT a) (NN man)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT a) (NN hat)))) (. .)))
(TOP (S (NP (NN dog)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN hat))))) (. .)))
(TOP (S (NP (NNS men)) (VP (VBP want) (SBAR (IN that) (S (NP (NNS dogs)) (VP (VBP bark))))) (. .)))
(TOP (SQ (VBZ has) (NP (DT the) (NN dog)) (VP (VBN barked)) (. .)))
(TOP (S (NP (NP (DT the) (NN man) (POS 's)) (NN dog)) (VP (VBD barked)) (. .)))
(TOP (S (NP (NNS dogs)) (VP (VBP want) (S (VP (TO to) (VP (VB bark))))) (. .)))
"""
TREES = [Tree.parse(line) for line in TEXT.strip().splitlines()]
EXACT = {"prune_first": 0.0, "prune_second": 0.0, "beam": 0.0}
BOTH = SemanticHeads(ENGLISH, ENGLISH_GIVING)


@pytest.fixture(scope="module")
def model() -> LexicalizedModel:
    found = train(TREES, options={"heads": "english", "rare": 3, "two_heads": True}).model
    assert isinstance(found, LexicalizedModel)
    return found


def test_semantic_heads_of_the_trees() -> None:
    found = [(ENGLISH.head_word(tree).word, BOTH.word(tree).word) for tree in TREES]
    assert found == [
        ("saw", "saw"),
        ("has", "barked"),
        ("may", "barked"),
        ("saw", "saw"),
        ("saw", "saw"),
        ("want", "want"),
        ("has", "barked"),
        ("barked", "barked"),
        ("want", "want"),
    ]
    below = {str(node.words): BOTH.word(node).word for tree in TREES for node in tree.preorder()}
    assert below["['with', 'a', 'hat']"] == "hat"
    assert below["['that', 'dogs', 'bark']"] == "bark"
    assert below["['the', 'man', \"'s\"]"] == "man"


@pytest.mark.parametrize("rare", [0, 3])
def test_scores_are_those_of_the_definition(rare: int) -> None:
    model = train(TREES, options={"heads": "english", "rare": rare, "two_heads": True}).model
    slow = SlowModel(TREES, ENGLISH, rare, BOTH)
    for tree in TREES:
        have = sum(step.amount for step in model.contributions(tree.words, tree))
        assert have == pytest.approx(slow.score(tree), rel=1e-5)
    for words in ("the man has barked with a dog .", "has a dog barked with hats .", "men want to bark ."):
        parses = model.with_options(EXACT).kbest([words.split()], 20)[0]
        assert len(parses) > 3
        for parse in parses:
            if not set(parse.tree.words) - set(slow.words.words):
                assert parse.score == pytest.approx(slow.score(parse.tree), rel=1e-5, abs=1e-5)


def test_every_word_is_decided_once(model: LexicalizedModel) -> None:
    slow = SlowModel(TREES, ENGLISH, 3, BOTH)
    for tree in TREES:
        decided = [outcome for decision, _, outcome in slow.steps(tree) if decision in ("word", "semantic")]
        known = [slow._word(word, position) for position, word in enumerate(tree.words)]
        assert sorted(decided) == sorted(known)
        named = [step.feature for step in model.contributions(tree.words, tree)]
        words = [name for name in named if name.startswith(("head word of", "semantic head of"))]
        assert len(words) == len(tree.words)


@pytest.mark.parametrize(
    "words", ["dogs may bark .", "the man has barked .", "the dog has barked with hats ."]
)
def test_the_sum_over_all_trees(model: LexicalizedModel, words: str) -> None:
    """The sums of the search, which knows states and not trees, are those over all trees."""
    exact = model.with_options(EXACT)
    every = exact.kbest([words.split()], 5000)[0]
    assert len(every) > 10
    probabilities = [exp(parse.log_probability or 0.0) for parse in every]
    assert sum(probabilities) == pytest.approx(1.0, abs=3e-3)
    best = exact.parse([words.split()], minimum_risk=False)[0]
    assert (best.tree, best.score) == (every[0].tree, every[0].score)


def test_the_main_verb_chooses_its_subject() -> None:
    """Which of two nouns is attached to an auxiliary's clause follows from the verb below it."""
    text = """
    (TOP (S (NP (NP (NN dog)) (PP (IN of) (NP (NN king)))) (VP (VBZ has) (VP (VBN barked)))))
    (TOP (S (NP (NP (NN king)) (PP (IN of) (NP (NN dog)))) (VP (VBZ has) (VP (VBN ruled)))))
    """
    trees = [Tree.parse(line) for line in text.strip().splitlines()] * 10
    gains = []
    for two in (False, True):
        model = train(trees, options={"two_heads": two}).model
        right, wrong = trees[0], Tree.parse(text.strip().splitlines()[0].replace("barked", "ruled"))
        amounts = [sum(s.amount for s in model.contributions(t.words, t)) for t in (right, wrong)]
        gains.append(amounts[0] - amounts[1])
    assert abs(gains[0]) < 1e-3  # without, both verbs go with both subjects
    assert gains[1] > 1.0


def test_saved_and_restored(model: LexicalizedModel) -> None:
    again = LexicalizedModel.restore(model.arrays(), model.strings(), model.settings())
    sentences = ["the dog has barked with a zzz .".split()]
    have, want = again.parse(sentences), model.parse(sentences)
    assert [(p.tree, p.score) for p in have] == [(p.tree, p.score) for p in want]
    tree = TREES[2]
    assert again.contributions(tree.words, tree) == model.contributions(tree.words, tree)
    strings = {**model.strings(), "semantic_heads": ["VP\tMD\tVP"]}
    with pytest.raises(ValueError, match="rule of semantic heads"):
        LexicalizedModel.restore(model.arrays(), strings, model.settings())
    with pytest.raises(ValueError, match="without its 'semantic_heads'"):
        LexicalizedModel.restore(
            model.arrays(), {k: v for k, v in strings.items() if k != "semantic_heads"}, model.settings()
        )


def test_without_it_nothing_changes() -> None:
    """One head: the model has no semantic decisions, and files no rules for them."""
    model = train(TREES, options={"heads": "english", "rare": 3}).model
    slow = SlowModel(TREES, ENGLISH, 3)
    for tree in TREES:
        steps = model.contributions(tree.words, tree)
        assert not any("semantic" in step.feature for step in steps)
        assert sum(step.amount for step in steps) == pytest.approx(slow.score(tree), rel=1e-5)
    assert "semantic_heads" not in model.strings()


def test_rules_of_other_languages() -> None:
    """A preposition that stands ten times gives way to what follows it."""
    nouns = [f"n{i}" for i in range(40)]
    trees = [Tree.parse(f"(TOP (S (V v{i}) (P (Pr pa) (NG (N {noun})))))") for i, noun in enumerate(nouns)]
    rules = generic_rules(trees)
    found = generic_giving(rules, trees)
    want = Giving("P", "Pr", "NG", right=True)
    if rules.head("P", ["Pr", "NG"]) == 0:
        assert found == [want]
    assert semantic_rules(rules, trees).giving == frozenset(found)
    model = train(trees, options={"heads": "generic", "two_heads": True}).model
    slow = SlowModel(trees, rules, 10, SemanticHeads(rules, found))
    steps = model.contributions(trees[0].words, trees[0])
    assert sum(step.amount for step in steps) == pytest.approx(slow.score(trees[0]), rel=1e-5)

"""The method plcfrs: trees with gaps from words, fragments, files, and every refusal."""

from __future__ import annotations

import random

import numpy as np
import pytest

from palmette.evaluation.brackets import evaluate_brackets
from palmette.formats.discbracket import read_discbrackets
from palmette.tools.constituency.model import (
    METHODS,
    Bracket,
    Constraints,
)
from palmette.tools.constituency.plcfrs.model import PlcfrsModel, train
from palmette.tools.constituency.plcfrs.options import PlcfrsOptions
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree
from samples.corpora import corpus_file

pytestmark = pytest.mark.native

ANY = r"."  # each in its own words
NOUNS, PARTICIPLES, ADVERBS = (
    ("boek", "huis", "paard", "kind"),
    ("gezien", "gekocht", "gehoord"),
    ("nu", "vaak"),
)


def toy_trees(n: int, seed: int = 0) -> list[Tree]:
    """Dutch-like clauses: a participle phrase around the finite verb, or not; a full stop below the root."""
    rng = random.Random(seed)
    made = []
    for _ in range(n):
        noun, participle, adverb = rng.choice(NOUNS), rng.choice(PARTICIPLES), rng.choice(ADVERBS)
        if rng.random() < 0.6:
            phrase = f"(PPART (NP (det 0=het) (noun 1={noun})) (adv 4={adverb}) (verb 5={participle}))"
            text = f"(ROOT (SMAIN {phrase} (verb 2=heeft) (noun 3=hij)) (punct 6=.))"
        else:
            phrase = f"(NP (det 2=het) (noun 3={noun}))"
            text = (
                f"(ROOT (SMAIN (noun 0=hij) (verb 1=ziet) {phrase} (adv 5={adverb})) (punct 4=,) (punct 6=.))"
            )
        made.append(Tree.parse(text, positions=True))
    return [tree for tree in clean_trees(made) if tree is not None]


@pytest.fixture(scope="module")
def model() -> PlcfrsModel:
    trained = train(toy_trees(80), options={"rounds": 1, "grammars": 2})
    assert isinstance(trained.model, PlcfrsModel)
    assert len(trained.history) == 4
    assert not trained.interrupted
    return trained.model


def test_trees_with_gaps_come_back(model: PlcfrsModel) -> None:
    gold = toy_trees(20, seed=9)
    for minimum_risk in (True, False):
        parses = model.parse([tree.words for tree in gold], minimum_risk=minimum_risk)
        assert [parse.tree for parse in parses] == gold
        assert not any(parse.note for parse in parses)
    assert any(tree.is_discontinuous for tree in gold)


@pytest.mark.parametrize(
    "options",
    [{"punctuation": "lower"}, {"punctuation": "keep"}, {"horizontal": 1, "vertical": 2, "tags": True}],
)
def test_other_grammars(options: dict[str, object]) -> None:
    gold = toy_trees(10, seed=3)
    made = train(toy_trees(60), options={"rounds": 0, "grammars": 1, **options}).model
    assert [parse.tree for parse in made.parse([tree.words for tree in gold])] == gold


def test_k_best_are_different_and_in_order(model: PlcfrsModel) -> None:
    words = toy_trees(1)[0].words
    (parses,) = model.kbest([words], 5)
    assert parses[0].tree == model.parse([words])[0].tree
    assert len({parse.tree for parse in parses}) == len(parses)
    assert [p.score for p in parses] == sorted((p.score for p in parses), reverse=True)
    with pytest.raises(ValueError, match="'k' parameter must be an int"):
        model.kbest([words], 0)


def test_contributions_sum_to_the_score(model: PlcfrsModel) -> None:
    for words in ([*toy_trees(1)[0].words], ["het", "het", "."], ["zz", "qq", "."]):
        (parse,) = model.parse([words])
        parts = model.contributions(words, parse.tree)
        assert sum(part.amount for part in parts) == pytest.approx(parse.score, abs=1e-6)
    with pytest.raises(ValueError, match="not among the 50 best"):
        model.contributions(["het", "boek"], Tree.parse("(TOP (X het) (Y boek))"))


def test_marginals_are_probabilities(model: PlcfrsModel) -> None:
    (marginals,) = model.marginals([toy_trees(1)[0].words])
    assert marginals
    assert all(0 <= p <= 1 for p in marginals.values())
    top = max(end for _, end, _ in marginals)
    assert any(bracket.label == "TOP" and bracket.end == top for bracket in marginals)


def test_every_sentence_gets_a_tree(model: PlcfrsModel) -> None:
    rng = random.Random(1)
    sentences = [
        ["."],
        [",", "."],
        ["zz"],
        ["Zz", "12", "!"],
        ["het"] * 7,
        ["gezien", "het", "gezien", "het", "."],
    ]
    sentences += [[rng.choice(["het", "boek", "heeft", "zz", ","]) for _ in range(n)] for n in (13, 60, 95)]
    parses = model.parse(sentences)
    for words, parse in zip(sentences, parses, strict=True):
        assert parse.tree.label == "TOP"
        assert parse.tree.words == words
    assert "fragments" in parses[5].note or not parses[5].note
    assert any("fragments" in parse.note for parse in parses)
    (narrow,) = model.with_options({"max_edges": 1}).parse([toy_trees(1)[0].words])
    assert "pruned more than asked for" in narrow.note


def test_given_tags_are_kept(model: PlcfrsModel) -> None:
    (parse,) = model.parse([["boek", "gezien", "x"]], tags=[["verb", "", "punct"]])
    assert parse.tree.tags[0] == "verb"
    assert parse.tree.tags[2] == "punct"
    (parse,) = model.parse([["boek"]], tags=[["nowhere"]])
    assert parse.tree.words == ["boek"]
    with pytest.raises(ValueError, match="2 tags for 1 words"):
        model.parse([["boek"]], tags=[["noun", "noun"]])


def test_a_model_comes_back_from_its_file(model: PlcfrsModel) -> None:
    again = PlcfrsModel.restore(model.arrays(), model.strings(), model.settings())
    words = [tree.words for tree in toy_trees(5, seed=5)]
    one, other = model.parse(words), again.parse(words, n_jobs=2)
    assert [(p.tree, p.score) for p in one] == [(p.tree, p.score) for p in other]


def test_broken_files_are_refused(model: PlcfrsModel) -> None:
    arrays, strings, settings = model.arrays(), model.strings(), model.settings()
    for name in arrays:
        with pytest.raises(ValueError, match="missing"):
            PlcfrsModel.restore({k: v for k, v in arrays.items() if k != name}, strings, settings)
        with pytest.raises(ValueError, match=ANY):
            PlcfrsModel.restore(arrays | {name: arrays[name].astype(np.float16)}, strings, settings)
        if len(arrays[name]):
            with pytest.raises(ValueError, match=ANY):
                PlcfrsModel.restore(arrays | {name: arrays[name][:-1]}, strings, settings)
    for name in strings:
        with pytest.raises(ValueError, match=ANY):
            PlcfrsModel.restore(arrays, {**strings, name: [*strings[name], "more"]}, settings)
    for broken in (
        {"root": -1},
        {"grammars": 9},
        {"known": 0},
        {"punctuation": {"mode": "remove"}},
        {"search": {"max_edges": 0}},
    ):
        with pytest.raises(ValueError, match=ANY):
            PlcfrsModel.restore(arrays, strings, settings | broken)


def test_refusals(model: PlcfrsModel) -> None:
    trees = toy_trees(3)
    for options, message in (
        ({"nothing": 1}, "no option"),
        ({"rounds": -1}, "'rounds'"),
        ({"tags": 3}, "'tags'"),
        ({"punctuation": "x"}, "'punctuation'"),
        ({"segment_threshold": 2}, "'segment_threshold'"),
        ({"max_edges": 1.5}, "'max_edges'"),
    ):
        with pytest.raises(ValueError, match=message):
            train(trees, options=options)
    with pytest.raises(ValueError, match="cannot change the option 'rounds' after training"):
        model.with_options({"rounds": 2})
    with pytest.raises(ValueError, match="cannot use"):
        model.parse([["het"]], constraints=[Constraints(required=(Bracket(0, 1, "NP"),))])
    with pytest.raises(ValueError, match="without words"):
        model.parse([[]])
    with pytest.raises(ValueError, match="nothing to learn"):
        train([Tree.parse("(TOP (punct .))")], options={})


def test_the_method_is_known() -> None:
    assert METHODS["plcfrs"].model_class is PlcfrsModel
    assert METHODS["plcfrs"].train_function is train
    assert METHODS["plcfrs"].options_class is PlcfrsOptions


def test_dev_trees_choose_the_round() -> None:
    values = iter([0.5, 0.9, 0.1])
    trained = train(toy_trees(40), options={"rounds": 2, "grammars": 1}, dev=lambda model: next(values))
    assert [report.best for report in trained.history] == [True, True, False]


def test_alpino() -> None:
    trees = clean_trees(read_discbrackets(corpus_file("disc_nl_alpino/train.discbracket.gz")))[:1200]
    kept = [tree for tree in trees if tree is not None]
    found = train(kept[:1100], options={"rounds": 2, "grammars": 1}).model
    gold = [tree for tree in kept[1100:] if len(tree.words) <= 25][:40]
    scores = evaluate_brackets(gold, [parse.tree for parse in found.parse([tree.words for tree in gold])])
    assert scores.f1 > 0.55
    assert scores.discontinuous.f1 > 0.2

"""Treebank grammars end to end, on a small treebank and on a real one."""

from __future__ import annotations

import json
import math

import pytest

from palmette.evaluation.brackets import evaluate_brackets
from palmette.formats.brackets import parse_brackets, read_brackets
from palmette.tools.constituency.fragments import best_fragments
from palmette.tools.constituency.lexicon import Lexicon
from palmette.tools.constituency.model import METHODS, Bracket, Constraints
from palmette.tools.constituency.pcfg.model import PcfgModel, train
from palmette.tools.constituency.treebank import clean_trees
from samples.corpora import real_file

TREES = parse_brackets(
    """
    (TOP (S (NP (DT the) (NN dog))
            (VP (VBD saw) (NP (DT the) (JJ old) (NN cat)) (PP (IN in) (NP (NN town)))) (. .)))
    (TOP (S (NP (DT the) (JJ old) (NN cat)) (VP (VBD slept)) (. .)))
    (TOP (S (NP (NP (DT the) (NN dog)) (PP (IN in) (NP (NN town))))
            (VP (VBD saw) (NP (DT a) (NN cat))) (. .)))
    (TOP (NP (NN town) (NN cat)))
    """
)
WORDS = ["the", "dog", "saw", "the", "cat", "in", "town", "."]


@pytest.fixture(scope="module", params=[{}, {"horizontal": 2, "vertical": 2}])
def model(request: pytest.FixtureRequest) -> PcfgModel:
    made = train(TREES, options=request.param).model
    assert isinstance(made, PcfgModel)
    return made


def test_score_is_the_sum_of_contributions(model: PcfgModel) -> None:
    (parse,) = model.parse([WORDS], minimum_risk=False)
    amounts = model.contributions(WORDS, parse.tree)
    assert sum(each.amount for each in amounts) == pytest.approx(parse.score, abs=1e-4)
    assert parse.tree.words == WORDS
    exact = model.with_options({"coarse": False}).parse([WORDS], minimum_risk=False)[0]
    assert exact.tree == parse.tree


def test_kbest_are_different_and_sorted(model: PcfgModel) -> None:
    (parses,) = model.with_options({"coarse": False}).kbest([WORDS], 10)
    scores = [parse.score for parse in parses]
    assert scores == sorted(scores, reverse=True)
    assert len({str(parse.tree) for parse in parses}) == len(parses)
    for parse in parses:
        assert model.score(WORDS, parse.tree) == pytest.approx(parse.score, abs=1e-4)


def test_marginals_are_those_of_all_trees(model: PcfgModel) -> None:
    exact = model.with_options({"coarse": False})
    (parses,) = exact.kbest([WORDS], 100_000)
    log_z = math.log(sum(math.exp(parse.score) for parse in parses))
    want: dict[tuple[int, int, str], float] = {}
    for parse in parses:
        for label, segments in parse.tree.spans()[1:]:
            key = (*segments[0], label)
            want[key] = want.get(key, 0.0) + math.exp(parse.score - log_z)
    (have,) = exact.marginals([WORDS])
    for bracket, p in have.items():
        assert p == pytest.approx(want[tuple(bracket)], abs=1e-3)  # type: ignore[index]
    assert {b for b, p in want.items() if p > 1e-3} <= {tuple(b) for b in have}


def test_constraints(model: PcfgModel) -> None:
    for phrase in (Bracket(2, 7), Bracket(0, 2, "NP"), Bracket(5, 7, "PP")):
        (parse,) = model.parse([WORDS], constraints=[Constraints(required=(phrase,))])
        spans = {(*s.segments[0], s.label) for s in parse.tree.spans()}
        assert any(s[:2] == phrase[:2] and phrase.label in (None, s[2]) for s in spans)
    with pytest.raises(ValueError, match="Sentence 1: no tree of the grammar meets"):
        model.parse([WORDS], constraints=[Constraints(forbidden=(Bracket(0, 8, "TOP"),))])
    with pytest.raises(ValueError, match="cross"):
        model.parse([WORDS], constraints=[Constraints(required=(Bracket(0, 3), Bracket(2, 5)))])
    with pytest.raises(ValueError, match="does not lie"):
        model.parse([WORDS], constraints=[Constraints(required=(Bracket(0, 30),))])


def test_given_tags_and_unknown_words(model: PcfgModel) -> None:
    (parse,) = model.parse([["qwx", "zzq", "vvb"]])
    assert parse.tree.words == ["qwx", "zzq", "vvb"]
    tags = ["DT", "NN", "VBD", "", "", "", "", ""]
    (parse,) = model.parse([WORDS], tags=[tags])
    assert parse.tree.tags[:3] == tags[:3]


def test_fragments_where_no_tree_is(model: PcfgModel) -> None:
    (parse,) = model.parse([[".", ".", "the", "dog"]], tags=[["IN", "IN", "DT", "NN"]])
    assert "fragments" in parse.note
    assert parse.tree.words == [".", ".", "the", "dog"]
    assert best_fragments(2, [0], [1], [0.0]) == []


def test_long_sentences_are_parsed_within_the_memory() -> None:
    small = train(TREES, options={"memory": 1}).model
    words = WORDS[:-1] * 60
    (parse,) = small.parse([words])
    assert parse.tree.words == words
    assert "memory" in parse.note


def test_a_file_gives_the_same_model(model: PcfgModel) -> None:
    settings = json.loads(json.dumps(model.settings()))
    again = PcfgModel.restore(model.arrays(), model.strings(), settings)
    assert again.parse([WORDS])[0].tree == model.parse([WORDS])[0].tree
    broken = {**model.arrays(), "grammar_binary": model.arrays()["grammar_binary"] + 1000}
    with pytest.raises(ValueError, match="symbol"):
        PcfgModel.restore(broken, model.strings(), settings)
    with pytest.raises(ValueError, match="complete"):
        PcfgModel.restore({}, model.strings(), settings)
    with pytest.raises(ValueError, match="no option 'depth'"):
        model.with_options({"depth": 3})


def test_threads_do_not_change_the_result(model: PcfgModel) -> None:
    sentences = [tree.words for tree in TREES] * 5
    one, two = (model.parse(sentences, n_jobs=jobs) for jobs in (1, 2))
    assert [p.tree for p in one] == [p.tree for p in two]


def test_lexicon_gives_every_word_its_tags() -> None:
    lexicon = Lexicon.of(TREES)
    assert "NN" in {lexicon.tags[tag] for tag, _ in lexicon.entries("Xylophone", 3)}
    again = Lexicon.restore(lexicon.arrays(), lexicon.strings(), lexicon.settings())
    assert again.entries("dog", 1) == lexicon.entries("dog", 1)


def test_methods_are_registered() -> None:
    assert {"pcfg", "markov"} <= set(METHODS)


def test_a_real_treebank() -> None:
    train_trees = [t for t in clean_trees(read_brackets(real_file("const_en_ptb/train.mrg.gz"))) if t]
    gold = [t for t in clean_trees(read_brackets(real_file("const_en_ptb/dev.mrg"))) if t][:60]
    model = train(train_trees, options={"horizontal": 2, "vertical": 2}).model
    words = [tree.words for tree in gold]
    viterbi = evaluate_brackets(gold, [p.tree for p in model.parse(words, minimum_risk=False)]).f1
    risk = evaluate_brackets(gold, [p.tree for p in model.parse(words)]).f1
    assert viterbi > 0.70
    assert risk > viterbi

from __future__ import annotations

import math

import pytest

from palmette.structures.chart.bracket_risk import best_brackets
from palmette.tools.constituency.combination.members import Member
from palmette.tools.constituency.combination.model import CombinedModel, train
from palmette.tools.constituency.combination.votes import ballots, plain, spans_of
from palmette.tools.constituency.model import Bracket, Constraints, Parse
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree
from samples.phrase_treebank import SENTENCE, cats, toy_method


class Fixed:
    """A model that gives the same tree to every sentence; with probabilities or without."""

    def __init__(self, text: str, table: dict[Bracket, float] | None = None, note: str = "") -> None:
        self.one = Parse(Tree.parse(text), 0.0, None, note)
        self.table = table

    def parse(self, sentences, **options):
        return [self.one for _ in sentences]

    def kbest(self, sentences, k, **options):
        return [[self.one] for _ in sentences]

    def marginals(self, sentences, **options):
        if self.table is None:
            raise ValueError("no probabilities")
        return [dict(self.table) for _ in sentences]


LEFT = "(TOP (S (NP (A a) (A b)) (B c)))"
RIGHT = "(TOP (S (A a) (VP (B b) (B c))))"
WORDS = ["a", "b", "c"]


def committee(*members, weights=None, offset=0.35):
    return CombinedModel(
        tuple(Member("toy", one) for one in members), weights or (1.0,) * len(members), offset
    )


@pytest.fixture(scope="module", autouse=True)
def toy():
    with toy_method():
        yield


def test_the_majority_has_it():
    model = committee(Fixed(LEFT), Fixed(RIGHT), Fixed(RIGHT))
    (parse,) = model.parse([WORDS])
    assert parse.tree == Tree.parse(RIGHT)
    assert parse.score == pytest.approx((1 - 0.35) + (2 / 3 - 0.35))
    heavy = committee(Fixed(LEFT), Fixed(RIGHT), Fixed(RIGHT), weights=(5, 1, 1))
    assert heavy.parse([WORDS])[0].tree == Tree.parse(LEFT)


def test_probabilities_are_averaged():
    sure = {Bracket(0, 3, "S"): 1.0, Bracket(0, 2, "NP"): 0.9, Bracket(1, 3, "VP"): 0.1}
    unsure = {Bracket(0, 3, "S"): 1.0, Bracket(0, 2, "NP"): 0.4, Bracket(1, 3, "VP"): 0.6}
    model = committee(Fixed(LEFT, sure), Fixed(RIGHT, unsure))
    (table,) = model.marginals([WORDS])
    assert table[Bracket(0, 2, "NP")] == pytest.approx(0.65)
    assert model.parse([WORDS])[0].tree == Tree.parse("(TOP (S (NP (A a) (A b)) (B c)))")
    assert best_brackets(3, plain(table), offset=0.35) == [(0, 3, "S"), (0, 2, "NP")]


def test_what_a_bracket_is_worth():
    model = committee(Fixed(LEFT), Fixed(RIGHT))
    parts = model.contributions(WORDS, Tree.parse(LEFT))
    assert parts[0].feature == "S (toy 1.00, toy 1.00)"
    assert math.fsum(part.amount for part in parts) == pytest.approx((1 - 0.35) + (0.5 - 0.35))


def test_constraints_and_kbest():
    model = committee(Fixed(LEFT), Fixed(RIGHT), Fixed(RIGHT), offset=0.2)
    for required in (Bracket(0, 2, "NP"), Bracket(0, 2)):
        (parse,) = model.parse([WORDS], constraints=[Constraints(required=(required,))])
        assert parse.tree.spans() == Tree.parse(LEFT).spans()
    (parse,) = model.parse([WORDS], constraints=[Constraints(forbidden=(Bracket(1, 3),))])
    assert parse.tree.spans() == Tree.parse(LEFT).spans()
    (parse,) = model.parse([WORDS], constraints=[Constraints(required=(Bracket(1, 2, "QP"),))])
    assert Bracket(1, 2, "QP") in spans_of(parse.tree)
    assert [parse.tree for parse in model.kbest([WORDS], 5)[0]] == [Tree.parse(RIGHT), Tree.parse(LEFT)]
    assert len(model.kbest([WORDS], 1)[0]) == 1


def test_a_sentence_that_none_can_parse():
    flat = "(TOP (A a) (B b) (B c))"
    model = committee(Fixed(flat, note="fragments"), Fixed(flat, {}, note="fragments"))
    assert model.parse([WORDS])[0].note == "fragments"
    one = committee(Fixed(LEFT), Fixed(flat, note="fragments"))
    assert one.parse([WORDS])[0].note == ""


def test_tags_by_majority():
    found = ballots([Fixed(LEFT), Fixed(RIGHT), Fixed(RIGHT)], [WORDS])[0]
    assert found.tags((1, 1, 1)) == ["A", "B", "B"]
    assert found.tags((3, 1, 1)) == ["A", "A", "B"]
    assert found.tags((1, 1, 0)) == ["A", "A", "B"]  # the earlier of equals


def test_trained_together_saved_and_changed(tmp_path):
    parser = ConstituencyParser("combined", options={"methods": "toy,toy", "toy.keep": 50}).fit(cats())
    assert parser.model_.members[0].model.keep == 50
    parser.save(tmp_path / "x.palm")
    again = ConstituencyParser.load(tmp_path / "x.palm")
    assert again.predict([SENTENCE]) == parser.predict([SENTENCE])
    assert again.model_.settings() == parser.model_.settings()
    changed = again.with_options(**{"offset": 0.5, "weights": "1,3", "toy.keep": 2})
    assert (changed.model_.offset, changed.model_.weights) == (0.5, (1.0, 3.0))
    assert [member.model.keep for member in changed.model_.members] == [2, 2]
    assert "offset" in str(parser.explain(SENTENCE)) or "toy 1.00" in str(parser.explain(SENTENCE))


def test_from_saved_models_and_dev(tmp_path):
    for name in ("a", "b"):
        ConstituencyParser("toy").fit(cats()).save(tmp_path / f"{name}.palm")
    models = f"{tmp_path}/a.palm,{tmp_path}/b.palm"
    parser = ConstituencyParser("combined", options={"models": models}).fit(cats(), dev=cats())
    assert parser.model_.memory is None
    assert parser.score(cats()) > 0.9


def test_dev_chooses_and_asks_the_models_once():
    calls = []

    class Counting(Fixed):
        def parse(self, sentences, **options):
            calls.append(1)
            return super().parse(sentences, **options)

    from palmette.tools.constituency.combination.model import _tuned

    model = committee(Counting(LEFT), Counting(RIGHT))
    sentences = [WORDS]

    def dev(candidate):
        (parse,) = candidate.parse(sentences)
        return float(parse.tree.spans() == Tree.parse(RIGHT).spans())

    best = _tuned(model, dev, choose_weights=True, choose_offset=True)
    assert best.parse([WORDS])[0].tree.spans() == Tree.parse(RIGHT).spans()
    assert len(calls) == 4  # two for all candidates, and two for the last line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs two parsers at least"),
        ({"methods": "toy"}, "needs two parsers at least.*Got toy"),
        ({"methods": "toy,toi"}, "no method 'toi'"),
        ({"methods": "toy,combined"}, "A combination of combinations"),
        ({"methods": "toy,toy", "ofset": 0.3}, "has no option 'ofset': did you mean 'offset'"),
        ({"methods": "toy,toy", "rounds": 3}, "has no option 'rounds'"),
        ({"methods": "toy,toy", "latent.rounds": 3}, r"has no option 'latent\.rounds'"),
        ({"methods": "toy,toy", "toy.x": 3}, "no option 'x'"),
        ({"methods": "toy,toy", "weights": "1"}, "There must be 2 weights"),
        ({"methods": "toy,toy", "weights": [1, -1]}, "none negative"),
        ({"methods": "toy,toy", "weights": "a,b"}, "must be numbers"),
        ({"methods": "toy,toy", "offset": 1}, "'offset' parameter must be a number in the range .0, 1."),
        ({"methods": "toy,toy", "offset": "x"}, "'offset' parameter must be"),
    ],
)
def test_bad_options(options, message):
    trees = [tree for tree in clean_trees(cats()) if tree]
    with pytest.raises(ValueError, match=message):
        train(trees, options=options)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"members": []},
        {"members": [1], "weights": [1], "offset": 0.1, "heights": {}},
        {"members": [{"method": "toy", "settings": 1}]},
        {"members": [{"method": "none", "settings": {}}]},
        {"members": [{"method": "combined", "settings": {}}]},
    ],
)
def test_damaged_settings(settings):
    with pytest.raises(ValueError, match=r"."):
        CombinedModel.restore({}, {}, settings)

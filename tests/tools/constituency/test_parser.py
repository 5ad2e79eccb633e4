from __future__ import annotations

import math
from dataclasses import replace

import pytest

from oracles.evalb import evalb
from palmette.errors import FormatError
from palmette.evaluation.bracket_rules import COLLINS
from palmette.evaluation.brackets import evaluate_brackets
from palmette.formats.brackets import read_brackets, write_brackets
from palmette.formats.corpus import Corpus
from palmette.learning.perceptron import Perceptron
from palmette.tools.constituency.known_brackets import constraints_of
from palmette.tools.constituency.model import Bracket, Constraints
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.trees.tree import Leaf, Tree
from samples.corpora import real_file
from samples.phrase_treebank import CATS, SENTENCE, cats, toy_method

HIGH = "(TOP (S (NP (NNS dogs)) (VP (VBP eat) (NP (NNS mice)) (PP (IN with) (NP (NNS eyes))))))"
LOW = "(TOP (S (NP (NNS dogs)) (VP (VBP eat) (NP (NP (NNS mice)) (PP (IN with) (NP (NNS eyes)))))))"


@pytest.fixture(scope="module", autouse=True)
def toy():
    with toy_method():
        yield


@pytest.fixture(scope="module")
def parser(toy) -> ConstituencyParser:
    return ConstituencyParser("toy").fit(cats())


def test_trees_come_out(parser):
    assert parser.predict([SENTENCE]) == [Tree.parse(HIGH)]
    (parse,) = parser.parse([SENTENCE])
    assert parse.note == ""
    assert parse.log_probability < 0
    assert parser.training_["sentences"] == 3
    assert parser.training_["skipped"] == 0


def test_an_empty_sentence_has_no_tree(parser):
    assert parser.predict([[], SENTENCE, []]) == [None, Tree.parse(HIGH), None]
    assert parser.kbest([[], SENTENCE], 2)[0] == []
    assert parser.marginals([[]]) == [{}]
    assert parser.predict([]) == []


def test_words_come_in_many_forms(parser, tmp_path):
    want = [Tree.parse(HIGH)]
    corpus = Corpus.from_columns({"form": [SENTENCE], "xpos": [["NNS", "VBP", "_", "_", "_"]]})
    write_brackets(want, tmp_path / "x.mrg")
    for given in (
        [tuple(SENTENCE)],
        [[(word, None) for word in SENTENCE]],
        want,
        corpus,
        tmp_path / "x.mrg",
        str(tmp_path / "x.mrg"),
    ):
        assert parser.predict(given) == want
    assert parser.predict(corpus, tags="xpos") == want


def test_tags_are_heeded(parser):
    tagged = [[("cats", "NNS"), ("flurb", "VBP")]]
    assert parser.predict(tagged) == [Tree.parse("(TOP (S (NP (NNS cats)) (VP (VBP flurb))))")]
    words = [[word for word, _ in tagged[0]]]
    assert parser.predict(words, tags=[["", "VBP"]]) == parser.predict(tagged)


def test_words_of_no_tree_become_fragments_and_it_is_said(parser):
    (parse,) = parser.parse([["with", "with"]])
    assert parse.tree.words == ["with", "with"]
    assert "No tree" in parse.note


def test_kbest_and_marginals(parser):
    (ranked,) = parser.kbest([SENTENCE], 5)
    assert [parse.tree for parse in ranked] == [Tree.parse(HIGH), Tree.parse(LOW)]
    assert math.fsum(math.exp(parse.log_probability) for parse in ranked) == pytest.approx(1)
    (table,) = parser.marginals([SENTENCE])
    assert table[Bracket(3, 5, "PP")] == pytest.approx(1)
    assert table[Bracket(2, 5, "NP")] == pytest.approx(math.exp(ranked[1].log_probability))


def test_constraints(parser):
    low = Constraints(required=(Bracket(2, 5, "NP"),))
    assert parser.predict([[], SENTENCE], known=[None, low]) == [None, Tree.parse(LOW)]
    high = Constraints(forbidden=((2, 5),))
    assert parser.predict([SENTENCE], known=[high]) == [Tree.parse(HIGH)]
    partial = Tree.parse("(TOP (NNS dogs) (VBP eat) (X (NNS mice) (IN with) (NNS eyes)))")
    assert parser.predict([SENTENCE], known=[constraints_of(partial)]) == [Tree.parse(LOW)]
    assert parser.predict([SENTENCE], known=iter([partial])) == [Tree.parse(LOW)]


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ([], "1 sentences and constraints for 0"),
        ([Constraints(required=((0, 9, "NP"),))], "Sentence 1 has 5 words, and no bracket from 0 to 9"),
        ([Constraints(required=((3, 3, "NP"),))], "no bracket from 3 to 3"),
        (
            [Constraints(required=((0, 3), (2, 5, "VP")))],
            "X over words 0 to 2 and VP over words 2 to 4 cross",
        ),
        ([Constraints(forbidden=("NP",))], r"a bracket is \(start, end, label\)"),
        ([Constraints(required=((0, 2, 5),))], "the label of a bracket is a string or None"),
        (["NP"], "what is known is a Constraints or a Tree"),
    ],
)
def test_impossible_constraints(parser, constraints, message):
    with pytest.raises((ValueError, TypeError), match=message):
        parser.predict([SENTENCE], known=constraints)


def test_discontinuous_constraints_are_refused():
    tree = Tree.parse("(TOP (VP (A 0=a) (C 2=c)) (B 1=b))", positions=True)
    with pytest.raises(ValueError, match="has no gaps"):
        constraints_of(tree)


def test_scores(parser):
    assert parser.score(cats()) == pytest.approx(2 * 15 / 31)  # the PP of the second is attached high
    assert parser.score([tree.words for tree in cats()], cats()) == parser.score(cats())
    scores = parser.evaluate(cats(), gold_tags=True)
    assert scores.tagging_accuracy == 1.0
    assert scores.exact_match == pytest.approx(2 / 3)


def test_dev_is_measured_and_files_are_read(tmp_path):
    (tmp_path / "x.mrg").write_text("\n".join(CATS))
    one = ConstituencyParser("toy").fit(tmp_path / "x.mrg", dev=cats())
    two = ConstituencyParser("toy").fit(
        [tree.words for tree in cats()], cats(), dev=([tree.words for tree in cats()], cats())
    )
    assert one.predict([SENTENCE]) == two.predict([SENTENCE])


def test_functional_tags_stay_if_asked_for():
    parser = ConstituencyParser("toy", keep_functions=True).fit(cats())
    assert "NP-SBJ" in str(parser.predict([["cats", "eat", "mice"]])[0])
    assert parser.evaluate(cats()).f1 >= parser.evaluate(cats(), functions=True).f1 > 0
    bare = ConstituencyParser("toy").fit(cats())
    assert "NP-SBJ" not in str(bare.predict([["cats", "eat", "mice"]])[0])
    with pytest.raises(ValueError, match="predicts no functions"):
        bare.evaluate(cats(), functions=True)


def test_functions_in_another_way(tmp_path):
    trees = [Tree.parse(text.replace("NP-SBJ", "SBJ+NP")) for text in CATS]
    parser = ConstituencyParser("toy", functions="function+label").fit(trees)
    assert parser.score(trees) == ConstituencyParser("toy").fit(cats()).score(cats())
    parser.save(tmp_path / "x.palm")
    again = ConstituencyParser.load(tmp_path / "x.palm")
    assert again.functions_ == parser.functions_
    assert again.functions == "function+label"
    assert again.score(trees) == parser.score(trees)
    with pytest.raises(ValueError, match="such as label-function or function\\+label"):
        ConstituencyParser("toy", functions="SBJ-NP").fit(trees)


def test_options(parser):
    narrow = parser.with_options(keep=1)
    assert narrow.options == {"keep": 1}
    assert len(narrow.kbest([SENTENCE], 9)[0]) == 1
    with pytest.raises(ValueError, match="no option 'kepe'"):
        parser.with_options(kepe=1)
    with pytest.raises(ValueError, match="no option 'kepe'"):
        ConstituencyParser("toy", options={"kepe": 1}).fit(cats())


def test_why_a_bracket(parser):
    explanation = parser.explain(SENTENCE, bracket=(2, 5, "NP"))
    (decision,) = explanation.decisions
    one, two = parser.kbest([SENTENCE], 2)[0]
    assert not decision.extra["present"]
    assert decision.margin == pytest.approx(one.score - two.score)
    assert math.fsum(part.amount for part in decision.contributions) == pytest.approx(decision.margin)
    assert decision.rival == LOW
    assert "not in the tree" in str(decision)
    short = explanation.of(top=1).decisions[0]
    assert len(short.contributions) == 1
    assert short.contributions[0].amount + short.rest == pytest.approx(decision.margin)
    assert explanation.to_dict()["brackets"][0]["instead"] == [{"start": 2, "end": 5, "label": "NP"}]


def test_every_bracket_is_explained(parser):
    decisions = parser.explain(SENTENCE).decisions
    assert [(d.extra["label"], d.extra["words"]) for d in decisions][:3] == [
        ("S", " ".join(SENTENCE)),
        ("NP", "dogs"),
        ("VP", "eat mice with eyes"),
    ]
    assert all(d.extra["present"] for d in decisions)
    assert "in every possible tree" in str(decisions[0])
    assert decisions[0].to_dict()["margin"] is None
    with pytest.raises(ValueError, match="no bracket NP 6-9"):
        parser.explain(SENTENCE, bracket=(5, 9, "NP"))
    with pytest.raises(ValueError, match="no word to explain"):
        parser.explain([])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([], FormatError, "no tree with a word in it"),
        ([Tree("-NONE-", [Leaf("*", 0)])], FormatError, "no tree with a word"),
        (["(S (A a))"], TypeError, "made of Tree; number 1 is str"),
        (Tree.parse("(S (A a))"), TypeError, "list of Tree"),
        (7, TypeError, "Trees must be a list or another iterable"),
        ([Tree("S", [Leaf("a", 0), Leaf("b", 0)])], ValueError, "Two words have the same position"),
    ],
)
def test_bad_treebanks(given, error, message):
    with pytest.raises(error, match=message):
        ConstituencyParser("toy").fit(given)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no tree in it"),
        ("(S (NP a)", "bracket"),
        ("((S (A a)) (B", "bracket"),
        ("()", "."),
        ("just words", "does not look like trees"),
        ("(S (NP (-NONE- *)))", "no tree with a word in it"),
    ],
)
def test_bad_files(tmp_path, text, message):
    (tmp_path / "x.txt").write_text(text)
    with pytest.raises(FormatError, match=message):
        ConstituencyParser("toy").fit(tmp_path / "x.txt")


def test_damaged_trees_can_be_left_out(tmp_path):
    (tmp_path / "x.mrg").write_text("\n".join([CATS[0], "(S (NP a))) (X", CATS[2]]))
    with pytest.raises(FormatError, match=r"x\.mrg:2"):
        ConstituencyParser("toy").fit(tmp_path / "x.mrg")
    parser = ConstituencyParser("toy").fit(tmp_path / "x.mrg", skip_bad=True)
    assert parser.training_["sentences"] >= 2
    assert parser.training_["skipped"] >= 1


def test_discontinuous_trees_are_for_methods_that_can():
    tree = Tree.parse("(S (VP (A 0=a) (C 2=c)) (B 1=b))", positions=True)
    with pytest.raises(FormatError, match=r"1 of 4 trees are discontinuous \(the first is number 4\)"):
        ConstituencyParser("toy").fit([*cats(), tree])
    parser = ConstituencyParser("toy").fit([*cats(), tree], skip_bad=True)
    assert (parser.training_["sentences"], parser.training_["skipped"]) == (3, 1)
    with pytest.raises(FormatError, match=r"take plcfrs$"):
        ConstituencyParser("toy").fit([tree], skip_bad=True)


def test_cyclic_unaries_are_no_harm():
    trees = [Tree.parse("(S (NP (S (NP (NN a)))))"), Tree.parse("(A (B (A (B (NN b)))))")]
    parser = ConstituencyParser("toy").fit(trees)
    assert parser.predict([["a"]])[0].words == ["a"]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (["dogs eat"], "Sentence 1 must be a list of words"),
        ([["dogs", 3]], "Word 2 of sentence 1 must be a string"),
        ([["dogs", "e at"]], "no word has white space"),
        ([["dogs", ""]], "no word has white space"),
        (5, "must be a list or another iterable"),
    ],
)
def test_bad_sentences(parser, sentences, message):
    with pytest.raises((TypeError, ValueError), match=message):
        parser.predict(sentences)


def test_bad_tags_and_numbers(parser):
    with pytest.raises(ValueError, match="1 sentences and tags for 2"):
        parser.predict([SENTENCE], tags=[[], []])
    with pytest.raises(ValueError, match="Sentence 1 has 5 words and 1 tags"):
        parser.predict([SENTENCE], tags=[["NN"]])
    with pytest.raises(ValueError, match="no column 'xpos'"):
        parser.predict([SENTENCE], tags="xpos")
    with pytest.raises(ValueError, match="no column 'xpos' of tags: there are form"):
        parser.predict(Corpus.from_columns({"form": [SENTENCE]}), tags="xpos")
    for k in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="must be an int in the range"):
            parser.kbest([SENTENCE], k)


def test_what_is_not_trained_and_what_is_no_method():
    with pytest.raises(ValueError, match="not trained yet"):
        ConstituencyParser("toy").predict([SENTENCE])
    with pytest.raises(ValueError, match="no method 'pcgf': did you mean 'pcfg'"):
        ConstituencyParser("pcgf").fit(cats())
    with pytest.raises(ValueError, match="counts, and has no learner"):
        ConstituencyParser("toy", Perceptron()).fit(cats())
    with pytest.raises(ValueError, match="counts, and has no learner"):
        ConstituencyParser("toy", "crf").fit(cats())


def test_words_and_trees_must_agree():
    with pytest.raises(ValueError, match="words of sentence 2 are not those of its tree"):
        ConstituencyParser("toy").fit([tree.words for tree in (*cats()[:1], *cats()[:2])], cats())
    with pytest.raises(ValueError, match="1 sentences X and 3 trees y"):
        ConstituencyParser("toy").fit([SENTENCE], cats())


def test_manners_of_scikit_learn():
    parser = ConstituencyParser("toy", options={"keep": 3}, random_state=7)
    assert parser.get_params()["random_state"] == 7
    assert repr(parser) == "ConstituencyParser(method='toy', options={'keep': 3}, random_state=7)"
    sklearn = pytest.importorskip("sklearn.base")
    copy = sklearn.clone(parser)
    assert copy.get_params() == parser.get_params()
    with pytest.raises(ValueError, match="has no learner to change"):
        parser.set_params(learner__l2=1.0)


def test_grid_search():
    selection = pytest.importorskip("sklearn.model_selection")
    search = selection.GridSearchCV(ConstituencyParser("toy"), {"options": [{"keep": 1}, {"keep": 50}]}, cv=2)
    trees = cats() * 2
    search.fit([tree.words for tree in trees], trees)
    assert 0 <= search.best_score_ <= 1


CYCLE = "(TOP (S (NP (NP (NP (NNS dogs)))) (VP (VBP eat) (NP (NNS mice)) (. .))))"


def test_gold_brackets_are_never_lost(parser):
    """A label over nothing but itself is taken out for training, and counts in a score."""
    gold, guess = Tree.parse(CYCLE), parser.predict([Tree.parse(CYCLE)])[0]
    scores, want = parser.evaluate([gold]), evalb([str(gold)], [str(guess)])
    assert scores.overall.gold == 6
    assert {name: scores.to_dict()[name] for name in ("f1", "precision", "recall")} == pytest.approx(
        {name: want[name] for name in ("f1", "precision", "recall")}
    )
    assert parser.evaluate([["dogs", "eat", "mice", "."]], [gold]) == scores
    assert ConstituencyParser("toy").fit(cats(), dev=[gold]).evaluate([gold]) == scores


def test_real_gold_brackets_are_all_counted():
    trees = read_brackets(real_file("const_en_ptb/test.mrg"))
    parser = ConstituencyParser("pcfg").fit(read_brackets(real_file("const_en_ptb/dev.mrg")))
    guesses = parser.predict(trees)
    scores = parser.evaluate(trees)
    want = evalb(map(str, trees), map(str, guesses))
    have = parser.evaluate(trees, rules=replace(COLLINS, as_evalb=True)).to_dict()
    assert {name: have[name] for name in want if name in have} == pytest.approx(
        {name: value for name, value in want.items() if name in have}
    )
    assert scores.overall.gold == evaluate_brackets(trees, guesses).overall.gold

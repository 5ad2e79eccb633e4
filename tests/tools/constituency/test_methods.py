"""What every method of constituency parsing does, whatever it learns: one body of tests for all."""

from __future__ import annotations

import gc
import math
import pickle
import signal
import time
from contextlib import contextmanager
from itertools import pairwise

import pytest

from palmette.parameters import shown
from palmette.tools.constituency.combination.votes import spans_of
from palmette.tools.constituency.model import METHODS, Bracket, Constraints
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree
from samples.phrase_treebank import garden

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
    known = METHODS[request.param].options_class.names()
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


def long_text(n: int) -> list[str]:
    """Lower-cased words without a sentence end, as people write them."""
    words = [word.lower() for tree in garden() for word in tree.words if word not in ".?!"]
    return (words * (1 + n // len(words)))[:n]


@pytest.mark.parametrize("n", [130, 300, 1000, 5000])
def test_long_sentences_have_trees_too(parser, n):
    words = long_text(n)
    before, parse, after = parser.with_options(max_words=40).parse([WORDS, words, ["Go"]])
    assert (before.tree.words, parse.tree.words, after.tree.words) == (WORDS, words, ["Go"])
    assert before.note == ""
    assert f"{n:,} words are more than the 40 of max_words; they were parsed in" in parse.note
    assert parse.log_probability is None
    assert parse.tree.label == "TOP"


def test_the_default_bound_on_words(parser):
    n = parser.model_.max_words
    assert 100 <= n <= 200
    words = long_text(n + 1)
    assert "max_words" not in parser.parse([words[:n]])[0].note
    (parse,) = parser.parse([words])
    assert "max_words; they were parsed in 2 parts." in parse.note
    assert parse.tree.words == words


def test_long_sentences_in_other_answers(parser):
    words = long_text(90)
    small = parser.with_options(max_words=40)
    (whole,), (short, ranked) = small.parse([words]), small.kbest([WORDS, words], 3)
    assert short[0].tree == parser.kbest([WORDS], 3)[0][0].tree
    assert [parse.tree.words for parse in ranked] == [words]
    assert "max_words" in ranked[0].note
    if parser.method not in ("perceptron", "mira", "svm"):
        short_table, table = small.marginals([WORDS, words])
        assert short_table == parser.marginals([WORDS])[0]
        assert not table or max(end for _, end, _ in table) > 40
        assert all(0 <= start < end <= 90 for start, end, _ in table)
    with pytest.raises(ValueError, match="at most 40: explain a part of it, or raise the option 'max_words'"):
        small.explain(words)
    if parser.method != "plcfrs":
        with pytest.raises(ValueError, match="Sentence 2 has 90 words and constraints"):
            small.parse([WORDS, words], known=[None, Constraints((Bracket(0, 2, "NP"),))])
    tags = whole.tree.tags
    (tagged,) = small.parse([words], tags=[tags])
    assert tagged.tree.tags == tags
    with pytest.raises(ValueError, match="max_words"):
        parser.with_options(max_words=0)


@contextmanager
def interrupted_after(seconds: float):
    """Raise KeyboardInterrupt in the main thread, as Ctrl-C does.

    Without the garbage collector: an exception inside one of its callbacks is lost, and Hypothesis has one.
    """

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    gc.disable()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("verb", ["parse", "marginals"])
def test_an_interrupt_ends_a_search_at_once(parser, n_jobs, verb):
    if verb == "marginals" and parser.method in ("perceptron", "mira", "svm"):
        pytest.skip("no probabilities")
    words = long_text(250)
    patient = parser.with_options(max_words=250)
    patient.n_jobs = n_jobs
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt), interrupted_after(0.3):
        getattr(patient, verb)([words] * 5000)
    assert time.perf_counter() - began < 3  # the searches take minutes


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
        assert all(part.where and 1 <= min(part.where) <= max(part.where) <= len(words) for part in parts)


def test_constraints_are_kept_or_refused(parser):
    wanted = [Bracket(4, 7, "NP"), Bracket(7, 10, "PP"), Bracket(4, 7), Bracket(1, 3)]
    for bracket in wanted:
        for required in (True, False):
            known = Constraints((bracket,), ()) if required else Constraints((), (bracket,))
            try:
                (tree,) = parser.predict([WORDS], known=[known])
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


def test_help_names_every_option_and_its_default():
    for name, method in METHODS.items():
        table = METHODS[name].options_class
        lines = table.help_lines(method.preset)
        for line, one in zip(lines, table.describe()):
            assert line.startswith(f"{one.name}: ")
            assert one.help
            assert f"default {shown(method.preset.get(one.name, one.default))})" in line


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


def test_margins_are_differences_of_the_scores_of_the_best_trees(parser):
    compared = 0
    for words in [*SENTENCES, *(tree.words for tree in garden("test")[:6])]:
        ranked = parser.kbest([words], 50)[0]
        if ranked[0].note:
            continue
        scores = {str(parse.tree): parse.score for parse in ranked}
        predicted = set(spans_of(parser.predict([words])[0]))
        for decision in parser.explain(words).decisions:
            if decision.rival in scores:
                compared += 1
                assert decision.margin == pytest.approx(ranked[0].score - scores[decision.rival], abs=1e-4)
                assert ("margin is negative" in decision.extra["note"]) is (decision.margin < 0)
            bracket = Bracket(*(decision.extra[name] for name in ("start", "end", "label")))
            if parser.method != "plcfrs":  # where brackets may have gaps
                assert ("predicts the tree of minimum risk" in decision.extra["note"]) is (
                    bracket not in predicted
                )
    assert compared


def test_k_best_have_probabilities_where_the_model_has_them(parser):
    if parser.method in ("perceptron", "mira", "svm", "plcfrs", "combined"):
        assert parser.kbest([WORDS], 3)[0][0].log_probability is None
        return
    ranked = parser.kbest([WORDS], 30)[0]
    first, total = ranked[0], sum(math.exp(parse.log_probability) for parse in ranked)
    assert total <= 1 + 1e-4
    for parse in ranked:
        difference = parse.log_probability - first.log_probability
        assert difference == pytest.approx(parse.score - first.score, abs=1e-4)
    (single,) = parser.kbest([WORDS], 1)[0]
    assert single.log_probability == pytest.approx(first.log_probability, abs=1e-4)


def test_a_parser_comes_back_from_its_model(parser):
    again = ConstituencyParser.from_model(parser.to_model())
    for one, two in zip(again.parse(SENTENCES), parser.parse(SENTENCES), strict=True):
        # Weights of features are rounded in files; near zero, a score is a small difference of large sums.
        assert one.score == pytest.approx(two.score, rel=1e-3, abs=1e-3)
    assert again.kbest(SENTENCES, 2)[0][0].tree == parser.kbest(SENTENCES, 2)[0][0].tree
    assert pickle.loads(pickle.dumps(parser)).predict(SENTENCES) == parser.predict(SENTENCES)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "combined"])
def test_words_beside_phrases_get_a_tag(name: str, caplog: pytest.LogCaptureFixture) -> None:
    bank = ["(S (NP the cat) (VP (V sees) (NP a dog)))", "(S (NP the dog) (VP (V sees) it))"]
    trees = [Tree.parse(text) for text in bank]
    parser = ConstituencyParser(name, options=SMALL.get(name)).fit(trees)
    (found,) = parser.predict([["the", "cat", "sees", "it"]])
    assert found is not None
    assert str(found) == "(TOP (S (NP (WORD the) (WORD cat)) (VP (V sees) (WORD it))))"
    assert "7 words beside other words or phrases had no tag" in caplog.text
    assert parser.evaluate(trees).f1 == 1.0

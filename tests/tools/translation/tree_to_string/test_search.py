"""Translation of trees and forests against all derivations of small ones, and against limits and what is known."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import numpy as np
import pytest

from oracles.tree_derivations import WORDS, AllDerivations, random_table, random_tree, scored
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.known import Fixed, Known
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.tree_to_string.search import TreeSearch
from palmette.tools.translation.tree_to_string.spans import with_span
from palmette.trees.tree import Tree

pytestmark = pytest.mark.native

LM = LanguageModel.fit(
    [list(line) for line in ("pqr", "qp", "rrp", "pp", "qrpq", "a", "bq")], order=3, smoothing="dirichlet"
)
WEIGHTS = np.array([0.7, -0.4, 0.3, -0.6, 1.5, 0.2, 0.5, 0.9, 0.4, 0.3])
EXACT = ChartOptions.exhaustive(chain=1)


def made(seed: int, n_trees: int) -> tuple[list[str], list[Tree], RuleTable]:
    rng = random.Random(seed)
    words = [rng.choice(WORDS) for _ in range(rng.randint(1, 4))]
    trees = [random_tree(rng, words) for _ in range(n_trees)]
    others = [random_tree(rng, [rng.choice(WORDS) for _ in range(3)]) for _ in range(2)]
    return words, trees, random_table(rng, [*trees, *others])


def rounded(found: list[tuple[tuple[str, ...], float]]) -> list[tuple[tuple[str, ...], float]]:
    return sorted((words, round(score, 3)) for words, score in found)


@pytest.mark.parametrize("n_trees", [1, 3])
@pytest.mark.parametrize("seed", range(20))
def test_all_derivations(seed: int, n_trees: int) -> None:
    words, trees, table = made(seed, n_trees)
    oracle = AllDerivations(table, trees, words)
    if len(oracle.roots) > 1:
        pytest.skip("the roots have different chains of labels")
    for lm in (None, LM):
        search = TreeSearch(table, lm, lambda rows: [trees for _ in rows], WEIGHTS, EXACT)
        want = scored(oracle.whole(), lm, WEIGHTS)
        have = [(one.words, one.score) for one in search.kbest([words], 2 * len(want) + 5, distinct=False)[0]]
        assert rounded(have) == rounded(want)
        best = search.translate([words])[0]
        assert best.score == pytest.approx(want[0][1], abs=1e-4)
        (graph,) = search.graphs([words])
        assert graph.exact
        total = graph.hypergraph.log_z(graph.scores())
        assert total == pytest.approx(np.logaddexp.reduce([score for _, score in want]), abs=1e-4)
        growing = EXACT.changed({"growing": True}, "a search")
        grown = TreeSearch(table, lm, search.parses, WEIGHTS, growing).translate([words])[0]
        assert grown.score == pytest.approx(best.score, abs=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_limits_lose_score_but_never_a_translation(seed: int) -> None:
    words, trees, table = made(seed, 2)
    free = TreeSearch(table, LM, lambda rows: [trees for _ in rows], WEIGHTS, EXACT)
    narrow = TreeSearch(table, LM, free.parses, WEIGHTS, ChartOptions(pop_limit=1, table_limit=1))
    best, found = free.translate([words])[0], narrow.translate([words])[0]
    assert found.score <= best.score + 1e-4
    assert found.score == pytest.approx(float(found.features @ WEIGHTS), abs=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_a_target_that_is_given(seed: int) -> None:
    words, trees, table = made(seed, 1)
    search = TreeSearch(table, LM, lambda rows: [trees for _ in rows], WEIGHTS, EXACT)
    want = scored(AllDerivations(table, trees, words).whole(), LM, WEIGHTS)
    by_words = {}
    for text, score in want:
        by_words.setdefault(text, score)
    for text, score in list(by_words.items())[:4]:
        (found,) = search.translate([words], [Known(target=text)])
        assert (found.words, found.score) == (text, pytest.approx(score, abs=1e-4))
    with pytest.raises(ValueError, match="Sentence 1: the target"):
        search.translate([words], [Known(target=("z", "z"))])


def test_spans_that_are_given() -> None:
    tree = Tree.parse("(S (A a b) (B c (A d)))")
    table = RuleTable.from_rules([("A", None, "p", [-1.0] * 4, (), "(A d)")], kind="trees")
    search = TreeSearch(table, None, lambda rows: [[tree] for _ in rows])
    words = "a b c d".split()
    assert search.translate([words])[0].text == "a b c p"
    for begin, end, want in (
        (0, 2, "X c p"),
        (1, 3, "a X p"),
        (2, 4, "a b X"),
        (0, 4, "X"),
        (3, 4, "a b c X"),
    ):
        (found,) = search.translate([words], [Known(fixed=[(begin, end, "X", True)])])
        assert found.text == want
        assert [one.kind for one in found.phrases].count("given") == 1
    competing = search.kbest([words], 9, known=[Known(fixed=[(1, 3, "X", False)])])[0]
    assert {one.text for one in competing} == {"a X p", "a b c p"}
    assert "p" not in search.translate([words], [Known(forbidden=["p"])])[0].words
    assert str(with_span(tree, 1, 4)) == "(S a (GIVEN b (B c (A d))))"
    assert str(with_span(tree, 1, 2)) == "(S (A a (GIVEN b)) (B c (A d)))"


def test_words_that_are_given_or_copied_have_the_label_of_their_node() -> None:
    rules = [
        ("NP", None, "it", [0.0] * 4, (), "(NP (PRP il))"),
        ("S", None, "[NP,1] [VP,2]", [0.0] * 4, (), "(S [NP,1] [VP,2])"),
    ]
    table = RuleTable.from_rules(rules, kind="trees")
    tree = Tree.parse("(S (NP (PRP il)) (VP (VB va) (ADVP tot) ici))")
    search = TreeSearch(table, None, lambda rows: [[tree] for _ in rows], None, EXACT)
    words = "il va tot ici".split()

    def labels(known: Known) -> dict[str, str]:
        (found,) = search.translate([words], [known])
        assert found.derivation is not None
        (graph,) = search.graphs([words], [known])
        assert {node.label for node in found.derivation} <= set(graph.labels)
        return {" ".join(node.words()): node.label for node in found.derivation if node.kind != "table"}

    copied = labels(Known())
    assert [copied[word] for word in ("va", "tot", "ici")] == ["VB", "ADVP", "WORD"]
    assert labels(Known(fixed=[Fixed(1, 2, ["goes"])]))["goes"] == "VB"
    assert labels(Known(fixed=[Fixed(2, 4, ["soon", "here"])]))["soon here"] == "GIVEN"
    assert labels(Known(fixed=[Fixed(1, 4, ["leaves"])]))["leaves"] == "VP"


def test_without_a_parse_words_are_translated_one_by_one(caplog: pytest.LogCaptureFixture) -> None:
    from palmette.tools.translation.tree_to_string.parses import SourceParses

    rules = [
        ("A", None, "p", [-1.0] * 4, (), "(A a)"),
        ("B", None, "q", [-0.5] * 4, (), "(B a)"),
        ("S", None, "r", [-0.1] * 4, (), "(S (A a) (A b))"),
    ]
    search = TreeSearch(RuleTable.from_rules(rules, kind="trees"), None, SourceParses())
    found = search.translate(["a b", "", "c"])
    assert [one.text for one in found] == ["q b", "", "c"]
    assert "2 of 3 sentences have no tree (the model has no parser: give trees)" in caplog.text
    trees = [Tree.parse("(S (A a) (A b))"), Tree.parse("(S (B a) (A b))")]
    parsed = TreeSearch(search.table, None, SourceParses().with_trees(trees[:1]))
    assert parsed.translate(["a b"])[0].text == "r"
    assert {one.text for one in parsed.kbest(["a b"], 5)[0]} == {"r", "p b"}
    packed = TreeSearch(search.table, None, SourceParses().with_trees(trees))
    assert {one.text for one in packed.kbest(["a b"], 5)[0]} == {"r", "p b", "q b"}


def test_what_is_refused() -> None:
    table = RuleTable.from_rules([("A", None, "p", [-1.0] * 4, (), "(A a)")], kind="trees")
    other = TreeSearch(table, None, lambda rows: [[Tree.parse("(A b c)")] for _ in rows])
    with pytest.raises(ValueError, match="Sentence 1 has 1 word, but its tree has 2"):
        other.translate(["a"])
    gap = TreeSearch(table, None, lambda rows: [[Tree.parse("(S (A 0=a 2=c) (B 1=b))", positions=True)]])
    with pytest.raises(ValueError, match="its tree has gaps"):
        gap.translate(["a b c"])
    with pytest.raises(ValueError, match="kind 'trees'"):
        TreeSearch(RuleTable.from_rules([("X", "a", "b", [0.0] * 4)]), None, lambda rows: [])


def test_the_same_for_any_number_of_threads_and_after_pickling() -> None:
    cases = [made(seed, 2) for seed in range(6)]
    table = random_table(random.Random(3), [tree for _, trees, _ in cases for tree in trees], 30)
    known = {tuple(words): trees for words, trees, _ in cases}
    from palmette.tools.translation.tree_to_string.parses import SourceParses

    search = TreeSearch(table, LM, SourceParses(trees=known), WEIGHTS)
    rows = [words for words, _, _ in cases] * 3
    want = [(one.words, one.score) for one in search.translate(rows)]
    assert [(one.words, one.score) for one in search.translate(rows, n_jobs=2)] == want
    again = pickle.loads(pickle.dumps(search))
    assert [(one.words, one.score) for one in again.translate(rows)] == want
    assert Counter(len(one) for one in search.kbest(rows, 2)).keys() <= {1, 2}


def test_a_long_row_of_children() -> None:
    words = [WORDS[i % 3] for i in range(100)]
    flat = Tree.parse("(S " + " ".join(f"(A {word})" for word in words) + ")")
    table = RuleTable.from_rules([("A", None, "p", [-1.0] * 4, (), "(A a)")], kind="trees")
    (found,) = TreeSearch(table, LM, lambda rows: [[flat]]).translate([words])
    assert found.words == tuple("p" if word == "a" else word for word in words)


def test_many_children_with_many_translations_stay_within_the_pop_limit() -> None:
    words = [WORDS[i % 3] for i in range(60)]
    flat = Tree.parse("(S " + " ".join(f"(A {word})" for word in words) + ")")
    rules = [
        ("A", None, target, [-0.1 * len(target)] * 4, (), f"(A {word})")
        for word in WORDS
        for target in ("p", "q", "r", "p q", "r r")
    ]
    holes = " ".join(f"[A,{k + 1}]" for k in range(12))
    rules.append(("S", None, holes, [-0.1] * 4, (), f"(S {holes})"))
    table = RuleTable.from_rules(rules, kind="trees")
    for tree, text in ((flat, words), (Tree(flat.label, flat.children[:12]), words[:12])):
        search = TreeSearch(table, LM, lambda rows, tree=tree: [[tree]], WEIGHTS, ChartOptions(pop_limit=20))
        (graph,) = search.graphs([text])
        assert graph.n_edges < 20 * 10 * 2 * len(text)

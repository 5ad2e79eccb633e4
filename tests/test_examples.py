"""The examples as tests: what they compute against brute force and peers, and that they run."""

from __future__ import annotations

import importlib.util
import itertools
import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from oracles.enumeration import dependency_trees, projective_trees
from palmette.formats.facts import Facts, read_facts
from palmette.inference.deduction import Deduction
from palmette.inference.facts import Item
from palmette.inference.hypergraph import CycleError
from palmette.inference.search import AStar, Beam, BestFirst

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[1] / "examples" / "deduction"


def load(name: str, folder: str = "deduction") -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"examples_{name}", EXAMPLES.parent / folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "arguments", "seen"),
    [
        ("viterbi", [], "the/D dog/N saw/V the/D park/N"),
        ("cky", [["time", "flies"]], "of the total weight"),
        ("earley", [], "2 trees, probability"),
        ("eisner", [], "273 projective trees"),
        ("copy_language", [["abab", "abba"]], "abba: not a copy"),
        ("widest", [], "0.6: Basel, Bern, Milan, Genoa"),
        ("synchronous", [], "reads a letter / tegami o yomu: 1 derivation(s)"),
    ],
)
def test_examples_run(
    name: str, arguments: list[object], seen: str, capsys: pytest.CaptureFixture[str]
) -> None:
    load(name).main(*arguments)
    assert seen in capsys.readouterr().out


def test_labels_of_rows_of_digits(capsys: pytest.CaptureFixture[str]) -> None:
    """Rows get better labels with their neighbours than alone."""
    pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    load("digits", "neural").main(n=30, n_iter=6)
    alone, around, plain = (
        float(line.split(": ")[1].split("%")[0]) for line in capsys.readouterr().out.splitlines()
    )
    assert alone < around
    assert alone < plain


# Viterbi


def tag_sequences(words: Sequence[str]) -> dict[tuple[str, ...], float]:
    """The probability of every sequence of tags together with the words."""
    hmm = load("viterbi")
    found = {}
    for tags in itertools.product("DNV", repeat=len(words)):
        p = hmm.START.get(tags[0], 0.0)
        p *= math.prod(hmm.TRANSITION.get(pair, 0.0) for pair in itertools.pairwise(tags))
        p *= math.prod(hmm.EMIT.get(pair, 0.0) for pair in zip(tags, words))
        if p > 0:
            found[tags] = p
    return found


@pytest.mark.parametrize(
    "sentence", ["the", "the dog saw the park", "walk park walk park walk", "park the walk"]
)
def test_viterbi_against_all_tag_sequences(sentence: str) -> None:
    hmm = load("viterbi")
    words = sentence.split()
    oracle = tag_sequences(words)
    forest = hmm.trellis(words)
    assert forest.count() == len(oracle)
    total = math.fsum(oracle.values())
    assert forest.log_z() == pytest.approx(math.log(total))
    for proof in forest.kbest(1000):
        assert math.exp(proof.score) == pytest.approx(oracle[tuple(hmm.tags(proof))])
    best = forest.best()
    assert math.exp(best.score) == pytest.approx(max(oracle.values()))
    marginals = forest.item_marginals()
    for i, tag in itertools.product(range(len(words)), "DNV"):
        want = math.fsum(p for tags, p in oracle.items() if tags[i] == tag) / total
        assert marginals.get(Item("", (tag, i + 1)), 0.0) == pytest.approx(want)


def test_viterbi_by_other_searches() -> None:
    hmm = load("viterbi")
    words = "walk park walk park the dog".split()
    best = hmm.trellis(words).best().score
    for search in (BestFirst(), AStar(lambda item: 0.0), Beam(top=3)):
        assert hmm.trellis(words, search).best().score == pytest.approx(best)


def test_viterbi_of_what_cannot_be() -> None:
    assert load("viterbi").trellis(["zebra"]).best() is None
    assert load("viterbi").trellis([]).best() is None


# CKY and Earley


def nltk_trees(text: str, words: list[str]) -> dict[str, float]:
    """Every parse and its probability by nltk, an independent chart parser."""
    nltk = pytest.importorskip("nltk")
    from nltk.parse.pchart import InsideChartParser

    grammar = nltk.PCFG.fromstring(text)
    return {
        " ".join(str(tree).split(" (p=")[0].split()): tree.prob()
        for tree in InsideChartParser(grammar).parse(words)
    }


def pcfg(facts: Facts) -> tuple[Facts, str]:
    """The same grammar with probabilities that sum to one, and as nltk writes it."""
    totals: Counter[object] = Counter()
    for rows in facts.values():
        for row, weight in rows.items():
            totals[row[0]] += weight  # type: ignore[assignment]
    normal = {name: {row: w / totals[row[0]] for row, w in rows.items()} for name, rows in facts.items()}
    lines = []
    for rows in normal.values():
        for (left, *right), p in rows.items():
            symbols = " ".join(str(s) if str(s).isupper() else f"'{s}'" for s in right)
            lines.append(f"{left} -> {symbols} [{p}]")
    return normal, "\n".join(sorted(lines, key=lambda line: not line.startswith("S ->")))


@pytest.mark.parametrize(
    "sentence", ["time flies like an arrow", "time flies", "flies like time", "like flies time"]
)
def test_cky_against_nltk(sentence: str) -> None:
    words = sentence.split()
    facts, grammar = pcfg(read_facts(EXAMPLES / "time_flies.tsv"))
    oracle = nltk_trees(grammar, words)
    forest = load("cky").parse(words, facts)
    found = {" ".join(str(p.tree()).split()): math.exp(p.score) for p in forest.kbest(100)}
    assert found == pytest.approx(oracle)
    assert math.exp(forest.log_z()) == pytest.approx(sum(oracle.values()))


LEFT_RECURSIVE = {
    ("E", ("E", "+", "E")): 0.3,
    ("E", ("E", "*", "E")): 0.2,
    ("E", ("(", "E", ")")): 0.2,
    ("E", ("x",)): 0.3,
}
CNF_OF_LEFT_RECURSIVE = {
    ("E", "E", "+E"): 0.3, ("E", "E", "*E"): 0.2, ("E", "(", "E)"): 0.2, ("E", "x"): 0.3,
    ("+E", "+", "E"): 1.0, ("*E", "*", "E"): 1.0, ("E)", "E", ")"): 1.0,
    ("+", "+"): 1.0, ("*", "*"): 1.0, ("(", "("): 1.0, (")", ")"): 1.0,
}  # fmt: skip


@pytest.mark.parametrize(
    "sentence", ["x", "x + x", "x + x * x", "( x + x ) * x + x", "x x", "( x", "x + x + x + x * x"]
)
def test_earley_equals_cky(sentence: str) -> None:
    words = sentence.split()
    earley = load("earley").parse(words, LEFT_RECURSIVE, start="E")
    cky = Deduction.from_file(EXAMPLES / "cky.rules").run(
        {"rule": CNF_OF_LEFT_RECURSIVE, "unary": [], "word": list(zip(words, range(9)))},
        f"['E', 0, {len(words)}]",
    )
    assert earley.count() == cky.count()
    assert earley.log_z() == pytest.approx(cky.log_z())
    if earley.count():
        assert earley.best().score == pytest.approx(cky.best().score)


def test_earley_with_empty_rules() -> None:
    """S → A A b, A → a | ε: as many parses as ways to leave out an a."""
    grammar = {("S", ("A", "A", "b")): 1.0, ("A", ("a",)): 0.5, ("A", ()): 0.5}
    for words, count in [("aab", 1), ("ab", 2), ("b", 1), ("aaab", 0), ("a", 0)]:
        forest = load("earley").parse(list(words), grammar)
        assert forest.count() == count
        if count:
            assert math.exp(forest.log_z()) == pytest.approx(count * 0.25)
    endless = load("earley").parse(["a"], {("S", ("S", "S")): 0.25, ("S", ("a",)): 0.5, ("S", ()): 0.25})
    with pytest.raises(CycleError):
        endless.count()


def test_earley_predicts_only_what_is_wanted() -> None:
    words = "the man saw the man".split()
    forest = load("earley").parse(words)
    assert forest.count() == 1
    assert forest.statistics.items_made < 60


def test_cky_of_the_notes() -> None:
    """The two readings of "time flies like an arrow" (figure 10 is the first of them)."""
    forest = load("cky").parse("time flies like an arrow".split(), read_facts(EXAMPLES / "time_flies.tsv"))
    trees = [str(proof.tree()) for proof in forest.kbest(2)]
    assert "(NP (N time))" in " ".join(trees[0].split())
    assert len(set(trees)) == 2


# Eisner


@pytest.mark.parametrize("n", range(1, 6))
def test_eisner_counts(n: int) -> None:
    assert (
        load("eisner").parse(np.zeros((n + 1, n + 1))).count()
        == [1, 3, 12, 55, 273][n - 1]
        == projective_trees(n)
    )


@pytest.mark.parametrize("n", range(1, 5))
def test_eisner_against_all_projective_trees(n: int) -> None:
    eisner = load("eisner")
    scores = np.random.default_rng(n).normal(size=(n + 1, n + 1))
    oracle = {
        heads: sum(scores[h, m] for m, h in enumerate(heads, 1))
        for heads in dependency_trees(n, projective=True)
    }
    forest = eisner.parse(scores)
    found = {tuple(eisner.heads_of(proof)): proof.score for proof in forest.kbest(1000)}
    assert found == pytest.approx(oracle)
    best = forest.best()
    assert tuple(eisner.heads_of(best)) == max(oracle, key=lambda heads: oracle[heads])
    assert forest.log_z() == pytest.approx(np.logaddexp.reduce(list(oracle.values())))


# The grammars


def test_synchronous() -> None:
    grammar = load("synchronous").GRAMMAR
    assert grammar.parse("reads a letter".split(), "tegami o yomu".split()).log_z() == pytest.approx(
        math.log(0.5 * 0.6 * 0.5)
    )
    assert grammar.parse("sees books".split(), "hon o miru".split()).count() == 1
    assert grammar.parse("sees books".split(), "miru hon o".split()).count() == 0

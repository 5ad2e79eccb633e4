"""Forests and proofs: names, marginals and samples against enumeration, trees, and great depth."""

from __future__ import annotations

import math
import pickle
from collections import Counter

import numpy as np
import pytest

from oracles.enumeration import derivations, enumerate_hypergraph
from palmette.inference.deduction import Deduction
from palmette.inference.facts import Item
from palmette.inference.forest import Forest, Proof
from palmette.trees.tree import Tree

pytestmark = pytest.mark.native

CKY = Deduction("""
    [A, i, k]   <- rule(A, B, C) * [B, i, j] * [C, j, k]
    [A, i, i+1] <- rule(A, w) * word(w, i)
    goal ['S', 0, n] <- ?length(n)
""")
GRAMMAR = {("S", "S", "S"): 0.4, ("S", "A", "S"): 0.3, ("A", "a"): 1.0, ("S", "a"): 0.3, ("S", "A", "A"): 0.2}


def parse(n: int) -> Forest:
    return CKY.run({"rule": GRAMMAR, "word": [("a", i) for i in range(n)], "length": [n]})


def enumerated(forest: Forest) -> list[tuple[float, Counter[Item], Counter[Item]]]:
    """Every derivation: its weight, and how often it uses which items and facts."""
    graph = forest.graph
    found = []
    for edges in derivations(graph):
        parts = graph.labels[list(edges)]
        facts = Counter(fact for part in parts.tolist() if (fact := forest.fact(part)) is not None)
        items = Counter(forest.item(int(graph.heads[e])) for e in edges)
        found.append((math.exp(forest.scores[parts].sum()), items, facts))
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_marginals_by_name(n: int) -> None:
    forest = parse(n)
    all_of_them = enumerated(forest)
    total = sum(weight for weight, *_ in all_of_them)
    assert forest.log_z() == pytest.approx(math.log(total))
    items, facts = Counter[Item](), Counter[Item]()
    for weight, used_items, used_facts in all_of_them:
        for item, times in used_items.items():
            items[item] += weight / total * times  # type: ignore[assignment]
        for fact, times in used_facts.items():
            facts[fact] += weight / total * times  # type: ignore[assignment]
    assert forest.fact_marginals() == pytest.approx(dict(facts))
    assert forest.item_marginals() == pytest.approx({i: p for i, p in items.items() if i.name == ""})
    assert forest.item_marginals()["", ("S", 0, n)] == pytest.approx(1.0)  # type: ignore[index]


def test_proofs_are_the_derivations() -> None:
    forest = parse(4)
    oracle = enumerate_hypergraph(forest.graph, forest.scores)
    proofs = forest.kbest(1000)
    assert len(set(proofs)) == len(proofs) == oracle.count == forest.count()
    np.testing.assert_allclose([proof.score for proof in proofs], oracle.kbest_scores(1000))
    assert proofs[0] == forest.best()
    for proof in proofs:
        labels = [step.label for step, _ in proof.preorder() if step.label is not None]
        weight = math.prod(GRAMMAR.get(label.arguments, 1.0) for label in labels)  # type: ignore[call-overload]
        assert proof.score == pytest.approx(math.log(weight))


def test_samples() -> None:
    forest = parse(3)
    n = 4000
    drawn = Counter(forest.samples(n, random_state=1))
    assert set(drawn) <= set(forest.kbest(100))
    for proof in forest.kbest(100):
        p = math.exp(proof.score - forest.log_z())
        assert abs(drawn[proof] / n - p) < 4 * math.sqrt(p * (1 - p) / n)
    assert forest.samples(3, random_state=7) == forest.samples(3, random_state=7)
    assert forest.samples(0) == []


def test_other_scores() -> None:
    """The parts are the facts in their order and then the rules: all methods take scores for them."""
    forest = parse(2)
    scores = forest.scores.copy()
    scores[[str(forest.fact(k)) for k in range(5)].index("rule(S, A, S)")] = 5.0
    best = forest.best(scores)
    assert best is not None
    assert best.tree() == Tree.parse("(S (A a) (S a))")
    assert best.score == forest.kbest(1, scores)[0].score == pytest.approx(5.0 + math.log(0.3))
    assert forest.log_z(scores) > forest.log_z()
    assert (
        forest.item_marginals(scores)[Item("", ("S", 1, 2))] > forest.item_marginals()[Item("", ("S", 1, 2))]
    )
    assert forest.samples(1, scores)[0].score in [p.score for p in forest.kbest(9, scores)]


def test_nodes_and_parts_have_names() -> None:
    forest = parse(2)
    assert forest.item(forest.items[Item("", ("A", 0, 1))]) == Item("", ("A", 0, 1))
    assert forest.item(forest.graph.root).name == "the goal"
    assert str(forest.fact(0)) == "rule(S, S, S)"
    assert forest.fact(len(forest.scores) - 1) is None
    assert repr(forest) == (
        f"<Forest: {forest.graph.n_nodes} nodes, {forest.graph.n_edges} edges, {len(forest.scores)} parts>"
    )


# Proofs


def test_printing() -> None:
    best = parse(2).best()
    assert str(best) == (
        "[S, 0, 2]  ← rule(S, A, A)\n  [A, 0, 1]  ← rule(A, a)\n    word(a, 0)\n"
        "  [A, 1, 2]  ← rule(A, a)\n    word(a, 1)"
    )
    assert repr(best) == "<Proof of [S, 0, 2], score -1.60944>"


def test_equality() -> None:
    first, second = parse(2).best(), parse(2).best()
    assert first == second
    assert hash(first) == hash(second)
    assert first != parse(3).best()
    assert first != str(first)
    assert len({*parse(3).kbest(10), *parse(3).kbest(5)}) == parse(3).count()


def test_trees() -> None:
    assert parse(2).best().tree() == Tree.parse("(S (A a) (A a))")
    words_first = Deduction("[A, i, i+1] <- word(w, i) * rule(A, w)\ngoal ['S', 0, 1]")
    assert words_first.run(
        {"rule": GRAMMAR, "word": [("a", 0)]} | {"rule": {("S", "a"): 1}}
    ).best().tree() == (Tree.parse("(S a)"))
    other = Deduction("[A, i, i+1] <- rule(A, w) * token(w, i) * ?n(k)\ngoal ['S', 0, 1] <- n(k)")
    forest = other.run({"rule": {("S", "a"): 1}, "token": [("a", 0)], "n": [1]})
    assert forest.best().tree("token") == Tree.parse("(S a)")
    with pytest.raises(
        ValueError, match=r"^the proof of \[S, 0, 1\] has no constituents with words, that is facts word"
    ):
        forest.best().tree()


def test_what_is_no_tree() -> None:
    for rules, message in [
        ("a(x) <- word(x)\ngoal a(_)", r"the proof of a\(1\) has no constituents"),
        (
            "a <- word(x)\ngoal word(_)",
            r"word\(1\) is not a leaf of a tree: expected a word and its position, word\(w, i\)",
        ),
        ("[x] <- word(x)\ngoal [_]", r"word\(1\) is not a leaf of a tree"),
        ("[] <- word(x)\ngoal []", r"the proof of \[\] has no constituents"),
    ]:
        with pytest.raises(ValueError, match=message):
            Deduction(rules).run({"word": [1]}).best().tree()


def test_empty_constituents_are_left_out() -> None:
    rules = Deduction("""
        [A, i, k]   <- rule(A, B, C) * [B, i, j] * [C, j, k]
        [A, i, i+1] <- rule(A, w) * word(w, i)
        [A, i, i]   <- empty(A) * ?at(i)
        goal ['S', 0, 1]
    """)
    facts = {"rule": [("S", "A", "B"), ("B", "b")], "empty": ["A"], "word": [("b", 0)], "at": [0, 1]}
    assert rules.run(facts).best().tree() == Tree.parse("(S (B b))")


# Depth


@pytest.fixture(scope="module")
def deep() -> tuple[Forest, Proof]:
    """A chain of 20,000 words with two tags."""
    rules = Deduction("""
        [t, 0]   <- start(t) * word(w, 0)
        [t, i+1] <- [s, i] * step(s, t) * word(w, i+1)
        goal [t, n] <- ?last(n)
    """)
    n = 20_000
    words = [(f"w{i % 7}", i) for i in range(n)]
    steps = {("A", "B"): 0.6, ("A", "A"): 0.4, ("B", "A"): 0.7, ("B", "B"): 0.3}
    forest = rules.run({"start": {"A": 0.5, "B": 0.5}, "step": steps, "word": words, "last": [n - 1]})
    best = forest.best()
    assert best is not None
    return forest, best


def test_deep_proofs(deep: tuple[Forest, Proof]) -> None:
    forest, best = deep
    assert best.score == pytest.approx(
        math.log(0.5) + 9999 * math.log(0.7) + 10_000 * math.log(0.6), rel=1e-3
    )
    first, second = forest.kbest(2)
    assert best == first
    assert best != second
    assert isinstance(hash(best), int)
    assert len(repr(best)) < 100
    text = str(best)
    assert len(text) < 10_000_000
    assert "\n" + "  " * 40 + "(20000) word(w0, 0)\n" in text
    assert sum(1 for _ in best.preorder()) == 40_000


def test_deep_trees(deep: tuple[Forest, Proof]) -> None:
    forest, best = deep
    tree = best.tree()
    assert len(tree.leaves) == 20_000
    assert len(forest.samples(1)[0].tree().leaves) == 20_000


def test_deep_sums(deep: tuple[Forest, Proof]) -> None:
    forest, _ = deep
    assert forest.count() == 2**20_000
    assert forest.log_z() == pytest.approx(0.0, abs=1e-6)
    assert sum(forest.item_marginals().values()) == pytest.approx(20_000)
    assert forest.fact_marginals()[Item("word", ("w3", 10))] == pytest.approx(1.0)


def test_a_forest_can_be_pickled() -> None:
    forest = parse(3)
    twin = pickle.loads(pickle.dumps(forest))
    assert twin.kbest(5) == forest.kbest(5)
    assert twin.item_marginals() == forest.item_marginals()

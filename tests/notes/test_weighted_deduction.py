"""The systems of CSC 448, §11 (weighted deduction) and §12 (LCFRS), number by number."""

from __future__ import annotations

import itertools
import math

import pytest

from palmette.inference.deduction import Deduction
from palmette.inference.facts import Item
from palmette.inference.hypergraph import Hypergraph
from palmette.inference.lcfrs import LCFRS
from palmette.inference.rules import parse_rules
from palmette.inference.semiring import MAX, REAL

pytestmark = pytest.mark.native

# Figure 9 b: the grammar rule is an antecedent, and its weight one of the weights that F_R multiplies.
FIGURE_9 = "[S, i, k] <- rule(S, A, B) * [A, i, j] * [B, j, k]"
CKY = Deduction(f"{FIGURE_9}\n[A, i, i+1] <- rule(A, w) * word(w, i)")
GRAMMAR = {
    ("S", "A", "B"): 0.5, ("S", "B", "A"): 0.5, ("A", "A", "A"): 0.3, ("B", "A", "B"): 0.2, ("B", "B", "B"): 0.1,
    ("A", "a"): 0.7, ("A", "b"): 0.1, ("B", "b"): 0.6, ("B", "a"): 0.2,
}  # fmt: skip


def parse(words: str, symbol: str = "S"):
    facts = {"rule": GRAMMAR, "word": [(w, i) for i, w in enumerate(words)]}
    return CKY.run(facts, f"['{symbol}', 0, {len(words)}]")


def inside(words: str) -> dict[tuple[str, int, int], float]:
    """V([A, i, k]) = Σ over B, C, j of P(A → B C) V([B, i, j]) V([C, j, k])."""
    table: dict[tuple[str, int, int], float] = {}
    n = len(words)
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            for a in "SAB":
                k = i + width
                table[a, i, k] = GRAMMAR.get((a, words[i]), 0.0) if width == 1 else 0.0  # type: ignore[call-overload]
                for b, c, j in itertools.product("SAB", "SAB", range(i + 1, k)):
                    table[a, i, k] += GRAMMAR.get((a, b, c), 0.0) * table[b, i, j] * table[c, j, k]  # type: ignore[call-overload]
    return table


def test_figure_9() -> None:
    """The rule has an instance for every combination of i, j, k and grammar rule, and three antecedents."""
    n = 4
    everything = Deduction(f"{FIGURE_9}\n[A, i, i+1] <- tag(A, i)")
    rules = [(a, b, c) for a in "XY" for b in "XY" for c in "XY"]
    forest = everything.run({"rule": rules, "tag": [(a, i) for a in "XY" for i in range(n)]}, f"[_, 0, {n}]")
    triples = math.comb(n + 1, 3)
    assert forest.graph.n_edges == triples * len(rules) + 2 * n + 2
    (rule,) = parse_rules(FIGURE_9).rules
    assert [atom.signature for atom in rule.body] == [("rule", 3), ("", 3), ("", 3)]


@pytest.mark.parametrize("words", ["ab", "aab", "abab", "bbaab"])
def test_the_inside_recurrence_of_cyk(words: str) -> None:
    """Eq. 102 in the sum-product case, for every item of the forest; the goal is [S, 0, n]."""
    forest = parse(words)
    table = inside(words)
    assert math.exp(forest.log_z()) == pytest.approx(table["S", 0, len(words)])
    values = forest.graph.inside([math.exp(s) for s in forest.scores], REAL)
    for item, node in forest.items.items():
        if item.name == "":
            assert values[node] == pytest.approx(table[item.arguments])  # type: ignore[index]


@pytest.mark.parametrize("words", ["ab", "aab", "abab"])
def test_semiring_sum_of_semiring_products(words: str) -> None:
    """Eq. 102 and 103: V(B) = ⊕ over rules of ⊗ over antecedents, in max-product as in sum-product."""
    forest = parse(words)
    graph = forest.graph
    values = graph.inside(forest.scores, MAX)
    for node in range(graph.n_nodes):
        edges = range(graph.edge_start[node], graph.edge_start[node + 1])
        products = [
            forest.scores[graph.labels[e]] + sum(values[t] for t in graph.tails_of(e).tolist()) for e in edges
        ]
        assert values[node] == pytest.approx(max(products))
    assert values[graph.root] == pytest.approx(forest.best().score)


def test_the_weight_of_a_derivation() -> None:
    """Eq. 101: the weight of a tree of rules, evaluated from its leaves, the axioms."""
    forest = parse("abab")
    for proof in forest.kbest(100):
        weight = 1.0
        for step, _ in proof.preorder():
            if step.label is not None and step.label.name == "rule":
                weight *= GRAMMAR[step.label.arguments]  # type: ignore[index]
        assert math.exp(proof.score) == pytest.approx(weight)
    assert math.fsum(math.exp(p.score) for p in forest.kbest(100)) == pytest.approx(math.exp(forest.log_z()))


def test_items_come_in_topological_order() -> None:
    """Antecedents before consequents; a grammar in Chomsky normal form has no cycles."""
    graph: Hypergraph = parse("abab").graph
    assert graph.is_acyclic
    place = {node: n for n, node in enumerate(graph.order.tolist())}
    for edge in range(graph.n_edges):
        assert all(place[t] < place[int(graph.heads[edge])] for t in graph.tails_of(edge).tolist())


# §12

COPY = LCFRS("""
    S -> A_1[1] A_2[1]
    A -> A_1[1] a, A_2[1] a
    A -> A_1[1] b, A_2[1] b
    A -> ε, ε
""")


@pytest.mark.parametrize("n", range(9))
def test_the_copy_language(n: int) -> None:
    """The grammar generates ww, w in {a, b}*: all strings of length n, each copy with one derivation."""
    for letters in itertools.product("ab", repeat=n):
        word = "".join(letters)
        is_copy = n % 2 == 0 and word[: n // 2] == word[n // 2 :]
        assert COPY.parse(word).count() == is_copy


def test_fan_out() -> None:
    assert COPY.fan_out == {"S": 1, "A": 2}
    proof = COPY.parse("abab").best()
    # 2φ positions for a nonterminal of fan-out φ: [A, 0, 2, 2, 4] is A over the words 0-2 and 2-4
    assert [step.item for step, _ in proof.preorder() if step.item.name == ""] == [
        Item("", ("S", 0, 4)),
        Item("", ("A", 0, 2, 2, 4)),
        Item("", ("A", 0, 1, 2, 3)),
        Item("", ("A", 0, 0, 2, 2)),
    ]


def test_the_synchronous_rule_becomes_the_deduction_rule() -> None:
    """S → V₁ NP₁, NP₂ V₂ is the rule with the antecedents [V, i, j, m, n] and [NP, j, k, l, m]: six variables."""
    grammar = LCFRS("S -> V_1[1] NP_1[2], NP_2[2] V_2[1]\nV -> v, v\nNP -> np, np")
    (compiled,) = [
        r for r in parse_rules(grammar.deduction.text).rules if len(r.body) == 3 and r.body[1].name == ""
    ]
    (printed,) = parse_rules("[S, i, k, l, n] <- rule(S, V, NP) * [V, i, j, m, n] * [NP, j, k, l, m]").rules

    def shape(rule) -> list[list[int]]:
        """Which variables are the same, whatever their names."""
        numbers: dict[str, int] = {}
        return [
            [numbers.setdefault(e.shift[0], len(numbers)) for e in atom.arguments]
            for atom in (rule.body[1], rule.body[2], rule.head, rule.body[0])
        ]

    assert shape(compiled) == shape(printed)
    positions = {
        e.shift[0] for atom in (compiled.head, *compiled.body[1:]) for e in atom.arguments[1:] if e.shift
    }
    assert len(positions) == 6
    assert (compiled.comparisons, compiled.weights) == ((), ())


def test_three_nonterminals_in_two_languages() -> None:
    """S → V₁ NP₁ NP₁, NP₂ V₂ NP₂: verb first in one language, in the middle in the other."""
    grammar = LCFRS("""
        S -> V_1[1] NP_1[2] NP_1[3], NP_2[2] V_2[1] NP_2[3]
        V -> gives, donne
        NP -> he, il
        NP -> books, livres
    """)
    assert grammar.parse("gives he books".split(), "il donne livres".split()).count() == 1
    assert grammar.parse("gives he books".split(), "livres donne il".split()).count() == 0

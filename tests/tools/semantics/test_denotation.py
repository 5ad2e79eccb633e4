"""Denotations of DCS trees: the worked examples of the notes, and enumeration of all assignments."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from palmette.tools.semantics.dcs import AGGREGATE, COMPARE, JOIN, DCSTree, Edge, constant
from palmette.tools.semantics.denotation import Denotations
from palmette.tools.semantics.world import World

FACTS = {
    "city": [("SF",), ("LA",), ("Reno",), ("Fresno",)],
    "major": [("SF",), ("LA",), ("NYC",)],
    "loc": [("SF", "CA"), ("LA", "CA"), ("Fresno", "CA"), ("Reno", "NV"), ("NYC", "NY")],
    "state": [("CA",), ("NV",), ("NY",), ("OR",), ("HI",)],
    "border": [
        ("CA", "NV"),
        ("NV", "CA"),
        ("CA", "OR"),
        ("OR", "CA"),
        ("NV", "OR"),
        ("OR", "NV"),
        ("OR", "WA"),
    ],
    "size": [("CA", 3), ("NV", 2), ("NY", 1), ("OR", 3)],
}


@pytest.fixture
def world() -> World:
    return World.of(FACTS)


def name(world: World, text: str) -> DCSTree:
    return constant(text, "thing", frozenset({world.entity("thing", (text,))}))


def join(tree: DCSTree, j: int, k: int, child: DCSTree) -> DCSTree:
    return tree.with_edge(Edge(JOIN, child, j, k))


def shown(world: World, tree: DCSTree, **options: str) -> list[str]:
    return sorted(world.show(Denotations(world, **options).answer(tree)))


def test_major_cities_in_california(world: World) -> None:
    """Figure 30 and eq. 124: ⟨city; 1/1: ⟨major⟩; 1/1: ⟨loc; 2/1: ⟨CA⟩⟩⟩ denotes {SF, LA}."""
    tree = join(DCSTree("city"), 1, 1, DCSTree("major"))
    tree = join(tree, 1, 1, join(DCSTree("loc"), 2, 1, name(world, "CA")))
    assert str(tree) == "⟨city; 1/1: ⟨loc; 2/1: ⟨thing:'CA'⟩⟩; 1/1: ⟨major⟩⟩"
    assert shown(world, tree) == ["LA", "SF"]


def test_each_step_of_the_dynamic_programme(world: World) -> None:
    """Eq. 125, node by node: w(p), cut by what the children leave of the joined components."""
    found = Denotations(world)
    place = join(DCSTree("loc"), 2, 1, name(world, "CA"))
    assert sorted(world.show(found.component(place, 1))) == ["Fresno", "LA", "SF"]
    assert sorted(world.show(found.component(place, 2))) == ["CA"]
    assert len(list(found.rows(place))) == 3


def test_how_many_major_cities(world: World) -> None:
    """Figure 31: ⟨Σ: c⟩ is one set, whose count is the answer."""
    major = join(DCSTree("city"), 1, 1, DCSTree("major"))
    assert shown(world, DCSTree("count", (Edge(AGGREGATE, major),))) == ["2"]


def test_the_state_bordering_the_most_states(world: World) -> None:
    """Figure 32 and eq. 126: argmax over x of |{y : state(x), border(x, y), state(y)}|."""
    bordered = join(DCSTree("border", mark=2), 2, 1, DCSTree("state"))
    tree = DCSTree("state").with_edge(Edge(COMPARE, bordered, 1, 1, "most"))
    counts = {
        x: sum((x, y) in FACTS["border"] and (y,) in FACTS["state"] for (y,) in FACTS["state"])
        for (x,) in FACTS["state"]
    }
    assert shown(world, tree) == sorted(x for x, n in counts.items() if n == max(counts.values()))
    assert len(shown(world, tree, ties="first")) == 1


@pytest.mark.parametrize(
    ("operator", "amount", "want"),
    [
        ("no", None, ["HI", "NY"]),
        ("at least", 2, ["CA", "NV", "OR"]),
        ("at most", 0, ["HI", "NY"]),
        ("exactly", 2, ["CA", "NV", "OR"]),
        ("fewest", None, ["HI", "NY"]),
    ],
)
def test_quantifiers(world: World, operator: str, amount: float | None, want: list[str]) -> None:
    bordered = join(DCSTree("border", mark=2), 2, 1, DCSTree("state"))
    edge = Edge(COMPARE, bordered, 1, 1, operator, None, amount)
    assert shown(world, DCSTree("state").with_edge(edge)) == want


def test_every(world: World) -> None:
    """States that border every one of {CA, OR}."""
    both = constant("both", "thing", frozenset(world.entity("thing", (one,)) for one in ("CA", "OR")))
    bordered = join(DCSTree("border", mark=2), 2, 1, both)
    assert shown(world, DCSTree("state").with_edge(Edge(COMPARE, bordered, 1, 1, "every"))) == ["NV"]


def test_superlatives_and_comparatives(world: World) -> None:
    largest = DCSTree("state").with_edge(Edge(COMPARE, DCSTree("size", mark=2), 1, 1, "argmax"))
    assert shown(world, largest) == ["CA", "OR"]
    smallest = DCSTree("state").with_edge(Edge(COMPARE, DCSTree("size", mark=2), 1, 1, "argmin"))
    assert shown(world, smallest) == ["NY"]
    than = DCSTree("size", (Edge(JOIN, name(world, "NV"), 1, 1),), column=2)
    more = DCSTree("state").with_edge(Edge(COMPARE, DCSTree("size", mark=2), 1, 1, "greater", than))
    assert shown(world, more) == ["CA", "OR"]
    less = DCSTree("state").with_edge(Edge(COMPARE, DCSTree("size", mark=2), 1, 1, "less", than))
    assert shown(world, less) == ["NY"]


def test_a_mark_further_down(world: World) -> None:
    """The city in the largest state: the mark is two edges below the comparison."""
    marked = join(DCSTree("loc"), 2, 1, DCSTree("size", mark=2))
    tree = DCSTree("city").with_edge(Edge(COMPARE, marked, 1, 1, "argmin"))
    assert shown(world, tree) == ["Reno"]


def test_aggregates_count_equal_numbers_once_for_each_tuple(world: World) -> None:
    sizes = DCSTree("size", column=2)
    for aggregate, want in {"sum": "9", "average": "2.25", "largest": "3", "smallest": "1"}.items():
        assert shown(world, DCSTree(aggregate, (Edge(AGGREGATE, sizes, 1, 2),))) == [want]


def test_no_numbers_have_no_average(world: World) -> None:
    none = join(DCSTree("size", column=2), 1, 1, name(world, "HI"))
    assert shown(world, DCSTree("average", (Edge(AGGREGATE, none, 1, 2),))) == []
    assert shown(world, DCSTree("sum", (Edge(AGGREGATE, none, 1, 2),))) == ["0"]


def random_tree(rng: np.random.Generator, depth: int) -> DCSTree:
    names = ["u", "v", "p", "q", "t"]
    arity = {"u": 1, "v": 1, "p": 2, "q": 2, "t": 3}
    chosen = names[rng.integers(len(names))]
    tree = DCSTree(chosen)
    for _ in range(rng.integers(0, 3) if depth else 0):
        child = random_tree(rng, depth - 1)
        tree = join(
            tree, int(rng.integers(arity[chosen])) + 1, int(rng.integers(arity[child.predicate])) + 1, child
        )
    return DCSTree(tree.predicate, tree.edges, column=int(rng.integers(arity[chosen])) + 1)


def enumerated(facts: dict[str, set[tuple[str, ...]]], tree: DCSTree) -> set[str]:
    """All assignments of a tuple to every node, and the roots of those that satisfy all joins."""
    nodes = list(tree.nodes())
    place = {id(node): i for i, node in enumerate(nodes)}
    found = set()
    for rows in product(*(facts[node.predicate] for node in nodes)):
        fits = all(
            rows[place[id(node)]][e.parent - 1] == rows[place[id(e.child)]][e.child_column - 1]
            for node in nodes
            for e in node.edges
        )
        if fits:
            found.add(rows[0][tree.column - 1])
    return found


@pytest.mark.parametrize("seed", range(60))
def test_denotations_are_those_of_all_assignments(seed: int) -> None:
    """Joins of any shape over predicates of one to three components, some of them cyclic, against enumeration."""
    rng = np.random.default_rng(seed)
    things = ["a", "b", "c"]
    sizes = {"u": 1, "v": 1, "p": 2, "q": 2, "t": 3}
    facts = {
        p: {tuple(things[i] for i in rng.integers(3, size=n)) for _ in range(rng.integers(1, 4))}
        for p, n in sizes.items()
    }
    tree = random_tree(rng, 2)
    while len(list(tree.nodes())) > 6:
        tree = random_tree(rng, 2)
    world = World.of(facts)
    assert set(world.show(Denotations(world).answer(tree))) == enumerated(facts, tree)


@pytest.mark.parametrize("seed", range(30))
def test_comparisons_are_those_of_all_pairs(seed: int) -> None:
    """A comparison below a path of joins, against enumeration of all pairs."""
    rng = np.random.default_rng(100 + seed)
    things = [f"x{i}" for i in range(4)]
    draw = lambda n: {tuple(things[i] for i in rng.integers(4, size=2)) for _ in range(n)}  # noqa: E731
    facts: dict[str, set[tuple[str, ...]]] = {"u": {(x,) for x in things}, "p": draw(6), "q": draw(6)}
    world = World.of(facts)
    marked = join(DCSTree("p"), 2, 1, DCSTree("q", mark=2))
    pairs = {(x, z) for x, y in facts["p"] for y2, z in facts["q"] if y == y2}
    counts = {x: len({z for a, z in pairs if a == x}) for x in things}
    for operator, amount, want in [
        ("most", None, {x for x in things if counts[x] and counts[x] == max(counts.values())}),
        ("fewest", None, {x for x in things if counts[x] == min(counts.values())}),
        ("no", None, {x for x in things if not counts[x]}),
        ("exactly", 1, {x for x in things if counts[x] == 1}),
    ]:
        tree = DCSTree("u").with_edge(Edge(COMPARE, marked, 1, 1, operator, None, amount))
        assert set(world.show(Denotations(world).answer(tree))) == want


def test_a_comparison_larger_than_allowed_is_refused() -> None:
    rows = [(f"a{i}", f"b{j}") for i in range(40) for j in range(40)]
    world = World.of({"u": [(f"a{i}",) for i in range(40)], "p": rows})
    tree = DCSTree("u").with_edge(Edge(COMPARE, DCSTree("p", mark=2), 1, 1, "most"))
    assert len(Denotations(world).answer(tree)) == 40
    with pytest.raises(ValueError, match="more than 1,000 pairs: the question is too large"):
        Denotations(world, limit=1000).answer(tree)


def test_wrong_trees_are_refused(world: World) -> None:
    for tree, message in [
        (DCSTree("nowhere"), "no predicate 'nowhere'"),
        (DCSTree("city", column=2), "has 1 components, not 2"),
        (DCSTree("state").with_edge(Edge(COMPARE, DCSTree("size"), 1, 1, "argmax")), "no mark"),
        (
            DCSTree("state").with_edge(Edge(COMPARE, DCSTree("border", mark=2), 1, 1, "argmax")),
            "not a number",
        ),
        (
            DCSTree("state").with_edge(Edge(COMPARE, DCSTree("size", mark=2), 1, 1, "odd")),
            "no comparison 'odd'",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            Denotations(world).answer(tree)

"""Rules that combine weights by functions, against all derivations written out. CSC 448, §11; Knuth 1977."""

from __future__ import annotations

import itertools
import math
import pickle
import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from palmette.errors import FormatError
from palmette.inference.deduction import Deduction
from palmette.inference.facts import Item
from palmette.inference.hypergraph import CycleError
from palmette.inference.rules import parse_rules
from palmette.inference.search import AStar, Beam, BestFirst, Exhaustive, Search

pytestmark = pytest.mark.native

CKY = """
    [A, i, i+1] <- tag(A, i)
    [A, i, k]   <- {}
    goal ['A', 0, n] <- ?length(n)
    bucket [A, i, k] = k - i
"""

EXPONENT = "the first argument of discounted is its exponent, a number above 0, such as 0.9"

F = Callable[[float, float, float], float]


def noisy_or(a: float, b: float) -> float:
    return 1 - (1 - a) * (1 - b)


def drops(a: float, b: float) -> float:
    """Superior and monotone, and not a product."""
    return min(a, b) / (2 - max(a, b)) if max(a, b) <= 1 else min(a, b)


# The text of F_R in the rule, F_R itself, and whether it is superior.
FUNCTIONS: dict[str, tuple[str, F, bool]] = {
    "min": ("min(rule(A, B, C), [B, i, j], [C, j, k])", min, True),
    "max": ("max(rule(A, B, C), [B, i, j], [C, j, k])", max, False),
    "average": ("average(rule(A, B, C), [B, i, j], [C, j, k])", lambda r, b, c: (r + b + c) / 3, False),
    "discounted": (
        "rule(A, B, C) * discounted(0.5, [B, i, j], [C, j, k])",
        lambda r, b, c: r * (b * c) ** 0.5,
        False,
    ),
    "discounted more": (
        "discounted(1.5, rule(A, B, C), [B, i, j], [C, j, k])",
        lambda r, b, c: (r * b * c) ** 1.5,
        True,
    ),
    "nested": (
        "0.9 * min(max(rule(A, B, C), 0.5) * [B, i, j], average([C, j, k], 0.2))",
        lambda r, b, c: 0.9 * min(max(r, 0.5) * b, (c + 0.2) / 2),
        False,
    ),
    "of facts": (
        "min([B, i, j], [C, j, k]) * average(rule(A, B, C), 0.2)",
        lambda r, b, c: min(b, c) * (r + 0.2) / 2,
        True,
    ),
    "Python": ("rule(A, B, C) * noisy_or([B, i, j], [C, j, k])", lambda r, b, c: r * noisy_or(b, c), False),
    "superior Python": ("rule(A, B, C) * drops([B, i, j], [C, j, k])", lambda r, b, c: r * drops(b, c), True),
}  # fmt: skip

Rules = dict[tuple[str, str, str], float]
Tags = dict[tuple[str, int], float]


def random_grammar(seed: int, n: int) -> tuple[Rules, Tags]:
    generator = random.Random(seed)
    rules = {
        (a, b, c): generator.uniform(0.05, 1)
        for a in "AB" for b in "AB" for c in "AB"
        if generator.random() < 0.8
    }  # fmt: skip
    return rules, {(a, i): generator.uniform(0.05, 1) for a in "AB" for i in range(n)}


def derivations(rules: Rules, tags: Tags, f: F, a: str, i: int, k: int) -> Iterator[float]:
    """The weights of all derivations of [a, i, k], one by one."""
    if k == i + 1:
        yield tags[a, i]
        return
    for (head, b, c), weight in rules.items():
        for j in range(i + 1, k):
            if head == a:
                left = list(derivations(rules, tags, f, b, i, j))
                right = list(derivations(rules, tags, f, c, j, k))
                yield from (f(weight, x, y) for x, y in itertools.product(left, right))


def system(name: str) -> Deduction:
    return Deduction(CKY.format(FUNCTIONS[name][0]), functions={"noisy_or": noisy_or, "drops": drops})


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_against_all_derivations(name: str, seed: int) -> None:
    n = 4
    rules, tags = random_grammar(seed, n)
    _, f, superior = FUNCTIONS[name]
    want = sorted(derivations(rules, tags, f, "A", 0, n), reverse=True)
    facts = {"rule": rules, "tag": tags, "length": [n]}
    forest = system(name).run(facts)
    assert forest.count() == len(want)
    assert math.exp(forest.best().score) == pytest.approx(want[0])
    for k in (1, 5, len(want) + 3):
        found = [math.exp(proof.score) for proof in forest.kbest(k)]
        assert found == pytest.approx(want[:k])
    proofs = {str(proof) for proof in forest.kbest(len(want))}
    assert len(proofs) == len(want)
    searches: list[Search] = [AStar(lambda item: 50.0), Beam(top=1000)]
    for search in [*searches, BestFirst()] if superior else searches:
        assert math.exp(system(name).run(facts, search=search).best().score) == pytest.approx(want[0])
    if not superior:
        with pytest.raises(
            ValueError, match=r"^best-first search needs functions that are never above one of"
        ):
            system(name).run(facts, search=BestFirst())


@pytest.mark.parametrize("seed", range(3))
def test_scores(seed: int) -> None:
    """With log=True functions take scores, so that an average is one of scores."""
    rules, tags = random_grammar(seed, 3)
    negative = {
        "rule": {key: -weight for key, weight in rules.items()},
        "tag": {key: -weight for key, weight in tags.items()},
        "length": {3: 0.0},
    }
    for name, f in {
        "min": min,
        "max": max,
        "average": lambda r, b, c: (r + b + c) / 3,
        "discounted": lambda r, b, c: r + 0.5 * (b + c),
    }.items():
        want = max(derivations(negative["rule"], negative["tag"], f, "A", 0, 3))  # type: ignore[arg-type]
        assert system(name).run(negative, log=True).best().score == pytest.approx(want)
    python = Deduction(
        CKY.format("rule(A, B, C) * less([B, i, j], [C, j, k])"), functions={"less": lambda a, b: a + b - 1}
    )
    want = max(derivations(negative["rule"], negative["tag"], lambda r, b, c: r + b + c - 1, "A", 0, 3))  # type: ignore[arg-type]
    for search in (Exhaustive(), BestFirst()):
        assert python.run(negative, log=True, search=search).best().score == pytest.approx(want)


WIDEST = Deduction("at('s') <- 100\nat(y) <- min(at(x), road(x, y))\ngoal at('t')")


def widest(roads: dict[tuple[str, str], float], at: str, seen: Sequence[str] = ()) -> float:
    """By trying all paths without a repeated place."""
    if at == "s":
        return 100.0
    ways = [min(w, widest(roads, x, [*seen, at])) for (x, y), w in roads.items() if y == at and x not in seen]
    return max(ways, default=0.0)


@pytest.mark.parametrize("seed", range(10))
def test_cycles(seed: int) -> None:
    """Roads in both directions, with weights above one."""
    generator = random.Random(seed)
    places = ["s", "a", "b", "c", "t"]
    roads = {
        (x, y): generator.uniform(1, 20)
        for x in places
        for y in places
        if x != y and generator.random() < 0.6
    }
    want = widest(roads, "t")
    for search in (Exhaustive(), BestFirst()):
        best = WIDEST.run({"road": roads}, search=search).best()
        assert (0.0 if best is None else math.exp(best.score)) == pytest.approx(want)
    everything = WIDEST.run({"road": roads})
    if not everything.graph.is_acyclic:
        with pytest.raises(CycleError, match="infinitely many derivations: the cycle goes through at"):
            everything.kbest(2)


def test_a_cycle_without_a_best() -> None:
    rules = Deduction("a <- f\na <- max(b, g)\nb <- a\ngoal a")
    with pytest.raises(CycleError, match=r"there may be no best derivation.*: the cycle goes through"):
        rules.run({"f": {(): 0.1}, "g": {(): 0.5}}).best()


def test_facts_may_be_better_than_the_result_of_their_function() -> None:
    """Only items must not be: an average of facts is an axiom."""
    rules = Deduction("a(x) <- average(f(x), g(x))\nb(x) <- min(a(x), g(x))\ngoal b(_)")
    forest = rules.run({"f": {"u": 0.1, "v": 0.9}, "g": {"u": 0.9, "v": 0.2}}, search=BestFirst())
    assert math.exp(forest.best().score) == pytest.approx(0.5)


def test_items_found_above_their_premises() -> None:
    """What the trials cannot know is found in the search: 2 · min(a, 8) is above an item of 3."""
    rules = Deduction("a <- 3\nb <- 2 * min(a, 8)\ngoal b")
    message = r"^best-first search needs rules that .* the rule at rules:2 gives 6 from an item with 3;"
    with pytest.raises(ValueError, match=message):
        rules.run({}, search=BestFirst())
    rules = Deduction("a <- min(3, 5)\nb <- a * f\ngoal b")
    with pytest.raises(ValueError, match=r"a rule that multiplies gives 6 from an item with 3;"):
        rules.run({"f": {(): 2.0}}, search=BestFirst())


def test_functions_that_fall() -> None:
    rules = Deduction("a <- f * but_not(f, g)\ngoal a", functions={"but_not": lambda a, b: a * (1 - b)})
    with pytest.raises(
        ValueError, match=r"^a function must not fall where a premise rises, but the rule at rules:1"
    ):
        rules.run({"f": {(): 0.5}, "g": {(): 0.5}})


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, None, "x"])
def test_functions_without_a_weight(value: object) -> None:
    rules = Deduction("a <- wrong(f)\ngoal a", functions={"wrong": lambda a: value})  # type: ignore[dict-item, return-value]
    with pytest.raises(ValueError, match=r"^wrong\(0\.\d+\) is .*; it must be finite and not negative$"):
        rules.run({"f": {(): 0.5}})


def test_errors_of_a_function_are_its_own() -> None:
    def fails(a: float) -> float:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        Deduction("a <- fails(f)\ngoal a", functions={"fails": fails}).run({"f": {(): 0.5}})


def test_sums_are_refused() -> None:
    forest = Deduction("a <- min(f, 0.5)\ngoal a").run({"f": {(): 0.7}})
    assert not forest.is_product
    message = (
        r"^sums over derivations need rules that multiply, but the rule at rules:1 uses min; best, kbest"
    )
    for wrong in (
        forest.log_z,
        forest.marginals,
        forest.samples,
        forest.item_marginals,
        forest.fact_marginals,
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
    assert (forest.count(), math.exp(forest.best().score)) == (1, pytest.approx(0.5))


def test_a_proof_has_the_facts_in_their_places() -> None:
    rules = Deduction("a(x) <- min(b(x), f(x))\nb(x) <- g(x)\ngoal a(_)")
    proof = rules.run({"f": {"u": 0.5}, "g": {"u": 0.25}}).best()
    assert [child.item.name for child in proof.children] == ["b", "f"]
    assert math.exp(proof.children[1].score) == pytest.approx(0.5)


def test_new_scores() -> None:
    rules = Deduction("a(x) <- min(f(x), g(x))\ngoal a(_)")
    forest = rules.run({"f": {"u": 0.5, "v": 0.4}, "g": {"u": 0.1, "v": 0.4}})
    assert forest.best().item == Item("a", ("v",))
    other = [math.log(w) for w in (0.5, 0.4, 0.9, 0.1)] + [0.0, 0.0]
    assert forest.best(other).item == Item("a", ("u",))


def test_forests_cross_to_other_processes() -> None:
    forest = Deduction("a <- min(f, 0.5)\ngoal a").run({"f": {(): 0.7}})
    forest.best()
    assert pickle.loads(pickle.dumps(forest)).best() == forest.best()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a <- min(f", "rules:1: the bracket is never closed with ')'"),
        ("a <- min(f g)", "rules:1: expected ',' or ')' but found 'g'"),
        ("a <- min()", "rules:1: min has no argument"),
        ("a <- min(f, ?g)", "rules:1: a condition has no weight; write it outside of min(...)"),
        ("a(x) <- min(f(x), x < 3)", "rules:1: a comparison has no weight; write it outside of min(...)"),
        ("min(x) <- f(x)", "rules:1: min is a function; an item needs another name"),
        (
            "goal a <- min(f, g)",
            "rules:1: a goal has no function; write a rule with it and make its head the goal",
        ),
    ]
    + [
        (f"a <- {text}", f"rules:1: {EXPONENT}")
        for text in ("discounted(f)", "discounted(f, 0.9)", "discounted(0, f)", "discounted(0.5)")
    ],
)  # fmt: skip
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(FormatError) as error:
        parse_rules(text)
    assert str(error.value) == message


def test_numbers_in_a_function_are_weights() -> None:
    with pytest.raises(FormatError, match=r"^rules:1: a number in the rule is -1.0; weights must be finite"):
        Deduction("a <- min(f, -1)\ngoal a").run({"f": [()]})
    assert Deduction("a <- min(f, -1)\ngoal a").run({"f": {(): 3.0}}, log=True).best().score == -1.0


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"min": max}, "min is the name of a function that is there already"),
        ({"a b": max}, "'a b' is not a name that a rule can write"),
        ({"f": 3}, "the function f must be callable, got 3"),
    ],
)
def test_what_is_not_a_function(functions: dict[str, Callable[..., float]], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Deduction("a <- f\ngoal a", functions=functions)


def test_a_limit_on_memory() -> None:
    rules = Deduction("[0] <- f\n[i+1] <- min([i], 0.5)\ngoal [-1]")
    for search in (Exhaustive(), BestFirst()):
        with pytest.raises(ValueError, match=r"takes more than 20 MB, and the rule at rules:2 made the most"):
            rules.run({"f": [()]}, search=search, max_memory=20)
    with pytest.raises(ValueError, match=r"^max_memory must be above 0, got 0$"):
        rules.run({"f": [()]}, max_memory=0)

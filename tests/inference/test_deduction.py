"""The agenda against naive instantiation; goals, cycles, limits and what a forest says of it."""

from __future__ import annotations

import math
import random
import re
import subprocess
import sys

import numpy as np
import pytest

from oracles.deduction import NaiveDeduction, as_mapping, edges_of
from palmette.errors import FormatError
from palmette.inference.deduction import Deduction
from palmette.inference.facts import Item
from palmette.inference.hypergraph import CycleError
from palmette.inference.search import BestFirst, Exhaustive

pytestmark = pytest.mark.native

ARITY = {"p": 2, "q": 1, "e": 2, "f": 1, "g": 2}  # p and q are derived; p may be given as well


class RandomProgram:
    """A few rules over a few facts; arguments are integers that stay small, so what is derived is finite."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        n = self.random.randint(2, 5)
        self.text = "\n".join([*(self.rule() for _ in range(n)), self.rule(), self.goal()])
        self.facts = [
            (name, tuple(self.random.randrange(3) for _ in range(ARITY[name])), self.random.uniform(0.1, 1.0))
            for name in ("e", "f", "g", "p")
            for _ in range(self.random.randint(2 if name != "p" else 0, 6))
        ]

    def rule(self) -> str:
        choose = self.random
        body, bound = [], []
        for _ in range(choose.choice([1, 2, 2, 3])):
            name = choose.choice("ppqeefg")
            arguments = []
            for _ in range(ARITY[name]):
                kind = choose.random()
                if kind < 0.75 or not bound:
                    arguments.append(choose.choice("xyz"))
                    bound.append(arguments[-1])
                elif kind < 0.8:
                    arguments.append(str(choose.randrange(3)))
                elif kind < 0.9:
                    arguments.append(choose.choice(["x+1", "y-1", "z+1"]))
                    bound.append(arguments[-1][0])
                elif kind < 0.95:
                    arguments.append(f"{choose.choice(bound)}+{choose.choice(bound)}-1")
                else:
                    arguments.append("_")
            condition = "?" if choose.random() < 0.2 else ""
            body.append(f"{condition}{name}({', '.join(arguments)})")
        if choose.random() < 0.3:
            operator = choose.choice(["<", "<=", ">", ">=", "!=", "=="])
            body.append(f"{choose.choice(bound)} {operator} {choose.choice(bound)}")
        if choose.random() < 0.2:
            body.append(f"k == {choose.choice(bound)} + 1 * k < 3")
            bound.append("k")
        if choose.random() < 0.3:
            body.append(f"{choose.choice([0.5, 0.25, 2])}")
        choose.shuffle(body)
        head = choose.choice("ppq")
        arguments = []
        for _ in range(ARITY[head]):
            v = choose.choice(bound)
            arguments.append(v)
            if choose.random() < 0.2:
                arguments[-1] = choose.choice(["1", f"{v}+1"])
                body.append(f"{v} < 2")
            if any(sign in "".join(body) for sign in "+-"):
                body += [f"{v} < 4", f"{v} > -2"]
        return f"{head}({', '.join(arguments)}) <- {' * '.join(body)}"

    def goal(self) -> str:
        name = self.random.choice("pq")
        arguments = [self.random.choice(["x", "y", "0", "_"]) for _ in range(ARITY[name])]
        return f"goal {name}({', '.join(arguments)})" + self.random.choice(
            ["", " <- f(x)", " <- ?e(_, _)", " <- 0.5"]
        )


@pytest.mark.parametrize("seed", range(5))
def test_random_programs_against_naive_instantiation(seed: int) -> None:
    """The same instances, each once; nothing useless; the same sums."""
    run = 0
    for n in range(60):
        program = RandomProgram(1000 * seed + n)
        if "q(" in program.text and "\nq(" not in f"\n{program.text}":
            continue  # nothing gives q
        if (
            "p(" in program.text
            and "\np(" not in f"\n{program.text}"
            and not any(f[0] == "p" for f in program.facts)
        ):
            continue
        naive = NaiveDeduction(program.text, program.facts)
        used = {atom.name for rule in naive.rules for atom in rule.body} | {name for name, _ in naive.derived}
        facts = {name: rows for name, rows in as_mapping(program.facts).items() if name in used}
        if len(facts) < len(as_mapping(program.facts)):
            program.facts = [fact for fact in program.facts if fact[0] in used]
            naive = NaiveDeduction(program.text, program.facts)
        forest = Deduction(program.text).run(facts)
        assert edges_of(forest, naive.derived) == naive.edges, program.text
        assert forest.statistics.edges_built >= sum(naive.edges.values())
        assert forest.statistics.items_made == len(naive.items)
        np.testing.assert_allclose(forest.scores, np.log(naive.weights))
        if forest.graph.is_acyclic:
            assert forest.log_z() == pytest.approx(math.log(naive.total) if naive.total else -math.inf)
            assert forest.count() == naive.count
            run += 1
    assert run >= 10


# What the body may be


def test_repeated_predicates_are_joined_once() -> None:
    """path(x, z) <- path(x, y) * path(y, z) has every pair of halves once: Catalan numbers of derivations."""
    rules = Deduction("path(x, y) <- edge(x, y)\npath(x, z) <- path(x, y) * path(y, z)")
    edges = [(i, i + 1) for i in range(8)]
    for n, catalan in enumerate([1, 1, 2, 5, 14, 42, 132, 429], 1):
        forest = rules.run({"edge": edges}, f"path(0, {n})")
        assert forest.count() == catalan


def test_an_item_twice_in_one_rule() -> None:
    forest = Deduction("b(x) <- a(x) * a(x)\na(x) <- f(x)\ngoal b(1)").run({"f": {1: 0.5}})
    assert forest.count() == 1
    assert forest.log_z() == pytest.approx(2 * math.log(0.5))
    assert forest.fact_marginals() == {Item("f", (1,)): 2.0}


def test_a_condition_holds_once() -> None:
    """However many ways there are to meet a condition, the derivation is one, of the same weight."""
    rules = "b(x) <- a(x) * ?c(x, y)\ngoal b(x)"
    facts = {"a": {1: 0.5}, "c": [(1, 2), (1, 3), (1, 3), (2, 4)]}
    forest = Deduction(rules).run(facts)
    assert (forest.count(), forest.best().score) == (1, math.log(0.5))
    derived = Deduction(f"{rules}\nc(x, y) <- d(x, y)\nc(x, y) <- d(x, y) * 2")
    forest = derived.run({"a": {1: 0.5}, "d": {(1, 2): 0.1, (1, 3): 0.1}})
    assert forest.log_z() == math.log(0.5)
    assert str(forest.best()) == "b(1)  ← a(1)"
    assert Deduction(rules).run({"a": [1], "c": [(2, 2)]}).count() == 0


def test_a_condition_may_give_the_head_its_variables() -> None:
    forest = Deduction("b(y) <- a(x) * ?c(x, y)\ngoal b(y)").run({"a": [1], "c": [(1, 2), (1, 3), (1, 3)]})
    assert sorted(str(proof.item) for proof in forest.kbest(9)) == ["b(2)", "b(3)"]


def test_repeated_facts_are_different_derivations() -> None:
    rows = [("f", (1,), 0.25), ("f", (1,), 0.5)]
    forest = Deduction("a(x) <- f(x)\ngoal a(1)").run(as_mapping(rows))
    assert forest.count() == 2
    assert forest.log_z() == pytest.approx(math.log(0.75))
    assert forest.fact_marginals() == {Item("f", (1,)): pytest.approx(1.0)}


def test_derived_and_given() -> None:
    forest = Deduction("a(x) <- f(x)\ngoal a(1)").run({"f": {1: 0.5}, "a": {1: 0.25}})
    assert [str(p) for p in forest.kbest(3)] == ["a(1)  ← f(1)", "a(1)"]
    assert forest.log_z() == pytest.approx(math.log(0.75))


def test_rules_without_premises() -> None:
    forest = Deduction("start <- 0.5\na('x', -1) <- start * 0.5\na('y', 0) <- 1 < 2\ngoal a(_, _)").run({})
    assert [(str(p.item), p.score) for p in forest.kbest(3)] == [
        ("a(y, 0)", 0.0),
        ("a(x, -1)", 2 * math.log(0.5)),
    ]


def test_equations_bind() -> None:
    rules = "a(j, k) <- f(i) * j == i+1 * k == j+j-i * k != 7\ngoal a(j, k)"
    assert [str(p.item) for p in Deduction(rules).run({"f": [1, 5]}).kbest(5)] == ["a(2, 3)"]


def test_arguments_that_cannot_be_inverted() -> None:
    rules = Deduction("a(i, j) <- f(i) * f(j) * g(i+j) * h(j-i)\ngoal a(_, _)")
    found = rules.run({"f": [1, 2, 3], "g": [4], "h": [0, 2]}).kbest(9)
    assert sorted(str(p.item) for p in found) == ["a(1, 3)", "a(2, 2)"]


@pytest.mark.parametrize(
    ("operator", "pairs"), [("<", 3), ("<=", 6), (">", 3), (">=", 6), ("==", 3), ("!=", 6), ("< 1 +", 6)]
)
def test_comparisons(operator: str, pairs: int) -> None:
    rules = Deduction(f"a(x, y) <- f(x) * f(y) * x {operator} y\ngoal a(_, _)")
    assert rules.run({"f": [-1, 0, 1]}).count() == pairs


def test_symbols_are_no_integers() -> None:
    rules = Deduction("a(x) <- f(x) * g(x)\nb(x) <- f(x+1)\nc(x) <- f(x) * x == '3'")
    facts = {"f": ["3", "x"], "g": [3]}
    assert rules.run(facts, "a(_)").count() == 0
    assert rules.run(facts, "b(_)").count() == 0  # a symbol is not x+1 for any x
    assert [p.item.arguments for p in rules.run(facts, "c(_)").kbest(3)] == [("3",)]


def test_the_range_of_integers() -> None:
    """Nothing that a match computes may reach the values that stand for symbols."""
    most = 2**30 - 1
    rules = Deduction("a(x) <- f(x-1)\nb(x) <- f(x+1)\nc <- f(x) * ?g(x+1)\ngoal a(_)")
    facts = {"f": [most, -most], "g": ["symbol"]}
    assert [p.item.arguments for p in rules.run(facts).kbest(3)] == [(1 - most,)]
    assert [p.item.arguments for p in rules.run(facts, "b(_)").kbest(3)] == [(most - 1,)]
    assert rules.run(facts, "c").count() == 0
    with pytest.raises(ValueError, match=r"^rules:1: an integer of 2\^30 or more$"):
        Deduction("a(x+1) <- f(x)\ngoal a(_)").run({"f": [most]})


# What may be wrong when it runs


@pytest.mark.parametrize(
    ("rules", "facts", "message"),
    [
        (
            "a(x+1) <- f(x)\ngoal a(_)",
            {"f": ["s"]},
            "rules:1: arithmetic on a symbol, where an integer is needed",
        ),
        (
            "\na(x) <- f(x) * x < 1\ngoal a(_)",
            {"f": ["s"]},
            "rules:2: symbols have no order; compare them with == or !=",
        ),
        (
            "a(x) <- f(x)",
            {"f": [1]},
            "no goal: say which item to derive, such as ['S', 0, 5], or write in the rules: goal ['S', 0, 5]",
        ),
        ("a(x) <- f(x)\ngoal a(_)", {"f": [1], "g": [2]}, "facts are given for g(_), which no rule uses"),
        (
            "a(x) <- fact(x)\ngoal a(_)",
            {"fact": [1], "fcat": [2]},
            "facts are given for fcat(_), which no rule uses; did you mean fact(_)?",
        ),
        (
            "a(x) <- f(x)\ngoal a(_)",
            {"f": [(1, 2)]},
            "facts are given for f(_, _), which no rule uses; did you mean f(_)?",
        ),
        (
            "a(x) <- ff(x)\ngoal a(_)",
            {"f": [1]},
            "rules:1: nothing gives ff(_): it is neither the head of a rule nor among the facts; did you "
            "mean f(_)?",
        ),
        (
            "a(x) <- f(x)\ngoal [_, _]",
            {"f": [1]},
            "rules:2: nothing gives [_, _]: it is neither the head of a rule nor among the facts",
        ),
        (
            "a <- word\ngoal a",
            {"wrod": [()]},
            "rules:1: nothing gives word: it is neither the head of a rule nor among the facts; did you "
            "mean wrod?",
        ),
        (
            "a(x) <- f(x) * -1\ngoal a(_)",
            {"f": [1]},
            "rules:1: the weight of the rule is -1.0; weights must be finite and not negative; if the weights "
            "are logs, say so with log=True or --log",
        ),
        (
            "a(x) <- f(x) * x < 1073741824\ngoal a(_)",
            {"f": [1]},
            "rules:1: 1073741824 is too large: integers must be below 2^30",
        ),
    ],
)
def test_errors(rules: str, facts: dict[str, list[object]], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Deduction(rules).run(facts)


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("b(1)", "goal:1: nothing gives b(_): it is neither the head of a rule nor among the facts"),
        ("a(1) a(2)", "goal:1: expected '*' or the end of the rule but found 'a'"),
        ("a(1)\na(2)", "goal:2: something follows the goal"),
        (
            "a(x+y)",
            "goal:1: variable x in the body is not bound: no item or fact of the body gives its value",
        ),
        ("", "goal:1: expected an item such as [A, i, k] or name(A, i)"),
        ("a(99999999999)", "goal:1: 99999999999 is too large: integers must be below 2^30"),
    ],
)
def test_errors_of_the_goal(goal: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        Deduction("a(x) <- f(x)").run({"f": [1]}, goal)
    assert str(caught.value) == message


def test_arithmetic_in_the_goal_names_the_goal() -> None:
    with pytest.raises(ValueError, match=r"^goal:1: symbols have no order"):
        Deduction("a(x) <- f(x)").run({"f": ["s"]}, "a(x) <- x < 3")


@pytest.mark.parametrize("rules", ["", "# nothing\n", "goal a(1)"])
def test_no_rules(rules: str) -> None:
    with pytest.raises(FormatError, match=r"^rules: there is no rule$"):
        Deduction(rules)


def test_a_bucket_of_nothing() -> None:
    with pytest.raises(FormatError, match=r"^rules:2: no rule derives b\(_\)$"):
        Deduction("a(x) <- f(x)\nbucket b(x) = x")


@pytest.mark.parametrize(
    "rules",
    [
        "[i+1] <- [i]\ngoal ['end']",
        "a(x) <- f(x) * f(y) * f(z) * x+y == z+5000000\ngoal a(1)",  # no edge is ever built
    ],
)
def test_interruption(rules: str) -> None:
    """A signal ends a long run: here an alarm, whose handler raises as that of Ctrl-C does."""
    code = (
        "import signal\nfrom palmette.inference.deduction import Deduction\n"
        "signal.signal(signal.SIGALRM, signal.default_int_handler)\nsignal.setitimer(signal.ITIMER_REAL, 0.1)\n"
        f"facts = {{'f': range(3000)}} if 'f(x)' in {rules!r} else {{'': [0]}}\n"
        f"try:\n    Deduction({rules!r}).run(facts)\nexcept KeyboardInterrupt:\n    print('interrupted')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.stderr) == ("interrupted\n", "")


# Goals


@pytest.mark.parametrize(
    ("rules", "facts"),
    [
        ("a(x) <- f(x)\ngoal a(2)", {"f": [1]}),
        ("a(x) <- f(x)\ngoal a(1)", {"f": []}),
        ("a(x) <- f(x)\ngoal f(2)", {"f": [1]}),
        ("a(x) <- a(x)\ngoal a(1)", {}),
    ],
)
def test_a_goal_that_nothing_derives(rules: str, facts: dict[str, list[int]]) -> None:
    forest = Deduction(rules).run(facts)
    assert (forest.log_z(), forest.count(), forest.best(), forest.kbest(3)) == (-math.inf, 0, None, [])
    assert (forest.item_marginals(), forest.fact_marginals()) == ({}, {})
    assert (forest.graph.n_nodes, forest.graph.root) == (0, -1)


def test_a_derivation_of_weight_zero_is_none() -> None:
    forest = Deduction("a(x) <- f(x)\ngoal a(1)").run({"f": {1: 0.0}})
    assert (forest.log_z(), forest.best(), forest.kbest(2)) == (-math.inf, None, [])


def test_a_goal_that_is_a_fact() -> None:
    forest = Deduction("a(x) <- f(x)\ngoal f(x) <- g(x) * 0.5").run({"f": {1: 0.5, 2: 0.4}, "g": {2: 0.5}})
    assert [str(proof) for proof in forest.kbest(2)] == ["f(2)"]
    assert forest.best().score == pytest.approx(math.log(0.1))


def test_a_goal_with_free_variables() -> None:
    forest = Deduction("a(x, y) <- f(x, y)").run({"f": {(1, 1): 0.5, (1, 2): 0.25, (2, 2): 0.125}}, "a(x, x)")
    assert [str(p.item) for p in forest.kbest(5)] == ["a(1, 1)", "a(2, 2)"]
    forest = Deduction("a(x, y) <- f(x, y)").run({"f": [(1, 1), (1, 2)]}, "a(1, _)")
    assert forest.count() == 2


def test_items_without_arguments() -> None:
    forest = Deduction("rain <- clouds * 0.5\nwet <- rain\nwet <- hose\ngoal wet").run(
        {"clouds": {(): 0.8}, "hose": {(): 0.1}}
    )
    assert [str(p) for p in forest.kbest(3)] == [
        "wet\n  rain  ← clouds\n    weight of the rule",
        "wet  ← hose",
    ]
    assert forest.log_z() == pytest.approx(math.log(0.5))


def test_goal_is_also_a_name() -> None:
    """Neither the word nor the item that the engine derives at last is taken."""
    forest = Deduction("goal <- f(x)\ngoal(x) <- f(x)\ngoal goal").run({"f": [1]})
    assert str(forest.best()) == "goal  ← f(1)"
    assert Deduction("goal(x) <- f(x)").run({"f": [1]}, "goal(1)").count() == 1


# Cycles


def unary_cycle(weight: float) -> Deduction:
    return Deduction(f"[A, i] <- unary(A, B) * [B, i]\n[A, i] <- word(A, i)\ngoal ['A', 0] <- {weight}")


FACTS = {"unary": {("A", "B"): 0.5, ("B", "A"): 0.5}, "word": {("A", 0): 0.3, ("B", 0): 0.3}}


def test_cycles_are_solved() -> None:
    forest = unary_cycle(1.0).run(FACTS)
    assert not forest.graph.is_acyclic
    # a = 0.3 + 0.5 b and b = 0.3 + 0.5 a
    assert forest.log_z() == pytest.approx(math.log(0.6))
    assert (str(forest.best()), forest.best().score) == ("[A, 0]  ← word(A, 0)", pytest.approx(math.log(0.3)))
    with pytest.raises(CycleError) as caught:
        forest.count()
    assert str(caught.value) in (
        "there are infinitely many derivations: the cycle goes through [B, 0], [A, 0]",
        "there are infinitely many derivations: the cycle goes through [A, 0], [B, 0]",
    )


def test_a_sum_that_diverges() -> None:
    forest = unary_cycle(1.0).run({**FACTS, "unary": {("A", "B"): 1.0, ("B", "A"): 1.0}})
    with pytest.raises(CycleError, match=r"diverges: the cycle goes through \[., 0\], \[., 0\]$"):
        forest.log_z()
    assert forest.best().score == pytest.approx(math.log(0.3))


def test_log_weights() -> None:
    rules = Deduction("a(x) <- f(x) * -1.5 * g\ngoal a(_)")
    forest = rules.run({"f": {1: -2.0, 2: 3.0, 3: -math.inf}, "g": [()]}, log=True)
    assert [(p.item.arguments, p.score) for p in forest.kbest(3)] == [((2,), 1.5), ((1,), -3.5)]


def test_wide_atoms() -> None:
    names = [f"x{i}" for i in range(64)]
    rules = Deduction(f"a({', '.join(names)}) <- f({', '.join(reversed(names))})\ngoal a({', '.join(names)})")
    assert rules.run({"f": [tuple(range(64))]}).best().item.arguments == tuple(range(63, -1, -1))
    with pytest.raises(FormatError, match=r"^rules:2: more than 64 arguments$"):
        Deduction(f"\na(1) <- f({', '.join(names)}, y)")


def test_from_file(tmp_path) -> None:
    (tmp_path / "x.rules").write_text("a(x) <- f(y)", encoding="utf-8")
    with pytest.raises(FormatError, match=r"x.rules:1: variable x in the head is not bound"):
        Deduction.from_file(tmp_path / "x.rules")
    (tmp_path / "x.rules").write_bytes(b"\na('\xff') <- f(y)")
    with pytest.raises(FormatError, match=r"x.rules:2: byte 4 of the file is not UTF-8"):
        Deduction.from_file(tmp_path / "x.rules")


def test_most_edges() -> None:
    system = Deduction("[0] <- f")
    assert system.run({"f": [()]}, "[0]", max_edges=2**80).count() == 1
    with pytest.raises(ValueError, match="'max_edges' parameter must be an int"):
        system.run({"f": [()]}, "[0]", max_edges=-1)
    with pytest.raises(TypeError, match=r"max_edges must be an integer, got 1\.5"):
        system.run({"f": [()]}, "[0]", max_edges=1.5)  # type: ignore[arg-type]


def test_a_name_may_have_no_facts_of_one_arity() -> None:
    rules = Deduction("a(x) <- f(x)\na(x) <- f(x, y)\ngoal a(_)")
    assert rules.run({"f": [1, 2]}).count() == 2


@pytest.mark.parametrize(
    ("limit", "what"),
    [
        ({"max_items": 1_000}, "more than 1000 items"),
        ({"max_edges": 1_000}, "more than 1000 edges"),
        ({"max_seconds": 1e-9}, "more than 1e-09 seconds"),
    ],
)
@pytest.mark.parametrize("search", [Exhaustive(), BestFirst()])
def test_a_search_without_end_names_the_rule_that_grows(limit, what, search):
    system = Deduction("[0] <- start\n[i+1] <- [i]\ngoal [-1]", path="count.rules")
    with pytest.raises(
        ValueError, match=rf"{what}, and the rule at count.rules:2 .* raise {next(iter(limit))}"
    ):
        system.run({"start": [()]}, search=search, **limit)


def test_limits_are_positive():
    system = Deduction("[0] <- start\ngoal [0]")
    for limit in ({"max_items": -1}, {"max_edges": -1}, {"max_seconds": 0}):
        with pytest.raises(ValueError, match=next(iter(limit))):
            system.run({"start": [()]}, **limit)

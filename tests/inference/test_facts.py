"""Facts from tuples, scalars, mappings and columns, and what is refused."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from palmette.inference.deduction import Deduction
from palmette.inference.facts import Columns, Item, Symbols, encode_facts

pytestmark = pytest.mark.native

PAIRS = Deduction("pair(x, y) <- f(x, y)\ngoal pair(_, _)")
SINGLES = Deduction("single(x) <- f(x)\ngoal single(_)")


def derived(rules: Deduction, source: object, log: bool = False) -> dict[tuple[int | str, ...], float]:
    forest = rules.run({"f": source}, log=log)  # type: ignore[dict-item]
    return {proof.item.arguments: math.exp(proof.score) for proof in forest.kbest(100)}


@pytest.mark.parametrize(
    "source",
    [
        [("a", 1), ("b", -2)],
        (["a", 1], ["b", -2]),
        iter([("a", 1), ("b", -2)]),
        {("a", 1): 1, ("b", -2): 1.0},
        Columns(["a", "b"], [1, -2]),
        Columns(np.array(["a", "b"], dtype=object), np.array([1, -2], dtype=np.int8)),
        Columns(np.array(["a", "b"]), np.array([1, -2], dtype=object), weights=[1, 1]),
        Columns(("a", "b"), np.array([1, -2]), weights=np.ones(2, np.float32)),
    ],
)
def test_the_same_facts(source: object) -> None:
    assert derived(PAIRS, source) == {("a", 1): 1.0, ("b", -2): 1.0}


@pytest.mark.parametrize(
    "source", [[3, "x"], {3: 1.0, "x": 1.0}, [(3,), ["x"]], Columns(np.array([3, "x"], dtype=object))]
)
def test_facts_of_one_argument_need_no_tuple(source: object) -> None:
    assert derived(SINGLES, source) == {(3,): 1.0, ("x",): 1.0}


def test_numpy_scalars_and_ranges() -> None:
    assert derived(SINGLES, np.arange(3)) == derived(SINGLES, range(3)) == {(0,): 1, (1,): 1, (2,): 1}
    assert derived(SINGLES, np.array(["é", "ж"])) == {("é",): 1, ("ж",): 1}


def test_symbols_of_any_kind() -> None:
    names = ["3", "-3", "", " ", "a b", "\n", "日本語", "e\u0301", "é", "😀", "'", "None", "x" * 10_000]
    assert set(derived(SINGLES, names)) == {(name,) for name in names}
    assert set(derived(SINGLES, Columns(np.array(names, dtype=object)))) == {(name,) for name in names}


def test_weights() -> None:
    assert derived(PAIRS, {("a", 1): 0.5, ("b", 2): 3}) == pytest.approx({("a", 1): 0.5, ("b", 2): 3.0})
    weights = np.array([0.5, 3.0])
    assert derived(PAIRS, Columns(["a", "b"], [1, 2], weights=weights)) == pytest.approx(
        {("a", 1): 0.5, ("b", 2): 3.0}
    )
    scores = {("a", 1): -1.5, ("b", 2): 2}
    assert derived(PAIRS, scores, log=True) == pytest.approx({k: math.exp(v) for k, v in scores.items()})
    assert derived(PAIRS, [("a", 1)], log=True) == {("a", 1): 1.0}  # weight one is score zero


def test_several_arities_under_one_name() -> None:
    rules = Deduction("a(x) <- f(x) * f(x, y) * f\ngoal a(_)")
    forest = rules.run({"f": {1: 0.5, (1, 2): 0.25, (): 0.5}})
    assert forest.log_z() == pytest.approx(math.log(1 / 16))


def test_parts_are_numbered_in_the_order_given() -> None:
    rules = Deduction("a(x) <- f(x) * g(x)\ngoal a(_)")
    forest = rules.run({"g": {1: 0.5, 2: 0.25}, "f": Columns([2, 1], weights=[0.1, 0.2])})
    assert [str(forest.fact(k)) for k in range(6)] == ["g(1)", "g(2)", "f(2)", "f(1)", "None", "None"]
    np.testing.assert_allclose(np.exp(forest.scores), [0.5, 0.25, 0.1, 0.2, 1, 1])
    assert forest.best(np.log([1, 1, 1, 0.5, 1, 1])).item == Item("a", (2,))


def test_many_facts_are_fast() -> None:
    """10^5 facts in each form, joined on a column: without an index that would take hours."""
    n = 100_000
    rules = Deduction("a(x, z) <- f(x, y) * g(y, z)\ngoal a(0, z)")
    rows = {(f"x{i}", i): 0.5 for i in range(n)} | {(0, 5): 0.5}
    forest = rules.run({"f": rows, "g": Columns(np.arange(n), np.arange(n).astype(str))})
    assert forest.best().item == Item("a", (0, "5"))
    assert forest.statistics.edges_built == 2 * n + 2  # every g is a leaf with an edge of its own


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([(1, 2.0)], "fact f(1, 2.0): 2.0 is neither an integer nor a string"),
        ([(1, None)], "fact f(1, None): None is neither an integer nor a string"),
        ([(1, True)], "fact f(1, True): True is neither an integer nor a string"),
        ([(1, b"x")], "fact f(1, b'x'): b'x' is neither an integer nor a string"),
        ([(1, (2, 3))], "fact f(1, (2, 3)): (2, 3) is neither an integer nor a string"),
        ([(1, 2**30)], "fact f(1, 1073741824): 1073741824 is too large: integers must be below 2^30"),
        ([(1, -(2**30))], "fact f(1, -1073741824): -1073741824 is too large: integers must be below 2^30"),
        ("ab", "facts of f: expected a list of facts or a mapping from facts to weights, got 'ab'"),
        (5, "facts of f: expected a list of facts or a mapping from facts to weights, got 5"),
        ({(1, 2): "x"}, "a weight of f is 'x', which is not a number"),
        ({(1, 2): "0.5"}, "a weight of f is '0.5', which is not a number"),
        ({(1, 2): None}, "a weight of f is None, which is not a number"),
        ({(1, 2): math.nan}, "a weight of f is nan; weights must be finite and not negative"),
        ({(1, 2): math.inf}, "a weight of f is inf; weights must be finite and not negative"),
        ({(1, 2): 10**400}, "a weight of f is inf; weights must be finite and not negative"),
        (
            {(1, 2): -0.5},
            "a weight of f is -0.5; weights must be finite and not negative; if the weights are logs, "
            "say so with log=True or --log",
        ),
        (Columns([1.0], [2]), "facts of f: 1.0 is neither an integer nor a string"),
        (Columns([1], [2**30]), "facts of f: a column has integers of 2^30 or more"),
        (Columns([1], np.array([-(2**63)])), "facts of f: a column has integers of 2^30 or more"),
        (Columns(np.array([None]), [1]), "facts of f: None is neither an integer nor a string"),
        (Columns([1], [2], weights=["x"]), "a weight of f is 'x', which is not a number"),
        (
            Columns([1], [2], weights=[math.nan]),
            "a weight of f is nan; weights must be finite and not negative",
        ),
    ],
)
def test_what_is_no_fact(source: object, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        PAIRS.run({"f": source})  # type: ignore[dict-item]


def test_scores_may_be_anything_below_infinity() -> None:
    with pytest.raises(ValueError, match=r"^a weight of f is inf; scores must be below infinity$"):
        PAIRS.run({"f": {(1, 2): math.inf}}, log=True)
    with pytest.raises(ValueError, match=r"^a weight of f is nan; scores must be below infinity$"):
        PAIRS.run({"f": {(1, 2): math.nan}}, log=True)
    assert PAIRS.run({"f": {(1, 2): -math.inf}}, log=True).best() is None


@pytest.mark.parametrize("columns", [(), ([1, 2], [1]), ([[1, 2]],), (3,)])
def test_columns_that_are_none(columns: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match="columns must be one-dimensional and of the same length"):
        Columns(*columns)  # type: ignore[arg-type]


def test_weights_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"expected 2 weights, got an array of shape \(3,\)"):
        Columns([1, 2], weights=[1, 2, 3])


def test_too_many_arguments() -> None:
    with pytest.raises(ValueError, match="which no rule uses"):
        PAIRS.run({"f": [tuple(range(100))]})


def test_no_facts() -> None:
    assert derived(PAIRS, []) == derived(PAIRS, {}) == derived(PAIRS, Columns([], [])) == {}


def test_encoding_is_undone() -> None:
    symbols = Symbols()
    values = ["a", 3, "3", -(2**30) + 1, "a"]
    assert [symbols.decode(symbols.encode(value)) for value in values] == values
    column = np.array(["b", "a", "b"])
    assert [symbols.decode(v) for v in symbols.encode_column(column).tolist()] == ["b", "a", "b"]
    table = encode_facts({"f": [("a", 1), ("b", 2)]}, symbols, log=False)["f", 2]
    assert (table.n, table.values.shape, table.values.dtype) == (2, (2, 2), np.int32)


def test_items_print_as_they_are_written() -> None:
    items = [Item("", ("NP", 0, 2)), Item("word", ("flies", 1)), Item("wet", ()), Item("", ())]
    assert list(map(str, items)) == ["[NP, 0, 2]", "word(flies, 1)", "wet", "[]"]

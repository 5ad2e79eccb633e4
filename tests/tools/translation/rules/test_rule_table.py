"""Rule tables against plain lists of rules, and damaged arrays."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from oracles.random_rules import by_text, random_rules, random_tree_rules
from palmette.errors import FormatError
from palmette.tools.translation.rules import rule_table
from palmette.tools.translation.rules.assembling import select
from palmette.tools.translation.rules.fragments import Fragment, fragment_of
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.symbols import Nonterminal, side_text, symbols_of
from palmette.tools.translation.tables.phrase_table import STANDARD

pytestmark = pytest.mark.native


@pytest.mark.parametrize("kind", ["strings", "trees"])
def test_a_table_gives_back_its_rules(kind: str) -> None:
    rules = random_rules(1) if kind == "strings" else random_tree_rules(1)
    table = RuleTable.from_rules(rules, kind=kind)
    assert len(table) == len(rules)
    assert by_text(table) == by_text(rules)
    for rule in rules:
        key = rule.source if kind == "strings" else rule.fragment or ""
        same = table.rules(key)
        want = [one for one in rules if (one.source if kind == "strings" else one.fragment) == key]
        assert by_text(same) == by_text(want)
        sums = [sum(one.scores) for one in same]
        assert sums == sorted(sums, reverse=True)
        assert table.rules(key, 1) == same[:1]


@pytest.mark.parametrize("kind", ["strings", "trees"])
def test_the_order_of_rules_does_not_matter(kind: str) -> None:
    rules = random_rules(2) if kind == "strings" else random_tree_rules(2)
    one, other = (RuleTable.from_rules(given, kind=kind) for given in (rules, rules[::-1]))
    for name, array in one.arrays().items():
        assert name == "rule_fragment" or np.array_equal(array, other.arrays()[name]), name
    assert list(one) == list(other)
    again = pickle.loads(pickle.dumps(one))
    assert list(again) == list(one)
    restored = RuleTable.from_arrays(one.arrays(), one.strings(), columns=STANDARD, kind=kind)
    assert list(restored) == list(one)


@pytest.mark.parametrize("kind", ["strings", "trees"])
def test_some_rules_of_a_table(kind: str) -> None:
    table = RuleTable.from_rules(random_rules(3) if kind == "strings" else random_tree_rules(3), kind=kind)
    kept = np.random.default_rng(0).random(len(table)) < 0.2
    chosen = [rule for rule, one in zip(table, kept.tolist()) if one]
    assert list(select(table, kept)) == chosen
    fresh = RuleTable.from_rules(chosen, kind=kind)
    for name, array in fresh.arrays().items():
        assert name == "rule_fragment" or np.array_equal(array, select(table, kept).arrays()[name]), name
    assert len(select(table, np.zeros(len(table), bool))) == 0


def test_sides_that_are_not_there() -> None:
    table = RuleTable.from_rules(random_rules(4))
    for side in ("", "nowhere", "[Y,1]", "ä0 ä1 ä2 ä3 ä4 ä0 ä1 ä2"):
        assert table.rules(side) == []
    assert list(RuleTable.from_rules([])) == []
    trees = RuleTable.from_rules(random_tree_rules(4), kind="trees")
    assert trees.rules("(ZZ (Y y))") == []
    with pytest.raises(ValueError, match="tree in brackets"):
        trees.rules("(ZZ (Y y)")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (("X", "a [X,1]", "b", [0] * 4), "same nonterminals"),
        (("X", "a [X,1]", "b [Y,1]", [0] * 4), "same nonterminals"),
        (("X", "a [X,1]", "b [X,1] [X,1]", [0] * 4), "same nonterminals"),
        (("X", "a [X,2] [X,1]", "b [X,1] [X,2]", [0] * 4), "number the nonterminals"),
        (("X", "", "b", [0] * 4), "1 to 255 symbols"),
        (("X", "a", "b", [0] * 3), "4 scores"),
        (("X", "a", "b", [float("nan")] * 4), "not a finite number"),
        (("X", "a", "b", [0] * 4, [(0, 1)]), "outside its sides"),
        (("X", "a", "b", [0] * 4, [], None, (1, 2)), "three counts"),
        (("[X]", "a", "b", [0] * 4), "a label"),
        (("X", "a", "b"), "must be"),
    ],
)
def test_rules_that_are_wrong(rule: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"Rule 1 .*{message}"):
        RuleTable.from_rules([rule])


def test_a_rule_that_occurs_twice() -> None:
    rule = ("X", "a", "b", [0] * 4)
    with pytest.raises(ValueError, match="rule 2 occurs twice"):
        RuleTable.from_rules([rule, rule])
    assert len(RuleTable.from_rules([rule, ("S", "a", "b", [0] * 4)])) == 2


def test_fragments_and_their_keys() -> None:
    fragment = Fragment.parse("(VP (AUX does) (RB not) [VB,1])")
    key = ["VP -> AUX RB VB", 'AUX -> "does"', 'RB -> "not"', None]
    assert list(fragment.decisions()) == key
    assert fragment_of(key) == fragment
    for wrong in (key[:-1], [*key, None], [None], ["VP -> AUX", "RB -> X", None], ["VP"]):
        with pytest.raises(ValueError, match=r"fragment|production"):
            fragment_of(wrong)


def test_text_of_words_with_brackets_and_bars() -> None:
    side = (
        "[X,1]",
        "a|b",
        "]",
        Nonterminal("X", 0),
        "&",
        "&#91;",
        "&amp;",
        "&amp;#93;&#124",
        "&#40;",
        "(",
        "&apos;s",
    )
    assert symbols_of(side_text(side)) == side
    fragment = Fragment("A", (*side, ")"))
    assert Fragment.parse(str(fragment)) == fragment


def spoilt(array: Any, rng: np.random.Generator) -> Any:
    """Some of the values of an array are changed, or there are fewer of them."""
    if rng.integers(0, 5) == 0:
        return array[: rng.integers(0, len(array) + 1)]
    changed = array.copy()
    flat = changed.reshape(-1)
    if not len(flat):
        return np.zeros(3, array.dtype).reshape((-1, 3)[: array.ndim])
    for _ in range(int(rng.integers(1, 4))):
        k = rng.integers(0, len(flat))
        if array.dtype.kind == "f":
            flat[k] = rng.choice([np.nan, np.inf])
        else:
            limits = np.iinfo(array.dtype)
            value = rng.choice(
                [limits.min, limits.max, int(flat[k]) + 1, int(flat[k]) - 1, rng.integers(0, 1000)]
            )
            flat[k] = np.clip(value, limits.min, limits.max)
    return changed


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("kind", ["strings", "trees"])
def test_damaged_arrays_are_refused_or_harmless(
    kind: str, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checked as a whole or on use: nothing is read outside the arrays, and what is wrong is a sentence."""
    if not whole:
        monkeypatch.setattr(rule_table, "_CHECKED_WHOLE", -1)
    rules = random_rules(5, 60) if kind == "strings" else random_tree_rules(5)
    table = RuleTable.from_rules(rules, kind=kind)
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        name = str(rng.choice(list(table.arrays())))
        arrays = {**table.arrays(), name: spoilt(table.arrays()[name], rng)}
        try:
            other = RuleTable.from_arrays(arrays, table.strings(), columns=STANDARD, kind=kind)
            for rule in rules:
                other.rules(rule.source if kind == "strings" else rule.fragment or "")
            list(other)
            select(other, rng.random(len(other)) < 0.5)
        except ValueError as error:
            refused += "rule table" in str(error) or "fragment" in str(error)
    assert refused > 150


def test_parts_that_are_missing() -> None:
    table = RuleTable.from_rules(random_rules(6, 10))
    arrays = {name: array for name, array in table.arrays().items() if name != "links"}
    with pytest.raises(FormatError, match=r"x\.palm: damaged model: the rule table has no array 'links'"):
        RuleTable.from_arrays(arrays, table.strings(), columns=STANDARD, path="x.palm")
    with pytest.raises(FormatError, match="no strings"):
        RuleTable.from_arrays(table.arrays(), {}, columns=STANDARD)
    with pytest.raises(FormatError, match="lacks a name"):
        RuleTable.from_arrays(table.arrays(), table.strings(), columns=STANDARD[:3])
    with pytest.raises(FormatError, match="kind"):
        RuleTable.from_arrays(table.arrays(), table.strings(), columns=STANDARD, kind="words")
    with pytest.raises(ValueError, match="different names"):
        RuleTable.from_rules([], columns=["a", "a"])

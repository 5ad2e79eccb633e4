"""Rule tables in the formats of Moses and of Joshua and cdec, there and back; and the part that a text may use."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles.random_rules import by_text, random_rules, random_tree_rules
from palmette.errors import FormatError
from palmette.tools.translation.rules import rule_table
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.symbols import Nonterminal, Rule, side_text
from palmette.trees.tree import Tree

pytestmark = pytest.mark.native


def _with_links_of_words(rule: Rule) -> Rule:
    """Links of nonterminals are how Moses says which is which."""
    words = [[isinstance(one, str) for one in side] for side in (rule.source, rule.target)]
    return rule._replace(links=tuple((i, j) for i, j in rule.links if words[0][i] and words[1][j]))


@pytest.mark.parametrize("name", ["rules.txt", "rules.gz"])
@pytest.mark.parametrize("format", ["moses", "joshua"])
def test_there_and_back(format: str, name: str, tmp_path: Path) -> None:
    rules = [Rule(r.left, r.source, r.target, r.scores, r.links, None, r.counts) for r in random_rules(1)]
    words = [Rule("X", ("[X,1]", "a|b"), ("(", "]"), (-1.0,) * 4, (), None, (1.0, 1.0, 0.5))]
    rules = [_with_links_of_words(rule) for rule in [*rules, *words]]
    if format == "joshua":
        rules = [rule._replace(counts=None) for rule in rules]
    table = RuleTable.from_rules(rules)
    table.write(tmp_path / name, format)
    again = RuleTable.read(tmp_path / name)
    assert by_text(again) == by_text(table)
    assert again.columns == table.columns


def test_fragments_there_and_back(tmp_path: Path) -> None:
    variable = Nonterminal("VB", 0)
    rule = Rule(
        "VP",
        ("ne", variable, "pas"),
        ("not", variable),
        (-1.0,) * 4,
        ((0, 0), (2, 0)),
        "(VP (RB not) [VB,1])",
    )
    RuleTable.from_rules([rule]).write(tmp_path / "rules")
    line = (tmp_path / "rules").read_text(encoding="utf-8")
    assert line.startswith("ne [X][VB] pas [X] ||| not [X][VB] [VP] ||| 0.36")
    assert line.endswith("||| 0-0 1-1 2-0 |||  ||| ||| {{Tree [VP [RB not] [VB]]}}\n")
    assert list(RuleTable.read(tmp_path / "rules")) == [rule]


def test_trees_there_and_back(tmp_path: Path) -> None:
    table = RuleTable.from_rules(random_tree_rules(2), kind="trees")
    table.write(tmp_path / "rules", "joshua")
    again = RuleTable.read(tmp_path / "rules")
    assert again.kind == "trees"
    assert list(again) == list(table)
    with pytest.raises(ValueError, match="no fragments of source trees"):
        table.write(tmp_path / "other")
    assert not (tmp_path / "other").exists()


def read(text: str, path: Path, **options: Any) -> RuleTable:
    path.write_text(text, encoding="utf-8")
    return RuleTable.read(path, **options)


def test_what_others_write(tmp_path: Path) -> None:
    path = tmp_path / "rules"
    (rule,) = read("[X] ||| [X,2] de [X,1] ||| [2] of [1] ||| p=-1 q=-2\n", path)
    assert side_text(rule.source) == "[X,1] de [X,2]"
    assert side_text(rule.target) == "[X,1] of [X,2]"
    assert read("[X] ||| a ||| b ||| 1 2 3 4 5\n", path).columns[3:] == ("lex_target", "column_5")
    assert read("[X] ||| a ||| b ||| 1 2\n", path, columns=["p", "q"]).columns == ("p", "q")
    (rule,) = read("do [VB][X] [VP] ||| [VB][X] tun [X] ||| 0.5 0.5 0.5 0.5 ||| \n", path)
    assert (rule.left, side_text(rule.target)) == ("VP", "[VB,1] tun")
    (rule,) = read("a [X] ||| b [X] ||| 0 1 1 1 ||| \n", path)
    assert rule.scores == (-100.0, 0.0, 0.0, 0.0)
    assert len(read("", path)) == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a ||| b [X] ||| 0.5 ||| ", "expected a label such as [X] at the end"),
        ("a [X] ||| b [X] ||| 0.5 0.5 ||| ", "expected the scores column_1, got column_1 column_2"),
        ("a [X] ||| b [X] ||| x ||| ", "expected a number, got 'x'"),
        ("a [X] ||| b [X] ||| -1 ||| ", "expected a probability, got"),
        ("a [X] ||| b [X] ||| nan ||| ", "expected a finite number"),
        ("a [X] ||| b [X]", "expected source side ||| target side ||| scores"),
        ("[X][X] a [X][X] [X] ||| [X][X] [X][X] [X] ||| 1 ||| 0-0", "expected a link for each nonterminal"),
        ("[NP][X] a [X] ||| [VP][X] [X] ||| 1 ||| 0-0", "expected the same labels of both sides"),
        ("[NP][VP] a [X] ||| [NP][VP] [X] ||| 1 ||| 0-0", "expected labels on one side only"),
        ("a [X] ||| b [X] ||| 0.5 ||| 0:0", "expected links such as 0-0"),
        ("a [X] ||| b [X] ||| 0.5 ||| 7-0", "expected links inside the rule"),
        ("a [X] ||| b [X] ||| 0.5 ||| ||| ||| ||| {{Tree [X [Y]}}", "expected a tree such as"),
        ("good [X] ||| gut [X] ||| 0.5 ||| 0-0", "the rule occurs twice"),
    ],
)
def test_lines_of_moses_that_are_wrong(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=rf"rules:2: .*{re.escape(message)}"):
        read(f"good [X] ||| gut [X] ||| 0.5 ||| 0-0\n{line}\n", tmp_path / "rules")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[X] ||| a ||| b", "expected [label] ||| source side"),
        ("a ||| a ||| b ||| p=1", "expected [label] ||| source side"),
        ("[X] ||| a ||| b ||| p=1 2", "expected a name for each score"),
        ("[X] ||| a ||| b ||| q=1", "expected the scores p, got q"),
        ("[X] ||| a [X,1] ||| b ||| p=1", "must have the same nonterminals"),
        ("[X] ||| a [X,1] ||| [Y,1] ||| p=1", "expected the same nonterminals"),
        ("[X] ||| a ||| b [2] ||| p=1", "expected the same nonterminals"),
        ("[X] ||| ||| b ||| p=1", "must have 1 to 255 symbols"),
    ],
)
def test_lines_of_joshua_that_are_wrong(line: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=rf"rules:2: .*{re.escape(message)}"):
        read(f"[X] ||| good ||| gut ||| p=1\n{line}\n", tmp_path / "rules")


# Filtering


def matches(side: tuple[Any, ...], words: list[str]) -> bool:
    """Whether a source side fits somewhere in a sentence, by a regular expression over its words."""
    pattern = "".join(rf"{re.escape(one)} " if isinstance(one, str) else r"(\S+ )+" for one in side)
    return re.search(rf"(^| ){pattern}", " ".join(words) + " ") is not None


def test_rules_that_a_text_may_use() -> None:
    table = RuleTable.from_rules(random_rules(7, 400))
    rng = np.random.default_rng(0)
    for _ in range(20):
        sentences = [[f"ä{k}" for k in rng.integers(0, 6, rng.integers(0, 8))] for _ in range(2)]
        want = [rule for rule in table if any(matches(rule.source, words) for words in sentences)]
        assert list(table.filtered(sentences)) == want
        assert list(table.filtered([" ".join(words) for words in sentences])) == want
    assert len(table.filtered([])) == 0
    with pytest.raises(TypeError, match="Number 1 is a tree"):
        table.filtered([Tree.parse("(S (A a))")])


def test_rules_that_trees_may_use() -> None:
    rules = [
        ("S", None, "x [B,1]", [-1] * 4, (), "(S (A a) [B,1])"),
        ("S", None, "[A,1] [B,2]", [-1] * 4, (), "(S [A,1] [B,2])"),
        ("S", None, "[A,1] [C,2]", [-1] * 4, (), "(S [A,1] [C,2])"),
        ("B", None, "y", [-1] * 4, (), "(B (C c))"),
        ("B", None, "[C,1]", [-1] * 4, (), "(B [C,1])"),
        ("A", None, "x", [-1] * 4, (), "(A b)"),
    ]
    table = RuleTable.from_rules(rules, kind="trees")
    found = {rule.fragment for rule in table.filtered(["(S (A a) (B (C c)))"])}
    assert found == {rules[k][5] for k in (0, 1, 3, 4)}
    assert {rule.fragment for rule in table.filtered([Tree.parse("(T (A b))")])} == {"(A b)"}
    with pytest.raises(TypeError, match="Number 1 is 3"):
        table.filtered([3])


@pytest.mark.parametrize("kind", ["strings", "trees"])
def test_filtering_a_damaged_table(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_table, "_CHECKED_WHOLE", -1)
    rules = random_rules(5, 60) if kind == "strings" else random_tree_rules(5)
    table = RuleTable.from_rules(rules, kind=kind)
    text: list[Any] = ["ä0 ä1 ä2 ä3 ä4"] if kind == "strings" else ["(S (NP a) (VP b))"]
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(100):
        name = str(rng.choice(["child_begin", "child_symbol", "rule_begin", "target_items", "rule_target"]))
        arrays = dict(table.arrays())
        arrays[name] = arrays[name].copy()
        arrays[name][rng.integers(0, len(arrays[name]))] = rng.integers(0, 2**31)
        try:
            RuleTable.from_arrays(arrays, table.strings(), columns=table.columns, kind=kind).filtered(text)
        except ValueError:
            refused += 1
    assert refused > 80

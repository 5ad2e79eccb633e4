"""Grammars as objects: what they are made of, their weights, and what they refuse."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

from oracles.grammars import random_grammar, string_weights
from palmette import Grammar
from palmette.grammars.checks import GrammarWarning
from palmette.grammars.rule import Rule, Terminal
from palmette.grammars.trimming import productive, reachable, trimmed

TEXT = "1.0: S -> NP VP\n0.6: NP -> 'time'\n0.4: NP -> 'flies'\n1.0: VP -> 'flies'"


def test_what_it_is_made_of() -> None:
    grammar = Grammar(TEXT)
    assert grammar.nonterminals == ("S", "NP", "VP")
    assert grammar.terminals == ("time", "flies")
    assert grammar.weights.tolist() == [1.0, 0.6, 0.4, 1.0]
    assert grammar.rules_of("NP") == (
        Rule("NP", (Terminal("time"),), 0.6),
        Rule("NP", (Terminal("flies"),), 0.4),
    )
    assert grammar.sums == {"S": 1.0, "NP": 1.0, "VP": 1.0}
    assert grammar.is_proper
    assert repr(grammar) == "<Grammar: start S, 4 rules, 3 nonterminals, 2 terminals>"
    assert len(grammar) == 4
    with pytest.raises(ValueError, match="X is not a nonterminal"):
        grammar.number_of("X")


def test_a_word_and_a_nonterminal_of_the_same_name() -> None:
    grammar = Grammar("S -> , ','\n, -> ','")
    assert grammar.nonterminals == ("S", ",")
    assert grammar.terminals == (",",)
    assert grammar.parse([",", ","]).probability == pytest.approx(1)


def test_it_stays_as_it_is() -> None:
    grammar = Grammar(TEXT)
    with pytest.raises(AttributeError, match="cannot be changed"):
        grammar.start = "NP"
    with pytest.raises(ValueError, match="read-only"):
        grammar.weights[0] = 2.0
    assert pickle.loads(pickle.dumps(grammar)) == grammar == copy.deepcopy(grammar)
    assert hash(Grammar(TEXT)) == hash(grammar)
    assert grammar != Grammar(TEXT, start="NP")
    assert grammar != TEXT


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([], "There is no rule, and so no start symbol."),
        ([("S", "NP", 1.0)], "A rule is Rule"),
        ([("S", (1,), 1.0)], "A rule is Rule"),
        ([3], "A rule is Rule"),
        ([Rule("S", ("NP",), -1.0)], "finite and not negative"),
        ([Rule("S", ("NP",), float("nan"))], "finite and not negative"),
        ([Rule("", ("NP",))], "must not be empty"),
        ([Rule("S", (Terminal(""),))], "must not be empty"),
        ([Rule("S", ("NP",)), Rule("S", ("NP",), 0.5)], "appears twice"),
    ],
)
def test_rules_that_are_none(rules: list[Rule], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Grammar(rules)


def test_a_start_symbol_without_rules() -> None:
    with pytest.raises(ValueError, match="No rule has the start symbol NP on its left"):
        Grammar([Rule("S", ("NP",))], start="NP")


def test_weights_that_do_not_sum_to_one_are_said_with_the_worst_nonterminal() -> None:
    text = "S -> A [0.9] | B [0.2]\nA -> 'a' [0.5]\nB -> 'b'"
    with pytest.warns(GrammarWarning, match=r"the weights of A sum to 0\.5, not to one \(those of 1 others"):
        Grammar(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weighted = Grammar(text, weighted=True)
        Grammar("S -> A | B\nA -> 'a'\nB -> 'b'")  # no weights at all: nobody meant probabilities
        assert weighted.normalised().weights.round(4).tolist() == [0.8182, 0.1818, 1.0, 1.0]
    assert not weighted.is_proper
    assert weighted.normalised().is_proper
    assert Grammar("S -> 'a' | 'b' | 'c'").normalised().weights.tolist() == pytest.approx([1 / 3] * 3)
    assert Grammar("S -> 'a' [0] | 'b' [0]", weighted=True).normalised().weights.tolist() == [0.5, 0.5]


def test_other_weights() -> None:
    grammar = Grammar(TEXT)
    assert grammar.with_weights([1, 1, 0, 1]).weights.tolist() == [1, 1, 0, 1]
    with pytest.raises(ValueError, match="There must be 4 weights"):
        grammar.with_weights([1.0])
    with pytest.raises(ValueError, match="finite and not negative"):
        grammar.with_weights([1, 1, np.inf, 1])


def test_it_shows_as_a_table() -> None:
    html = Grammar("S -> 'a<b' [0.25] | ε [0.75]")._repr_html_()
    assert "<b>S</b>" in html
    assert "0.75&#8195;ε<br/>0.25&#8195;&#x27;a&lt;b&#x27;" in html
    many = Grammar([Rule("S", (f"A{n}",), 1.0) for n in range(60)] + [Rule(f"A{n}", ()) for n in range(60)])
    assert "… and 10 more" in many._repr_html_()
    assert "… and 11 more" in many._repr_html_()


# Trimming


def test_reachable_and_productive() -> None:
    grammar = Grammar(
        """
        S -> A | B | 'x' E
        A -> 'a' A
        B -> C C
        C -> 'c' | ε
        D -> 'd'
        E -> E
        """
    )
    assert productive(grammar) == {"S", "B", "C", "D"}
    assert reachable(grammar) == {"S", "A", "B", "C", "E"}
    assert str(grammar.trimmed()) == "S -> B\nB -> C C\nC -> 'c'\nC -> ε\n"
    with pytest.raises(ValueError, match="S derives no string"):
        trimmed(Grammar("S -> S 'a'"))
    whole = Grammar(TEXT)
    assert whole.trimmed() is whole


def test_rules_of_weight_zero_count_as_absent() -> None:
    grammar = Grammar("S -> 'a' [1] | B [0]\nB -> 'b'")
    assert reachable(grammar) == {"S"}
    assert len(grammar.trimmed()) == 1


@pytest.mark.parametrize("seed", range(5))
def test_trimming_keeps_every_string(seed: int) -> None:
    grammar = random_grammar(seed, n=5)
    assert string_weights(grammar.trimmed(), 3) == pytest.approx(string_weights(grammar, 3))

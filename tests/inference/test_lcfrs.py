"""Linear context-free rewriting systems against the strings that a grammar generates, and every error."""

from __future__ import annotations

import itertools
import math

import pytest

from palmette.errors import FormatError
from palmette.inference.lcfrs import LCFRS, LCFRSRule, Span
from palmette.inference.search import BestFirst

pytestmark = pytest.mark.native

Strings = tuple[tuple[str, ...], ...]


def generate(grammar: LCFRS, longest: int) -> dict[str, dict[Strings, float]]:
    """By nonterminal, the tuples of strings of at most so many words and their weights; no ε-cycles allowed."""
    found: dict[str, dict[Strings, float]] = {name: {} for name in grammar.fan_out}
    while True:
        new: dict[str, dict[Strings, float]] = {name: {} for name in grammar.fan_out}
        for rule in grammar.rules:
            for choice in itertools.product(*(found[name].items() for name in rule.right)):
                strings = tuple(_spell(component, [s for s, _ in choice]) for component in rule.components)
                if sum(map(len, strings)) <= longest:
                    weight = rule.weight * math.prod(w for _, w in choice)
                    new[rule.left][strings] = new[rule.left].get(strings, 0.0) + weight
        if new == found:
            return found
        found = new


def _spell(component: tuple[Span | str, ...], strings: list[Strings]) -> tuple[str, ...]:
    words: list[str] = []
    for symbol in component:
        words += strings[symbol.nonterminal][symbol.component] if isinstance(symbol, Span) else [symbol]
    return tuple(words)


GRAMMARS = {
    "copy": "S -> A_1[1] A_2[1]\nA -> A_1[1] a, A_2[1] a\nA -> A_1[1] b, A_2[1] b\nA -> ε, ε",
    "context-free": "S -> a S[1] b\nS -> S[1] S[2]\n0.5: S -> a b",
    "three of each": "S -> A_1[1] A_2[1] A_3[1]\nA -> a A_1[1], b A_2[1], a A_3[1]\n0.25: A -> a, b, a",
    "weighted and ambiguous": "0.5: S -> A_1[1] B_1[2] A_2[1]\n0.3: S -> A_1[1] A_2[1]\n0.2: A -> a, b\n"
    "0.7: A -> a A_1[1], A_2[1] b\n0.4: B -> b\n0.4: B -> a\nS -> a a b b",
    "crossing": "S -> A_1[1] B_1[2] A_2[1] B_2[2]\nA -> a A_1[1], a A_2[1]\nA -> a, a\nB -> b B_1[1], b B_2[1]\n"
    "B -> b, b",
    "a span that is empty": "S -> A_1[1] b A_2[1]\nA -> a A_1[1], A_2[1]\nA -> a,\nA -> , a",
    "spans the other way": "S -> A_2[1] a A_1[1]\nA -> a A_1[1] b, A_2[1] a\nA -> b, b",
}


@pytest.mark.parametrize("name", GRAMMARS)
def test_the_strings_of_a_grammar(name: str) -> None:
    """Exactly what the grammar generates has a derivation, with exactly its weight."""
    grammar = LCFRS(GRAMMARS[name])
    language = {strings[0]: weight for strings, weight in generate(grammar, 6)["S"].items()}
    assert len(language) > 1
    for n in range(7):
        for words in itertools.product("ab", repeat=n):
            log_z = grammar.parse(words).log_z()
            assert math.exp(log_z) == pytest.approx(language.get(words, 0.0)), words


@pytest.mark.parametrize(
    "text",
    [
        "S -> A_1[1], A_2[1]\nA -> a A_1[1], A_2[1] b\nA -> a, b",
        "S -> A_1[1] B_1[2], B_2[2] A_2[1]\n0.5: A -> a, a\nB -> b, a\n0.5: B -> a b, ε",
        "S -> A_1[1], A_2[1]\nA -> A_1[1] A_1[2], A_2[2] A_2[1]\nA -> a, b\n0.5: A -> b, a b",
    ],
)
def test_pairs_of_strings(text: str) -> None:
    grammar = LCFRS(text)
    language = generate(grammar, 6)["S"]
    sides = [words for n in range(4) for words in itertools.product("ab", repeat=n)]
    for pair in itertools.product(sides, sides):
        assert math.exp(grammar.parse(*pair).log_z()) == pytest.approx(language.get(pair, 0.0)), pair


def test_three_strings() -> None:
    grammar = LCFRS("S -> x S_1[1], S_2[1] y, S_3[1]\nS -> x, y, z")
    assert grammar.parse("xx", "yy", "z").count() == 1
    assert grammar.parse("xx", "y", "z").count() == 0
    with pytest.raises(ValueError, match="S has 3 spans, so it derives as many strings; got 1"):
        grammar.parse("xx")


def test_crossing_dependencies() -> None:
    """The verbs of Swiss German stand in the order of their objects; each verb asks for the case of its own."""
    grammar = LCFRS("""
        S -> V_1[1] V_2[1]
        V -> D_1[1] V_1[2], D_2[1] V_2[2]
        V -> D_1[1], D_2[1]
        D -> em Hans, hälfe
        D -> es huus, aastriiche
        D -> d chind, laa
    """)
    good = "d chind em Hans es huus laa hälfe aastriiche".split()
    assert grammar.parse(good).count() == 1
    assert grammar.parse("d chind em Hans es huus hälfe laa aastriiche".split()).count() == 0
    assert str(grammar.parse("em Hans hälfe".split()).best()).splitlines()[0] == "[S, 0, 3]  ← rule0(S, V)"


def test_words_of_all_kinds() -> None:
    grammar = LCFRS("""
        S -> ',' "it's" 'A_1[1]' A[1]   # A[1] is short for A_1[1]
        A -> 'it\\'s' '#' 3 é → -> don't x:y '->' # a remark's remark
    """)
    words = [",", "it's", "A_1[1]", "it's", "#", "3", "é", "→", "->", "don't", "x:y", "->"]
    assert grammar.parse(words).count() == 1


def test_ways_to_write_rules() -> None:
    first = LCFRS("S -> A_1[1] A_2[1]\nA -> a,b").rules
    second = LCFRS("\n# copy\nS→A_1^[7] A_2^[7]\r\n\n  A  ->  a , b  # words\n").rules
    assert [(r.left, r.components, r.right) for r in first] == [
        (r.left, r.components, r.right) for r in second
    ]
    assert first[0] == LCFRSRule(1, 1.0, "S", ((Span(0, 0), Span(0, 1)),), ("A",))
    assert [rule.line for rule in second] == [3, 5]
    assert LCFRS("0.5:  S -> a").rules[0].weight == 0.5
    assert LCFRS("NP:subj -> a").start == "NP:subj"


def test_start_symbols() -> None:
    grammar = LCFRS("A -> a\n'S' -> A[1] A[2]", start="'S'")
    assert grammar.parse("aa").count() == 1
    assert LCFRS("A -> a\nS -> A[1] A[2]", start="S").parse("aa").count() == 1


def test_repeated_rules_add_up() -> None:
    forest = LCFRS("0.5: S -> a\n0.25: S -> a").parse("a")
    assert (forest.count(), forest.log_z()) == (2, pytest.approx(math.log(0.75)))


def test_empty_strings() -> None:
    assert LCFRS("S -> ε").parse("").count() == 1
    assert LCFRS("S ->").parse("").count() == 1
    assert LCFRS("S -> ''").parse("a").count() == 0
    assert LCFRS("S -> a").parse("").count() == 0


def test_search() -> None:
    grammar = LCFRS(GRAMMARS["weighted and ambiguous"])
    exact = grammar.parse("aabb")
    found = grammar.parse("aabb", search=BestFirst())
    assert found.best().score == pytest.approx(exact.best().score)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": there is no rule"),
        ("# nothing", ": there is no rule"),
        ("S", ":1: expected a rule such as S -> A_1[1] A_2[1], or 0.5: S -> A_1[1] A_2[1]"),
        ("\nS T -> a", ":2: expected a rule such as S -> A_1[1] A_2[1], or 0.5: S -> A_1[1] A_2[1]"),
        ("-> a", ":1: expected a rule such as S -> A_1[1] A_2[1], or 0.5: S -> A_1[1] A_2[1]"),
        ("S # -> a", ":1: expected a rule such as S -> A_1[1] A_2[1], or 0.5: S -> A_1[1] A_2[1]"),
        ("x: S -> a", ":1: the weight 'x' is not a number"),
        ("-1: S -> a", ":1: the weight is -1.0; it must be finite and not negative"),
        ("nan: S -> a", ":1: the weight is nan; it must be finite and not negative"),
        ("inf: S -> a", ":1: the weight is inf; it must be finite and not negative"),
        ("0.5:S -> a", ":1: expected a blank between weight and symbol in '0.5:S'"),
        ("S -> A[1]", ":1: no rule derives A"),
        ("S -> A_0[1]\nA -> a", ":1: A_0[1]: spans are counted from 1"),
        ("S -> A_1[1] B_2[1]\nA -> a\nB -> b", ":1: [1] is A and B in the same rule"),
        ("S -> A_1[1]\nA -> a, a", ":1: span 2 of A appears 0 times, not once"),
        ("S -> A_1[1] A_1[1] A_2[1]\nA -> a, a", ":1: span 1 of A appears 2 times, not once"),
        ("S -> A_1[1] A_2[1]\nA -> a", ":1: A has 1 spans, not 2"),
        ("S -> a\nS -> a, b", ":2: S has 2 spans here and 1 before"),
        ("S -> 's", ":1: the quote of 's is not closed"),
        ("S -> " + "a " * 64, ":1: more than 64 symbols, or spans of as many ends, in one rule"),
        ("S -> a" + ", a" * 31, ":1: more than 64 symbols, or spans of as many ends, in one rule"),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        LCFRS(text, path="g")
    assert str(caught.value) == "g" + message


def test_no_such_start() -> None:
    with pytest.raises(FormatError, match=r"^grammar: no rule derives the start symbol T$"):
        LCFRS("S -> a", start="T")


def test_the_largest_rules() -> None:
    assert LCFRS("S -> " + "a " * 63).parse("a" * 63).count() == 1
    words = [f"w{i}" for i in range(31)]
    assert LCFRS(f"S -> {', '.join(words)}").parse(*([word] for word in words)).count() == 1

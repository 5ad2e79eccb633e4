"""Automata over labels: expressions against Python's regular expressions, the library against its definitions."""

from __future__ import annotations

import re
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.structures.automata import automaton_for
from palmette.structures.automaton import Automaton
from palmette.structures.label_expression import compile_expression
from palmette.structures.schemes import transitions
from palmette.structures.span_marginals import Boundaries

LETTERS = "abc"
SPANS = ["O", "B-X", "I-X", "B-Y", "I-Y"]


def texts() -> st.SearchStrategy[str]:
    """Expressions whose text is one of Python's as well, blanks aside."""
    leaves = st.sampled_from(["a", "b", "c", ".", "[a b]", "[^ c]"])
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(" ".join),
            st.tuples(inner, inner).map(lambda two: f"({two[0]} | {two[1]})"),
            st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}", "{0,1}"])).map(
                lambda two: f"({two[0]}){two[1]}"
            ),
        ),
        max_leaves=6,
    )


@given(texts())
@settings(max_examples=200, deadline=None)
def test_expressions_match_what_python_matches(text: str) -> None:
    automaton = compile_expression(text, LETTERS)
    pattern = re.compile(text.replace(" ", ""))
    for n in range(5):
        for y in product(LETTERS, repeat=n):
            assert automaton.accepts(y) == bool(pattern.fullmatch("".join(y))), (text, y)


@given(texts())
@settings(max_examples=50, deadline=None)
def test_the_smallest_automaton_tells_all_its_states_apart(text: str) -> None:
    automaton = compile_expression(text, LETTERS)
    every = [y for n in range(7) for y in product(LETTERS, repeat=n)]
    ends = [tuple(_accepts_from(automaton, q, y) for y in every) for q in range(automaton.n_states)]
    assert automaton.n_states > 7 or len(set(ends)) == automaton.n_states


def _accepts_from(automaton: Automaton, q: int, y: tuple[str, ...]) -> bool:
    for label in y:
        q = int(automaton.table[q, LETTERS.index(label)])
        if q < 0:
            return False
    return bool(automaton.accepting[q])


def test_the_library_accepts_what_it_says() -> None:
    boundaries = Boundaries(tuple(SPANS))
    start, pairs, end = transitions(SPANS, "IOB2")
    made = {
        text: automaton_for(text, SPANS)
        for text in (
            "@at-most(1)",
            "@at-most(1, X)",
            "@count(2)",
            "@no-repeat",
            "@scheme(iob2)",
            "@at-most(2, O)",
        )
    }
    both = automaton_for("@at-most(1) & @scheme(IOB2)", SPANS)
    for n in range(5):
        for y in product(range(len(SPANS)), repeat=n):
            names = [SPANS[label] for label in y]
            types = [kind for _, _, kind in boundaries.spans(y)]
            legal = not n or bool(start[y[0]] and end[y[-1]] and all(pairs[a, b] for a, b in pairwise(y)))
            assert made["@at-most(1)"].accepts(names) == (len(types) <= 1)
            assert made["@at-most(1, X)"].accepts(names) == (types.count("X") <= 1)
            assert made["@at-most(2, O)"].accepts(names) == (names.count("O") <= 2)
            assert made["@no-repeat"].accepts(names) == all(a != b for a, b in pairwise(types))
            assert made["@scheme(iob2)"].accepts(names) == legal
            assert both.accepts(names) == (legal and len(types) <= 1)
            states = made["@count(2)"].run(names)
            assert states is not None
            assert made["@count(2)"].names[states[-1]].startswith(f"{min(len(types), 2)}/")


def test_brackets_balance() -> None:
    automaton = automaton_for("@brackets(2, <, >)", ["<", ">", "x"])
    for n in range(7):
        for y in product("<>x", repeat=n):
            depths = [0]
            for label in y:
                depths.append(depths[-1] + {"<": 1, ">": -1, "x": 0}[label])
            assert automaton.accepts(y) == (min(depths) == 0 and max(depths) <= 2 and depths[-1] == 0)


def test_tables_as_text() -> None:
    automaton = Automaton.of_text("a X b\nb O b\nb\n")
    assert [automaton.accepts(y) for y in (["X", "O"], [], ["O"])] == [True, False, False]
    with pytest.raises(ValueError, match=":2: state 'a' has two steps"):
        Automaton.of_text("a X b\na X c", "t.tsv")
    with pytest.raises(ValueError, match="expected STATE LABEL STATE"):
        Automaton.of_text("a X")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(O", "a parenthesis is not closed"),
        ("O)", "no parenthesis to close"),
        ("B-Z", "'B-Z' is not a label"),
        ("O{3", "'{' is not expected"),
        ("O{2,1}", "does not say how often"),
        ("O{2000}", "more than 1000 times"),
        ("*", "not expected"),
        ("[ ]", "at least one label"),
        ("[B-Z]", "'B-Z' is not a label"),
        ("@foo", "is not an automaton"),
        ("@at-most(x)", "whole number"),
        ("@at-most(1, Z)", "neither a type of span nor a label"),
        ("@brackets(1)", "is not a label"),
        ("O & B-X", "accepts no label sequence"),
        (
            "(O?){1000} (O?){1000} (O?){1000} .{1000} (O | .){1000} .{1000}" * 20,
            "The expression is too large",
        ),
    ],
)
def test_bad_automata_are_refused_in_a_sentence(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        automaton_for(text, SPANS)

"""Synchronous grammars as text, as Moses and as Joshua and cdec have them: read, written, and refused."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from random import Random

import pytest

from oracles.synchronous import random_grammar
from palmette.errors import FormatError
from palmette.grammars.rule import Terminal
from palmette.grammars.synchronous.grammar import SynchronousGrammar
from palmette.grammars.synchronous.rule import SynchronousRule
from palmette.grammars.synchronous.text import looks_synchronous

MOSES = """\
ne [X][X] pas [X] ||| not [X][X] [X] ||| 0.5 0.1 ||| 0-0 1-1 2-0 ||| 2 1 1
[X][X] de [X][X] [X] ||| [X][X] of [X][X] [X] ||| 0.25 0.2 ||| 0-2 1-1 2-0
va [X] ||| go [X] ||| 1 1 ||| 0-0
"""
JOSHUA = """\
[X] ||| ne [X,1] pas ||| not [X,1] ||| p=-0.5 q=-1
[X] ||| [X,1] de [X,2] ||| [X,2] of [X,1] ||| p=-0.25
[S] ||| [X,1] ||| [X,1] |||
"""


def test_the_text() -> None:
    grammar = SynchronousGrammar("""
        % start S
        0.7: X -> ne X1 pas , not X1   # a comment
        X -> va, go [0.3]
        S -> X X1 , X1 'X1' X [0.5] # X and X1
        S -> [X,2] ',' <X> , X [X,2] [0.5]
        S' -> ε , ε
    """)
    assert grammar.start == "S"
    rules = grammar.rules
    assert rules[0] == SynchronousRule("X", (Terminal("ne"), "X", Terminal("pas")), (Terminal("not"), 0), 0.7)
    assert rules[1] == SynchronousRule("X", (Terminal("va"),), (Terminal("go"),), 0.3)
    assert rules[2] == SynchronousRule("S", ("X", "X"), (1, Terminal("X1"), 0), 0.5)
    assert rules[3] == SynchronousRule("S", ("X", Terminal(","), "X"), (1, 0), 0.5)
    assert rules[4] == SynchronousRule("S'", (), ())
    assert SynchronousGrammar(str(grammar)) == grammar


@pytest.mark.parametrize("seed", range(10))
def test_what_is_written_reads_back(seed: int, tmp_path: Path) -> None:
    grammar = random_grammar(Random(seed))
    assert SynchronousGrammar(str(grammar), weighted=True) == grammar
    for form in ("moses", "joshua"):
        if form == "moses" and any(not rule.source and not rule.target for rule in grammar.rules):
            continue
        grammar.write(tmp_path / "rules.gz", form)
        back = SynchronousGrammar.from_file(tmp_path / "rules.gz", start=grammar.start)
        assert [rule[:3] for rule in back.rules] == [rule[:3] for rule in grammar.rules]
        assert back.weights == pytest.approx(grammar.weights)
    assert pickle.loads(pickle.dumps(grammar)) == grammar


ODD = [
    "X",
    "X1",
    "NP2",
    "a b",
    "'",
    '"',
    "#",
    "%",
    "ε",
    ",",
    "a,",
    "->",
    "<a>",
    "[X,1]",
    "[0.5]",
    "|",
    "1:",
    "é",
]


def test_odd_words_and_names() -> None:
    rules = [SynchronousRule("X", (Terminal(word), "X"), (0, Terminal(word))) for word in ODD]
    names = ["X2", "NP-SBJ", "np", "S'", "$", "A@b", "2"]
    rules += [SynchronousRule(name, (Terminal("a"), name, "X"), (1, 0)) for name in names]
    grammar = SynchronousGrammar(rules, weighted=True)
    assert SynchronousGrammar(str(grammar), weighted=True) == grammar


def test_moses_and_joshua(tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text(MOSES)
    grammar = SynchronousGrammar.from_file(path)
    assert grammar.columns == ("score1", "score2")
    assert grammar.weights == pytest.approx([0.05, 0.05, 1])
    assert grammar.rules[1].permutation == (1, 0)
    assert grammar.rules[0].links == ((0, 0), (2, 0))
    grammar.write(tmp_path / "again", "moses")
    assert (tmp_path / "again").read_text() == MOSES.replace(" ||| 2 1 1", "")
    assert SynchronousGrammar.from_file(path, weights={"score1": 2, "score2": 0}).weights == pytest.approx(
        [0.25, 0.0625, 1]
    )
    path.write_text(JOSHUA)
    grammar = SynchronousGrammar.from_file(path)
    assert (grammar.start, grammar.columns) == ("S", ("p", "q"))
    assert grammar.weights == pytest.approx([math.exp(-1.5), math.exp(-0.25), 1])
    grammar.write(tmp_path / "again", "joshua")
    assert SynchronousGrammar.from_file(tmp_path / "again") == grammar
    path.write_text("[X][NP] a [X] ||| b [X][NP] [S] ||| 1 |||\n")  # one nonterminal needs no link
    assert SynchronousGrammar.from_file(path).rules[0].arrow() == "S -> NP1 a , b NP1"


BAD_TEXT = {
    "X -> a X1 , b": "nonterminal X1 of the source is not linked",
    "X -> a , b X1": "nonterminal X1 of the target is not linked",
    "X -> X1 , Y1": "nonterminal 1 is X on the source side and Y on the target side",
    "X -> X X , X X": "X is twice on the source side: number them",
    "X -> X1 X2 , X1 X1": "index 1 is twice on the target side",
    "X -> a , b , c": "expected one comma between the two sides, got 2",
    "X -> a": "expected one comma between the two sides, got 0",
    "X a , b": "expected a rule such as X -> ne X1 pas , not X1",
    "X -> 'a , b": "the quote is not closed",
    "0.5: X -> a , b [0.5]": "two weights",
    "-1: X -> a , b": "finite and not negative",
    "X -> a -> b , c": "not expected inside of a rule",
    "X -> a , b\nX -> a , b": "is in line 1 as well",
    "% start S\nX -> a , b": "no rule has the start symbol S",
    "% begin S": "expected % start",
    "": "there is no rule",
}


@pytest.mark.parametrize("text", BAD_TEXT)
def test_bad_text(text: str) -> None:
    with pytest.raises(FormatError, match=r"^grammar:") as caught:
        SynchronousGrammar(text)
    assert BAD_TEXT[text] in str(caught.value)


BAD_RULES = {
    "[X] ||| a": "expected [X] ||| source ||| target ||| scores, got 2 fields",
    "[X] ||| [X,1] ||| b ||| 1": "the nonterminal X1 of the source is not linked",
    "[X] ||| [X,1] ||| [Y,1] ||| 1": "nonterminal 1 is X on the source side and Y on the target side",
    "[X] ||| a ||| b ||| p=x": "expected a number as a score, got 'x'",
    "[X] ||| a ||| b ||| p=1e9": "expected logs",
    "[X] ||| a ||| b ||| p=0 ||| 0-7": "the link 0-7 is outside",
    "[X] ||| a ||| b ||| p=0 ||| 0:0": "expected links such as",
    "a ||| b ||| 1": "expected the left side at the end of both sides",
    "a [NP] ||| b [VP] ||| 1": "a nonterminal is NP on the source side and VP on the target side",
    "a [X] ||| b [X] ||| -1": "expected a probability as a score",
    "[X][X] [X][X] [X] ||| [X][X] [X][X] [X] ||| 1 ||| 0-0": "no link says what the nonterminal at position 1",
    "[X][X] [X][X] [X] ||| [X][X] [X][X] [X] ||| 1 ||| 0-0 0-1": "links a nonterminal twice",
    "[X][X] a [X] ||| [X][X] b [X] ||| 1 ||| 0-0 1-0": "between a word and a nonterminal",
}


@pytest.mark.parametrize("line", BAD_RULES)
def test_bad_rules(line: str) -> None:
    with pytest.raises(FormatError, match=r"^rules:2: ") as caught:
        SynchronousGrammar.from_text(f"[X] ||| z ||| z ||| 0\n{line}\n", path="rules")
    assert BAD_RULES[line] in str(caught.value)


def test_bad_arguments(tmp_path: Path) -> None:
    for rule in (
        SynchronousRule("X", ("X",), ()),
        SynchronousRule("X", (), (0,)),
        SynchronousRule("X", ("X", "X"), (0, 0)),
        SynchronousRule("X", (Terminal(""),), ()),
        SynchronousRule("X", (), (), -1.0),
        SynchronousRule("X", (), (), 1.0, (), ((0, 0),)),
        SynchronousRule("X", "XX", (0, 1)),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError, match=r"rule|source|Symbols|link"):
            SynchronousGrammar([rule])
    with pytest.raises(ValueError, match="1 scores, and there are 0 columns"):
        SynchronousGrammar([SynchronousRule("X", (), (), 1.0, (0.5,))])
    with pytest.raises(ValueError, match="no score r; it has p, q"):
        SynchronousGrammar.from_text(JOSHUA, weights={"r": 1})
    grammar = SynchronousGrammar("X -> '|||' , b")
    with pytest.raises(ValueError, match="cannot be written in this form"):
        grammar.write(tmp_path / "x", "moses")
    assert not (tmp_path / "x").exists()
    with pytest.raises(ValueError, match="text, moses or joshua"):
        grammar.write(tmp_path / "x", "xml")
    with pytest.raises(AttributeError, match="cannot be changed"):
        grammar.start = "Y"  # type: ignore[misc]


def test_what_looks_synchronous() -> None:
    assert looks_synchronous("# a\n\n% start S\n0.5: S -> a S1 , S1 b\n")
    assert looks_synchronous(JOSHUA)
    assert not looks_synchronous("S -> 'a' S [0.5] | ',' [0.5]")
    assert not looks_synchronous("")

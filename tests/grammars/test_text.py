"""The text of grammars: what is read, what is written, and what is wrong with a line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.errors import FormatError
from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import Rule, Terminal

T = Terminal


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("S -> NP VP", [Rule("S", ("NP", "VP"))]),
        ("S→NP VP", [Rule("S", ("NP", "VP"))]),
        ("S->NP 'x'", [Rule("S", ("NP", T("x")))]),
        ("1/4: S -> 'a'\n.75: S -> 'b'", [Rule("S", (T("a"),), 0.25), Rule("S", (T("b"),), 0.75)]),
        ("S -> 'a' [0.25] | \"b\" [7.5e-1]", [Rule("S", (T("a"),), 0.25), Rule("S", (T("b"),), 0.75)]),
        ("S -> 'a' [0.25]\n  | ε [0.75]", [Rule("S", (T("a"),), 0.25), Rule("S", (), 0.75)]),
        ("S -> 'a' [0.25] |[0.75] # or nothing", [Rule("S", (T("a"),), 0.25), Rule("S", (), 0.75)]),
        ("S -> A|B", [Rule("S", ("A",)), Rule("S", ("B",))]),
        ("<a b> -> <''> '\\'' \"\\\\\"", [Rule("a b", ("''", T("'"), T("\\")))]),
        ("N' -> N' A#1 # a comment", [Rule("N'", ("N'", "A#1"))]),
        (": -> ';'\r\n", [Rule(":", (T(";"),))]),
        ("0.5: : -> ':' [1]", None),
        ("# only this\n\nS -> '#'", [Rule("S", (T("#"),))]),
        ("<ε> -> 'ε'", [Rule("ε", (T("ε"),))]),
        ("S -> ''", [Rule("S", ())]),
    ],
)
def test_what_is_read(text: str, want: list[Rule] | None) -> None:
    if want is None:
        with pytest.raises(FormatError):
            Grammar(text)
    else:
        assert list(Grammar(text, weighted=True).rules) == want


def test_the_start_symbol() -> None:
    text = "A -> 'a'\nS -> A A"
    assert Grammar(text).start == "A"
    assert Grammar(text, start="S").start == "S"
    assert Grammar("% start S\n" + text).start == "S"
    assert Grammar("% start <S>\n" + text).start == "S"
    assert str(Grammar(text, start="S")).startswith("% start S\n")
    assert Grammar(str(Grammar(text, start="S"))) == Grammar(text, start="S")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "grammar: there is no rule, and so no start symbol"),
        ("# nothing\n", "no start symbol"),
        ("% start T\nS -> 'a'", "no rule has the start symbol T on its left; there are rules of S"),
        ("S -> 'a'\nS NP", "grammar:2: expected a rule such as"),
        ("'a' -> S", "grammar:1: expected a rule such as"),
        ("-> S", "grammar:1: expected a rule"),
        ("S -> A -> B", "one arrow in a rule, got two"),
        ("x: S -> 'a'", "expected a rule"),
        ("-1: S -> 'a'", "the weight is -1; it must be finite and not negative"),
        ("S -> 'a' [nan]", "the weight is nan"),
        ("S -> 'a' [inf]", "the weight is inf"),
        ("S -> 'a' [1/0]", "the weight '1/0' is not a number"),
        ("S -> 'a' [half]", "the weight 'half' is not a number"),
        ("S -> 'a' [0.5] B", "expected | or the end of the line behind a weight, got B"),
        ("0.5: S -> 'a' | 'b'", "a weight in front is that of one rule"),
        ("S -> 'a", "the quote is not closed"),
        ("S -> <a", "'<' is not expected here"),
        ("S -> 'a'\nS -> 'b'\nS -> 'a'", "grammar:3: the rule S -> 'a' is in line 1 as well"),
        ("| 'a'", "goes on with the rule above it, and there is none"),
        ("% begin S", "expected % start and a nonterminal"),
        ("% start S\n% start S\nS -> 'a'", "named twice"),
    ],
)
def test_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        Grammar(text)
    assert message in str(caught.value)


names = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=6)
symbols = st.one_of(names, names.map(Terminal))


@given(
    st.dictionaries(
        st.tuples(names, st.lists(symbols, max_size=3).map(tuple)),
        st.floats(0, 1e9, allow_nan=False),
        min_size=1,
        max_size=5,
    )
)
def test_any_grammar_reads_back_as_it_was(rules: dict[tuple[str, tuple[str | Terminal, ...]], float]) -> None:
    grammar = Grammar([Rule(*key, weight) for key, weight in rules.items()], weighted=True)
    assert Grammar(str(grammar), weighted=True) == grammar


def test_files(tmp_path: Path) -> None:
    grammar = Grammar("0.5: S -> S S\n0.5: S -> 'ä'")
    for name in ("toy.cfg", "toy.cfg.gz"):
        grammar.write(tmp_path / name)
        assert Grammar.from_file(tmp_path / name) == grammar
    assert gzip.decompress((tmp_path / "toy.cfg.gz").read_bytes()).decode() == str(grammar)
    (tmp_path / "bad.cfg").write_text("S -> 'a'\nS ->> 'b'")
    with pytest.raises(FormatError, match=r"bad\.cfg:2: "):
        Grammar.from_file(tmp_path / "bad.cfg")


def test_nltk_reads_the_same_rules() -> None:
    nltk = pytest.importorskip("nltk")
    text = "S -> NP VP [1.0]\nNP -> 'I' [0.25] | NP PP [0.75]\nVP -> 'ran' [1.0]\nPP -> 'on' [1.0]"
    want = nltk.PCFG.fromstring(text)
    have = Grammar(text)
    assert [(r.left, len(r.right), r.weight) for r in have.rules] == [
        (str(p.lhs()), len(p.rhs()), p.prob()) for p in want.productions()
    ]
    assert str(want.start()) == have.start
    assert Grammar("\n".join(map(str, want.productions()))) == have

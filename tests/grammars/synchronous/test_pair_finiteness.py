"""Finite and infinite languages of pairs, against all derivations written out."""

from __future__ import annotations

import random

import pytest

from palmette.grammars.synchronous.grammar import SynchronousGrammar


def random_grammar(seed: int) -> SynchronousGrammar:
    """Rules of S, A and B without recursion, in any order of the nonterminals, with rules that derive the same."""
    rng = random.Random(seed)
    lines: dict[str, None] = {}
    for name, below in (("S", "AB"), ("A", "B"), ("B", "")):
        for _ in range(rng.randint(1, 3)):
            names = [f"{rng.choice(below)}{k + 1}" for k in range(rng.randint(0, 2))] if below else []
            source, target = list(names), list(names)
            rng.shuffle(target)
            for side, word in ((source, "a"), (target, "x")):
                if rng.random() < 0.6:
                    side.insert(rng.randint(0, len(side)), word)
            sides = [" ".join(side) or "ε" for side in (source, target)]
            lines.setdefault(f"{name} -> {sides[0]} , {sides[1]}")
    return SynchronousGrammar("\n".join(lines))


def all_derivations(found: SynchronousGrammar, name: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    made = []
    for rule in found.rules_of(name):
        rows: list[list[tuple[tuple[str, ...], tuple[str, ...]]]] = [[]]
        for symbol in rule.nonterminals:
            rows = [[*row, one] for row in rows for one in all_derivations(found, symbol)]
        for row in rows:
            waiting = iter(row)
            source = [w for s in rule.source for w in (next(waiting)[0] if isinstance(s, str) else (s.word,))]
            target = [w for t in rule.target for w in (row[t][1] if isinstance(t, int) else (t.word,))]
            made.append((tuple(source), tuple(target)))
    return made


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(60))
def test_counts_are_those_of_all_derivations(seed: int) -> None:
    found = random_grammar(seed)
    state = found.finiteness()
    every = all_derivations(found, "S")
    assert state.is_finite
    assert (state.n_pairs, state.n_derivations) == (len(set(every)), len(every))
    assert state.source.n_strings == len({source for source, _ in every})
    assert state.target.n_strings == len({target for _, target in every})


@pytest.mark.filterwarnings("ignore")
def test_what_is_not_counted() -> None:
    assert str(SynchronousGrammar("S -> A1 , A1\nA -> A1 x , A1").finiteness()) == "finite: there is no pair"
    turning = SynchronousGrammar("S -> T1 , T1\nT -> S1 , S1\nT -> a , b").finiteness()
    assert str(turning).startswith("finite: 1 pair, infinitely many derivations\n")
    names = " ".join(f"A{k}" for k in range(1, 21))
    many = SynchronousGrammar(f"S -> {names} , {names}\nA -> a , x\nA -> b , y").finiteness()
    assert (many.n_pairs, many.n_derivations, many.source.n_strings) == (None, 2**20, 2**20)
    assert str(many).startswith("finite: more pairs than can be listed, 1,048,576 derivations\n")
    one_side = SynchronousGrammar("S -> S1 , S1 a\nS -> b , b").finiteness()
    assert str(one_side).splitlines() == [
        "infinite: S derives itself with more words, by",
        "  S -> S1 , S1 a",
        "source finite: 1 string of 1 word",
        "target infinite",
    ]

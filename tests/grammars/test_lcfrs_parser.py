"""The native LCFRS parser against the general engine on random grammars: best, k best, sums, states, refusals."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from palmette import _native
from palmette.grammars.lcfrs_parser import LcfrsParser
from palmette.grammars.lcfrs_table import table_from_text, yield_code, yield_of, yield_text
from palmette.inference.lcfrs import LCFRS
from samples.random_lcfrs import random_lcfrs, random_yield

pytestmark = pytest.mark.native


@pytest.mark.parametrize("seed", range(25))
def test_best_and_sums_are_those_of_the_general_engine(seed: int) -> None:
    rng = random.Random(seed)
    text = random_lcfrs(rng)
    engine, parser = LCFRS(text), LcfrsParser(text)
    pruned = LcfrsParser(text, threshold=1e-12)
    for n in (1, 2, 4, 5, 6):
        words = [rng.choice("abc") for _ in range(n)]
        forest = engine.parse(words)
        want = [proof.score for proof in forest.kbest(5)]
        have = parser.kbest(words, 5)
        assert [score for _, score in have] == pytest.approx(want)
        if want:
            assert parser.log_sum(words) == pytest.approx(forest.log_z(), abs=1e-5)
            assert pruned.best(words)[1] == pytest.approx(want[0])
            assert all(tree.words == words for tree, _ in have)
        else:
            assert parser.best(words) is None
            assert parser.log_sum(words) == -math.inf


@pytest.mark.parametrize("seed", range(8))
def test_sums_over_states_are_those_of_the_flattened_grammar(seed: int) -> None:
    rng = random.Random(seed)
    table, words = table_from_text(LCFRS(random_lcfrs(rng)))
    random_state = np.random.default_rng(seed)
    states = random_state.integers(1, 4, len(table.names)).astype(np.int32)
    states[table.root] = 1
    n = states.astype(int)
    binary = [
        random_state.random((n[p], n[a], n[b])) for p, a, b in zip(table.parent, table.left, table.right)
    ]
    unary = [random_state.random((n[p], n[c])) for p, c in zip(table.unary_parent, table.unary_child)]
    lexical = {
        (word, tag): random_state.random(n[table.names.index(tag)])
        for word, tags in words.items()
        for tag in tags
    }
    flat = [f"0: {table.names[table.root]}q0 -> nothing"]
    for r, block in enumerate(binary):
        right = table.rule_text(r).partition("-> ")[2]
        parent, left, other = (table.names[s[r]] for s in (table.parent, table.left, table.right))
        for (p, a, b), weight in np.ndenumerate(block):
            named = _named(right, {1: f"{left}q{a}", 2: f"{other}q{b}"})
            flat.append(f"{float(weight)!r}: {parent}q{p} -> {named}")
    for r, block in enumerate(unary):
        right = table.unary_text(r).partition("-> ")[2]
        parent, child = table.names[table.unary_parent[r]], table.names[table.unary_child[r]]
        for (p, c), weight in np.ndenumerate(block):
            flat.append(f"{float(weight)!r}: {parent}q{p} -> {_named(right, {1: f'{child}q{c}'})}")
    flat += [
        f"{float(w)!r}: {tag}q{x} -> {word}"
        for (word, tag), row in lexical.items()
        for x, w in enumerate(row)
    ]
    engine = LCFRS("\n".join(flat))
    parser = _native.LcfrsParser(
        **table.arguments,
        grammars=[
            (
                states,
                *(
                    np.concatenate([b.ravel() for b in [*blocks, np.zeros(0)]]).astype(np.float32)
                    for blocks in (binary, unary)
                ),
            )
        ],
    )
    for length in (2, 4, 5):
        sentence = [rng.choice("abc") for _ in range(length)]
        rows = [(i, tag, lexical[word, tag]) for i, word in enumerate(sentence) for tag in words[word]]
        (result,) = parser.parse(
            np.array([length], np.int32),
            np.array([0, len(rows)], np.int64),
            np.array([i for i, _, _ in rows], np.int32),
            np.array([table.names.index(tag) for _, tag, _ in rows], np.int32),
            np.array([row.mean() for _, _, row in rows]),
            [np.concatenate([row for _, _, row in rows]).astype(np.float32)],
            segment_threshold=0.0, item_threshold=0.0, max_edges=10**6, minimum_risk=True, k=1, exact=True,
            posteriors=True, n_jobs=1,
        )  # fmt: skip
        forest = engine.parse(sentence)
        want = forest.log_z()
        if want == -math.inf:
            assert result[1]
            continue
        assert result[4] == pytest.approx(want, abs=1e-4)
        whole = [p for symbol, start, end, p in result[6] if symbol == table.root and end - start == length]
        assert whole == pytest.approx([1.0], abs=1e-5)


def _named(right: str, names: dict[int, str]) -> str:
    """A right-hand side with other names for its nonterminals."""
    symbols = right.replace(",", " ,").split()
    made = []
    for symbol in symbols:
        if symbol == ",":
            made[-1] += ","
            continue
        name, _, index = symbol[:-1].partition("[")
        made.append(f"{names[int(index)]}_{name.rpartition('_')[2]}[{index}]")
    return " ".join(made)


def test_yield_functions() -> None:
    rng = random.Random(1)
    for _ in range(100):
        text = random_yield(rng, rng.randint(1, 4), rng.randint(1, 4))
        assert yield_text(yield_code(text)) == text
        left = sum(1 << i for i, sign in enumerate(text) if sign == "0")
        right = sum(1 << i for i, sign in enumerate(text) if sign == "1")
        assert yield_of(left << 3, right << 3) == text


def test_a_text_grammar_comes_back_from_its_table() -> None:
    table, _ = table_from_text(LCFRS(random_lcfrs(random.Random(3))))
    tags = "\n".join(f"{name} -> a" for name, is_tag in zip(table.names, table.tags, strict=True) if is_tag)
    again, _ = table_from_text(LCFRS(table.text() + tags))
    rules = [
        sorted(
            [t.rule_text(r) for r in range(len(t.parent))]
            + [t.unary_text(r) for r in range(len(t.unary_parent))]
        )
        for t in (table, again)
    ]
    assert rules[0] == rules[1]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("S -> A_1[1] A_1[2] A_1[3]", "binarize"),
        ("S -> A_1[1] a", "a tag of its own"),
        ("S -> B_1[1] B_2[1]", "side by side"),
        ("S -> B_2[1] A_1[2] B_1[1]", "not in order"),
        ("S -> a a", "one word, and nothing else"),
    ],
)
def test_grammars_of_another_kind_are_refused(rule: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LcfrsParser(f"{rule}\nB -> A_1[1], A_1[2]\nA -> a")


def test_circles_and_wrong_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="circle"):
        LcfrsParser("S -> A[1]\nA -> S[1]\nS -> T[1]\nT -> a")
    table, _ = table_from_text(LCFRS("S -> A[1] A[2]\nA -> a"))
    one = (np.ones(2, np.int32), np.ones(1, np.float32), np.zeros(0, np.float32))
    for name, value in (
        ("root", 7),
        ("left", np.array([9], np.int32)),
        ("yield_code", np.array([5], np.uint64)),
        ("weight", np.array([-1.0])),
    ):
        with pytest.raises(ValueError, match=r"rule|weight|root|grammar|fan-out"):
            _native.LcfrsParser(**(table.arguments | {name: value}), grammars=[one])
    with pytest.raises(ValueError, match="states"):
        _native.LcfrsParser(**table.arguments, grammars=[(np.ones(3, np.int32), *one[1:])])
    with pytest.raises(ValueError, match="blocks"):
        _native.LcfrsParser(**table.arguments, grammars=[(one[0], np.ones(2, np.float32), one[2])])
    with pytest.raises(ValueError, match="at least one grammar"):
        _native.LcfrsParser(**table.arguments, grammars=[])


def test_no_words_and_unknown_words() -> None:
    parser = LcfrsParser("S -> A[1] A[2]\nA -> a")
    assert parser.best(["b"]) is None
    with pytest.raises(ValueError, match="between 1 and 256"):
        parser.best([])
    with pytest.raises(ValueError, match="'k' parameter must be an int"):
        parser.kbest(["a"], 0)
    with pytest.raises(ValueError, match="threshold"):
        LcfrsParser("S -> A[1] A[2]\nA -> a", threshold=2)


@pytest.mark.parametrize("n", [63, 64, 65, 70, 129, 150])
def test_sets_of_many_words(n: int) -> None:
    text = "S -> B_1[1] A[2] B_2[1]\nB -> A[1], A[2]\n0.5: B -> B_1[1] A[2], B_2[1]\n0.5: A -> a\n0.5: A -> b"
    words = ["a", "b"] * (n // 2) + ["a"] * (n % 2)
    found = LcfrsParser(text, threshold=1e-9).best(words)
    assert found is not None
    assert found[0].words == words
    assert found[0].is_discontinuous

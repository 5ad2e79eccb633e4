"""Semirings: their laws, the native ones against their definitions, and semirings of one's own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.enumeration import Floats, derivations, enumerate_hypergraph
from palmette.inference.hypergraph import CycleError, Hypergraph
from palmette.inference.semiring import (
    BOOLEAN,
    COUNTING,
    EXPECTATION,
    LOG,
    MAX,
    REAL,
    KBest,
    Semiring,
)
from samples.random_hypergraphs import hypergraphs, random_cases

pytestmark = pytest.mark.native

LOGS = st.one_of(st.floats(-20, 20), st.just(-math.inf))
SCORE_LISTS = st.lists(st.floats(-5, 5), max_size=3).map(lambda a: tuple(sorted(a, reverse=True)))

# Each with its values.
SEMIRINGS: list[tuple[Semiring[Any], st.SearchStrategy[Any]]] = [
    (BOOLEAN, st.booleans()),
    (COUNTING, st.integers(0, 2**70)),
    (REAL, st.floats(-100, 100)),
    (LOG, LOGS),
    (MAX, LOGS),
    (KBest(3), SCORE_LISTS),
    (EXPECTATION, st.tuples(st.floats(-5, 5), st.floats(-5, 5)) | st.just((-math.inf, 0.0))),
]


def close(have: Any, want: Any) -> None:
    np.testing.assert_allclose(np.array(have, float), np.array(want, float), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("semiring", "values"), SEMIRINGS)
def test_laws(semiring: Semiring[Any], values: st.SearchStrategy[Any]) -> None:
    s = semiring

    @given(values, values, values)
    def check(a: Any, b: Any, c: Any) -> None:
        close(s.plus(a, b), s.plus(b, a))
        close(s.plus(s.plus(a, b), c), s.plus(a, s.plus(b, c)))
        close(s.plus(a, s.zero), a)
        close(s.times(s.times(a, b), c), s.times(a, s.times(b, c)))
        close(s.times(a, b), s.times(b, a))
        close(s.times(a, s.one), a)
        close(s.times(a, s.zero), s.zero)
        close(s.times(a, s.plus(b, c)), s.plus(s.times(a, b), s.times(a, c)))

    check()


@dataclass(frozen=True)
class Plain:
    """A semiring reduced to its four members, so that the passes run in Python."""

    of: Semiring[Any]

    @property
    def zero(self) -> Any:
        return self.of.zero

    @property
    def one(self) -> Any:
        return self.of.one

    def plus(self, a: Any, b: Any) -> Any:
        return self.of.plus(a, b)

    def times(self, a: Any, b: Any) -> Any:
        return self.of.times(a, b)


def random_values(semiring: Semiring[Any], rng: np.random.Generator, n: int) -> Any:
    if semiring is BOOLEAN:
        return rng.random(n) < 0.8
    if semiring is COUNTING:
        return rng.integers(0, 4, size=n)
    if semiring is REAL:
        return rng.normal(size=n)
    scores = np.where(rng.random(n) < 0.1, -math.inf, rng.normal(size=n))
    return np.stack([scores, rng.normal(size=n)], axis=1) if semiring is EXPECTATION else scores


def python_values(semiring: Semiring[Any], values: Any) -> list[Any]:
    if isinstance(semiring, KBest):
        return [() if x == -math.inf else (x,) for x in values]
    return [tuple(row) for row in values] if semiring is EXPECTATION else values.tolist()


@pytest.mark.parametrize("semiring", [s for s, _ in SEMIRINGS], ids=lambda s: type(s).__name__)
def test_native_passes_are_the_python_passes(semiring: Semiring[Any]) -> None:
    rng = np.random.default_rng(8)
    for graph, _ in random_cases(30, seed=9):
        values = random_values(semiring, rng, graph.n_parts)
        in_python = python_values(semiring, values)
        for name in ("inside", "outside"):
            have = list(getattr(graph, name)(values, semiring))
            want = getattr(graph, name)(in_python, Plain(semiring))
            for a, b in zip(have, want, strict=True):
                close(a, b)


def test_outside_counts_do_not_overflow() -> None:
    n = 100
    edges = [(0, [])] + [(v, [v - 1]) for v in range(1, n) for _ in range(2)]
    graph = Hypergraph.from_edges(edges)
    ones = np.ones(graph.n_parts, dtype=np.int64)
    assert graph.outside(ones, COUNTING)[0] == 2 ** (n - 1)
    assert graph.outside(ones, Plain(COUNTING))[0] == 2 ** (n - 1)
    assert graph.inside(ones, Plain(COUNTING))[n - 1] == 2 ** (n - 1)


def test_values_of_no_parts() -> None:
    empty = Hypergraph([], [0], [], n_nodes=2)
    for semiring, _ in SEMIRINGS:
        values = np.zeros((0, 2)) if semiring is EXPECTATION else []
        for v in empty.inside(values, semiring):
            close(v, semiring.zero)


# The meanings of the table


@given(hypergraphs())
def test_the_root_value_answers_the_question(case: tuple[Hypergraph, Floats]) -> None:
    graph, scores = case
    every, root = enumerate_hypergraph(graph, scores), graph.root
    assert graph.inside(scores > -math.inf, BOOLEAN)[root] == (every.log_z > -math.inf)
    assert graph.inside(np.ones(graph.n_parts, dtype=int), COUNTING)[root] == every.count
    close(graph.inside(np.exp(scores), REAL)[root], np.exp(every.scores).sum())
    close(graph.inside(scores, LOG)[root], every.log_z)
    close(graph.inside(scores, MAX)[root], every.best_score)
    close(graph.inside(scores, KBest(4))[root], every.kbest_scores(4))
    values = np.arange(graph.n_parts)
    pairs = graph.inside(np.stack([scores, values], axis=1), EXPECTATION)
    close(pairs[root], (every.log_z, every.expectation(values)))


# Semirings of one's own


@dataclass(frozen=True)
class Bottleneck:
    """(ℝ, max, min): the widest derivation, as wide as its narrowest part."""

    zero = -math.inf
    one = math.inf

    def plus(self, a: float, b: float) -> float:
        return max(a, b)

    def times(self, a: float, b: float) -> float:
        return min(a, b)


@dataclass(frozen=True)
class Languages:
    """(sets of strings, union, concatenation): ⊗ does not commute."""

    zero: frozenset[str] = frozenset()
    one: frozenset[str] = frozenset([""])

    def plus(self, a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return a | b

    def times(self, a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return frozenset(x + y for x in a for y in b)


Polynomial = dict[tuple[int, ...], int]


@dataclass(frozen=True)
class Polynomials:
    """Formal sums of monomials over the parts: the inside value of the root lists its outputs."""

    @property
    def zero(self) -> Polynomial:
        return {}

    @property
    def one(self) -> Polynomial:
        return {(): 1}

    def plus(self, a: Polynomial, b: Polynomial) -> Polynomial:
        return {m: a.get(m, 0) + b.get(m, 0) for m in a.keys() | b.keys()}

    def times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        total: Polynomial = {}
        for m, x in a.items():
            for n, y in b.items():
                both = tuple(sorted(m + n))
                total[both] = total.get(both, 0) + x * y
        return total


@given(hypergraphs(st.floats(-8, 8)))
def test_bottleneck(case: tuple[Hypergraph, Floats]) -> None:
    graph, widths = case
    outputs = enumerate_hypergraph(graph, widths).outputs
    want = max((widths[list(y)].min() for y in outputs), default=-math.inf)
    assert graph.inside(widths, Bottleneck())[graph.root] == want


@given(hypergraphs())
def test_strings_concatenate_in_the_order_of_the_tails(case: tuple[Hypergraph, Floats]) -> None:
    graph, _ = case
    letters = [frozenset([chr(ord("a") + k)]) for k in range(graph.n_parts)]
    want = {"".join(chr(ord("a") + graph.labels[e]) for e in d) for d in derivations(graph)}
    assert graph.inside(letters, Languages())[graph.root] == want


@given(hypergraphs())
def test_polynomials_list_the_outputs(case: tuple[Hypergraph, Floats]) -> None:
    graph, scores = case
    have = graph.inside([{(k,): 1} for k in range(graph.n_parts)], Polynomials())[graph.root]
    outputs = [tuple(sorted(y)) for y in enumerate_hypergraph(graph, scores).outputs]
    assert have == {y: outputs.count(y) for y in set(outputs)}


def test_a_star_sums_self_loops_in_python() -> None:
    @dataclass(frozen=True)
    class WithStar(Plain):
        def star(self, a: float) -> float:
            return REAL.star(a)

    graph = Hypergraph.from_edges([(0, []), (0, [0]), (1, [0]), (1, [1, 0]), (1, [1])])
    weights = np.array([0.5, 0.25, 1.0, 0.3, 0.1])
    close(graph.inside(weights, WithStar(REAL)), graph.inside(weights, REAL))
    with pytest.raises(CycleError, match="this semiring needs an acyclic hypergraph") as error:
        graph.inside(weights, Plain(REAL))
    assert error.value.args[1] == [0]


def test_a_longer_cycle_is_refused_in_python_wherever_it_stands() -> None:
    @dataclass(frozen=True)
    class WithStar(Plain):
        def star(self, a: float) -> float:
            return REAL.star(a)

    # A self-loop below; above it a cycle of two nodes that have self-loops as well.
    edges = [(0, []), (0, [0]), (1, [0]), (1, [2]), (2, [1]), (1, [1]), (2, [2])]
    with pytest.raises(CycleError, match="needs an acyclic") as error:
        Hypergraph.from_edges(edges).inside([0.1] * 7, WithStar(REAL))
    assert sorted(error.value.args[1]) == [1, 2]


# What the native semirings refuse


@pytest.mark.parametrize(
    ("values", "semiring", "message"),
    [
        ([-1, 2], COUNTING, "counts must be integers of 64 bits that are not negative"),
        ([0.5, 2], COUNTING, "counts must be integers of 64 bits that are not negative"),
        ([1.0, math.inf], REAL, "weight 1 is not a finite number"),
        ([[1.0, 2.0]], REAL, "one-dimensional"),
        ([[True, False]], BOOLEAN, "one-dimensional"),
        ([math.nan, 1.0], LOG, "the score of part 0 is nan"),
        ([0.0, math.inf], MAX, "the score of part 1 is inf; log-zero is -inf"),
        ([0.0, 1e13], MAX, "the score of part 1 is 10000000000000.0, beyond 1e\\+12"),
        ([0.0, 1.0], EXPECTATION, "rows of \\(log p, mean\\); got shape \\(2,\\)"),
        ([[0.0, 1.0], [0.0, -math.inf]], EXPECTATION, "the value of part 1 is -inf"),
        ([0.0], LOG, "expected one value for each of the 2 parts, got 1"),
        ([0.0] * 3, REAL, "expected one value for each of the 2 parts, got 3"),
        ([1] * 3, COUNTING, "expected one value for each of the 2 parts, got 3"),
    ],
)
def test_bad_values(values: Any, semiring: Semiring[Any], message: str) -> None:
    graph = Hypergraph.from_edges([(0, []), (0, [])])
    with pytest.raises(ValueError, match=message):
        graph.inside(values, semiring)


@pytest.mark.parametrize("semiring", [Plain(REAL), Bottleneck()])
def test_a_semiring_of_ones_own_needs_one_value_per_part_too(semiring: Semiring[Any]) -> None:
    with pytest.raises(ValueError, match="expected one value for each of the 2 parts, got 3"):
        Hypergraph.from_edges([(0, []), (0, [])]).inside([1.0, 2.0, 3.0], semiring)


def test_k_must_be_positive() -> None:
    with pytest.raises(ValueError, match="'k' parameter must be an int"):
        KBest(0)

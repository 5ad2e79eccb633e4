"""Minimum cuts against all subsets, and against chains."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.structures.minimum_cut import SHAPES, MinimumCut

CUTS = st.builds(
    MinimumCut,
    reach=st.integers(1, 4),
    strength=st.sampled_from([0.0, 0.1, 0.3, 1.0, 50.0]),
    shape=st.sampled_from(sorted(SHAPES)),
)
COSTS = st.integers(0, 7).flatmap(
    lambda n: st.lists(st.tuples(st.floats(0, 2), st.floats(0, 2)), min_size=n, max_size=n)
)


def table(costs: list[tuple[float, float]]) -> np.ndarray:
    return np.array(costs, dtype=float).reshape(-1, 2)


def explicit(cut: MinimumCut, costs: np.ndarray, y: tuple[bool, ...]) -> float:
    """Equations 121 to 123, pair by pair."""
    f = {"constant": lambda d: 1.0, "exponential": lambda d: np.exp(1 - d), "square": lambda d: 1 / d**2}
    total = sum(costs[i, int(one)] for i, one in enumerate(y))
    for i, j in itertools.combinations(range(len(y)), 2):
        if j - i <= cut.reach and y[i] != y[j]:
            total += cut.strength * f[cut.shape](j - i)
    return float(total)


def subsets(n: int) -> itertools.product:
    return itertools.product([False, True], repeat=n)


@settings(max_examples=150, deadline=None)
@given(CUTS, COSTS, st.data())
def test_best_is_the_cheapest_of_all_subsets(cut: MinimumCut, costs: list, data: st.DataObject) -> None:
    own = table(costs)
    known = [data.draw(st.sampled_from([None, None, True, False])) for _ in costs]
    found = cut.best(own, known=known)
    allowed = [y for y in subsets(len(costs)) if all(k is None or k == one for k, one in zip(known, y))]
    assert found.cost == pytest.approx(min(explicit(cut, own, y) for y in allowed), abs=1e-6)
    assert found.cost == pytest.approx(explicit(cut, own, tuple(found.stays)), abs=1e-9)
    assert all(k is None or k == one for k, one in zip(known, found.stays))


@settings(max_examples=60, deadline=None)
@given(CUTS, COSTS)
def test_the_first_are_the_cheapest_of_their_size_on_the_hull(cut: MinimumCut, costs: list) -> None:
    own = table(costs)
    cheapest = [
        min(explicit(cut, own, y) for y in subsets(len(costs)) if sum(y) == n) for n in range(len(costs) + 1)
    ]
    chosen = [cut.first(own, n) for n in range(len(costs) + 1)]
    for n, stays in enumerate(chosen):
        assert stays.sum() == n
        # No line between a smaller and a larger size is below: then the size has a cut of its own.
        bound = [
            cheapest[a] + (cheapest[b] - cheapest[a]) * (n - a) / (b - a)
            for a in range(n)
            for b in range(n + 1, len(cheapest))
        ]
        if all(cheapest[n] < one - 1e-5 for one in bound):
            assert explicit(cut, own, tuple(stays)) == pytest.approx(cheapest[n], abs=1e-6)
    assert cut.first(own, len(costs) + 3).all()


def test_the_first_with_known_sides() -> None:
    costs, cut = np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.7, 0.3]]), MinimumCut(strength=0.0)
    assert cut.first(costs, 2, known=[False, None, True, None]).tolist() == [False, True, True, False]
    assert cut.first(costs, 1, known=[True, True, None, None]).tolist() == [True, True, False, False]
    assert cut.first(costs, 4, known=[False, None, None, None]).tolist() == [False, True, True, True]


@pytest.mark.parametrize("shape", sorted(SHAPES))
@pytest.mark.parametrize("reach", [1, 2, 3])
def test_a_cut_is_a_chain(reach: int, shape: str) -> None:
    rng = np.random.default_rng(reach)
    for n in (1, 2, 3, 6, 40):
        costs, cut = rng.random((n, 2)), MinimumCut(reach=reach, strength=0.3, shape=shape)
        chain, scores = cut.chain(costs)
        best = chain.best(scores)
        assert cut.best(costs).cost == pytest.approx(-best.score, abs=1e-6)
        if n <= 6:
            weights = {y: np.exp(-explicit(cut, costs, y)) for y in subsets(n)}
            for i, p in enumerate(cut.marginals(costs)):
                assert p == pytest.approx(
                    sum(w for y, w in weights.items() if y[i]) / sum(weights.values()), abs=1e-6
                )


def test_equal_costs_leave_everything_out() -> None:
    assert not MinimumCut().best(np.full((5, 2), 0.5)).stays.any()


def test_ten_thousand_items() -> None:
    p = np.random.default_rng(1).random(10_000)
    costs, cut = np.stack([p, 1 - p], axis=1), MinimumCut(reach=3, shape="square")
    found, (chain, scores) = cut.best(costs), cut.chain(costs)
    assert found.cost == pytest.approx(-chain.best(scores).score, abs=10_000 * cut.resolution(costs))
    assert cut.first(costs, 17).sum() == 17


@pytest.mark.parametrize(
    ("costs", "known", "message"),
    [
        ([[1.0, 2.0, 3.0]], None, "two columns"),
        ([[np.nan, 2.0]], None, "finite"),
        ([[1.0, 2.0]], [True, False], "There are 1 items, and known sides for 2"),
    ],
)
def test_bad_costs(costs: list, known: list | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MinimumCut().best(costs, known=known)
    with pytest.raises(ValueError, match="at most 3"):
        MinimumCut(reach=4).marginals([[1.0, 2.0]])

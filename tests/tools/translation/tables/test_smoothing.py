"""Smoothed phrase probabilities against their formulas, pair by pair."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from palmette.tools.translation.tables.smoothing import conditional, good_turing_counts, kneser_ney_discounts


def random_counts(seed: int, n: int = 2000):
    rng = np.random.default_rng(seed)
    drawn = Counter(zip(rng.geometric(0.05, n).tolist(), rng.geometric(0.08, n).tolist()))
    of, given = np.array(list(drawn)).T
    return np.array(list(drawn.values())), of, given


def test_unsmoothed_is_relative_frequency() -> None:
    count, of, given = random_counts(0)
    p = conditional(count, of, given)
    totals: Counter[int] = Counter()
    for c, g in zip(count.tolist(), given.tolist()):
        totals[g] += c
    assert p == pytest.approx([c / totals[g] for c, g in zip(count.tolist(), given.tolist())])


def test_kneser_ney_sums_to_one_over_all_phrases() -> None:
    """Seen pairs by the function; unseen ones by the formula: what the discounts leave, shared by n(a) / n."""
    count, of, given = random_counts(1)
    p = conditional(count, of, given, "kneser-ney")
    n = np.bincount(count, minlength=5)
    y = n[1] / (n[1] + 2 * n[2])
    discounts = [0, *(k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))]
    assert kneser_ney_discounts(count) == pytest.approx(discounts)
    companions = Counter(of.tolist())
    for phrase in set(given.tolist()):
        rows = np.flatnonzero(given == phrase)
        left = sum(discounts[min(c, 3)] for c in count[rows].tolist()) / count[rows].sum()
        for row in rows.tolist():
            kept = (count[row] - discounts[min(count[row], 3)]) / count[rows].sum()
            assert p[row] == pytest.approx(kept + left * companions[of[row]] / len(count))
        seen = set(of[rows].tolist())
        unseen = sum(left * m / len(count) for a, m in companions.items() if a not in seen)
        assert p[rows].sum() + unseen == pytest.approx(1)


def test_discounts_where_counts_are_missing() -> None:
    for count in ([1], [2, 2], [1, 1, 3], [5, 9], [1, 2, 3, 4], []):
        discounts = kneser_ney_discounts(np.array(count, int))
        assert (discounts >= 0).all()
        assert (discounts <= [0, 1, 2, 3]).all()
        p = conditional(np.array(count, int), np.zeros(len(count), int), np.arange(len(count)), "kneser-ney")
        assert ((p > 0) & (p <= 1 + 1e-12)).all()


def test_good_turing_is_turing_while_it_is_reliable() -> None:
    """With n₁ = 12,000 and n₂ = 3,000 the estimate for 1 is 2 n₂ / n₁; far up it follows the line."""
    sizes = {1: 12_000, 2: 3_000, 3: 700, 4: 320, 5: 200, 9: 40, 20: 6, 57: 1, 130: 1}
    count = np.repeat(list(sizes), list(sizes.values()))
    adjusted = dict(zip(count.tolist(), good_turing_counts(count).tolist()))
    assert adjusted[1] == pytest.approx(2 * 3_000 / 12_000)
    assert all(0 < adjusted[c] < c for c in sizes)
    assert sorted(adjusted.values()) == [adjusted[c] for c in sizes]
    assert adjusted[130] > 110
    p = conditional(count, np.arange(len(count)), np.zeros(len(count), int), "good-turing")
    assert 0.5 < p.sum() < 1


def test_good_turing_of_little_text_keeps_counts() -> None:
    for count in ([1], [3, 3], []):
        assert good_turing_counts(np.array(count, int)).tolist() == count
    few = good_turing_counts(np.array([1, 1, 2, 9]))
    assert ((few > 0) & (few <= [1, 1, 2, 9])).all()

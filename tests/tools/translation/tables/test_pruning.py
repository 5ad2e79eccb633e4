"""Pruned phrase tables against sets of pairs chosen one by one, and Fisher's exact test in whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from oracles.phrases import random_text
from palmette._native import surprises
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.tables.extraction import TableOptions, extract
from palmette.tools.translation.tables.phrase_table import PhraseTable, TablePair
from palmette.tools.translation.tables.pruning import prune, surprise, threshold

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def text() -> tuple[ParallelText, PhraseTable]:
    pairs, links = random_text(11, 60)
    parallel = ParallelText.of(pairs)
    return parallel, extract(parallel, Alignments.of(links))


def fisher(both: int, source: int, target: int, n: int) -> float:
    """−ln p in exact arithmetic."""
    ways = sum(
        math.comb(source, k) * math.comb(n - source, target - k) for k in range(both, min(source, target) + 1)
    )
    p = Fraction(ways, math.comb(n, target))
    return -(math.log(p.numerator) - math.log(p.denominator))


def test_surprise_against_whole_numbers() -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 7, 40, 300, 29_000):
        rows = []
        for _ in range(60):
            source, target = (int(k) for k in rng.integers(0, min(n, 90) + 1, 2))
            rows.append((source, target, int(rng.integers(0, min(source, target) + 1))))
        rows = [(s, t, b) for s, t, b in rows if n - s >= t - b]
        found = surprises(np.array(rows, np.uint32).ravel(), n)
        wanted = [fisher(both, source, target, n) for source, target, both in rows]
        assert found == pytest.approx(wanted, rel=1e-7, abs=1e-9)
    assert surprises(np.array([1, 1, 1], np.uint32), 29_000)[0] == pytest.approx(math.log(29_000))
    with pytest.raises(ValueError, match="at most as often"):
        surprises(np.array([1, 1, 2], np.uint32), 10)


def holds(sentence: list[str], phrase: tuple[str, ...]) -> bool:
    n = len(phrase)
    return any(tuple(sentence[k : k + n]) == phrase for k in range(len(sentence) - n + 1))


def slow_surprise(pair: TablePair, parallel: ParallelText) -> float:
    sides = [(holds(e, pair.source), holds(f, pair.target)) for e, f in parallel]
    return fisher(
        sum(a and b for a, b in sides), sum(a for a, _ in sides), sum(b for _, b in sides), len(sides)
    )


def test_significance_counts_sentences(text: tuple[ParallelText, PhraseTable]) -> None:
    parallel, table = text
    wanted = [slow_surprise(pair, parallel) for pair in table]
    assert surprise(table, parallel) == pytest.approx(wanted, rel=1e-7, abs=1e-9)
    for least in ("alpha+epsilon", "alpha-epsilon", 2.0):
        kept = prune(table, significance=least, text=parallel)
        limit = threshold(least, len(parallel))
        assert list(kept) == [pair for pair, value in zip(table, wanted) if value >= limit - 1e-9]
    assert threshold("alpha+epsilon", 60) > math.log(60) > threshold("alpha-epsilon", 60)
    # Another text has other words.
    other = ParallelText.of([("e0 x", "f1 y"), ("", "")])
    assert surprise(table, other) == pytest.approx([slow_surprise(pair, other) for pair in table])


def test_count_and_limit(text: tuple[ParallelText, PhraseTable]) -> None:
    _, table = text
    assert list(prune(table, min_count=2)) == [pair for pair in table if pair.counts and pair.counts[2] >= 2]
    for options in ({"limit": 2}, {"limit": 1, "min_count": 2}):
        wanted = []
        for pair in table:
            assert pair.counts is not None
            before = [other for other in wanted if other.source == pair.source]
            if pair.counts[2] >= options.get("min_count", 1) and len(before) < options["limit"]:
                wanted.append(pair)
        assert list(prune(table, **options)) == wanted
    assert prune(table) is table
    assert len(prune(table, min_count=10**6)) == 0


def test_a_pruned_table_is_the_table_of_its_pairs(text: tuple[ParallelText, PhraseTable]) -> None:
    parallel, table = text
    kept = prune(table, limit=1, significance=3.0, text=parallel)
    again = PhraseTable.from_pairs(list(kept))
    assert 0 < len(kept) < len(table)
    for name, array in again.arrays().items():
        np.testing.assert_array_equal(array, kept.arrays()[name], name)
    assert list(again.target_strings) == list(kept.target_strings)


def test_options_prune_too(text: tuple[ParallelText, PhraseTable]) -> None:
    pairs, links = random_text(11, 60)
    parallel, table = text
    options = TableOptions(min_count=2, limit=2, significance="alpha-epsilon")
    one = extract(ParallelText.of(pairs), Alignments.of(links), options)
    two = prune(table, min_count=2, limit=2, significance="alpha-epsilon", text=parallel)
    assert list(one) == list(two)


def test_what_pruning_needs(text: tuple[ParallelText, PhraseTable]) -> None:
    _, table = text
    with pytest.raises(ValueError, match="without counts"):
        prune(table.without_counts(), min_count=2)
    with pytest.raises(ValueError, match="needs the text"):
        prune(table, significance=1.0)
    with pytest.raises(ValueError, match="limit"):
        prune(table, limit=0)
    with pytest.raises(ValueError, match="significance"):
        prune(table, significance="beta")

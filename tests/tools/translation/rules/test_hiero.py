"""Hierarchical rules against an extraction by definition: rules, counts, links, probabilities, lexical weights."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from palmette import _native
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.rules.hiero import HieroOptions, extract_hiero
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.symbols import Nonterminal

pytestmark = pytest.mark.native

Link = tuple[int, int]
Pair = tuple[list[str], list[str], set[Link]]


def random_pairs(seed: int, size: int, length: int = 7) -> list[Pair]:
    """Sentence pairs of a few words, with links near the diagonal and some far from it."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(size):
        n, m = rng.integers(1, length + 1, 2).tolist()
        source = [f"s{k}" for k in rng.integers(0, 4, n)]
        target = [f"t{k}" for k in rng.integers(0, 4, m)]
        links = {(i, min(m - 1, i * m // n)) for i in range(n) if rng.random() < 0.6}
        links |= {(int(rng.integers(0, n)), int(rng.integers(0, m))) for _ in range(int(rng.integers(0, 3)))}
        found.append((source, target, links))
    return found


def initial_phrases(pair: Pair, options: HieroOptions, loose: bool) -> list[tuple[int, int, int, int]]:
    """All blocks, by trying all of them; loose: source words at their borders may have no links."""
    source, target, links = pair
    found = []
    for i0, i1 in combinations(range(len(source) + 1), 2):
        for j0, j1 in combinations(range(len(target) + 1), 2):
            inside = {(i, j) for i, j in links if i0 <= i < i1 and j0 <= j < j1}
            touched = {(i, j) for i, j in links if i0 <= i < i1 or j0 <= j < j1}
            borders = {j for _, j in inside} >= {j0, j1 - 1}
            borders = borders and (loose or {i for i, _ in inside} >= {i0, i1 - 1})
            if inside == touched and borders and max(i1 - i0, j1 - j0) <= options.max_span:
                found.append((i0, i1, j0, j1))
    return found


def rules_of(pair: Pair, options: HieroOptions) -> list[tuple[Any, Any, Any, Fraction]]:
    """(source side, target side, links, count) of every way to make a rule of an initial phrase."""
    source, target, links = pair
    phrases, tight = (initial_phrases(pair, options, loose) for loose in (options.loose, False))
    found = []
    for i0, i1, j0, j1 in phrases:
        here = []
        inner = [
            p
            for p in tight
            if i0 <= p[0] and p[1] <= i1 and j0 <= p[2] and p[3] <= j1 and p != (i0, i1, j0, j1)
        ]
        inner = [p for p in inner if p[1] - p[0] >= options.min_hole]
        for n in range(options.max_nonterminals + 1):
            for holes in combinations(sorted(inner), n):
                apart = all(
                    (a[1] <= b[0] if options.adjacent else a[1] < b[0]) and (a[3] <= b[2] or b[3] <= a[2])
                    for a, b in combinations(holes, 2)
                )
                if not apart:
                    continue
                e: list[Any] = []
                e_at, f_at = {}, {}
                for i in range(i0, i1):
                    hole = next((h for h in holes if h[0] <= i < h[1]), None)
                    if hole is None:
                        e_at[i] = len(e)
                        e.append(source[i])
                    elif hole[0] == i:
                        e.append(Nonterminal("X", holes.index(hole)))
                f: list[Any] = []
                for j in range(j0, j1):
                    hole = next((h for h in holes if h[2] <= j < h[3]), None)
                    if hole is None:
                        f_at[j] = len(f)
                        f.append(target[j])
                    elif hole[2] == j:
                        f.append(Nonterminal("X", holes.index(hole)))
                kept = tuple(sorted((e_at[i], f_at[j]) for i, j in links if i in e_at and j in f_at))
                if kept and len(e) <= options.max_symbols:
                    here.append((tuple(e), tuple(f), kept))
        share = Fraction(1, len(here)) if here and options.counting == "shares" else Fraction(1)
        found += [(*rule, share) for rule in here]
    return found


def extracted(pairs: list[Pair], options: HieroOptions, n_jobs: int = 1) -> RuleTable:
    text = ParallelText.of([(" ".join(e), " ".join(f)) for e, f, _ in pairs])
    return extract_hiero(text, Alignments.of([links for _, _, links in pairs]), options, n_jobs=n_jobs)


OPTIONS = [
    {},
    {"loose": True},
    {"min_hole": 1},
    {"min_hole": 1, "loose": True},
    {"min_hole": 1, "counting": "whole"},
    {"min_hole": 1, "adjacent": True, "max_nonterminals": 3, "max_symbols": 6},
    {"max_span": 3, "min_hole": 1},
    {"max_nonterminals": 0, "max_symbols": 3},
]


@pytest.mark.parametrize("given", OPTIONS, ids=str)
def test_all_rules_and_counts(given: dict[str, Any]) -> None:
    options = HieroOptions(smoothing="none", **given)
    pairs = random_pairs(1, 40)
    count: dict[Any, Fraction] = defaultdict(Fraction)
    variants: dict[Any, Counter[Any]] = defaultdict(Counter)
    for pair in pairs:
        for source, target, links, share in rules_of(pair, options):
            count[source, target] += share
            variants[source, target][links] += 1
    table = {(rule.source, rule.target): rule for rule in extracted(pairs, options)}
    assert table.keys() == count.keys()
    assert len(table) > 40
    by_source, by_target = defaultdict(Fraction), defaultdict(Fraction)
    for (source, target), c in count.items():
        by_source[source] += c
        by_target[target] += c
    for key, rule in table.items():
        want = [float(by_target[key[1]]), float(by_source[key[0]]), float(count[key])]
        assert rule.left == "X"
        assert rule.counts == pytest.approx(want, rel=1e-6)
        assert rule.scores[0] == pytest.approx(math.log(want[2] / want[0]), abs=1e-5)
        assert rule.scores[2] == pytest.approx(math.log(want[2] / want[1]), abs=1e-5)
        assert variants[key][rule.links] == max(variants[key].values())


def test_lexical_weights() -> None:
    """lex(source | target) is the product over source words of the mean w(word | linked word)."""
    pairs = random_pairs(2, 30)
    pair_counts, target_counts = Counter[Any](), Counter[Any]()
    for source, target, links in pairs:
        linked = {i for i, _ in links}
        for e, f in [(source[i], target[j]) for i, j in links] + [
            (source[i], None) for i in range(len(source)) if i not in linked
        ]:
            pair_counts[e, f] += 1
            target_counts[f] += 1
    for rule in extracted(pairs, HieroOptions(min_hole=1)):
        want = 0.0
        for i, word in enumerate(rule.source):
            if isinstance(word, str):
                others = [rule.target[j] for a, j in rule.links if a == i] or [None]
                want += math.log(sum(pair_counts[word, f] / target_counts[f] for f in others) / len(others))
        assert rule.scores[1] == pytest.approx(want, abs=1e-5)


@pytest.mark.parametrize("smoothing", ["kneser-ney", "good-turing"])
def test_smoothed_probabilities(smoothing: str) -> None:
    table = list(extracted(random_pairs(3, 300, 5), HieroOptions(smoothing=smoothing)))
    total: dict[Any, float] = defaultdict(float)
    for rule in table:
        total[rule.source] += math.exp(rule.scores[2])
    assert max(total.values()) <= 1 + 1e-5
    plain = {
        (rule.source, rule.target): rule
        for rule in extracted(random_pairs(3, 300, 5), HieroOptions(smoothing="none"))
    }
    assert any(rule.scores[2] < plain[rule.source, rule.target].scores[2] - 1e-3 for rule in table)


def test_threads_and_pieces_do_not_matter() -> None:
    pairs = random_pairs(4, 3000)
    one, three = (extracted(pairs, HieroOptions(), n_jobs=n) for n in (1, 3))
    for name, array in one.arrays().items():
        assert np.array_equal(array, three.arrays()[name]), name
    assert sum(rule.counts[2] for rule in one if rule.counts) == pytest.approx(
        sum(float(share) for pair in pairs for *_, share in rules_of(pair, HieroOptions())), rel=1e-4
    )


def test_options_that_prune() -> None:
    pairs = random_pairs(5, 200)
    everything = list(extracted(pairs, HieroOptions(counting="whole", rare=1)))
    often = list(extracted(pairs, HieroOptions(counting="whole", rare=1, min_count=2)))
    assert often == [rule for rule in everything if rule.counts and rule.counts[2] >= 2]
    assert {rule.scores[4] for rule in everything} == {0.0, 1.0}
    best = extracted(pairs, HieroOptions(counting="whole", rare=1, limit=1))
    assert len(best) == len({rule.source for rule in everything})
    assert list(best) == [
        rule for k, rule in enumerate(everything) if not k or everything[k - 1].source != rule.source
    ]
    some = {str(rule) for rule in extracted(pairs, HieroOptions(significance=3.0))}
    sides: dict[str, list[set[int]]] = {}
    for s, pair in enumerate(pairs):
        for source, target, _, _ in rules_of(pair, HieroOptions()):
            for key in (source, target, (source, target)):
                sides.setdefault(str(key), [set()])[0].add(s)
    for rule in everything:
        a, b, both = (
            len(sides[str(key)][0]) for key in (rule.source, rule.target, (rule.source, rule.target))
        )
        p = sum(math.comb(a, k) * math.comb(len(pairs) - a, b - k) for k in range(both, min(a, b) + 1))
        surprise = -math.log(p / math.comb(len(pairs), b))
        assert (str(rule) in some) == (surprise >= 3.0 - 1e-9)


def test_text_without_rules() -> None:
    assert len(extracted([(["a"], ["b"], set())], HieroOptions())) == 0
    assert len(extracted([([], [], set())], HieroOptions())) == 0
    assert len(extracted([], HieroOptions())) == 0
    with pytest.raises(ValueError, match="There must be 1 alignment"):
        extract_hiero(ParallelText.of([("a", "b")]), Alignments.of([]))


def test_native_extraction_checks_its_arrays() -> None:
    offsets, ids, logs = np.array([0, 1]), np.zeros(1, np.int32), np.zeros(1)
    limits = (10, 5, 2, 2, False, False, True, 1)
    good = [offsets, ids, offsets, ids, offsets, ids, ids, logs, logs, 1, 1]
    assert _native.hiero_rules(*good, *limits).nodes.size == 1
    for place, bad in [
        (0, np.array([0, 2])),
        (1, np.array([-1], np.int32)),
        (3, np.array([1], np.int32)),
        (4, np.array([1, 0])),
        (5, np.array([1], np.int32)),
        (7, np.zeros(0)),
    ]:
        with pytest.raises(ValueError, match=r"\w"):
            _native.hiero_rules(*good[:place], bad, *good[place + 1 :], *limits)
    for wrong in [
        (0, *limits[1:]),
        (10, 0, *limits[2:]),
        (10, 5, 64, *limits[3:]),
        (10, 5, 2, 0, *limits[4:]),
    ]:
        with pytest.raises(ValueError, match="rules have"):
            _native.hiero_rules(*good, *wrong)

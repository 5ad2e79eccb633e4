"""Split-merge EM: the likelihood never falls, one state is the plain grammar, all states by brute force."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from palmette import _native
from palmette.grammars.lcfrs_extraction import extract_lcfrs
from palmette.tools.constituency.plcfrs.states import StateTrainer
from palmette.transforms.fan_out import CommonHeads, FanOutBinarization
from samples.random_lcfrs import random_discontinuous

pytestmark = pytest.mark.native


def trainer(n_trees: int, *, words: int = 8, n_jobs: int = 1) -> StateTrainer:
    rng = random.Random(4)
    trees = [random_discontinuous(rng, rng.randint(1, words)) for _ in range(n_trees)]
    binarize = FanOutBinarization(CommonHeads.of(trees), 0)
    table, derivations = extract_lcfrs([binarize(tree) for tree in trees])
    pairs = list(zip(derivations.symbol[derivations.word_nodes].tolist(), derivations.words, strict=True))
    numbers = {pair: i for i, pair in enumerate(sorted(set(pairs)))}
    entries = np.array([numbers[pair] for pair in pairs], np.int32)
    made = StateTrainer(
        table, derivations, entries, np.array([tag for tag, _ in numbers], np.int32), n_jobs=n_jobs
    )
    made.derivations = derivations  # type: ignore[attr-defined]
    made.entries = entries  # type: ignore[attr-defined]
    return made


def test_one_state_is_the_plain_grammar() -> None:
    one = trainer(40)
    first, counts = one.expect()
    before = one.states
    one.maximise(counts)
    assert one.states.binary == pytest.approx(before.binary, abs=1e-5)
    assert one.states.lexical == pytest.approx(before.lexical, abs=1e-5)
    assert counts.binary.sum() + counts.unary.sum() + counts.lexical.sum() == pytest.approx(
        len(one.derivations.symbol), rel=1e-4
    )  # type: ignore[attr-defined]
    assert one.expect()[0] == pytest.approx(first, rel=1e-5)


def test_likelihood_never_falls_and_splits_raise_it() -> None:
    split = trainer(60)
    plain, _ = split.expect()
    for _ in range(2):
        split.split(noise=0.1, least=5)
        values = [split.iterate(1) for _ in range(12)]
        assert all(b >= a - 1e-3 for a, b in itertools.pairwise(values))
    assert values[-1] > plain + 1
    n_states = int(split.states.counts.sum())
    split.merge(0.5)
    assert int(split.states.counts.sum()) < n_states
    merged = [split.iterate(1) for _ in range(5)]
    assert all(b >= a - 1e-3 for a, b in itertools.pairwise(merged))
    split.smooth(0.1)
    totals = np.zeros(len(split.table.names))
    at = 0
    for parent, left, right in zip(split.table.parent, split.table.left, split.table.right, strict=True):
        n = split.states.counts
        size = n[parent] * n[left] * n[right]
        totals[parent] += split.states.binary[at : at + size].sum()
        at += size
    at = 0
    for parent, child in zip(split.table.unary_parent, split.table.unary_child, strict=True):
        size = split.states.counts[parent] * split.states.counts[child]
        totals[parent] += split.states.unary[at : at + size].sum()
        at += size
    phrases = ~split.table.tags
    assert totals[phrases] == pytest.approx(split.states.counts[phrases], rel=1e-4)


def test_merging_all_splits_gives_the_grammar_before() -> None:
    both = trainer(50)
    before = both.states
    both.split(noise=0.3, least=5)
    both.iterate(3)
    both.merge(1.0)
    assert (both.states.counts == 1).all()
    both.iterate(1)
    assert both.states.binary == pytest.approx(before.binary, abs=1e-4)
    assert both.states.lexical == pytest.approx(before.lexical, abs=1e-4)


def test_likelihood_is_the_sum_over_all_states() -> None:
    split = trainer(1, words=4)
    split.split(noise=0.5, least=1)
    s, trees, table = split.states, split.derivations, split.table  # type: ignore[attr-defined]
    n = s.counts
    starts = {
        "binary": np.concatenate([[0], np.cumsum(n[table.parent] * n[table.left] * n[table.right])]),
        "unary": np.concatenate([[0], np.cumsum(n[table.unary_parent] * n[table.unary_child])]),
        "lexical": np.concatenate([[0], np.cumsum(n[split.entry_symbol])]),
    }
    entry = dict(zip(trees.word_nodes.tolist(), split.entries.tolist(), strict=True))  # type: ignore[attr-defined]
    total = 0.0
    for states in itertools.product(*(range(n[symbol]) for symbol in trees.symbol)):
        weight = 1.0
        for i, x in enumerate(states):
            left, right, rule = trees.left[i], trees.right[i], trees.rule[i]
            if i in entry:
                weight *= s.lexical[starts["lexical"][entry[i]] + x]
            elif right < 0:
                weight *= s.unary[starts["unary"][rule] + x * n[trees.symbol[left]] + states[left]]
            else:
                row = x * n[trees.symbol[left]] + states[left]
                weight *= s.binary[starts["binary"][rule] + row * n[trees.symbol[right]] + states[right]]
        total += weight
    assert split.expect()[0] == pytest.approx(np.log(total), rel=1e-5)


def test_the_number_of_threads_makes_no_difference() -> None:
    results = []
    for n_jobs in (1, 3):
        one = trainer(60, n_jobs=n_jobs)
        one.split(least=5)
        one.iterate(3)
        one.merge()
        results.append((one.expect()[0], one.states.binary.tobytes()))
    assert results[0] == results[1]


def test_trees_that_do_not_fit_are_refused() -> None:
    one = trainer(3)
    table, trees = one.table, one.derivations  # type: ignore[attr-defined]
    entry = np.full(len(trees.symbol), -1, np.int32)
    entry[trees.word_nodes] = one.entries  # type: ignore[attr-defined]
    good = {
        "first": trees.first,
        "symbol": trees.symbol,
        "rule": trees.rule,
        "left_node": trees.left,
        "right_node": trees.right,
        "entry": entry,
        "n_entries": len(one.entry_symbol),
    }
    _native.LcfrsEm(**table.arguments, **good)
    for name, value in {
        "first": trees.first[:-1],
        "symbol": np.zeros_like(trees.symbol),
        "rule": trees.rule + 100,
        "left_node": trees.left + 50,
        "entry": np.full_like(entry, -1),
        "n_entries": 0,
    }.items():
        with pytest.raises(ValueError, match=r"tree|fit"):
            _native.LcfrsEm(**table.arguments, **(good | {name: value}))

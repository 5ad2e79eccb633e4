"""Split-merge training against counts, sums over all substates, and the laws of EM."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from oracles.latent_grammars import Dense, cat_data, cats, nodes_of, tree_probability, word_weights
from palmette.tools.constituency.latent.grammar import GrammarWeights, rows_of
from palmette.tools.constituency.latent.method import train
from palmette.tools.constituency.latent.training import TrainingTrees, split_merge
from palmette.tools.constituency.latent.trees import BINARY, SAME, UNARY, WORD
from palmette.trees.tree import Tree

pytestmark = pytest.mark.native


def snapshot(trainer) -> GrammarWeights:
    names = ("substates", "binary", "unary", "same", "root", "mass", "counts", "prior")
    return GrammarWeights(*(getattr(trainer, name)() for name in names), ())


def test_one_substate_is_the_grammar_of_the_treebank():
    data = cat_data()
    flat, rules = data.flat, data.rules
    (done,) = split_merge(data, rounds=0, merge=0.5, n_jobs=1, seed=0)
    dense = Dense(rules, done.weights)
    below: Counter[int] = Counter()
    above: Counter[int] = Counter()
    for kind, symbol in zip(flat.kind, flat.symbol):
        below[symbol] += kind == BINARY
        above[symbol] += kind in (UNARY, SAME)
    for rule, (a, _, _) in enumerate(rules.binary):
        uses = sum(k == BINARY and i == rule for k, i in zip(flat.kind, flat.id))
        assert dense.binary[rule][0, 0, 0] == pytest.approx(uses / below[a])
    for rule, unary in enumerate(rules.unary):
        uses = sum(k == UNARY and i == rule for k, i in zip(flat.kind, flat.id))
        assert dense.unary[rule][0, 0] == pytest.approx(uses / above[unary.upper])
    roots = Counter(flat.symbol[end - 1] for end in flat.begin[1:])
    for symbol, count in roots.items():
        assert dense.root[symbol][0] == pytest.approx(count / len(cats()))


@pytest.mark.parametrize("rare", [0, 5])
def test_inside_is_the_sum_over_all_substates(rare):
    short = [Tree.parse("(TOP (S (NP (N a)) (V b)))"), Tree.parse("(TOP (S (V b) (X (NP (N c)))))")]
    data = TrainingTrees.of(short, horizontal=0, leftward=True, rare=rare)
    trainer = data.trainer()
    trainer.split(0.6, 3)
    trainer.expectation(1)
    trainer.maximization(0.05, 0.1, 1)
    grammar = snapshot(trainer)
    dense = Dense(data.rules, grammar)
    want = 0.0
    for tree in range(2):
        nodes = nodes_of(data, tree)
        words = {}
        for kind, token, symbol, _, _ in nodes:
            if kind == WORD:
                _, word, position = data.flat.tokens[token]
                chain = data.lexicon.contexts.chain(word, position)
                words[token] = word_weights(data.lexicon, grammar, symbol, chain, 0.1)
        want += math.log(tree_probability(dense, nodes, words))
    assert trainer.expectation(1) == pytest.approx(want, abs=1e-4)


def test_expected_counts_keep_the_number_of_nodes():
    data = cat_data()
    trainer = data.trainer()
    trainer.split(0.3, 1)
    trainer.expectation(1)
    nodes = sum(kind != SAME for kind in data.flat.kind)
    assert trainer.mass().sum() == pytest.approx(nodes, rel=1e-5)
    assert trainer.prior().sum() == pytest.approx(1, rel=1e-5)


def test_weights_are_distributions():
    data = cat_data()
    for done in split_merge(data, rounds=2, merge=0.5, n_jobs=1, seed=0):
        dense = Dense(data.rules, done.weights)
        for symbol, n in enumerate(dense.substates):
            expanding = [w.sum((1, 2)) for w, r in zip(dense.binary, data.rules.binary) if r[0] == symbol]
            below = sum(expanding, np.zeros(n))
            rising = [w.sum(1) for w, r in zip(dense.unary, data.rules.unary) if r.upper == symbol]
            assert all(s == pytest.approx(1, abs=1e-3) or s == 0 for s in below)
            above = sum(rising, dense.same[symbol])
            assert all(s == pytest.approx(1, abs=1e-3) or s == 0 for s in above)
        assert sum(r.sum() for r in dense.root) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_the_likelihood_never_falls(seed):
    trainer = cat_data().trainer()
    trainer.split(0.05, seed)
    before = -math.inf
    for _ in range(40):
        trainer.expectation(1)  # the noise of a split leaves no distributions: from the first counts on
        trainer.maximization(0.0, 0.0, 1)
        now = trainer.expectation(1)
        assert now >= before - 1e-3
        before = now


def test_a_split_without_noise_changes_nothing():
    trainer = cat_data().trainer()
    before = trainer.expectation(1)
    trainer.split(0.0, 0)
    assert (trainer.substates() == 2).all()
    assert trainer.expectation(1) == pytest.approx(before, abs=1e-3)
    # Halves that are the same lose nothing when they become one again.
    rows = rows_of(trainer.substates())
    losses = trainer.merge_losses(1)
    assert all(losses[row] == pytest.approx(0, abs=1e-3) for row in rows[:-1])
    merged = np.zeros(rows[-1], dtype=np.uint8)
    merged[rows[:-1]] = 1
    trainer.merge(merged)
    assert (trainer.substates() == 1).all()
    assert trainer.expectation(1) == pytest.approx(before, abs=1e-3)


def test_half_of_the_splits_are_taken_back():
    data = cat_data()
    first, second = (
        done.weights.substates for done in split_merge(data, rounds=2, merge=0.5, n_jobs=1, seed=0)
    )
    n = len(data.rules.symbols)
    assert first.sum() == 2 * n - n // 2
    assert second.sum() == 2 * first.sum() - first.sum() // 2


def test_levels_lead_back_to_the_treebank():
    data = cat_data()
    *_, last = split_merge(data, rounds=3, merge=0.3, n_jobs=1, seed=0)
    levels = last.weights.levels
    assert len(levels) == 3
    assert (levels[0].groups == 1).all()
    rows = rows_of(last.weights.substates)
    for level in levels:
        for symbol, n in enumerate(last.weights.substates):
            found = set(level.group[rows[symbol] : rows[symbol] + n].tolist())
            assert found == set(range(level.groups[symbol]))


def test_threads_and_seeds():
    options = {"rounds": 2, "grammars": 2}
    one, two = (train(cats(), options=options, n_jobs=n, seed=4).model.arrays() for n in (1, 2))
    assert one.keys() == two.keys()
    assert all(np.array_equal(one[name], two[name]) for name in one)
    other = train(cats(), options=options, seed=5).model.arrays()
    assert any(not np.array_equal(one[name], other[name]) for name in one)


def test_reports_of_rounds_and_the_best_of_them():
    seen = []
    scores = iter([0.5, 0.9, 0.7])
    trained = train(cats(), options={"rounds": 3}, dev=lambda model: next(scores), callback=seen.append)
    assert [report.epoch for report in seen] == [1, 2, 3]
    assert [report.best for report in seen] == [True, True, False]
    assert trained.history == tuple(seen)
    assert len(trained.model.members[0].levels) == 2  # that of the second round


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rounds": -1}, "'rounds' parameter must be an int in the range .0, 8."),
        ({"grammars": 0}, "'grammars'"),
        ({"merge": 1.0}, "'merge' parameter must be"),
        ({"leftward": 1}, "'leftward' parameter must be"),
        ({"threshold": 2}, "'threshold' parameter must be"),
        ({"decoding": "best"}, "'decoding' parameter must be"),
        ({"splits": 3}, "no option 'splits'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        train(cats(), options=options)


def test_nodes_that_do_not_fit_are_refused():
    data = cat_data()
    data.flat.left[next(i for i, k in enumerate(data.flat.kind) if k == BINARY)] = 10**6
    with pytest.raises(ValueError, match="does not fit"):
        data.trainer()

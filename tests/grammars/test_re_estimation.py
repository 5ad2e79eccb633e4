"""Inside-outside: against the textbook recurrences in NumPy, and with likelihoods that never fall."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from oracles.grammars import random_grammar
from palmette import EM, VB, Grammar
from palmette.grammars.checks import GrammarWarning
from palmette.grammars.hidden_markov import HiddenMarkovModel
from palmette.grammars.re_estimation import SentenceCounts, reestimate
from palmette.grammars.regular import hidden_markov_model, regular_grammar
from palmette.grammars.rule import Terminal

pytestmark = pytest.mark.native

TOY = Grammar(
    """
    S -> A B [0.4] | B A [0.3] | A A [0.3]
    A -> A B [0.2] | 'a' [0.5] | 'b' [0.3]
    B -> B B [0.3] | 'b' [0.6] | 'a' [0.1]
    """
)
SENTENCES = [list("ab"), list("abb"), list("bab"), list("aabb"), list("ba")]


def inside_outside(grammar: Grammar, words: list[str]) -> tuple[float, np.ndarray]:
    """log P(words) and expected counts of the rules of a grammar in normal form, by the recurrences of §10."""
    n, N = len(words), len(grammar.nonterminals)
    inside, outside = np.zeros((n, n + 1, N)), np.zeros((n, n + 1, N))
    binary = [
        (r, *map(grammar.number_of, (rule.left, *rule.nonterminals)))
        for r, rule in enumerate(grammar.rules)
        if len(rule.right) == 2
    ]
    lexical = [
        (r, grammar.number_of(rule.left), rule.right[0].word)
        for r, rule in enumerate(grammar.rules)
        if isinstance(rule.right[0], Terminal)
    ]
    w = grammar.weights
    for i in range(n):
        for r, a, word in lexical:
            if word == words[i]:
                inside[i, i + 1, a] += w[r]
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            for j in range(i + 1, i + width):
                for r, a, b, c in binary:
                    inside[i, i + width, a] += w[r] * inside[i, j, b] * inside[j, i + width, c]
    counts = np.zeros(len(w))
    z = inside[0, n, 0]
    outside[0, n, 0] = 1.0
    for width in range(n, 1, -1):
        for i in range(n - width + 1):
            k = i + width
            for j in range(i + 1, k):
                for r, a, b, c in binary:
                    outside[i, j, b] += outside[i, k, a] * w[r] * inside[j, k, c]
                    outside[j, k, c] += outside[i, k, a] * w[r] * inside[i, j, b]
                    counts[r] += outside[i, k, a] * w[r] * inside[i, j, b] * inside[j, k, c] / z
    for i in range(n):
        for r, a, word in lexical:
            if word == words[i]:
                counts[r] += outside[i, i + 1, a] * w[r] / z
    return math.log(z), counts


def test_expected_counts_are_those_of_the_textbook() -> None:
    problem = SentenceCounts(TOY, SENTENCES)
    have = problem.expected_counts(TOY.log_weights)
    want = [inside_outside(TOY, sentence) for sentence in SENTENCES]
    assert have[0] == pytest.approx(sum(log_z for log_z, _ in want))
    np.testing.assert_allclose(have[1], sum(counts for _, counts in want))


def test_em_by_hand() -> None:
    grammar = TOY
    for _ in range(4):
        counts = sum(inside_outside(grammar, sentence)[1] for sentence in SENTENCES)
        grammar = grammar.with_weights(counts).normalised()
    have = TOY.reestimated(SENTENCES, EM(n_iter=4, tolerance=0.0))
    np.testing.assert_allclose(have.weights, grammar.weights)


@pytest.mark.parametrize("learner", [EM(), EM(prior=0.5), EM(noise=1.0), VB(prior=0.1), VB(prior=2.0)])
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_never_falls(learner: EM, seed: int) -> None:
    grammar = random_grammar(seed, n=3)
    sentences = [sample.words for sample in grammar.samples(40, random_state=seed) if len(sample.words) < 7]
    start = grammar.with_weights(np.ones(len(grammar))).normalised()
    found = reestimate(start, sentences, learner)
    values = [report.numbers["objective"] for report in found.history]
    assert all(later >= earlier - 1e-8 * abs(earlier) for earlier, later in pairwise(values))
    assert found.grammar.is_proper
    if learner.prior == 0:  # then expected counts are those of whole trees
        assert found.grammar.consistency().is_consistent
    assert found.skipped == ()


def test_likelihood_rises_to_that_of_the_source() -> None:
    source = Grammar("S -> S S [0.3] | 'a' [0.5] | 'b' [0.2]")
    sentences = [sample.words for sample in source.samples(300) if len(sample.words) <= 8]
    start = Grammar("S -> S S [0.1] | 'a' [0.1] | 'b' [0.8]")
    learnt = start.reestimated(sentences)
    # S → S S once for every word but one: the estimate has a closed form.
    n_words, n = sum(map(len, sentences)), len(sentences)
    assert learnt.weights[0] == pytest.approx((n_words - n) / (2 * n_words - n))


def test_baum_welch_is_inside_outside_of_a_regular_grammar() -> None:
    """The same pass over an HMM, by forward-backward in NumPy."""
    rng = np.random.default_rng(3)
    rows = rng.dirichlet(np.ones(3), size=2)
    model = HiddenMarkovModel(
        ("X", "Y"), ("a", "b"), rng.dirichlet([1, 1]), rows[:, :2], rng.dirichlet([1, 1], size=2), rows[:, 2]
    )
    sentences = [list("aab"), list("ba"), list("abba")]
    grammar = regular_grammar(model).reestimated(sentences, EM(n_iter=1))
    first = np.zeros(2)
    for sentence in sentences:
        first += model.chain().marginals(model.scores(sentence))[0]
    learnt = {rule[:2]: rule.weight for rule in grammar.rules}
    assert [learnt["S", (state,)] for state in "XY"] == pytest.approx((first / first.sum()).tolist())
    assert isinstance(hidden_markov_model(grammar), HiddenMarkovModel)


def test_sentences_without_a_derivation() -> None:
    with pytest.warns(
        GrammarWarning, match="1 of 2 sentences have no derivation .* the first of them number 1"
    ):
        found = reestimate(TOY, [list("ab"), list("xy")])
    assert found.skipped == (1,)
    with pytest.raises(ValueError, match="derives none of the 1 sentences"):
        TOY.reestimated([list("xy")])
    with pytest.raises(ValueError, match="There are no sentences"):
        TOY.reestimated([])


def test_reports() -> None:
    seen = []
    TOY.reestimated(SENTENCES, EM(n_iter=3, tolerance=0.0), callback=seen.append)
    assert [report.epoch for report in seen] == [1, 2, 3]
    assert seen[0].numbers["log_likelihood"] == pytest.approx(
        sum(TOY.parse(sentence).log_z for sentence in SENTENCES)
    )

"""Chains with automata, and with the label n-grams that occur: against enumeration, and against dense chains."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.structures.automata import automaton_for
from palmette.structures.automaton import Automaton
from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores
from palmette.structures.chain_search import METHODS, ChainSearch
from palmette.structures.label_states import LabelStates, seen_contexts

pytestmark = pytest.mark.native
Close = {"rtol": 1e-9, "atol": 1e-9}
LABELS = ["O", "B-X", "I-X"]
TEXTS = ["@at-most(1)", "@count(2)", "@no-repeat", "@scheme(IOB2)", "O* (B-X I-X* O+)*", ". . .", "[^ I-X]*"]


def automaton_of(chain: Chain) -> Automaton:
    """The automaton that a chain was made with."""
    assert chain.states is not None
    assert chain.states.automaton is not None
    return chain.states.automaton


@dataclass
class Case:
    """A chain with an automaton, scores, and all that it accepts."""

    chain: Chain
    scores: ChainScores
    allowed: np.ndarray | None
    n: int

    def score(self, y: tuple[int, ...]) -> float:
        """The score by its definition; -inf for what is not accepted."""
        chain, given = self.chain, self.scores
        automaton = automaton_of(chain)
        states = automaton.run(chain.names(y))
        if states is None or not automaton.accepting[states[-1]]:
            return -np.inf
        total = 0.0
        unary = np.asarray(given.unary)
        for i, label in enumerate(y):
            if self.allowed is not None and not self.allowed[i, label]:
                return -np.inf
            total += unary[i, label]
            if given.states is not None:
                total += np.asarray(given.states)[states[i], label]
            h = min(i, chain.order)
            table = np.asarray(given.transitions)
            if chain.order and h == chain.order and given.transitions is not None:
                table = table[i] if table.ndim == chain.order + 2 else table
                total += table[y[i - h : i + 1]]
            elif i < len(given.begin) and given.begin[i] is not None:
                total += np.asarray(given.begin[i])[y[: i + 1]]
        return total

    def every(self) -> tuple[list[tuple[int, ...]], np.ndarray]:
        sequences = list(product(range(3), repeat=self.n))
        scores = np.array([self.score(y) for y in sequences])
        return [y for y, s in zip(sequences, scores) if s > -np.inf], scores[scores > -np.inf]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    order, n = draw(st.integers(0, 3)), draw(st.integers(1, 5))
    spread = draw(st.sampled_from([1.0, 1.0, 300.0]))
    chain = Chain(LABELS, order, automaton=draw(st.sampled_from(TEXTS)))
    shape = (3,) * (order + 1)
    own = draw(st.booleans())
    transitions = generator.normal(size=(n, *shape) if own else shape) * spread if order else None
    begin = [generator.normal(size=(3,) * (i + 1)) for i in range(order)] if draw(st.booleans()) else []
    states = generator.normal(size=(automaton_of(chain).n_states, 3))
    allowed = generator.random((n, 3)) < 0.8 if draw(st.booleans()) else None
    unary = generator.normal(size=(n, 3)) * spread
    return Case(chain, ChainScores(unary, transitions, begin, states=states), allowed, n)


@given(cases())
@settings(max_examples=200, deadline=None)
def test_everything_agrees_with_enumeration(case: Case) -> None:
    chain, scores, allowed = case.chain, case.scores, case.allowed
    sequences, values = case.every()
    if not sequences:
        assert chain.log_z(scores, allowed=allowed) == -np.inf
        for ask in (chain.best, chain.marginals, chain.posterior):
            with pytest.raises(ValueError, match="accepted by the automaton"):
                ask(scores, allowed=allowed)
        return
    log_z = float(np.logaddexp.reduce(values))
    p = np.exp(values - log_z)
    best = chain.best(scores, allowed=allowed)
    np.testing.assert_allclose(best.score, values.max(), **Close)
    np.testing.assert_allclose(case.score(tuple(best.labels.tolist())), values.max(), **Close)
    found = chain.kbest(scores, 6, allowed=allowed)
    np.testing.assert_allclose([one.score for one in found], np.sort(values)[::-1][:6], **Close)
    np.testing.assert_allclose(chain.log_z(scores, allowed=allowed), log_z, **Close)
    marginals = np.zeros((case.n, 3))
    for y, probability in zip(sequences, p):
        marginals[np.arange(case.n), list(y)] += probability
    np.testing.assert_allclose(chain.marginals(scores, allowed=allowed), marginals, **Close)
    posterior = chain.posterior(scores, allowed=allowed)
    np.testing.assert_allclose(posterior.labels, marginals, **Close)
    np.testing.assert_allclose(posterior.ngrams.sum(axis=1), marginals, **Close)
    want = -float((p[p > 0] * np.log(p[p > 0])).sum())
    np.testing.assert_allclose(posterior.entropy(), want, rtol=1e-6, atol=1e-6)
    if case.n > 2:
        pairs = np.zeros((3, 3))
        triples = np.zeros((3, 3, 3))
        for y, probability in zip(sequences, p):
            pairs[y[1], y[2]] += probability
            triples[y[:3]] += probability
        np.testing.assert_allclose(posterior.pairs()[2], pairs, **Close)
        np.testing.assert_allclose(posterior.triples()[2], triples, **Close)
    for kind in chain.boundaries.types:
        spans = {(s.begin, s.end): s.probability for s in chain.span_marginals(scores, allowed=allowed)}
        for begin, end in product(range(case.n), range(1, case.n + 1)):
            if begin < end:
                there = sum(
                    q for y, q in zip(sequences, p) if (begin, end, kind) in chain.boundaries.spans(y)
                )
                np.testing.assert_allclose(spans.get((begin, end), 0.0), there, rtol=1e-7, atol=1e-7)
    risk = chain.minimum_risk(scores, legal=True, allowed=allowed)
    likely = [y for y, q in zip(sequences, p) if q > 1e-9]
    expected = max(sum(marginals[i, label] for i, label in enumerate(y)) for y in likely)
    assert risk.score >= expected - 1e-7
    for y in chain.sample(scores, 5, allowed=allowed).tolist():
        assert tuple(y) in sequences
    if case.chain.order:
        table = chain.ngram_marginals(scores, allowed=allowed)
        np.testing.assert_allclose(table.reshape(case.n, -1, 3).sum(axis=1), marginals, **Close)
    graph = chain.hypergraph(scores, allowed=allowed)
    np.testing.assert_allclose(graph.graph.log_z(graph.scores), log_z, **Close)
    wide = {"beam": 1e9, "top-k": 1e6}
    for method in METHODS:
        search = chain.search(scores, ChainSearch(method, wide.get(method)), allowed=allowed)
        np.testing.assert_allclose(search.score, case.score(tuple(search.labels.tolist())), **Close)
        if search.exact:
            np.testing.assert_allclose(search.score, values.max(), **Close)


def test_iob_legality_as_an_automaton_is_what_a_scheme_is() -> None:
    generator = np.random.default_rng(1)
    scores = ChainScores(generator.normal(size=(6, 3)), generator.normal(size=(3, 3)))
    one, other = Chain(LABELS, 1, "iob2"), Chain(LABELS, 1, automaton="@scheme(IOB2)")
    np.testing.assert_allclose(one.marginals(scores), other.marginals(scores), **Close)
    assert one.best(scores).labels.tolist() == other.best(scores).labels.tolist()


def test_ngrams_that_occur_score_as_dense_ones_do() -> None:
    """With weights of zero for the n-grams that do not occur, both have the same distribution."""
    generator = np.random.default_rng(2)
    labels = generator.integers(0, 3, size=30).astype(np.int32)
    offsets = np.array([0, 10, 17, 30])
    contexts = seen_contexts(labels, offsets, 3, 3)
    states = LabelStates.grown(3, 3, contexts)
    assert states.n_states < 1 + 3 + 9 + 27
    tables = [generator.normal(size=(3,) * (h + 1)) for h in range(1, 4)]
    for h, table in enumerate(tables, start=1):
        for context in product(range(3), repeat=h):
            if context not in contexts:
                table[context] = 0
    steps = np.array(
        [
            sum(tables[len(states.contexts[r]) - 1][(*states.contexts[r], y)] for r in states.rows[q])
            for q, y in zip(states.before.tolist(), states.read.tolist())
        ]
    )
    unary = generator.normal(size=(6, 3))
    dense = tables[0] + tables[1] + tables[2].reshape(3, 3, 3, 3)
    begin = [None, tables[0], tables[0] + tables[1]]
    one = Chain(3, 3).marginals(ChainScores(unary, dense, begin))
    other = Chain(3, 3, states=states).marginals(ChainScores(unary, steps=steps))
    np.testing.assert_allclose(one, other, **Close)


def test_scores_that_do_not_fit_are_refused() -> None:
    chain = Chain(LABELS, automaton="@at-most(1)")
    with pytest.raises(ValueError, match="scores of states must have the shape"):
        chain.best(ChainScores(np.zeros((2, 3)), states=np.zeros((1, 3))))
    with pytest.raises(ValueError, match="chain with an automaton"):
        Chain(3).best(ChainScores(np.zeros((2, 3)), states=np.zeros((1, 3))))
    with pytest.raises(ValueError, match="take the place"):
        chain.best(ChainScores(np.zeros((2, 3)), np.zeros((3, 3)), steps=np.zeros(3)))
    with pytest.raises(ValueError, match="no sequence of 2 labels"):
        Chain(LABELS, automaton="O O O").best(np.zeros((2, 3)))
    assert automaton_for({"q": {"O": "q"}}, LABELS).accepts(["O"])

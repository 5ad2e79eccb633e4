"""The probabilities of spans, and the spans of the highest expected F1, against enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores
from palmette.structures.span_marginals import Boundaries, ScoredSpan, expected_spans
from palmette.structures.span_risk import best_spans
from samples.random_chains import SmallChain, small_chains

pytestmark = pytest.mark.native

LABELS = {
    "IOB": ["O", "B-X", "I-X"],
    "two types": ["O", "I-X", "B-Y", "I-Y"],
    "IOBES": ["S-X", "B-X", "I-X", "E-X"],
}


def conlleval_spans(labels: list[str]) -> set[tuple[int, int, str]]:
    """By the two conditions of the evaluation script, written as they stand there."""
    found, begin = set(), 0
    before = ("O", "")
    for i, label in enumerate([*labels, "O"]):
        tag, _, kind = label.partition("-")
        here = (tag, kind)
        old, new = before[0], here[0]
        ends = (old in "BI" and new in "BSO") or old in "ES" or (old not in "O." and before[1] != kind)
        starts = new in "BS" or (old in "ESO" and new in "EI") or (new not in "O." and before[1] != kind)
        if ends:
            found.add((begin, i, before[1]))
        if starts:
            begin = i
        before = here
    return found


@given(st.lists(st.sampled_from("O B-X I-X E-X S-X B-Y I-Y E-Y S-Y".split()), max_size=12))
@settings(max_examples=500)
def test_spans_are_read_as_the_evaluation_reads_them(labels: list[str]) -> None:
    names = sorted(set(labels)) or ["O"]
    y = [names.index(label) for label in labels]
    assert set(Boundaries(tuple(names)).spans(y)) == conlleval_spans(labels)


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
@given(data=st.data())
@settings(max_examples=60)
def test_span_probabilities(labels: list[str], data: st.DataObject) -> None:
    small: SmallChain = data.draw(small_chains(labels=labels, scale=3.0))
    if not small.is_feasible:
        return
    want: dict[tuple[int, int, str], float] = {}
    for y, p in zip(small.sequences, small.every.probabilities):
        for span in conlleval_spans([labels[label] for label in y]):
            want[span] = want.get(span, 0.0) + p
    got = {
        (span.begin, span.end, span.type): span.probability
        for span in small.chain.span_marginals(small.scores, allowed=small.allowed)
    }
    for span in want | got:
        assert got.get(span, 0.0) == pytest.approx(want.get(span, 0.0), abs=1e-9), span
        alone = small.chain.span_probability(small.scores, *span, allowed=small.allowed)
        assert alone == pytest.approx(want.get(span, 0.0), abs=1e-9), span
    posterior = small.chain.posterior(small.scores, allowed=small.allowed)
    assert expected_spans(posterior, small.chain.boundaries) == pytest.approx(sum(want.values()), abs=1e-9)
    chosen = small.chain.best_spans(small.scores, allowed=small.allowed)
    every = small.chain.span_marginals(small.scores, allowed=small.allowed)
    ratio = 2 * sum(span.probability for span in chosen) / (len(chosen) + sum(want.values()) or 1)
    assert ratio == pytest.approx(best_spans([every])[1])


def test_long_spans_can_be_left_out() -> None:
    chain = Chain(["O", "B-X", "I-X"])
    scores = np.zeros((6, 3))
    every = chain.span_marginals(scores)
    assert chain.span_marginals(scores, max_length=2) == [s for s in every if s.end - s.begin <= 2]
    assert chain.span_marginals(scores, least=0.1) == [s for s in every if s.probability > 0.1]


def test_labels_without_types_have_no_spans() -> None:
    assert Chain(["NOUN", "VERB"]).span_marginals(np.zeros((4, 2))) == []
    assert Chain(["NOUN", "VERB"]).best_spans(np.zeros((4, 2))) == []


def test_spans_that_cannot_be() -> None:
    chain, scores = Chain(["O", "B-X", "I-X"]), np.zeros((3, 3))
    for begin, end in ((-1, 1), (2, 2), (1, 4)):
        with pytest.raises(ValueError, match="in a sentence of 3 tokens"):
            chain.span_probability(scores, begin, end, "X")
    with pytest.raises(ValueError, match="'Y' is not a type of span"):
        chain.span_probability(scores, 0, 1, "Y")


def _overlap(spans: tuple[ScoredSpan, ...]) -> bool:
    return any(a.begin < b.end and b.begin < a.end for a, b in combinations(spans, 2))


spans_of_a_sentence = st.lists(
    st.builds(
        lambda begin, length, p: ScoredSpan(begin, begin + length, "X", p),
        st.integers(0, 6),
        st.integers(1, 3),
        st.floats(0.01, 0.5),
    ),
    max_size=7,
)


@given(spans_of_a_sentence, st.floats(0.0, 4.0))
@settings(max_examples=300)
def test_best_spans_reach_the_highest_ratio(spans: list[ScoredSpan], more: float) -> None:
    expected = sum(span.probability for span in spans) + more
    want = 0.0
    for size in range(1, len(spans) + 1):
        for chosen in combinations(spans, size):
            if not _overlap(chosen):
                want = max(want, 2 * sum(s.probability for s in chosen) / (size + expected))
    (found,), ratio = best_spans([spans], expected)
    assert not _overlap(tuple(found))
    assert ratio == pytest.approx(want)
    assert 2 * sum(s.probability for s in found) / (len(found) + expected or 1) == pytest.approx(ratio)


def test_one_ratio_serves_a_corpus() -> None:
    """A sentence alone takes a span of 0.3, since it has nothing better; among sure ones it does not."""
    unsure, sure = [ScoredSpan(0, 1, "X", 0.3)], [ScoredSpan(0, 2, "X", 0.99)]
    assert best_spans([unsure])[0] == [unsure]
    chosen, ratio = best_spans([sure, unsure, sure, sure])
    assert chosen == [sure, [], sure, sure]
    assert ratio == pytest.approx(2 * 2.97 / (3 + 3.27))


def test_best_spans_of_a_chain() -> None:
    """Two readings: one span of two tokens with 0.45, or its first or second token alone."""
    chain = Chain(["O", "B-X", "I-X"], start=[True, True, False])
    table = np.full((3, 3), -np.inf)
    table[1, 2], table[1, 0], table[0, 1] = np.log([0.45, 0.3, 0.25])
    found = chain.best_spans(ChainScores(np.zeros((2, 3)), table))
    assert [(span.begin, span.end, span.type) for span in found] == [(0, 2, "X")]
    assert found[0].probability == pytest.approx(0.45)

"""The spans of the highest expected F1, given the probability of every span.

For a set S of spans that do not overlap, with G the expected number of true spans, this maximises

    F(S) = 2 Σ_{s in S} p(s) / (|S| + G)

a ratio of expectations, which over a corpus comes close to the expectation of F1. Dinkelbach's method: the set
that maximises Σ (2 p(s) − F) for the F so far, by dynamic programming over the ends of spans, until F no longer
grows; each round is linear in the spans with 2 p > F, and a few rounds do. One F may serve many sentences.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from palmette.structures.span_marginals import ScoredSpan


def best_spans(
    candidates: Sequence[Sequence[ScoredSpan]], expected: float | None = None
) -> tuple[list[list[ScoredSpan]], float]:
    """For every sentence its spans, and the F that all of them together reach.

    `candidates` are the spans of every sentence with their probabilities; `expected` is G, by default the sum of
    the probabilities of the candidates.
    """
    total = sum(span.probability for spans in candidates for span in spans) if expected is None else expected
    # Events of probability above one half cannot exclude each other: a set that is allowed, to begin with.
    chosen = [[span for span in spans if span.probability > 0.5] for spans in candidates]
    reached = _ratio(chosen, total)
    while True:
        better = [_heaviest(spans, reached) for spans in candidates]
        ratio = _ratio(better, total)
        if not ratio > reached:
            return chosen, reached
        chosen, reached = better, ratio


def _ratio(chosen: Sequence[Sequence[ScoredSpan]], expected: float) -> float:
    size = sum(len(spans) for spans in chosen) + expected
    return 2 * sum(span.probability for spans in chosen for span in spans) / size if size > 0 else 0.0


def _heaviest(spans: Sequence[ScoredSpan], price: float) -> list[ScoredSpan]:
    """The spans without overlap of the highest Σ (2 p − price)."""
    worth = sorted((span for span in spans if 2 * span.probability > price), key=lambda span: span.end)
    # chosen[k]: the value of the best spans up to ends[k], the last of them, and the entry before it
    ends = [0]
    chosen: list[tuple[float, ScoredSpan | None, int]] = [(0.0, None, 0)]
    for span in worth:
        before = bisect_right(ends, span.begin) - 1
        value = chosen[before][0] + 2 * span.probability - price
        if value > chosen[-1][0]:
            ends.append(span.end)
            chosen.append((value, span, before))
    found: list[ScoredSpan] = []
    at = len(chosen) - 1
    while (last := chosen[at][1]) is not None:
        found.append(last)
        at = chosen[at][2]
    return found[::-1]

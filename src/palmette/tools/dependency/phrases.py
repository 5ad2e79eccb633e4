"""Trees in which given spans of words are phrases: all that one word of the span dominates, and nothing else.

That no word outside hangs from one inside is a matter of arcs, and those are forbidden. That only one word inside
hangs from one outside is not. So the search relaxes it: best first, by the score of the best tree under the arcs
that are forbidden so far. Where that tree breaks a span, it branches over the word that is to be the head of the
phrase, and forbids the others the heads outside. The first tree that breaks none is the best, if the model's
search is exact, since forbidding arcs never raises the best score.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette.features.token_views import TokenViews
from palmette.tools.dependency.model import Int32, Parses, TreeModel

Phrases: TypeAlias = Sequence[
    Sequence[tuple[int, int]]
]  # for every sentence spans: first and last word, from 1

MOST_STEPS = 10_000  # trees that are looked at for one sentence

Arc = tuple[int, int]  # word and head


def checked_phrases(phrases: Phrases, offsets: NDArray[np.int64]) -> list[list[tuple[int, int]]]:
    """The spans of every sentence; ValueError where one is not a span, or two cross each other."""
    lengths = np.diff(offsets).tolist()
    if len(phrases) != len(lengths):
        raise ValueError(f"There are {len(lengths)} sentences and phrases for {len(phrases)}.")
    found = []
    for i, (spans, n) in enumerate(zip(phrases, lengths)):
        found.append([_span(i, span, n) for span in spans])
        for a, b in found[-1]:
            for c, d in found[-1]:
                if a < c <= b < d:
                    raise ValueError(f"Sentence {i + 1}: the phrases {a}-{b} and {c}-{d} cross each other.")
    return found


def parse_with_phrases(
    model: TreeModel,
    views: TokenViews,
    phrases: Sequence[Sequence[tuple[int, int]]],
    *,
    heads: Int32 | None = None,
    forbidden: Int32 | None = None,
    n_jobs: int = 1,
) -> Parses:
    """The best trees with these phrases; the other constraints as in `TreeModel.parse`."""
    plain = model.parse(views, heads=heads, forbidden=forbidden, n_jobs=n_jobs)
    all_heads, labels, scores = plain.heads.copy(), plain.labels.copy(), plain.scores.copy()
    for i, spans in enumerate(phrases):
        words = slice(int(views.offsets[i]), int(views.offsets[i + 1]))
        if not spans or not any(_breaks(all_heads[words], span) for span in spans):
            continue
        known = None if heads is None else np.ascontiguousarray(heads[words])
        arcs = frozenset() if forbidden is None else _arcs_in(forbidden, words)
        found = _best(model, views.select([i]), spans, known, arcs, i)
        all_heads[words], labels[words], scores[i] = found.heads, found.labels, found.scores[0]
    return Parses(all_heads, labels, scores, plain.notes)


def _best(
    model: TreeModel,
    views: TokenViews,
    spans: Sequence[tuple[int, int]],
    known: Int32 | None,
    arcs: frozenset[Arc],
    sentence: int,
) -> Parses:
    n = views.n_tokens
    for first, last in spans:  # no word outside hangs from one inside
        arcs |= {(m, h) for m in range(1, n + 1) if not first <= m <= last for h in range(first, last + 1)}
    waiting: list[tuple[float, int, frozenset[Arc], Parses]] = []
    steps = 0

    def add(arcs: frozenset[Arc]) -> None:
        nonlocal steps
        steps += 1
        pairs = np.array([(m - 1, h) for m, h in sorted(arcs)], dtype=np.int32).reshape(-1, 2)
        parses = model.parse(views, heads=known, forbidden=pairs)
        heapq.heappush(waiting, (-float(parses.scores[0]), steps, arcs, parses))

    try:
        add(arcs)
    except ValueError as error:  # no tree is left, or the model cannot use forbidden arcs
        raise ValueError(f"Sentence {sentence + 1}: no tree has these phrases ({error})") from error
    while waiting and steps < MOST_STEPS:
        _, _, arcs, parses = heapq.heappop(waiting)
        broken = next((span for span in spans if _breaks(parses.heads, span)), None)
        if broken is None:
            return parses
        first, last = broken
        outside = [h for h in range(n + 1) if not first <= h <= last]
        for head in range(first, last + 1):
            with suppress(ValueError):  # no tree is left there
                add(arcs | {(m, h) for m in range(first, last + 1) if m != head for h in outside})
    what = "no tree has these phrases" if not waiting else "no tree with these phrases was found in time"
    raise ValueError(f"Sentence {sentence + 1}: {what}, with all else that is known.")


def _breaks(heads: Int32, span: tuple[int, int]) -> bool:
    """Whether the words of a span are not all that one of them dominates."""
    first, last = span
    inside = (heads >= first) & (heads <= last)
    within = np.zeros(len(heads), dtype=bool)
    within[first - 1 : last] = True
    return bool((inside & ~within).any() or (~inside & within).sum() != 1)


def _arcs_in(forbidden: Int32, words: slice) -> frozenset[Arc]:
    mine = forbidden[(forbidden[:, 0] >= words.start) & (forbidden[:, 0] < words.stop)]
    return frozenset((token - words.start + 1, head) for token, head in mine.tolist())


def _span(i: int, span: Any, n: int) -> tuple[int, int]:
    if (
        isinstance(span, (tuple, list))
        and len(span) == 2
        and all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for end in span)
        and 1 <= span[0] <= span[1] <= n
    ):
        return int(span[0]), int(span[1])
    raise ValueError(
        f"Sentence {i + 1} has {n} words: a phrase is a pair (first, last) of them. Got {span!r}."
    )

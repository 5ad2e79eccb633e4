"""Spans in label sequences: the probability that tokens b .. e - 1 are exactly one span of a type.

Labels are read as the CoNLL evaluation reads them (IOB1, IOB2, IOBES and mixtures): `B-`, `I-`, `E-`, `S-` and a
type, anything else is outside; the `L-` and `U-` of BILOU are `E-` and `S-`.
With v_{b,e}(c) = P(a span begins at b, goes on at least to e - 1, and context c),

    P(span b .. e) = Σ_c v_{b,e}(c) − Σ_c v_{b,e+1}(c)

which costs O(n · length · L^(order+1)) for all spans of a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from palmette.structures.chain_scores import Bools, Floats
from palmette.structures.posterior import ChainPosterior

_PREFIX = {"B": "B", "I": "I", "E": "E", "S": "S", "L": "E", "U": "S"}


@dataclass(frozen=True, order=True)
class ScoredSpan:
    """Tokens begin .. end - 1 as one span of a type, with its probability."""

    begin: int
    end: int
    type: str
    probability: float


@dataclass(frozen=True, eq=False)
class Boundaries:
    """Where spans begin and go on, between two neighbouring labels, by the names of the labels."""

    labels: tuple[str, ...]

    @cached_property
    def _parts(self) -> list[tuple[str, str]]:
        """(prefix, type) of every label; ("O", "") outside."""
        parts = [label.partition("-") for label in self.labels]
        return [(_PREFIX[tag], kind) if tag in _PREFIX else ("O", "") for tag, _, kind in parts]

    @cached_property
    def types(self) -> tuple[str, ...]:
        return tuple(sorted({kind for prefix, kind in self._parts if prefix != "O"}))

    @cached_property
    def inside(self) -> Bools:
        """inside[t, y]: label y belongs to a span of type t."""
        rows = [[prefix != "O" and kind == t for prefix, kind in self._parts] for t in self.types]
        return np.array(rows, dtype=bool).reshape(len(self.types), len(self.labels))

    @cached_property
    def goes_on(self) -> Bools:
        """goes_on[x, y]: y continues the span that x is in."""

        def continues(x: tuple[str, str], y: tuple[str, str]) -> bool:
            return x[1] == y[1] and x[0] in "BI" and y[0] in "IE"

        return np.array([[continues(x, y) for y in self._parts] for x in self._parts], dtype=bool)

    @cached_property
    def begins(self) -> Bools:
        """begins[x, y]: a span begins at y after x."""
        return self.inside.any(axis=0) & ~self.goes_on

    def spans(self, y: Sequence[int]) -> list[tuple[int, int, str]]:
        """The spans of one label sequence as (begin, end, type)."""
        found: list[tuple[int, int, str]] = []
        for i, label in enumerate(y):
            prefix, kind = self._parts[label]
            if prefix == "O":
                continue
            if i and self.goes_on[y[i - 1], label]:
                found[-1] = (found[-1][0], i + 1, kind)
            else:
                found.append((i, i + 1, kind))
        return found


def expected_spans(posterior: ChainPosterior, boundaries: Boundaries) -> float:
    """The expected number of spans of a sentence."""
    return float(_beginnings(posterior, boundaries).sum())


def span_table(
    posterior: ChainPosterior, boundaries: Boundaries, least: float = 0.0, max_length: int | None = None
) -> Floats:
    """table[k, b, t] is the probability of a span of length k + 1 from position b of type t.

    Has as many lengths as have a probability above `least`, at most `max_length`.
    """
    n = len(posterior.ngrams)
    newest = posterior.newest
    # at_least[b, c]: a span begins at b and goes on at least to here, with the context here.
    at_least = posterior.forward(_beginnings(posterior, boundaries))
    onward = posterior.steps * boundaries.goes_on[newest]
    of_type = boundaries.inside[:, newest].T.astype(float)  # contexts × types
    lengths: list[Floats] = []
    for k in range(n if max_length is None else min(max_length, n)):
        reached = at_least @ of_type
        if not (reached > least).any():
            break
        further = np.zeros_like(at_least)
        if k + 1 < n:
            further[: n - k - 1] = posterior.forward(at_least[: n - k - 1, :, None] * onward[k + 1 :])
        lengths.append(np.maximum(reached - further @ of_type, 0.0))
        at_least = further
    return np.array(lengths).reshape(len(lengths), n, len(boundaries.types))


def span_probability(
    posterior: ChainPosterior, boundaries: Boundaries, begin: int, end: int, kind: str
) -> float:
    """The probability that tokens begin .. end - 1 are exactly one span of a type; O(length · L^(order+1))."""
    n = len(posterior.labels)
    if not 0 <= begin < end <= n:
        raise ValueError(f"a span from {begin} to {end} in a sentence of {n} tokens")
    if kind not in boundaries.types:
        raise ValueError(f"{kind!r} is not a type of span of these labels")
    newest = posterior.newest
    wanted = boundaries.inside[boundaries.types.index(kind)]
    weights = posterior.forward(_beginnings(posterior, boundaries, begin, begin + 1)[0] * wanted)
    for i in range(begin + 1, end):
        weights = posterior.forward(weights[:, None] * posterior.steps[i] * boundaries.goes_on[newest])
    further = weights[:, None] * posterior.steps[end] * boundaries.goes_on[newest] if end < n else np.zeros(1)
    return max(float(weights.sum() - further.sum()), 0.0)


def _beginnings(
    posterior: ChainPosterior, boundaries: Boundaries, first: int = 0, last: int | None = None
) -> Floats:
    """The probabilities of the n-grams in which a span begins at the newest label, positions first .. last - 1."""
    newest = posterior.newest
    grams = posterior.ngrams[first:last] * boundaries.begins[newest]
    if first == 0 and len(grams):
        grams[0] = posterior.ngrams[0] * boundaries.inside.any(axis=0)
    return grams


def span_list(table: Floats, types: Sequence[str], least: float = 0.0) -> list[ScoredSpan]:
    """The spans with a probability above `least`, in the order of their tokens."""
    found = [
        ScoredSpan(b, b + k + 1, types[t], float(table[k, b, t]))
        for k, b, t in np.argwhere(table > least).tolist()
    ]
    return sorted(found)

"""The probabilities of a chain's labels in another scheme of spans: P(the label of token t is y, in that scheme).

Where a label of one scheme is always the same label of the other (E-X of IOBES is I-X of IOB2), probabilities are
sums. Where it depends on the labels beside it, a token begins a span, or ends one, with

    begins[b] = Σ_a P(y_{t-1} = a, y_t = b) [b begins a span after a]     ends[b] = Σ_c P(b, c) [b ends before c]

and given y_t = b the two are independent in a chain of order 1; higher orders have P(a, b, c) itself. What begins
and ends a span is what conlleval says. O(n · L²), and O(n · L³) from order 2 on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.structures.posterior import ChainPosterior
from palmette.structures.span_labels import (
    BEGIN,
    END,
    INSIDE,
    LETTERS,
    OUT,
    OUTSIDE,
    SINGLE,
    SpanLabels,
    alternatives,
    join_label,
    split_label,
)

Floats = NDArray[np.float64]
_PLACES = {"B": BEGIN, "I": INSIDE, "E": END, "L": END, "S": SINGLE, "U": SINGLE}


def labels_of_scheme(labels: Sequence[str], scheme: str) -> list[str]:
    """Return all labels of a scheme for the types of some labels.

    >>> labels_of_scheme(["O", "S-PER"], "IOB2")
    ['O', 'B-PER', 'I-PER']
    """
    kinds = dict.fromkeys(split_label(label)[1] for label in labels if label != OUTSIDE)
    letters = [letter for letter in LETTERS[scheme] if letter != OUTSIDE]
    return [OUTSIDE, *(join_label(letter, kind) for kind in kinds for letter in letters)]


def label_sums(labels: Sequence[str], source: str, target: str) -> NDArray[np.float32] | None:
    """Return the matrix [labels, labels of the target] that sums probabilities; None if neighbours matter."""
    others = labels_of_scheme(labels, target)
    sums = np.zeros((len(labels), len(others)), dtype=np.float32)
    for i, label in enumerate(labels):
        fitting = alternatives(label, source, target)
        if len(fitting) != 1:
            return None
        sums[i, others.index(fitting[0])] = 1
    return sums


def scheme_marginals(posterior: ChainPosterior, labels: Sequence[str], order: int, target: str) -> Floats:
    """Return P(label) at [token, label of `labels_of_scheme`] for one sentence."""
    taken = SpanLabels.of(labels)
    others = labels_of_scheme(labels, target)
    p = np.zeros((len(posterior.labels), len(others)))
    if not len(p):
        return p
    tags, kinds, n = taken.tags, taken.kinds, len(labels)
    same = kinds[:, None] == kinds[None, :]
    # [a, b]: whether b begins a span after a, and whether a ends one before b; the edges of a sentence are O
    new = np.isin(tags, (BEGIN, SINGLE))[None, :] | np.isin(tags, (END, SINGLE, OUT))[:, None] | ~same
    begins, ends = new & (tags != OUT)[None, :], new & (tags != OUT)[:, None]
    pairs = _pairs(posterior, labels, n)
    unary = pairs.sum(axis=1)[:-1]  # [t, b]
    first = (pairs[:-1] * begins).sum(axis=1)
    last = (pairs[1:] * ends).sum(axis=2)
    if target == "IOB1":
        touching = (pairs[:-1] * (begins & same)).sum(axis=1)
        shares = {"B": touching, "I": unary - touching}
    elif target == "IOB2":
        shares = {"B": first, "I": unary - first}
    else:
        if order > 1 or posterior.states is not None:
            both = _both(posterior, pairs, begins, ends, n)
        else:
            both = np.divide(first * last, unary, out=np.zeros_like(first), where=unary > 0)
        by_place = {SINGLE: both, BEGIN: first - both, END: last - both, INSIDE: unary - first - last + both}
        shares = {letter: by_place[_PLACES[letter]] for letter in LETTERS[target] if letter != OUTSIDE}
    for b, label in enumerate(labels):
        if label == OUTSIDE:
            p[:, 0] += unary[:, b]
            continue
        for letter, share in shares.items():
            p[:, others.index(join_label(letter, taken.types[kinds[b]]))] += share[:, b]
    return np.clip(p, 0.0, 1.0)


def _pairs(posterior: ChainPosterior, labels: Sequence[str], n: int) -> Floats:
    """P(y_{t-1} = a, y_t = b) at [t, a, b] for t from 0 to the number of tokens; outside the sentence is O."""
    out, tokens = list(labels).index(OUTSIDE), len(posterior.labels)
    pairs = np.zeros((tokens + 1, n, n))
    pairs[1:-1] = posterior.pairs()[1:]
    pairs[0, out] = posterior.labels[0]
    pairs[-1, :, out] = posterior.labels[-1]
    return pairs


def _both(
    posterior: ChainPosterior, pairs: Floats, begins: NDArray[np.bool_], ends: NDArray[np.bool_], n: int
) -> Floats:
    """P(y_t = b, begins and ends a span) at [t, b], from the probabilities of three labels."""
    tokens = len(posterior.labels)
    triples = posterior.triples()
    both = np.zeros((tokens, n))
    both[1:-1] = np.einsum("tabc,ab,bc->tb", triples[2:], begins, ends)
    alone = begins[:, :, None] & ends[None, :, :]
    if tokens == 1:
        both[0] = (pairs[0] * begins).sum(axis=0) * ends[:, np.argmax(pairs[-1].sum(axis=0))]
        return both
    out = int(np.argmax(pairs[0].sum(axis=1)))
    both[0] = (pairs[1] * alone[out]).sum(axis=1)
    both[-1] = (pairs[-2] * alone[:, :, out]).sum(axis=0)
    return both

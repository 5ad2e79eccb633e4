"""Span schemes: from labels of tokens to spans and back, from one scheme to another, and what breaks a scheme.

A span is (begin, end, type): the tokens begin … end − 1. The schemes are in `span_labels.py`. Reading is lenient
and the same for all of them, as conlleval reads: a token begins a span if it is not outside and its tag is B or S,
or the token before is outside or ends a span (E, S) or has another type. Validity is strict: a table of the labels
that may follow each other. All of it is O(tokens), in NumPy over a whole corpus of label ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.errors import numbered
from palmette.structures.span_labels import BEGIN, END, INSIDE, LETTERS, OUT, OUTSIDE, SINGLE
from palmette.structures.span_labels import SCHEMES as SCHEMES
from palmette.structures.span_labels import SpanLabels as SpanLabels
from palmette.structures.span_labels import scheme_name as scheme_name
from palmette.structures.span_labels import split_label as split_label
from palmette.structures.span_labels import transitions as transitions

Span = tuple[int, int, str]


@dataclass(frozen=True, eq=False)
class SpanArrays:
    """The spans of a corpus in the order of their begins; rows are counted over the whole corpus."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    kinds: NDArray[np.int32]
    types: tuple[str, ...]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.begins)

    @cached_property
    def sentences(self) -> NDArray[np.int64]:
        """The sentence of each span."""
        return np.searchsorted(self.offsets, self.begins, side="right") - 1

    def of(self, sentence: int) -> list[Span]:
        """The spans of one sentence, counted from its first token."""
        low, high = np.searchsorted(self.begins, self.offsets[sentence : sentence + 2]).tolist()
        base = int(self.offsets[sentence])
        rows = zip(*(a[low:high].tolist() for a in (self.begins, self.ends, self.kinds)))
        return [(begin - base, end - base, self.types[kind]) for begin, end, kind in rows]


def corpus_spans(ids: ArrayLike, labels: Iterable[str], offsets: ArrayLike) -> SpanArrays:
    """The spans of a corpus whose row r has the label `labels[ids[r]]`, read leniently; O(rows)."""
    taken, rows, edges = _checked(ids, labels, offsets)
    tags, kinds = taken.tags[rows], taken.kinds[rows]
    begins, lasts = _edges(tags, kinds, edges)
    where = np.flatnonzero(begins)
    return SpanArrays(where, np.flatnonzero(lasts) + 1, kinds[where], taken.types, edges)


def spans(labels: Sequence[str], scheme: str | None = None) -> list[Span]:
    """The spans of one sentence. Given a scheme, labels that break it are an error; otherwise anything is read.

    >>> spans(["B-PER", "I-PER", "O", "I-LOC"])
    [(0, 2, 'PER'), (3, 4, 'LOC')]
    """
    ids, strings, offsets = _intern([labels])
    if scheme is not None:
        check(ids, strings, offsets, scheme)
    return corpus_spans(ids, strings, offsets).of(0)


def labels(spans: Iterable[Span], n: int, scheme: str = "IOB2") -> list[str]:
    """The labels of a sentence of n tokens with these spans.

    >>> labels([(0, 2, "PER"), (2, 3, "PER")], 4, "IOB1")
    ['I-PER', 'I-PER', 'B-PER', 'O']
    """
    written = [OUTSIDE] * n
    free = 0
    for begin, end, kind in sorted(spans):
        if not 0 <= begin < end <= n:
            raise ValueError(f"The span ({begin}, {end}, {kind!r}) does not lie in a sentence of {n} tokens.")
        if begin < free:
            raise ValueError(f"The span ({begin}, {end}, {kind!r}) overlaps the one before it.")
        suffix = f"-{kind}" if kind else ""
        written[begin:end] = [f"B{suffix}"] + [f"I{suffix}"] * (end - begin - 1)
        free = end
    return convert(written, scheme)


def convert(labels: Sequence[str], scheme: str) -> list[str]:
    """The labels of a sentence in another scheme; what they are in now need not be said.

    >>> convert(["I-PER", "I-PER", "O", "I-LOC"], "IOBES")
    ['B-PER', 'E-PER', 'O', 'S-LOC']
    """
    ids, strings = convert_corpus(*_intern([labels]), scheme)
    return [strings[i] for i in ids.tolist()]


def convert_corpus(
    ids: ArrayLike, labels: Iterable[str], offsets: ArrayLike, scheme: str
) -> tuple[NDArray[np.int32], list[str]]:
    """The same spans in another scheme: new ids, and the labels they stand for; O(rows)."""
    letters = LETTERS[name := scheme_name(scheme)]
    taken, rows, edges = _checked(ids, labels, offsets)
    tags, kinds = taken.tags[rows], taken.kinds[rows]
    begins, lasts = _edges(tags, kinds, edges)
    new = np.where(kinds < 0, OUT, INSIDE)
    if name == "IOB1":
        same = np.zeros(len(rows), dtype=bool)
        same[1:] = kinds[1:] == kinds[:-1]
        same[edges[:-1][edges[:-1] < len(rows)]] = False
        new[begins & same] = BEGIN
    else:
        new[begins] = BEGIN
    if len(letters) == 5:
        new[lasts] = END
        new[begins & lasts] = SINGLE
    codes = (kinds.astype(np.int64) + 1) * 5 + new
    first = np.full(5 * len(taken.types) + 5, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    order = np.argsort(first, kind="stable")[: int((first < len(codes)).sum())]
    rank = np.zeros(len(first), dtype=np.int32)
    rank[order] = np.arange(len(order))
    strings = [_written(letters[code % 5], code // 5 - 1, taken.types) for code in order.tolist()]
    return rank[codes], strings


@dataclass(frozen=True, slots=True)
class Violation:
    """The first place where labels break their scheme; both count from 0, `token` within the sentence."""

    sentence: int
    token: int
    message: str

    def __str__(self) -> str:
        return f"{numbered(self.sentence)}, {numbered(self.token, 'token')}: {self.message}"


def first_violation(
    ids: ArrayLike, labels: Iterable[str], offsets: ArrayLike, scheme: str
) -> Violation | None:
    """The first token that breaks the scheme, or None; O(rows)."""
    taken, rows, edges = _checked(ids, labels, offsets)
    bad = np.flatnonzero(_violations(taken, rows, edges, scheme))
    if not bad.size:
        return None
    row = int(bad[0])
    i = int(np.searchsorted(edges, row, side="right")) - 1
    token, label = row - int(edges[i]), taken.labels[rows[row]]
    name = scheme_name(scheme)
    start, pairs, _ = transitions(taken.labels, name)
    if label[0] not in LETTERS[name]:
        message = f"the label {label} does not exist in {name}"
    elif not token and not start[rows[row]]:
        message = f"{label} cannot begin a sentence in {name}"
    elif token and not pairs[rows[row - 1], rows[row]]:
        message = f"{label} cannot follow {taken.labels[rows[row - 1]]} in {name}"
    else:
        message = f"{label} cannot end a sentence in {name}"
    return Violation(i, token, message)


def check(ids: ArrayLike, labels: Iterable[str], offsets: ArrayLike, scheme: str) -> None:
    """Raises ValueError with the first place where the labels break the scheme."""
    found = first_violation(ids, labels, offsets, scheme)
    if found is not None:
        raise ValueError(f"In {found}.")


def guess_scheme(ids: ArrayLike, labels: Iterable[str], offsets: ArrayLike) -> str:
    """The scheme that the labels break at the fewest tokens; IOB2 where several fit.

    >>> guess_scheme([0, 1, 0], ["O", "I-PER"], [0, 3])
    'IOB1'
    """
    taken, rows, edges = _checked(ids, labels, offsets)
    order = ("IOB2", "IOB1", "IOBES", "BILOU")
    return min(order, key=lambda name: int(_violations(taken, rows, edges, name).sum()))


def _violations(
    taken: SpanLabels, rows: NDArray[np.int64], edges: NDArray[np.int64], scheme: str
) -> NDArray[np.bool_]:
    start, pairs, end = transitions(taken.labels, scheme)
    bad = np.zeros(len(rows), dtype=bool)
    bad[1:] = ~pairs[rows[:-1], rows[1:]]
    full = edges[:-1] < edges[1:]
    firsts, lasts = edges[:-1][full], edges[1:][full] - 1
    bad[firsts] = ~start[rows[firsts]]
    bad[lasts] |= ~end[rows[lasts]]
    return bad


def _edges(
    tags: NDArray[np.int8], kinds: NDArray[np.int32], edges: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows begin a span and which are the last of one, as conlleval has it."""
    inside = kinds >= 0
    begins, lasts = inside.copy(), inside.copy()
    opens, closes = (tags == BEGIN) | (tags == SINGLE), (tags == END) | (tags == SINGLE)
    apart = opens[1:] | closes[:-1] | (kinds[1:] != kinds[:-1])
    cuts = edges[1:-1]
    apart[cuts[(cuts > 0) & (cuts < len(tags))] - 1] = True
    begins[1:] &= apart
    lasts[:-1] &= apart
    return begins, lasts


def _written(letter: str, kind: int, types: Sequence[str]) -> str:
    return letter if kind < 0 or not types[kind] else f"{letter}-{types[kind]}"


def _intern(sentences: Sequence[Sequence[str]]) -> tuple[NDArray[np.int32], list[str], NDArray[np.int64]]:
    index: dict[str, int] = {}
    flat = chain.from_iterable(sentences)
    ids = np.fromiter((index.setdefault(label, len(index)) for label in flat), dtype=np.int32)
    return ids, list(index), np.cumsum([0, *map(len, sentences)], dtype=np.int64)


def _checked(
    ids: ArrayLike, labels: Iterable[str], offsets: ArrayLike
) -> tuple[SpanLabels, NDArray[np.int64], NDArray[np.int64]]:
    rows, edges = np.asarray(ids, dtype=np.int64), np.asarray(offsets, dtype=np.int64)
    if rows.ndim != 1 or edges.ndim != 1 or not edges.size or edges[0] or edges[-1] != len(rows):
        raise ValueError(f"The offsets of sentences must run from 0 to the {rows.size} label ids.")
    if (np.diff(edges) < 0).any():
        raise ValueError("The offsets of sentences must never fall.")
    return _used(rows, tuple(labels)), rows, edges


def _used(rows: NDArray[np.int64], labels: tuple[str, ...]) -> SpanLabels:
    """The labels taken apart; one that no row uses may be anything, since columns share their strings."""
    if rows.size and (rows.min() < 0 or rows.max() >= len(labels)):
        raise ValueError(f"The label ids must lie between 0 and {len(labels) - 1}.")
    used = np.bincount(rows, minlength=len(labels)) > 0
    return SpanLabels.of(label if u else OUTSIDE for label, u in zip(labels, used.tolist()))

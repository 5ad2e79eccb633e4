"""The labels of span schemes: tag and type, and which label may follow which.

A label is `O`, outside, or a tag, a hyphen and a type:

    IOB1   I-X inside; B-X only for a span that touches a span of the same type before it
    IOB2   B-X for the first token of a span, I-X for the others        (also called BIO)
    IOBES  B-X first, I-X, E-X last, S-X the only token                 (also called BIOES)
    BILOU  the same as IOBES with L for E and U for S                   (also called BILUO)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

OUTSIDE = "O"
OUT, BEGIN, INSIDE, END, SINGLE = range(5)
_TAGS = {"O": OUT, "B": BEGIN, "I": INSIDE, "E": END, "S": SINGLE, "L": END, "U": SINGLE}
_NAMES = {"BIO": "IOB2", "BIOES": "IOBES", "BILUO": "BILOU"}
LETTERS = {"IOB1": "OBI", "IOB2": "OBI", "IOBES": "OBIES", "BILOU": "OBILU"}
SCHEMES = tuple(LETTERS)


def scheme_name(scheme: str) -> str:
    """The one name of a scheme that has several; in any case.

    >>> scheme_name("bioes")
    'IOBES'
    """
    name = _NAMES.get(scheme.upper(), scheme.upper())
    if name not in LETTERS:
        raise ValueError(
            f"The scheme must be one of {', '.join((*SCHEMES, *_NAMES))}. Got {scheme!r} instead."
        )
    return name


def split_label(label: str) -> tuple[str, str]:
    """Tag and type of a label; `O` has no type, and a bare tag has the type "".

    >>> split_label("B-PER"), split_label("I-geo-loc"), split_label("O")
    (('B', 'PER'), ('I', 'geo-loc'), ('O', ''))
    """
    tag, _, kind = label.partition("-")
    if tag not in _TAGS or (tag == OUTSIDE and label != OUTSIDE):
        raise ValueError(
            f"The label {label!r} is not of a span: it must be O or like B-PER, I-PER, E-PER, S-PER."
        )
    return tag, kind


def join_label(tag: str, kind: str) -> str:
    """The label of a tag and a type; a span without a type has a bare tag."""
    return f"{tag}-{kind}" if kind else tag


def alternatives(label: str, source: str, target: str) -> tuple[str, ...]:
    """What a label of one scheme may be in another, if nothing is known of the labels around it.

    >>> alternatives("B-PER", "IOB2", "IOBES"), alternatives("E-PER", "IOBES", "IOB2")
    (('B-PER', 'S-PER'), ('I-PER',))
    """
    tag, kind = split_label(label)
    if tag == OUTSIDE:
        return (label,)
    places = _places(source).get(_TAGS[tag])
    if places is None:
        raise ValueError(f"The label {label!r} is not of the scheme {source}.")
    letters = [letter for letter in LETTERS[target] if letter != OUTSIDE]
    fitting = [letter for letter in letters if places & _places(target)[_TAGS[letter]]]
    return tuple(join_label(letter, kind) for letter in fitting)


def _places(scheme: str) -> dict[int, set[int]]:
    """For every tag where its token may be: first of several, between, last of several, or alone."""
    if scheme == "IOB1":
        return {BEGIN: {BEGIN, SINGLE}, INSIDE: {BEGIN, INSIDE, END, SINGLE}}
    if scheme == "IOB2":
        return {BEGIN: {BEGIN, SINGLE}, INSIDE: {INSIDE, END}}
    return {tag: {tag} for tag in (BEGIN, INSIDE, END, SINGLE)}


@dataclass(frozen=True, eq=False)
class SpanLabels:
    """A list of label strings taken apart: `tags[i]` and `kinds[i]` of label i; kind −1 is outside."""

    labels: tuple[str, ...]
    tags: NDArray[np.int8]
    kinds: NDArray[np.int32]
    types: tuple[str, ...]

    @classmethod
    def of(cls, labels: Iterable[str]) -> SpanLabels:
        """Takes labels apart; types are numbered in the order of their first appearance."""
        listed = tuple(labels)
        parts = [split_label(label) for label in listed]
        types: dict[str, int] = {}
        kinds = [-1 if tag == OUTSIDE else types.setdefault(kind, len(types)) for tag, kind in parts]
        tags = np.array([_TAGS[tag] for tag, _ in parts], dtype=np.int8)
        return cls(listed, tags, np.array(kinds, dtype=np.int32), tuple(types))


def transitions(
    labels: Iterable[str], scheme: str
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Which labels may begin a sentence, `pairs[y', y]` whether y may follow y', and which may end it.

    >>> start, pairs, end = transitions(["O", "B-X", "I-X", "I-Y"], "IOB2")
    >>> start.tolist(), pairs[1].tolist(), end.tolist()
    ([True, True, False, False], [True, True, True, False], [True, True, True, True])
    """
    taken = SpanLabels.of(labels)
    name = scheme_name(scheme)
    tags, kinds = taken.tags, taken.kinds
    known = np.array([label[0] in LETTERS[name] for label in taken.labels], dtype=bool)
    same = kinds[:, None] == kinds[None, :]
    if name == "IOB1":
        start, pairs, end = tags != BEGIN, same | (tags != BEGIN)[None, :], np.ones(len(tags), dtype=bool)
    elif name == "IOB2":
        inside = tags == INSIDE
        start, end = ~inside, np.ones(len(tags), dtype=bool)
        pairs = ~inside[None, :] | same
    else:
        opened, goes_on = np.isin(tags, (BEGIN, INSIDE)), np.isin(tags, (INSIDE, END))
        start, end = ~goes_on, ~opened
        pairs = np.where(opened[:, None], goes_on[None, :] & same, ~goes_on[None, :])
    return start & known, pairs & known[:, None] & known[None, :], end & known

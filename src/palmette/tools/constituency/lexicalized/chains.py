"""What each decision of the lexicalised model depends on, in which order, and how it is smoothed.

The probability of an outcome is the mean of a few chains. A chain starts with what matters most and adds a
variable at a time; each level takes from its counts n(context, outcome) a discount D, and gives what it took,
with a strength A on top, to the level before (Pitman and Yor's form of interpolation, see
native/tools/constituency/lexicalized/backoff.hpp):

    p_k = (max(n - D, 0) + (A + D · number of outcomes) · p_(k-1)) / (sum of n + A)

Chains that see the variables in different orders make up for what the others lack: one knows the word early
and little of the siblings, another the siblings and hardly ever the word. Orders and numbers were chosen by
the likelihood of held-out trees. X, P: the constituent's label and its parent's; M: its head child; T, W: its
head's tag and word; P1, P2: the children made last, MADE: whether there is one beside the head; OUT: the
outermost child on the left; Y, TY: the child and its head's tag; REL: its side, and whether it follows a
conjunction or comma. With two heads, S is the semantic head word of the constituent; the decision `semantic` is
about the child's, with OWN, the child's syntactic head word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from palmette.tools.constituency.lexicalized.words import LOOKS

DECISIONS = ("head", "left", "right", "tag", "word", "semantic")
_VARIABLES = (
    "X",
    "P",
    "G",
    "M",
    "P1",
    "P2",
    "P3",
    "T",
    "W",
    "Y",
    "REL",
    "TY",
    "OUT",
    "MADE",
    "",
    "",
    "S",
    "OWN",
)

_CHAINS = {
    "head": ("X T W P", "X P T W"),
    "left": ("X P1+MADE T W P2 M P", "X P1+MADE P2 P M T W", "X P1+MADE M P T P2 W"),
    "right": ("X P1+MADE T W P2 P", "X P1+MADE P P2 M T W", "X P1+MADE P2 OUT M T W"),
    "tag": ("Y X M+REL T W", "Y W X REL"),
    "word": ("TY Y X+REL", "TY W X", "TY X+REL T W Y"),
    "semantic": (),
}
_TWO_HEADS = {
    "word": ("TY Y X+REL", "TY W X", "TY X+REL T W Y", "TY X+REL S Y"),
    "semantic": ("TY OWN Y", "TY S X+REL OWN", "TY Y OWN X+REL W"),
}
# (discount, strength) of every decision; of tags by looks and by words; of the coarse models.
_SMOOTHING = {
    "head": (0.6, 4.0),
    "left": (0.7, 8.0),
    "right": (0.6, 4.0),
    "tag": (0.6, 4.0),
    "word": (0.85, 2.0),
    "semantic": (0.85, 2.0),
}
_LOOKS, _KNOWN, _COARSE = (0.6, 3.0), (0.3, 0.3), (0.5, 1.0)
_COARSE_LEVELS = 2 + 3 + 3 + 2 + 2

Chain = list[list[int]]


def texts(decision: str, *, two_heads: bool) -> tuple[str, ...]:
    """The chains of a decision as they are written above."""
    return (_TWO_HEADS if two_heads and decision in _TWO_HEADS else _CHAINS)[decision]


def chains(*, two_heads: bool) -> list[list[Chain]]:
    """The chains of every decision, as numbers of variables by level."""
    return [
        [
            [[_VARIABLES.index(name) for name in level.split("+")] for level in text.split()]
            for text in texts(decision, two_heads=two_heads)
        ]
        for decision in DECISIONS
    ]


def smoothing(*, two_heads: bool) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The discounts and strengths of all levels, in the order of the native model."""
    pairs = [
        _SMOOTHING[decision]
        for decision, own in zip(DECISIONS, chains(two_heads=two_heads), strict=True)
        for chain in own
        for _ in chain
    ]
    pairs += [_LOOKS] * len(LOOKS) + [_KNOWN] + [_COARSE] * _COARSE_LEVELS
    discounts, strengths = zip(*pairs, strict=True)
    return np.array(discounts, dtype=np.float32), np.array(strengths, dtype=np.float32)

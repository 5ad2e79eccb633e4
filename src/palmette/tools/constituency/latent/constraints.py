"""Constraints as latent grammars use them: over which spans which symbols and unary rules are barred.

A bracket over a span is what is above it: a phrase that stays the same, or the labels of a unary rule's
chain. A symbol that binarization made, or a bare tag, is not a bracket.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.tools.constituency.latent.grammar import Rules
from palmette.tools.constituency.model import Bracket, Constraints
from palmette.transforms.binarization import is_made


class Bars(NamedTuple):
    """Give every span its row of bars, or -1, and the rows (native/tools/constituency/latent/forest.hpp)."""

    rows: NDArray[np.int32]
    bars: NDArray[np.uint8]


NO_BARS = Bars(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8))


def bars_of(rules: Rules, constraints: Constraints, n: int) -> Bars:
    """What the constraints bar in a sentence of n words. O(n² · brackets)."""
    if constraints == Constraints():
        return NO_BARS
    labels: list[frozenset[str]] = []  # for each way to cover a span: its brackets
    for symbol in rules.symbols:
        labels.append(frozenset() if symbol.is_tag or is_made(symbol.label) else frozenset([symbol.label]))
    for rule in rules.unary:
        labels.append(labels[rule.upper] | frozenset(rule.between) | labels[rule.lower])
    table: list[NDArray[np.uint8]] = [np.ones(len(labels), dtype=np.uint8)]  # the first row closes a span
    rows = np.full(n * (n + 1) // 2, -1, dtype=np.int32)

    def bar(bracket: Bracket, required: bool) -> None:
        """Forbid derivations that lack the bracket, or that contain it."""
        span = bracket.end * (bracket.end - 1) // 2 + bracket.start
        has = [bool(found) if bracket.label is None else bracket.label in found for found in labels]
        row = (np.array(has) != required).astype(np.uint8)
        if rows[span] >= 0:
            row |= table[rows[span]]
        rows[span] = len(table)
        table.append(row)

    for bracket in constraints.required:
        for end in range(1, n + 1):
            for start in range(end):
                if start < bracket.start < end < bracket.end or bracket.start < start < bracket.end < end:
                    rows[end * (end - 1) // 2 + start] = 0
    for bracket in constraints.required:
        bar(bracket, True)
    for bracket in constraints.forbidden:
        bar(bracket, False)
    return Bars(rows, np.concatenate(table))

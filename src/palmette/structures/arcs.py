"""Dependency trees whose words have a few likely heads each, with parts of several arcs.

    score(tree) = Σ over its arcs h → m of  s(h, m) + s(g, h, m) + s(h, m, s) + s(g, h, m, s)

with g the head of h, and s the modifier of h before m. Projective trees are found exactly, in O(k n²) with k heads
per word (Koo and Collins 2010); so are others where only arcs are scored, and else by moving single words of the
best projective tree as long as that pays (McDonald and Pereira 2006). `HeadChoiceProblem` is the filter before it:
each word chooses its head on its own. The core is `native/structures/arcs/`, the features are
`native/features/arc_features.hpp`. For a table with a score for every arc, see `structures/arborescence`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette._native import ArcProblem, HeadChoiceProblem
from palmette.structures.token_arrays import Tokens, arrays_of, unknown

Int32 = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class ArcTrees:
    """Which trees sentences may have, and which parts of them get scores.

    siblings, grandparents: whether s and g are seen. n_labels: labels that the arcs have, 1 for none. bits: the
    table has 2^bits weights; row_bits: with labels, 2^row_bits rows of them.
    """

    siblings: bool
    grandparents: bool
    projective: bool
    single_root: bool
    n_labels: int
    bits: int
    row_bits: int

    def problem(
        self,
        tokens: Tokens,
        rows: NDArray[np.int64],
        candidates: Int32,
        heads: Int32 | None = None,
        labels: Int32 | None = None,
        root_labels: NDArray[np.uint8] | None = None,
    ) -> ArcProblem:
        """Return sentences in which word i may have the heads candidates[rows[i] : rows[i + 1]].

        heads, labels: of the right trees, -1 where they are not known. root_labels: 1 for the labels of arcs from
        the root, and for no others; None: any label fits anywhere.
        """
        return ArcProblem(
            *arrays_of(tokens),
            rows,
            candidates,
            unknown(tokens) if heads is None else heads,
            unknown(tokens) if labels is None else labels,
            self.n_labels,
            self.bits,
            self.row_bits,
            self.siblings,
            self.grandparents,
            self.projective,
            self.single_root,
            root_labels,
        )


def head_choices(tokens: Tokens, bits: int, heads: Int32 | None = None) -> HeadChoiceProblem:
    """Return the choice of a head for every word on its own; heads: the right ones, -1 where not known."""
    return HeadChoiceProblem(*arrays_of(tokens), unknown(tokens) if heads is None else heads, bits)

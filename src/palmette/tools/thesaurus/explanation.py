"""Why two words are similar: the contexts that both have, and what each adds."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from palmette.messages import counted
from palmette.tools.explanation import Contribution, Decision
from palmette.tools.thesaurus.information import InformationTable
from palmette.tools.thesaurus.model import ThesaurusModel

Reals = NDArray[np.float64]


def pair_decision(model: ThesaurusModel, a: int, b: int, measure: str) -> Decision:
    """Return the similarity of two words as the sum over the contexts that they share.

    Dense vectors have no contexts: their similarity is named, and Lin's measure is explained.
    """
    table = model.table
    ids = np.array([a], dtype=np.int32), np.array([b], dtype=np.int32)
    dense = None
    if measure == "vectors":
        dense, measure = float(model.similarities(*ids, measure)[0]), "lin"
    shared, left, right = shared_columns(table, a, b)
    amounts = _amounts(table, a, b, left, right, measure)
    total = float(model.similarities(*ids, measure)[0])
    order = np.lexsort((shared, -amounts))
    contributions = tuple(
        Contribution(
            table.context(int(shared[i])),
            float(amounts[i]),
            (),
            f"information {left[i]:.2f} and {right[i]:.2f}",
        )
        for i in order.tolist()
    )
    one, two = table.words[a], table.words[b]
    opposite = model.opposite(a, b)
    head = f"{one} and {two}: {measure} {total:.4f}, {counted(len(shared), 'context')} in common"
    head += f" of {len(table.row(a)[0])} and {len(table.row(b)[0])}"
    if dense is not None:
        head = f"{one} and {two}: cosine of vectors {dense:.4f}\n{head}"
    if opposite:
        head += f"\n these words may be opposites: {opposite}"
    extra = {"measure": measure, "similarity": total, "shared": len(shared), "opposite": opposite}
    if dense is not None:
        extra["vectors"] = dense
    rest = total - math.fsum(part.amount for part in contributions)
    return Decision(f"{one}, {two}", total, None, total, contributions, rest, extra, head)


def shared_columns(
    table: InformationTable, a: int, b: int
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
    """Return the contexts that two rows share, and the information of each row."""
    (ca, va), (cb, vb) = table.row(a), table.row(b)
    shared, i, j = np.intersect1d(ca, cb, assume_unique=True, return_indices=True)
    return shared, va[i], vb[j]


def _amounts(
    table: InformationTable,
    a: int,
    b: int,
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    measure: str,
) -> Reals:
    """Return what every shared context adds to the similarity."""
    va, vb = (table.row(row)[1].astype(np.float64) for row in (a, b))
    x, y = left.astype(np.float64), right.astype(np.float64)
    if measure == "lin":
        return np.asarray((x + y) / (va.sum() + vb.sum()))
    if measure == "cosine":
        return np.asarray(x * y / np.sqrt((va**2).sum() * (vb**2).sum()))
    if measure == "set-cosine":
        each = 1 / math.sqrt(len(va) * len(vb))
    elif measure == "dice":
        each = 2 / (len(va) + len(vb))
    else:
        each = 1 / (len(va) + len(vb) - len(x))
    return np.full(len(x), each)

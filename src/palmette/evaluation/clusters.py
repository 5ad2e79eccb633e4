"""How well states that have no names match the right labels, from a table of how often they meet.

many-to-one   each state counts as the label that it meets most often
one-to-one    the same, but no two states may count as the same label: an assignment problem
V-measure     the harmonic mean of homogeneity, 1 - H(label | state) / H(label), and completeness,
              1 - H(state | label) / H(state)  (Rosenberg and Hirschberg 2007)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.drawing.tables import ReportPicture


@dataclass(frozen=True)
class ClusterScores(ReportPicture):
    """Measures of a clustering, and which label each state stands for under many-to-one.

    accuracy: the share of tokens whose state has the name of its label; None if no state is named as a label.
    """

    tokens: int
    many_to_one: float
    one_to_one: float
    v_measure: float
    homogeneity: float
    completeness: float
    labels_of_states: dict[str, str]
    accuracy: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The measures by name."""
        named = {} if self.accuracy is None else {"accuracy": self.accuracy}
        return named | {
            "many_to_one": self.many_to_one,
            "one_to_one": self.one_to_one,
            "v_measure": self.v_measure,
            "homogeneity": self.homogeneity,
            "completeness": self.completeness,
            "tokens": self.tokens,
        }


def evaluate_clusters(
    table: ArrayLike, states: list[str] | None = None, labels: list[str] | None = None
) -> ClusterScores:
    """The measures of a table [states, labels] of how often a state has met a label.

    >>> evaluate_clusters([[5, 1], [4, 2], [0, 8]]).many_to_one
    0.85
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or not (counts >= 0).all():
        raise ValueError("A table of states and labels has two dimensions and no negative count.")
    names = states or [str(i) for i in range(counts.shape[0])]
    total = float(counts.sum())
    if not total:
        return ClusterScores(0, 0.0, 0.0, 0.0, 0.0, 0.0, {})
    by_state, by_label = counts.sum(axis=1), counts.sum(axis=0)
    joint = _entropy(counts.ravel() / total)
    h_state, h_label = _entropy(by_state / total), _entropy(by_label / total)
    homogeneity = 1 - (joint - h_state) / h_label if h_label else 1.0
    completeness = 1 - (joint - h_label) / h_state if h_state else 1.0
    both = homogeneity + completeness
    likely = counts.argmax(axis=1)
    known = labels or [str(j) for j in range(counts.shape[1])]
    same = (
        (np.array(names)[:, None] == np.array(known)) if states and labels else np.zeros(counts.shape, bool)
    )
    right = (
        float(counts[same].sum()) / total if counts[:, by_label > 0][same[:, by_label > 0]].any() else None
    )
    return ClusterScores(
        tokens=int(total),
        many_to_one=float(counts.max(axis=1).sum()) / total,
        one_to_one=float(counts[assignment(counts)].sum()) / total,
        v_measure=2 * homogeneity * completeness / both if both else 0.0,
        homogeneity=homogeneity,
        completeness=completeness,
        labels_of_states={names[i]: known[likely[i]] for i in np.flatnonzero(by_state).tolist()},
        accuracy=right,
    )


def assignment(gains: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the pairs with the greatest sum of gains, none used twice; O(n² m), n ≤ m.

    The Hungarian method with potentials: rows join one after another, each by a shortest alternating path.

    >>> rows, columns = assignment([[4, 3], [3, 0]])
    >>> rows.tolist(), columns.tolist()
    ([0, 1], [1, 0])
    """
    gain = np.asarray(gains, dtype=np.float64)
    if gain.shape[0] > gain.shape[1]:
        columns, rows = assignment(gain.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    cost = -gain
    n, m = cost.shape
    u, v = np.zeros(n), np.zeros(m + 1)
    owner = np.full(m + 1, -1)  # of a column; the last one stands for the row that is to join
    for row in range(n):
        owner[m] = row
        at, came = m, np.full(m, m)
        least, seen = np.full(m, np.inf), np.zeros(m + 1, dtype=bool)
        while owner[at] >= 0:
            seen[at] = True
            i = owner[at]
            slack = cost[i] - u[i] - v[:m]
            better = ~seen[:m] & (slack < least)
            least[better], came[better] = slack[better], at
            step = np.where(seen[:m], np.inf, least)
            following = int(step.argmin())
            delta = step[following]
            u[owner[seen]] += delta
            v[seen] -= delta
            least[~seen[:m]] -= delta
            at = following
        while at != m:
            owner[at] = owner[came[at]]
            at = int(came[at])
    taken = np.flatnonzero(owner[:m] >= 0)
    order = np.argsort(owner[taken])
    return owner[taken][order], taken[order]


def _entropy(p: NDArray[np.float64]) -> float:
    used = p[p > 0]
    return float(-(used * np.log(used)).sum())

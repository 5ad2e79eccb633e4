"""Minimum cuts: GEN(x) = all subsets of n items in a row, of which neighbours like to be on the same side.

    cost(y) = Σ_i cost[i, y_i] + Σ_{i < j ≤ i + reach, y_i ≠ y_j} c · f(j − i)      f(d) = 1, e^(1−d) or 1/d²

y_i is 1 for items that stay and 0 for those that go; cost[i, 1] is the `ind` of going, and the other way round.
The best y is one side of a minimum cut between two terminals, because no pair of neighbours gains by disagreeing.
CSC 448, §22, equations 121 to 123; Pang and Lee 2004, where items as far as T are neighbours.

| method           | what it finds                                                                       |
|------------------|-------------------------------------------------------------------------------------|
| `best`           | the cheapest subset, also with items that must stay or go                           |
| `first`          | the N items that stay longest as staying becomes dearer                             |
| `marginals`      | P(y_i = 1) under P(y) ∝ e^(−cost(y)): sums over a chain of order `reach`, at most 3 |

Capacities are whole numbers for the maximum flow, so a cut is the best up to `resolution(costs)` for each item:
2⁻³¹ of the sum of all costs. One flow per cut: about O(n · reach) in practice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palmette.parameters import Options, option, require_int
from palmette.structures.chain import MOST_ORDER, Chain
from palmette.structures.chain_scores import ChainScores

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
SHAPES = {
    "constant": lambda d: np.ones_like(d),
    "exponential": lambda d: np.exp(1 - d),
    "square": lambda d: 1 / d**2,
}
_MOST = 2**31 - 1  # the largest flow


@dataclass(frozen=True, eq=False)
class Cut:
    """Which items stay, and the cost of that."""

    stays: Bools
    cost: float


@dataclass(frozen=True, kw_only=True)
class MinimumCut(Options):
    """Subsets of items in a row.

    >>> costs = np.array([[0.9, 0.1], [0.4, 0.6], [0.8, 0.2], [0.1, 0.9]])  # of going, of staying
    >>> MinimumCut(strength=0.0).best(costs).stays.tolist()
    [True, False, True, False]
    >>> MinimumCut(strength=0.2).best(costs).stays.tolist()
    [True, True, True, False]
    """

    reach: int = option(1, "distance of the farthest neighbours, in items: T", low=1)
    strength: float = option(0.2, "cost of cutting next neighbours apart: c", low=0)
    shape: str = option("constant", "how the cost falls with the distance: f", choices=tuple(SHAPES))

    def associations(self) -> Floats:
        """Return the cost of cutting items at distance 1, 2, …, reach apart."""
        return np.asarray(self.strength * SHAPES[self.shape](np.arange(1.0, self.reach + 1)))

    def cost(self, costs: npt.ArrayLike, stays: npt.ArrayLike) -> float:
        """Return the cost of one subset."""
        table, y = _checked(costs), np.asarray(stays, dtype=bool)
        if y.shape != (len(table),):
            raise ValueError(f"there are {len(table)} items, and {y.size} are said to stay or go")
        own = math.fsum(table[np.arange(len(y)), y.astype(int)])
        pairs = self.associations()
        return own + math.fsum(w * int((y[d:] != y[:-d]).sum()) for d, w in enumerate(pairs, 1) if d < len(y))

    def best(self, costs: npt.ArrayLike, *, known: Sequence[bool | None] | None = None) -> Cut:
        """Return the cheapest subset; of equal ones the smallest.

        costs: of going and of staying, [n, 2]. known: for every item whether it must stay, or None.
        """
        table = _checked(costs)
        n = len(table)
        fixed = _known(known, n)
        free = np.array([one is None for one in fixed], dtype=bool)
        stays = np.array([one is True for one in fixed], dtype=bool)
        # An item on a known side is a neighbour whose cost is known: it goes into the costs of the others.
        gain = table[:, 0] - table[:, 1]
        pairs = self.associations()
        for d, w in enumerate(pairs, 1):
            for one, other in ((slice(d, None), slice(None, -d)), (slice(None, -d), slice(d, None))):
                side = np.where(free[other], 0.0, np.where(stays[other], w, -w))
                gain[one] += side if d < n else 0.0
        stays[free] = _flow(gain, free, pairs)
        return Cut(stays, self.cost(table, stays))

    def first(self, costs: npt.ArrayLike, n: int, *, known: Sequence[bool | None] | None = None) -> Bools:
        """Return the n items that stay longest, as the cost of staying rises for all alike.

        There are more or fewer of them if more must stay, or fewer may. The cheapest subsets are nested as that
        cost rises (a parametric cut), and each is the cheapest of its size. Where none has n items, those between
        the two nearest are taken by their own costs.
        """
        require_int("n", n, 0)
        table = _checked(costs)
        sides = _known(known, len(table))
        low = np.array([side is True for side in sides], dtype=bool)
        high = np.array([side is not False for side in sides], dtype=bool)
        while int(low.sum()) < n < int(high.sum()):
            middle = self._between(table, low, high)
            if middle is None:
                gain = np.where(high & ~low, table[:, 1] - table[:, 0], np.inf)
                low[np.argsort(gain, kind="stable")[: n - int(low.sum())]] = True
            elif int(middle.sum()) <= n:
                low = middle
            else:
                high = middle
        return low if int(low.sum()) >= n else high

    def _between(self, table: Floats, low: Bools, high: Bools) -> Bools | None:
        """Return a subset that is cheaper than two others where their costs are equal; None if there is none."""
        added = (self.cost(table, low) - self.cost(table, high)) / (int(high.sum()) - int(low.sum()))
        shifted = table + np.array([0.0, added])
        found = self.best(shifted, known=[True if a else None if b else False for a, b in zip(low, high)])
        here = self.cost(shifted, low)
        return found.stays if found.cost < here - 1e-7 * max(1.0, abs(here)) else None

    def marginals(self, costs: npt.ArrayLike) -> Floats:
        """Return the probability that each item stays, by the engine of chains."""
        if self.reach > MOST_ORDER:
            raise ValueError(f"marginals are there for a reach of at most {MOST_ORDER}. Got {self.reach}.")
        table = _checked(costs)
        chain, scores = self.chain(table)
        return np.asarray(chain.marginals(scores), dtype=np.float64)[:, 1]

    def chain(self, costs: npt.ArrayLike) -> tuple[Chain, ChainScores]:
        """Return the same costs as a chain of labels 0 and 1 whose score is minus the cost."""
        table, pairs = _checked(costs), self.associations()

        def scores(order: int) -> Floats:
            """Minus the cost of the newest label beside the `order` labels before it."""
            labels = np.indices((2,) * (order + 1))
            found = np.zeros((2,) * (order + 1))
            for d in range(1, order + 1):
                found -= pairs[d - 1] * (labels[-1] != labels[-1 - d])
            return found

        begin = [scores(i) for i in range(self.reach)]
        return Chain(2, self.reach), ChainScores(-table, scores(self.reach), begin)

    def resolution(self, costs: npt.ArrayLike) -> float:
        """Return the size to which costs are rounded."""
        table = _checked(costs)
        return 1 / _scale(float(np.abs(table[:, 0] - table[:, 1]).sum()))


def _checked(costs: npt.ArrayLike) -> Floats:
    table = np.asarray(costs, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != 2:
        raise ValueError(f"costs must be a table of two columns, of going and of staying; got {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError("costs must be finite numbers")
    return table


def _known(known: Sequence[bool | None] | None, n: int) -> list[bool | None]:
    fixed: list[bool | None] = (
        [None] * n if known is None else [None if one is None else bool(one) for one in known]
    )
    if len(fixed) != n:
        raise ValueError(f"There are {n} items, and known sides for {len(fixed)}.")
    return fixed


def _scale(total: float) -> float:
    return _MOST / 2 / max(total, 1.0)


def _flow(gain: Floats, free: Bools, pairs: Floats) -> Bools:
    """Return which of the free items stay: those that the flow still reaches from the first terminal."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    at = np.flatnonzero(free)
    n = len(at)
    place = np.cumsum(free) - 1
    total = float(np.abs(gain[at]).sum())
    if not n or not total:
        return np.zeros(n, dtype=bool)
    scale = _scale(total)
    amounts = np.rint(gain[at] * scale).astype(np.int64)
    begin, end, capacity = [], [], []
    for sign in (1, -1):
        of = np.flatnonzero(sign * amounts > 0)
        begin.append(np.full(len(of), n) if sign > 0 else of)
        end.append(of if sign > 0 else np.full(len(of), n + 1))
        capacity.append(np.abs(amounts[of]))
    for d, w in enumerate(pairs, 1):
        one = np.flatnonzero(free[:-d] & free[d:])
        amount = min(round(float(w) * scale), int(total * scale) + 1)  # above all costs, more changes nothing
        if amount and len(one):
            for a, b in ((place[one], place[one + d]), (place[one + d], place[one])):
                begin.append(a)
                end.append(b)
                capacity.append(np.full(len(one), amount))
    ends = (np.concatenate(begin), np.concatenate(end))
    graph = csr_array((np.concatenate(capacity).astype(np.int32), ends), shape=(n + 2, n + 2))
    graph.indices, graph.indptr = graph.indices.astype(np.int32), graph.indptr.astype(np.int32)
    left = graph - maximum_flow(graph, n, n + 1).flow
    left.eliminate_zeros()
    stays = np.zeros(n + 2, dtype=bool)
    stays[breadth_first_order(left, n, return_predecessors=False)] = True
    return stays[:n]

"""Random chains small enough to enumerate, with all that a careless kernel trips over: sentences shorter than the
order, forbidden labels and transitions, ties, tables per position, scores whose exponentials underflow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from hypothesis import strategies as st

from oracles.enumeration import Enumeration, Floats
from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores


@dataclass(frozen=True, eq=False)
class SmallChain:
    """A chain, the scores of one sentence and what is allowed, with all label sequences."""

    chain: Chain
    scores: ChainScores
    allowed: np.ndarray | None
    n: int

    @cached_property
    def sequences(self) -> list[tuple[int, ...]]:
        return list(product(range(self.chain.n_labels), repeat=self.n))

    @cached_property
    def every(self) -> Enumeration:
        """Output k is sequence k."""
        return Enumeration.of_scores([self.score(y) for y in self.sequences])

    def score(self, y: tuple[int, ...]) -> float:
        """By the definition, a term at a time."""
        unary, order, chain = np.asarray(self.scores.unary, dtype=float), self.chain.order, self.chain
        table = np.asarray(self.scores.transitions, dtype=float) if order else np.zeros(0)
        total = 0.0
        for i, label in enumerate(y):
            total += unary[i, label]
            gram = y[max(i - order, 0) : i + 1]
            if i < order and i < len(self.scores.begin) and self.scores.begin[i] is not None:
                total += np.asarray(self.scores.begin[i])[gram]
            if i >= order > 0:
                total += (table[i] if table.ndim == order + 2 else table)[gram]
            forbidden = (
                (self.allowed is not None and not self.allowed[i, label])
                or (i == 0 and chain.start is not None and not chain.start[label])
                or (i > 0 and chain.pairs is not None and not chain.pairs[y[i - 1], label])
                or (i == self.n - 1 and chain.end is not None and not chain.end[label])
            )
            if forbidden:
                return -np.inf
        return total

    def indicator(self, event: object) -> Floats:
        """uses[k, 0] = whether the event, a function of a sequence, holds for sequence k."""
        return np.array([[float(event(y))] for y in self.sequences])  # type: ignore[operator]

    def probability(self, event: object) -> float:
        return float(self.every.marginals(self.indicator(event))[0])

    @property
    def is_feasible(self) -> bool:
        return self.every.best_score > -np.inf


@st.composite
def small_chains(
    draw: st.DrawFn,
    orders: tuple[int, ...] = (0, 1, 2, 3),
    labels: list[str] | None = None,
    scale: float | None = None,
    constraints: bool = True,
) -> SmallChain:
    """Chains with at most 5^3 or 3^5 sequences or so."""
    order = draw(st.sampled_from(orders))
    L = draw(st.integers(1, 4)) if labels is None else len(labels)
    n = draw(st.integers(0, 5 if L < 4 else 4))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.sampled_from([1.0, 10.0, 300.0, 2000.0])) if scale is None else scale
    share = draw(st.sampled_from([0.0, 0.0, 0.2, 0.5])) if constraints else 0.0
    whole = draw(st.booleans())  # whole numbers have ties

    def scores(*shape: int) -> Floats:
        values = generator.uniform(-size, size, shape)
        values = np.round(values * 2 / size) if whole else values
        return np.where(generator.random(shape) < share, -np.inf, values)

    table = None
    if order:
        table = scores(*[n] * draw(st.booleans()), *[L] * (order + 1))
    begin = [scores(*[L] * (i + 1)) if draw(st.booleans()) else None for i in range(order)]

    def mask(*shape: int) -> np.ndarray | None:
        return generator.random(shape) > 0.2 if share and draw(st.booleans()) else None

    chain = Chain(
        L if labels is None else labels,
        order,
        start=mask(L),
        pairs=mask(L, L) if order else None,
        end=mask(L),
    )
    return SmallChain(chain, ChainScores(scores(n, L), table, begin), mask(n, L), n)

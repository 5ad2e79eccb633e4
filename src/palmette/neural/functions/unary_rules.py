"""Unary rules in charts of binary rules: a symbol over a span may become another one, some times in a row.

A chain of unary rules A → … → B over a span becomes one symbol of a larger grammar: its parent sees A, its
children see B. Scores of the larger grammar are sums of those of the smaller one, a linear map E; parts come back
by its transpose. So everything that charts answer is exact with unary rules too, and the core needs no others.

Cost: a rule A → B C is there once for every chain that ends in A, times those that begin with B, times those that
begin with C, the symbols themselves counted as chains: few unary rules, or large sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from palmette.neural.functions.arrays import Floats, Ints, Reals


class Chained(NamedTuple):
    """The larger grammar, in terms of the smaller one.

    chains: symbols from the parent's down to the children's, by number; those of one symbol come first. unaries:
    the unary rules of each. rows: binary rules over chains; rules: which rule of the smaller grammar each is.
    """

    chains: tuple[tuple[int, ...], ...]
    unaries: tuple[tuple[int, ...], ...]
    rows: npt.NDArray[np.int32]
    rules: Ints

    @property
    def tops(self) -> Ints:
        """The symbol of every chain that its parent sees."""
        return np.array([chain[0] for chain in self.chains], dtype=np.int64)

    def symbols(self, n: int) -> Floats:
        """How often each symbol is in each chain, [chains, symbols]."""
        return _counts(self.chains, n)

    def uses(self, n: int) -> Floats:
        """How often each unary rule is in each chain, [chains, unary rules]."""
        return _counts(self.unaries, n)


def chained(
    rows: npt.NDArray[np.int32], n_symbols: int, unaries: npt.NDArray[np.int32], longest: int
) -> Chained:
    """Return the grammar whose symbols are all chains of at most `longest` unary rules without a symbol twice."""
    after: dict[int, list[tuple[int, int]]] = {}
    for k, (parent, child) in enumerate(unaries.tolist()):
        after.setdefault(parent, []).append((child, k))
    found: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((a,), ()) for a in range(n_symbols)]
    begin = 0
    for _ in range(longest):
        end = len(found)
        found += [
            ((*chain, child), (*used, k))
            for chain, used in found[begin:end]
            for child, k in after.get(chain[-1], ())
            if child not in chain
        ]
        begin = end
    by_top: list[list[int]] = [[] for _ in range(n_symbols)]
    by_bottom: list[list[int]] = [[] for _ in range(n_symbols)]
    for number, (chain, _) in enumerate(found):
        by_top[chain[0]].append(number)
        by_bottom[chain[-1]].append(number)
    larger = [
        (k, a, b, c)
        for k, (parent, left, right) in enumerate(rows.tolist())
        for a in by_bottom[parent]
        for b in by_top[left]
        for c in by_top[right]
    ]
    table = np.array(larger, dtype=np.int64).reshape(-1, 4)
    return Chained(
        tuple(chain for chain, _ in found),
        tuple(used for _, used in found),
        np.ascontiguousarray(table[:, 1:], dtype=np.int32),
        np.ascontiguousarray(table[:, 0]),
    )


class ChainedScores:
    """The linear map E from scores of a grammar with unary rules to those of the larger one, and its transpose.

    Arrays: items [spans, symbols], binary rules, roots [symbols], unary rules.
    """

    def __init__(self, grammar: Chained, n_symbols: int, n_rules: int, n_unaries: int) -> None:
        self.grammar, self.n_rules = grammar, n_rules
        self.symbols = grammar.symbols(n_symbols)
        self.uses = grammar.uses(n_unaries)
        self.tops = _counts([(int(top),) for top in grammar.tops], n_symbols)

    def scores(self, arrays: list[Reals]) -> list[Floats]:
        """Return the scores of items, rules and roots of the larger grammar."""
        items, rules, roots, unaries = (array.astype(np.float64) for array in arrays)
        return [
            _spread(items, self.symbols) + _spread(unaries[None], self.uses),
            rules[self.grammar.rules],
            _spread(roots[None], self.tops)[0],
        ]

    def parts(self, parts: list[Any]) -> list[Floats]:
        """Return the parts of the smaller grammar: the transpose of `scores`."""
        items, rules, roots = parts
        return [
            items @ self.symbols,
            np.bincount(self.grammar.rules, weights=rules, minlength=self.n_rules),
            roots @ self.tops,
            items.sum(axis=0) @ self.uses,
        ]


def _spread(values: Floats, counts: Floats) -> Floats:
    """values @ counts.T, where minus infinity counts only for those that it is in."""
    none = values == -np.inf
    found: Floats = np.where(none, 0.0, values) @ counts.T
    if none.any():
        found[none.astype(np.float64) @ counts.T > 0] = -np.inf
    return found


def _counts(rows: Any, n: int) -> Floats:
    table = np.zeros((len(rows), n))
    for number, row in enumerate(rows):
        for k in row:
            table[number, k] += 1
    return table

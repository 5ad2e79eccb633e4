"""States of the symbols of an LCFRS, by splitting, expectation maximisation along known trees, and merging.

Each round splits every state in two, with a little noise; EM lets the halves differ; the half of the splits
whose loss costs the least likelihood is undone; EM again; rules are smoothed towards the mean of their
symbol's states. Whether a tree has gaps makes no difference. Petrov, Barrett, Thibaux and Klein 2006.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.grammars.lcfrs_extraction import Derivations
from palmette.grammars.lcfrs_table import LcfrsTable

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class States:
    """How many states each symbol has, and the weights of rules and words by state.

    binary: the blocks [parent's state][left state][right state] of the rules, one after the other. unary: the
    same. lexical: of each entry (a tag with a word, sorted by tag) the states of the tag.
    """

    counts: Ints
    binary: Floats
    unary: Floats
    lexical: Floats


class StateTrainer:
    """Split-merge training over derivations; entries: of each tag in the trees, the number of its (tag, word)."""

    def __init__(
        self,
        table: LcfrsTable,
        trees: Derivations,
        entries: Ints,
        entry_symbol: Ints,
        *,
        n_jobs: int = 1,
        seed: int = 0,
    ) -> None:
        self.table = table
        self.entry_symbol = entry_symbol
        entry = np.full(len(trees.symbol), -1, np.int32)
        entry[trees.word_nodes] = entries
        self.em = _native.LcfrsEm(
            **table.arguments,
            first=trees.first,
            symbol=trees.symbol,
            rule=trees.rule,
            left_node=trees.left,
            right_node=trees.right,
            entry=entry,
            n_entries=len(entry_symbol),
        )
        self.n_jobs = n_jobs
        self.random = np.random.default_rng(seed)
        counted = np.bincount(entries, minlength=len(entry_symbol)).astype(float)
        totals = np.bincount(entry_symbol, counted, minlength=len(table.names))
        self.states = States(
            np.ones(len(table.names), np.int32),
            table.weight.copy(),
            table.unary_weight.copy(),
            counted / totals[entry_symbol],
        )
        self.symbol_counts = np.bincount(trees.symbol, minlength=len(table.names))

    # One step.

    def expect(self) -> tuple[float, States]:
        """The log-likelihood of the trees, and the expected counts in place of weights."""
        s = self.states
        value, binary, unary, lexical = self.em.expect(
            s.counts,
            s.binary.astype(np.float32),
            s.unary.astype(np.float32),
            self._entry_first(s.counts),
            s.lexical.astype(np.float32),
            self.n_jobs,
        )
        return value, States(s.counts, binary, unary, lexical)

    def maximise(self, counts: States) -> None:
        """Weights in proportion to counts: of rules given their parent's state, of words given the tag's state."""
        n = counts.counts
        first = np.concatenate([[0], np.cumsum(n)])
        rows = [_rows(n, first, self.table.parent, n[self.table.left] * n[self.table.right])]
        rows.append(_rows(n, first, self.table.unary_parent, n[self.table.unary_child]))
        totals = np.zeros(first[-1])
        for (owner, length), values in zip(rows, (counts.binary, counts.unary), strict=True):
            if len(values):
                starts = np.concatenate([[0], np.cumsum(length)[:-1]])
                totals += np.bincount(owner, np.add.reduceat(values, starts), minlength=len(totals))
        weights = [
            values / np.maximum(np.repeat(totals[owner], length), 1e-300)
            for (owner, length), values in zip(rows, (counts.binary, counts.unary), strict=True)
        ]
        owner = self._entry_states(n, first)
        words = np.bincount(owner, counts.lexical, minlength=first[-1])
        self.states = States(n, weights[0], weights[1], counts.lexical / np.maximum(words[owner], 1e-300))

    def iterate(self, times: int, report: Callable[[float], None] | None = None) -> float:
        """Steps of EM; the last log-likelihood."""
        value = -np.inf
        for _ in range(times):
            value, counts = self.expect()
            self.maximise(counts)
            if report:
                report(value)
        return value

    # Splitting and merging.

    def split(self, noise: float = 0.02, least: int = 40) -> None:
        """Every state in two, but for the root and symbols with fewer than `least` nodes for each state."""
        s, table = self.states, self.table
        twice = (self.symbol_counts >= least * s.counts).astype(np.int32)
        twice[table.root] = 0
        self.states = States(
            (s.counts * (1 + twice)).astype(np.int32),
            self._resplit(s.binary, [table.parent, table.left, table.right], s.counts, twice, noise),
            self._resplit(s.unary, [table.unary_parent, table.unary_child], s.counts, twice, noise),
            self._resplit(s.lexical, [self.entry_symbol], s.counts, twice, noise),
        )
        self.maximise(self.states)
        self._split = twice

    def _resplit(self, values: Floats, axes: list[Ints], n: Ints, twice: Ints, noise: float) -> Floats:
        made = []
        at = 0
        for symbols in zip(*axes, strict=True):
            shape = [n[s] for s in symbols]
            size = int(np.prod(shape))
            block = values[at : at + size].reshape(shape)
            at += size
            for axis, symbol in enumerate(symbols):
                if twice[symbol]:
                    block = np.repeat(block, 2, axis)
            made.append(block.ravel())
        flat = np.concatenate(made) if made else np.zeros(0)
        return np.asarray(flat * (1 + noise * (2 * self.random.random(len(flat)) - 1)))

    def merge(self, part: float = 0.5) -> None:
        """Undo the splits that cost least, that part of all."""
        _, counts = self.expect()
        n = counts.counts
        first = np.concatenate([[0], np.cumsum(n)])
        frequency = self._frequency(counts, first)
        s = self.states
        losses = self.em.merge_losses(
            n,
            s.binary.astype(np.float32),
            s.unary.astype(np.float32),
            self._entry_first(n),
            s.lexical.astype(np.float32),
            frequency,
            self.n_jobs,
        )
        pairs = [first[k] + 2 * i for k in range(len(n)) if self._split[k] for i in range(n[k] // 2)]
        order = sorted(pairs, key=lambda pair: (losses[pair], pair))
        undone = set(order[: int(len(order) * part)])
        targets: list[Ints] = []
        for k in range(len(n)):
            target: list[int] = []
            for x in range(n[k]):
                joined = self._split[k] and x % 2 == 1 and first[k] + x - 1 in undone
                target.append(target[-1] if joined else (target[-1] + 1 if target else 0))
            targets.append(np.array(target, np.int32))
        table = self.table
        self.maximise(
            States(
                np.array([target[-1] + 1 for target in targets], np.int32),
                _merged(counts.binary, [table.parent, table.left, table.right], n, targets),
                _merged(counts.unary, [table.unary_parent, table.unary_child], n, targets),
                _merged(counts.lexical, [self.entry_symbol], n, targets),
            )
        )

    def smooth(self, amount: float = 0.01) -> None:
        """Each state's weights moved a little towards the mean over the states of its symbol."""
        s, table = self.states, self.table
        binary, unary = s.binary.copy(), s.unary.copy()
        sizes = s.counts[table.parent], s.counts[table.left] * s.counts[table.right]
        for values, (parents, rest) in (
            (binary, sizes),
            (unary, (s.counts[table.unary_parent], s.counts[table.unary_child])),
        ):
            at = 0
            for m, length in zip(parents.tolist(), rest.tolist(), strict=True):
                block = values[at : at + m * length].reshape(m, length)
                if m > 1:
                    block += amount * (block.mean(0) - block)
                at += m * length
        self.states = States(s.counts, binary, unary, s.lexical)

    def _frequency(self, counts: States, first: NDArray[np.int64]) -> Floats:
        n = counts.counts
        total = np.bincount(self._entry_states(n, first), counts.lexical, minlength=first[-1])
        for values, parent, rest in (
            (counts.binary, self.table.parent, n[self.table.left] * n[self.table.right]),
            (counts.unary, self.table.unary_parent, n[self.table.unary_child]),
        ):
            if len(values):
                owner, length = _rows(n, first, parent, rest)
                starts = np.concatenate([[0], np.cumsum(length)[:-1]])
                total += np.bincount(owner, np.add.reduceat(values, starts), minlength=len(total))
        return np.asarray(total)

    def _entry_first(self, n: Ints) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(n[self.entry_symbol])])[:-1].astype(np.int64)

    def _entry_states(self, n: Ints, first: NDArray[np.int64]) -> NDArray[np.int64]:
        """The state, among all, of each place in the weights of words."""
        sizes = n[self.entry_symbol]
        starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
        return np.asarray(np.repeat(first[self.entry_symbol], sizes) + np.arange(sizes.sum()) - starts)


def _rows(n: Ints, first: NDArray[np.int64], parent: Ints, rest: Ints) -> tuple[NDArray[np.int64], Ints]:
    """The rows of all blocks: the state of the parent, among all, and the length."""
    sizes = n[parent]
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    owner = np.repeat(first[parent], sizes) + np.arange(sizes.sum()) - starts
    return owner, np.repeat(rest, sizes)


def _merged(values: Floats, axes: list[Ints], n: Ints, targets: list[Ints]) -> Floats:
    made = []
    at = 0
    for symbols in zip(*axes, strict=True):
        shape = [n[s] for s in symbols]
        size = int(np.prod(shape))
        block = values[at : at + size].reshape(shape)
        at += size
        for axis, symbol in enumerate(symbols):
            target = targets[symbol]
            if target[-1] + 1 < len(target):
                starts = np.flatnonzero(np.diff(target, prepend=-1))
                block = np.add.reduceat(block, starts, axis)
        made.append(block.ravel())
    return np.concatenate(made) if made else np.zeros(0)

"""The weights of a latent grammar as arrays, and as they are in a model file.

Arrays are those of the native code: dense blocks, the last index of each padded to whole vectors with zeros
(native/tools/constituency/latent/grammar.hpp). Most weights of a trained grammar are as good as zero; a file
keeps one bit for each and the others as floats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from palmette.tools.constituency.latent.trees import Symbol, UnaryRule

Int32s = NDArray[np.int32]
Floats = NDArray[np.float32]

LANES = 8
LEAST_WEIGHT = 1e-7  # of a rule: smaller ones are dropped
LEAST_COUNT = 1e-4  # of a word
MOST_SUBSTATES = 1024


class Rules(NamedTuple):
    """Symbols and rules without their substates: (parent, left, right) and (upper, lower), by number."""

    symbols: tuple[Symbol, ...]
    binary: Int32s  # (rules, 3)
    unary: tuple[UnaryRule, ...]
    horizontal: int = 0  # how trees were binarized, see `latent_trees`
    leftward: bool = True

    @property
    def binary_columns(self) -> tuple[Int32s, Int32s, Int32s]:
        """The parents, the left and the right children."""
        a, b, c = (np.ascontiguousarray(self.binary[:, i], dtype=np.int32) for i in range(3))
        return a, b, c

    @property
    def unary_columns(self) -> tuple[Int32s, Int32s]:
        """The symbols above and below."""
        upper = np.array([rule.upper for rule in self.unary], dtype=np.int32)
        return upper, np.array([rule.lower for rule in self.unary], dtype=np.int32)


def padded(n: Any) -> Any:
    """A number of substates, or an array of them, rounded up to whole vectors."""
    return (n + LANES - 1) // LANES * LANES


def rows_of(substates: Int32s) -> NDArray[np.int64]:
    """Where each symbol's substates are in vectors over all of them; one past the last."""
    return np.concatenate([[0], np.cumsum(padded(substates.astype(np.int64)))])


class Level(NamedTuple):
    """A coarser grammar: the group of every substate, by row, and how many groups every symbol has."""

    group: Int32s
    groups: Int32s


@dataclass(frozen=True, eq=False)
class GrammarWeights:
    """One grammar. mass, prior: how frequent substates are among nodes and words; counts: of the lexicon."""

    substates: Int32s
    binary: Floats
    unary: Floats
    same: Floats
    root: Floats
    mass: Floats
    counts: Floats
    prior: Floats
    levels: tuple[Level, ...]

    def native(self) -> tuple[Any, ...]:
        """As the native parser takes it."""
        levels = [tuple(level) for level in self.levels]
        weights = (self.binary, self.unary, self.same, self.root, self.mass, self.counts, self.prior)
        return (self.substates, *weights, levels)

    def pruned(self) -> Self:
        """Without the weights that are as good as zero."""
        return type(self)(
            self.substates,
            np.where(self.binary < LEAST_WEIGHT, np.float32(0), self.binary),
            np.where(self.unary < LEAST_WEIGHT, np.float32(0), self.unary),
            self.same,
            self.root,
            self.mass,
            np.where(self.counts < LEAST_COUNT, np.float32(0), self.counts),
            self.prior,
            self.levels,
        )

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """For a model file."""
        found: dict[str, NDArray[Any]] = {f"{prefix}substates": self.substates}
        for name in _SPARSE:
            values: Floats = getattr(self, name)
            found[f"{prefix}{name}.bits"] = np.packbits(values > 0)
            found[f"{prefix}{name}"] = values[values > 0]
        for k, level in enumerate(self.levels):
            found[f"{prefix}group{k}"] = level.group.astype(np.uint16)
            found[f"{prefix}groups{k}"] = level.groups
        return found

    @classmethod
    def restored(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, rules: Rules, tags: Int32s, n_levels: int
    ) -> Self:
        """The grammar of a file; ValueError if it does not fit the rules. tags: of the lexicon's entries."""

        def array(name: str, dtype: Any, size: int | None) -> NDArray[Any]:
            found = arrays.get(prefix + name)
            if (
                found is None
                or found.dtype != dtype
                or found.ndim != 1
                or (size is not None and found.size != size)
            ):
                raise ValueError(f"the grammar's array {prefix + name!r} is missing or has the wrong shape.")
            return found

        n = len(rules.symbols)
        substates = array("substates", np.int32, n)
        if n and (substates.min() < 1 or substates.max() > MOST_SUBSTATES):
            raise ValueError(f"a symbol has 1 to {MOST_SUBSTATES} substates.")
        sizes = _sizes(substates.astype(np.int64), rules, tags)
        dense = {}
        for name, size in sizes.items():
            bits = array(f"{name}.bits", np.uint8, (size + 7) // 8)
            where = np.unpackbits(bits)[:size].astype(bool)
            values = array(name, np.float32, int(where.sum()))
            if values.size and not (np.isfinite(values).all() and values.min() >= 0):
                raise ValueError(f"the weights {prefix + name!r} must be finite and not below zero.")
            dense[name] = np.zeros(size, dtype=np.float32)
            dense[name][where] = values
        levels = []
        for k in range(n_levels):
            group = array(f"group{k}", np.uint16, sizes["same"]).astype(np.int32)
            levels.append(Level(group, np.ascontiguousarray(array(f"groups{k}", np.int32, n))))
            if n and not 1 <= levels[-1].groups.min() <= levels[-1].groups.max() <= MOST_SUBSTATES:
                raise ValueError(f"a symbol has 1 to {MOST_SUBSTATES} groups of substates.")
        return cls(np.ascontiguousarray(substates), **dense, levels=tuple(levels))


_SPARSE = ("binary", "unary", "same", "root", "mass", "counts", "prior")


def _sizes(substates: NDArray[np.int64], rules: Rules, tags: Int32s) -> dict[str, int]:
    """How many numbers each array has."""
    width = int(rows_of(substates.astype(np.int32))[-1])
    wide = padded(substates)
    a, b, c = rules.binary_columns
    upper, lower = rules.unary_columns
    return {
        "binary": int((substates[a] * substates[b] * wide[c]).sum()),
        "unary": int((substates[upper] * wide[lower]).sum()),
        "same": width,
        "root": width,
        "mass": width,
        "counts": int(wide[tags].sum()),
        "prior": width,
    }


def levels_of(rounds: Sequence[tuple[Int32s, Int32s]]) -> tuple[Level, ...]:
    """The coarser grammars of the last round, coarsest first: those of the rounds before, and the treebank's.

    rounds: the substates after every round, and by row the substate of the round before that each comes from.
    """
    substates = rounds[-1][0]
    rows = rows_of(substates)
    real = np.zeros(rows[-1], dtype=bool)
    owner = np.zeros(rows[-1], dtype=np.int64)
    for symbol, n in enumerate(substates):
        real[rows[symbol] : rows[symbol] + n] = True
        owner[rows[symbol] : rows[symbol + 1]] = symbol
    group = (np.arange(rows[-1]) - rows[owner]).astype(np.int32)
    group[~real] = 0
    levels: list[Level] = []
    for k in range(len(rounds) - 1, -1, -1):
        before = rows_of(rounds[k][0])
        group = np.where(real, rounds[k][1][before[owner] + group], 0).astype(np.int32)
        groups = rounds[k - 1][0] if k else np.ones_like(substates)
        levels.insert(0, Level(group, groups.astype(np.int32)))
    return tuple(levels)

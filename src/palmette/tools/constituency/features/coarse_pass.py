"""The first pass of a feature-rich parser: a plain PCFG of the same symbols says which items are worth a look.

Its rules are counted; rules that no tree has, by which the root joins fragments, are next to impossible, so they
come into play where nothing else covers the words. What is kept are items (start, end, symbol) whose probability
is at least a threshold. O(n³ · rules), about a millisecond for 25 words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import ChartGrammar, prune_sentences
from palmette.structures.anchored_rules import TAG, AnchoredRules, Int32
from palmette.tools.constituency.lexicon import Lexicon
from palmette.tools.constituency.model import Constraints
from palmette.trees.tree import Tree

_UNSEEN = 1e-8  # the probability of a rule that no tree has

Rows = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PackedConstraints:
    """Constraints of sentences as the loops take them: rows, and (start, end, label, required) each."""

    rows: Rows
    entries: Int32


@dataclass(frozen=True, eq=False)
class CoarsePass:
    """A PCFG over the symbols of a grammar.

    binary: the log-probability of every binary rule of `rules`. unary: [· 2] parent and child of each unary rule,
    with `unary_weights`. lexicon: what words can be.
    """

    rules: AnchoredRules
    lexicon: Lexicon
    binary: Floats
    unary: Int32
    unary_weights: Floats

    @classmethod
    def of(cls, binarized: Sequence[Tree], rules: AnchoredRules, lexicon: Lexicon) -> CoarsePass:
        """The grammar counted on binarized trees."""
        number = {
            (name, int(kind) == TAG): k for k, (name, kind) in enumerate(zip(rules.symbols, rules.kinds))
        }
        counts: Counter[tuple[int, ...]] = Counter()
        totals: Counter[int] = Counter()
        for tree in binarized:
            for node in tree.preorder():
                if node.is_preterminal:
                    continue
                below = [child for child in node.children if isinstance(child, Tree)]
                rule = tuple(number[part.label, part.is_preterminal] for part in (node, *below))
                counts[rule] += 1
                totals[rule[0]] += 1

        def weights(wanted: Sequence[Sequence[int]]) -> Floats:
            of = [counts[tuple(rule)] / max(totals[rule[0]], 1) or _UNSEEN for rule in wanted]
            return np.array([log(p) for p in of], dtype=np.float32)

        pairs = {(rules.root, below) for below in rules.roots.tolist()}
        for c in range(len(rules.chain_rows) - 1):
            chain = rules.chain(c)
            pairs.update(pairwise(chain))
        unary = sorted(pairs)
        return cls(
            rules,
            lexicon,
            weights(rules.binary.reshape(-1, 3).tolist()),
            np.array(unary, dtype=np.int32).reshape(-1),
            weights(unary),
        )

    @cached_property
    def chart(self) -> ChartGrammar:
        """The same for the loops; ValueError if it does not fit together."""
        parents, lefts, rights = (np.ascontiguousarray(self.rules.binary[k::3]) for k in range(3))
        above, below = (np.ascontiguousarray(self.unary[k::2]) for k in range(2))
        return ChartGrammar(
            len(self.rules.symbols),
            self.rules.root,
            parents,
            lefts,
            rights,
            self.binary,
            above,
            below,
            self.unary_weights,
        )

    @cached_property
    def _tag_symbols(self) -> Int32:
        """The symbol of every tag of the lexicon."""
        number = {
            name: k
            for k, (name, kind) in enumerate(zip(self.rules.symbols, self.rules.kinds.tolist()))
            if kind == TAG
        }
        return np.array([number[tag] for tag in self.lexicon.tags], dtype=np.int32)

    def items(
        self,
        sentences: Sequence[Sequence[str]],
        threshold: float,
        *,
        tags: Sequence[Sequence[str]] | None = None,
        constraints: PackedConstraints | None = None,
        n_jobs: int = 1,
    ) -> tuple[Rows, Int32, NDArray[np.float64]]:
        """What is worth a look: rows, (start, end, symbol) each, and the log-probability of each sentence's words.

        A sentence without a tree has minus infinity, and no items.
        """
        found = [
            self.lexicon.emissions(words, None if tags is None else tags[i])
            for i, words in enumerate(sentences)
        ]
        sizes = [len(positions) for positions, _, _ in found]
        positions, names, weights = (
            np.concatenate([part[k] for part in found]) if found else np.zeros(0) for k in range(3)
        )
        return prune_sentences(
            self.chart,
            self.rules.grammar,
            _ends([len(words) for words in sentences]),
            _ends(sizes),
            positions.astype(np.int32, copy=False),
            self._tag_symbols[names.astype(np.int64)],
            weights.astype(np.float32, copy=False),
            threshold,
            n_jobs,
            None if constraints is None else constraints.rows,
            None if constraints is None else constraints.entries,
        )

    def constraints(self, given: Sequence[Constraints]) -> PackedConstraints:
        """Constraints with the numbers of labels; an unknown label has a number that nothing has."""
        number = {
            (label, kind == TAG): int(at)
            for label, kind, at in zip(
                self.rules.labels, self.rules.kinds.tolist(), self.rules.label_numbers.tolist()
            )
        }
        nothing = len(self.rules.symbols)
        entries: list[int] = []
        rows = [0]
        for each in given:
            for brackets, required in ((each.required, 1), (each.forbidden, 0)):
                for start, end, label in brackets:
                    at = -1 if label is None else number.get((label, False), nothing)
                    entries += [start, end, at, required]
            rows.append(len(entries) // 4)
        return PackedConstraints(np.array(rows, dtype=np.int64), np.array(entries, dtype=np.int32))

    # Files

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The numbers for a model file, without those of the rules."""
        own = {"coarse_binary": self.binary, "coarse_unary": self.unary, "coarse_weights": self.unary_weights}
        return own | self.lexicon.arrays()

    @classmethod
    def restore(
        cls,
        rules: AnchoredRules,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> CoarsePass:
        """The first pass of a file; settings: the lexicon's. ValueError if it does not fit together."""
        lexicon = Lexicon.restore(arrays, strings, settings)
        parts = []
        for name, dtype in (("binary", np.float32), ("unary", np.int32), ("weights", np.float32)):
            array = arrays.get(f"coarse_{name}")
            if array is None or array.ndim != 1 or array.dtype != dtype:
                raise ValueError("the first pass of the parser is missing or damaged")
            parts.append(np.ascontiguousarray(array))
        binary, unary, weights = parts
        if len(binary) * 3 != len(rules.binary) or len(unary) != 2 * len(weights):
            raise ValueError("the first pass of the parser has another number of rules")
        names = {name for name, kind in zip(rules.symbols, rules.kinds.tolist()) if kind == TAG}
        if not names.issuperset(lexicon.tags):
            raise ValueError("the lexicon has a tag that the grammar has not")
        made = cls(rules, lexicon, binary, unary, weights)
        _ = made.chart  # which checks the rest
        return made


def _ends(lengths: Sequence[int]) -> Rows:
    return np.cumsum([0, *lengths], dtype=np.int64)

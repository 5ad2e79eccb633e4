"""The grammar of a treebank: rules of binarized trees, with their relative frequencies.

    P(A → B C) = c(A → B C) / c(A)

Symbols are the tags, in the order of a lexicon, and then the labels of phrases; a tag and a phrase of one name are
two symbols. Rules are arrays, which the native chart indexes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette._native import ChartGrammar, PhraseForests
from palmette.tools.constituency.treebank import ROOT
from palmette.transforms.binarization import ANCESTOR, MADE, is_made
from palmette.trees.tree import Leaf, Tree

Int32s = NDArray[np.int32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TreeGrammar:
    """Rules over symbols 0 … n - 1, of which the first are tags. Weights are logs.

    binary: parents, left and right children, one column per rule; unary: parents and children.
    """

    names: tuple[str, ...]
    n_tags: int
    binary: Int32s
    binary_weights: Floats
    unary: Int32s
    unary_weights: Floats

    @classmethod
    def of(cls, trees: Iterable[Tree], tags: Sequence[str]) -> Self:
        """Count the rules of trees of at most two children a node; tags: those of the lexicon."""
        binary: Counter[tuple[str, int, str, int, str]] = Counter()
        unary: Counter[tuple[str, int, str]] = Counter()
        parents: Counter[str] = Counter()
        for tree in trees:
            for node in tree.preorder():
                if node.is_preterminal:
                    continue
                below = [
                    (int(_is_tag(child)), child.label) for child in node.children if isinstance(child, Tree)
                ]
                parents[node.label] += 1
                if len(below) == 2:
                    binary[node.label, *below[0], *below[1]] += 1
                elif len(below) == 1:
                    unary[node.label, *below[0]] += 1
        if ROOT not in parents:
            raise ValueError(
                f"No tree has the root {ROOT}: bring the trees into the form of clean_trees first."
            )
        phrases = sorted(parents)
        number = {(0, name): len(tags) + k for k, name in enumerate(phrases)}
        number |= {(1, name): k for k, name in enumerate(tags)}
        two = [(number[0, a], number[p, b], number[q, c]) for a, p, b, q, c in binary]
        one = [(number[0, a], number[p, b]) for a, p, b in unary]
        return cls(
            (*tags, *phrases),
            len(tags),
            np.array(two, dtype=np.int32).reshape(-1, 3).T.copy(),
            np.log([c / parents[rule[0]] for rule, c in binary.items()]).astype(np.float32),
            np.array(one, dtype=np.int32).reshape(-1, 2).T.copy(),
            np.log([c / parents[rule[0]] for rule, c in unary.items()]).astype(np.float32),
        )

    @cached_property
    def root(self) -> int:
        """The symbol of whole sentences."""
        return self.n_tags + self.names[self.n_tags :].index(ROOT)

    @cached_property
    def chart(self) -> ChartGrammar:
        """The rules, indexed for charts."""
        parents, lefts, rights = self.binary
        above, below = self.unary
        return ChartGrammar(
            len(self.names),
            self.root,
            parents,
            lefts,
            rights,
            self.binary_weights,
            above,
            below,
            self.unary_weights,
        )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label that a symbol has in a tree: without ancestors; "" where binarization made it."""
        tags, phrases = self.names[: self.n_tags], self.names[self.n_tags :]
        return (*map(_bare, tags), *("" if is_made(name) else _bare(name) for name in phrases))

    @cached_property
    def parts(self) -> NDArray[np.uint8]:
        """For every symbol whether binarization made it, so that it is a part of a phrase."""
        n = self.n_tags
        return np.array([*[0] * n, *map(is_made, self.names[n:])], dtype=np.uint8)

    def trees(
        self,
        sentences: Sequence[Sequence[str]],
        counts: NDArray[np.int64],
        rows: NDArray[np.int64],
        symbols: Int32s,
        rules: Int32s,
    ) -> list[list[Tree]]:
        """Derivations, as charts give them, as trees without what binarization made.

        Sentence i has the trees counts[i] … counts[i + 1] - 1, and tree t the nodes rows[t] … rows[t + 1] - 1.
        """
        names, numbers = self._label_numbers
        lengths = np.array([len(words) for words in sentences], dtype=np.int64)
        found = PhraseForests.of_derivations(lengths, counts, rows, symbols, rules, numbers)
        made: list[list[Tree]] = found.trees((Tree, Leaf), names, sentences)
        return made

    @cached_property
    def _label_numbers(self) -> tuple[list[str], Int32s]:
        """The different labels, and the number of that of every symbol; -1 where binarization made it."""
        names = sorted({label for label in self.labels if label})
        number = {name: k for k, name in enumerate(names)}
        return names, np.array([number.get(label, -1) for label in self.labels], dtype=np.int32)

    def projection(self, coarse: TreeGrammar) -> Int32s:
        """For every symbol the one of a grammar with h = 0 and v = 1; ValueError if it has none.

        That grammar must be of the same trees: it has the same tags, and a symbol for every bare label.
        """
        number = {name: coarse.n_tags + k for k, name in enumerate(coarse.names[coarse.n_tags :])}
        found = []
        for k, name in enumerate(self.names):
            bare = _bare(name.partition("|")[0] if is_made(name) else name)
            target = k if k < self.n_tags else number.get(bare + "|" if is_made(name) else bare)
            if target is None or (k < self.n_tags and coarse.names[k] != name):
                raise ValueError(f"The symbol {name!r} has no counterpart in the coarse grammar.")
            found.append(target)
        return np.array(found, dtype=np.int32)

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The rules, for a model file."""
        return {
            f"{prefix}_binary": self.binary,
            f"{prefix}_binary_weights": self.binary_weights,
            f"{prefix}_unary": self.unary,
            f"{prefix}_unary_weights": self.unary_weights,
        }

    @classmethod
    def restore(
        cls, arrays: Mapping[str, NDArray[Any]], names: Sequence[str], tags: Sequence[str], prefix: str
    ) -> Self:
        """The grammar of a file; names: of the phrases. ValueError if something is missing or does not fit."""
        parts = [
            arrays.get(f"{prefix}_{part}") for part in ("binary", "binary_weights", "unary", "unary_weights")
        ]
        wanted = ((3, np.int32), (1, np.float32), (2, np.int32), (1, np.float32))
        for part, (rows, kind) in zip(parts, wanted):
            if part is None or part.dtype != kind or part.ndim != (1 if kind == np.float32 else 2):
                raise ValueError(f"the {prefix} of this model is not complete.")
            if part.ndim == 2 and part.shape[0] != rows:
                raise ValueError(f"the {prefix} of this model does not fit together.")
        binary, binary_weights, unary, unary_weights = (part for part in parts if part is not None)
        if binary.shape[1:] != binary_weights.shape or unary.shape[1:] != unary_weights.shape:
            raise ValueError(f"the {prefix} of this model does not fit together.")
        if ROOT not in names or len(set(names)) != len(names):
            raise ValueError(f"the {prefix} of this model has no root {ROOT}, or a symbol twice.")
        made = cls((*tags, *names), len(tags), binary, binary_weights, unary, unary_weights)
        _ = made.chart  # checks every symbol and weight
        return made


def _is_tag(child: Tree) -> bool:
    return child.is_preterminal


def _bare(name: str) -> str:
    made = name.startswith(MADE)
    end = name.find(ANCESTOR, 2 if made else 1)
    return name if end < 0 else name[:end]

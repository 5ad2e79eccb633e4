"""Tree kernels: which fragments two trees have in common.

    K(S, T) = Σ over nodes a of S, b of T of Δ(a, b)

| fragments    | a fragment is                                | Δ(a, b)                                       |
|--------------|----------------------------------------------|-----------------------------------------------|
| `"subset"`   | a node with all of its children or none,     | λ Π_j (1 + Δ(a_j, b_j)), where the            |
| (SST)        | and so on below: "all subtrees"              | productions agree                             |
| `"complete"` | a node and everything below it               | λ^nodes, where the subtrees agree             |
| (ST)         |                                              |                                               |
| `"partial"`  | a node with any of its children, in order,   | μ (λ² + Σ over common subsequences of children |
| (PTK)        | and so on below                              | of λ^gaps Π Δ), where the labels agree        |

Collins & Duffy 2001, 2002; Vishwanathan & Smola 2002; Moschitti 2006. Words are leaves of fragments;
`words=False` takes them off, so that tags are leaves. Positions of words do not matter, so trees may be
discontinuous: children are read in the order of their first words.

A tree meets the distinct subtrees of many trees at once (`native/features/kernels/subtree_index.hpp`), so that a
Gram matrix costs far less than its pairs, and no tree is too deep.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from palmette import _native
from palmette.features.kernels.kernel import (
    MOST_FEATURES,
    Features,
    Kernel,
    Prepared,
    Reals,
    check_finite,
    checked_decay,
)
from palmette.features.kernels.supports import Supports
from palmette.features.kernels.tree_fragments import TooManyError, fragments_of
from palmette.threads import n_threads
from palmette.trees.tree import Leaf, Tree

Fragments = Literal["subset", "complete", "partial"]
_KINDS = get_args(Fragments)


@dataclass(frozen=True)
class TreeKernel(Kernel):
    """Common fragments of two trees; a fragment of s productions weighs λ^s, λ being `decay`.

    Items are `Tree`s or their brackets.

    >>> TreeKernel(decay=1.0)("(A (B (D d) (E e)) (C c))", "(A (B (D d) (E e)) (C c))")
    17.0
    >>> TreeKernel("partial", decay=1.0, mu=1.0)("(NP (DT the) (NN dog))", "(NP (DT the) (JJ old) (NN dog))")
    15.0
    """

    fragments: Fragments = "subset"
    decay: float = 0.4
    mu: float | None = None
    words: bool = True

    def __post_init__(self) -> None:
        if self.fragments not in _KINDS:
            raise ValueError(
                f"The 'fragments' must be one of {', '.join(_KINDS)}. Got {self.fragments!r} instead."
            )
        checked_decay(self.decay, "decay")
        if self.mu is not None:
            checked_decay(self.mu, "mu")
            if self.fragments != "partial":
                raise ValueError(f"Only partial trees have a 'mu'; for {self.fragments} ones leave it out.")

    @property
    def form(self) -> Hashable:
        return ("trees", self.fragments, bool(self.words))

    @property
    def _decays(self) -> tuple[float, float]:
        return float(self.decay), 0.4 if self.mu is None else float(self.mu)

    @property
    def _kind(self) -> int:
        return _KINDS.index(self.fragments)

    def _data(self, items: list[Any]) -> _native.TreeSet:
        trees = [Tree.parse(item) if isinstance(item, str) else item for item in items]
        return _native.TreeSet(trees, (Tree, Leaf), self._kind, bool(self.words))

    def _matrix(self, a: Any, b: Any, out: Reals, n_jobs: int) -> None:
        _native.tree_gram(a, b, *self._decays, n_jobs, out)

    def _diagonal(self, a: Any, n_jobs: int) -> Reals:
        return _native.tree_diagonal(a, *self._decays, n_jobs)

    def is_item(self, given: Any) -> bool:
        return isinstance(given, Tree | str)

    def __call__(self, a: Any, b: Any) -> Any:
        if self.is_item(a) and self.is_item(b):
            return float(self.pairs([a], [b])[0])
        return super().__call__(a, b)

    def pairs(self, A: Any, B: Any, i: Any = (0,), j: Any = (0,)) -> Reals:
        """K(A[i], B[j]) for indices i and j of the same length, pair by pair, where a matrix would be too much."""
        a = self.prepare(A)
        b = a if B is A else self.prepare(B)
        left, right = (np.ascontiguousarray(x, dtype=np.int64).reshape(-1) for x in (i, j))
        found = _native.tree_pairs(a.data, left, b.data, right, *self._decays)
        check_finite(found, self)
        return found

    def features(
        self, item: Tree | str, largest: int | None = None, only: Container[str] | None = None
    ) -> Features:
        """Fragments in brackets, each with its number times the root of its weight.

        `largest` leaves out those of more productions (nodes, for partial trees), `only` all but those of other
        trees; Φ is then only a part of itself.
        """
        tree = Tree.parse(item) if isinstance(item, str) else item
        most = math.inf if largest is None else largest
        try:
            return fragments_of(
                tree, self.fragments, self.words, *self._decays, largest=most, only=only, most=MOST_FEATURES
            )
        except TooManyError:
            raise ValueError(
                f"The tree has more than {MOST_FEATURES:,} fragments under {self}; ask for those up to a size "
                "with 'largest'."
            ) from None

    def supports(self) -> Supports:
        return _Forest(self)

    def embed(self, items: Any, n_features: int = 4096, random_state: int = 0, n_jobs: int = 1) -> Reals:
        """Vectors whose inner products are about K: a random projection of Φ, made without Φ.

        Every production and every coordinate has a random sign. Coordinate k of a node's vector is

            √λ · sign_k(production) · Π_j (1 + coordinate k + shift(production, j) of the j-th child's)

        so a fragment becomes the product of the signs of its productions, each at a coordinate that its place
        in the fragment determines; the vector of a tree is the sum over its nodes, over √n_features. The
        expected inner product of two trees is K; its deviation falls with √n_features and grows with λ and
        the size of the trees. O(nodes · n_features). Subset and complete trees.
        """
        if self.fragments == "partial":
            raise ValueError("Partial trees have no embedding here; take subset or complete ones.")
        if not isinstance(n_features, int) or not 1 <= n_features <= 1 << 24:
            raise ValueError(
                f"The 'n_features' must be an int in the range [1, {1 << 24}]. Got {n_features!r} instead."
            )
        if not isinstance(random_state, int) or not 0 <= random_state < 1 << 64:
            raise ValueError(
                f"The 'random_state' must be an int that is not negative. Got {random_state!r} instead."
            )
        prepared = self.prepare(items)
        out: Reals = np.empty((len(prepared), n_features))
        _native.embed_trees(prepared.data, self._decays[0], random_state, n_threads(n_jobs), out)
        return out


class _Forest(Supports):
    """Supports merged into their distinct subtrees, each with the sum of its α."""

    kernel: TreeKernel

    def __init__(self, kernel: TreeKernel) -> None:
        super().__init__(kernel)
        self._forest = _native.SupportForest(kernel._kind, bool(kernel.words), *kernel._decays)

    @property
    def n_subtrees(self) -> int:
        """How many distinct subtrees the supports have."""
        return self._forest.n_subtrees

    def _add(self, prepared: Prepared, which: np.ndarray[Any, Any], alphas: Reals) -> None:
        self._forest.add(prepared.data, which, alphas)

    def _score(self, prepared: Prepared, n_jobs: int) -> Reals:
        return self._forest.score(prepared.data, n_jobs)

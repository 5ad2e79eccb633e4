"""Small parsing problems, and all their trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from palmette._native import ArcProblem, HeadChoiceProblem
from palmette.features.token_views import TokenViews
from palmette.formats.corpus import Corpus

Tree = tuple[tuple[int, ...], tuple[int, ...]]  # heads, labels


def all_heads(n: int, *, projective: bool = True, single_root: bool = True) -> list[tuple[int, ...]]:
    """The heads of every tree over n words, by the definition."""
    found = []
    for heads in product(range(n + 1), repeat=n):
        if single_root and heads.count(0) != 1:
            continue
        if not all(_reaches_root(heads, m) for m in range(1, n + 1)):
            continue
        if not projective or _projective(heads):
            found.append(heads)
    return found


def _reaches_root(heads: tuple[int, ...], m: int) -> bool:
    for _ in heads:
        if m == 0:
            return True
        m = heads[m - 1]
    return m == 0


def _above(heads: tuple[int, ...], h: int, m: int) -> bool:
    while m and m != h:
        m = heads[m - 1]
    return m == h


def _projective(heads: tuple[int, ...]) -> bool:
    return all(
        _above(heads, h, k) for m, h in enumerate(heads, start=1) for k in range(min(h, m) + 1, max(h, m))
    )


@dataclass(frozen=True)
class Trees:
    """Sentences of random words and tags, with candidates for heads, right trees, and all trees there are."""

    views: TokenViews
    candidates: list[list[set[int]]]  # by sentence and word
    gold: list[Tree]
    n_labels: int
    options: dict[str, bool]
    bits: tuple[int, int] = (9, 6)

    @property
    def spanning(self) -> bool:
        """In first order the trees need not be projective, if that is not asked for."""
        names = ("projective", "siblings", "grandparents")
        return not any(self.options.get(name, True) for name in names)

    def problem(self) -> ArcProblem:
        """The native problem."""
        flat = [sorted(heads) for sentence in self.candidates for heads in sentence]
        rows = np.cumsum([0, *map(len, flat)]).astype(np.int64)
        v = self.views
        return ArcProblem(
            v.offsets,
            v.values,
            v.piece_rows,
            v.pieces,
            rows,
            np.array([h for heads in flat for h in heads], dtype=np.int32),
            np.array([h for heads, _ in self.gold for h in heads], dtype=np.int32),
            np.array([label for _, labels in self.gold for label in labels], dtype=np.int32),
            self.n_labels,
            *self.bits,
            **self.options,
        )

    @cached_property
    def trees(self) -> list[list[Tree]]:
        """All trees of every sentence."""
        found = []
        for candidates in self.candidates:
            n = len(candidates)
            heads = all_heads(
                n, projective=not self.spanning, single_root=self.options.get("single_root", True)
            )
            kept = [h for h in heads if all(a in allowed for a, allowed in zip(h, candidates))]
            found.append([(h, y) for h in kept for y in product(range(self.n_labels), repeat=n)])
        return found

    def features(self, i: int, one: Tree, two: Tree) -> np.ndarray:
        """Φ(one) − Φ(two), dense."""
        problem = self.problem()
        arrays = [np.array(part, dtype=np.int32) for tree in (one, two) for part in tree]
        indices, values = problem.difference(i, *arrays)
        dense = np.zeros(problem.n_weights)
        dense[indices] = values
        return dense

    def table(self, i: int) -> np.ndarray:
        """Φ of every tree of a sentence less Φ of the first."""
        first = self.trees[i][0]
        return np.stack([self.features(i, tree, first) for tree in self.trees[i]])


def random_trees(
    seed: int,
    lengths: tuple[int, ...] = (3, 4, 1, 2),
    *,
    n_labels: int = 2,
    keep: float = 1.0,
    unknown: float = 0.0,
    **options: bool,
) -> Trees:
    """A random problem. keep: the share of arcs that are candidates; unknown: of heads and labels not known."""
    rng = np.random.default_rng(seed)
    words = [[f"w{rng.integers(4)}" for _ in range(n)] for n in lengths]
    tags = [[f"T{rng.integers(3)}" for _ in range(n)] for n in lengths]
    feats = [[rng.choice(["_", "A=1", "A=1|B=2"]) for _ in range(n)] for n in lengths]
    corpus = Corpus.from_columns({"form": words, "upos": tags, "feats": feats})
    gold, candidates = [], []
    for n in lengths:
        heads = all_heads(n, single_root=options.get("single_root", True))
        right = heads[rng.integers(len(heads))]
        labels = tuple(int(y) for y in rng.integers(n_labels, size=n))
        candidates.append(
            [
                {h for h in range(n + 1) if h != m and (rng.random() < keep or h == right[m - 1])}
                for m in range(1, n + 1)
            ]
        )
        hidden = rng.random(n) < unknown
        gold.append(
            (
                tuple(-1 if x else h for h, x in zip(right, hidden)),
                tuple(-1 if x else y for y, x in zip(labels, hidden)),
            )
        )
    return Trees(TokenViews.of(corpus), candidates, gold, n_labels, options)


def head_choices(trees: Trees, bits: int = 9) -> HeadChoiceProblem:
    """The same sentences, every word on its own."""
    v = trees.views
    heads = np.array([h for tree, _ in trees.gold for h in tree], dtype=np.int32)
    return HeadChoiceProblem(v.offsets, v.values, v.piece_rows, v.pieces, heads, bits)

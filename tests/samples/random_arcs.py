"""Small random arc scores, with every tree that they score listed by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from oracles.enumeration import Enumeration, Floats, Output, dependency_trees
from palmette.structures.arborescence import DependencyTrees, ProjectiveTrees, SpanningTrees


@cache
def all_trees(n: int, projective: bool, single_root: bool) -> list[Output]:
    return list(dependency_trees(n, projective=projective, single_root=single_root))


def structure(projective: bool, single_root: bool) -> DependencyTrees:
    return (ProjectiveTrees if projective else SpanningTrees)(single_root)


@dataclass(frozen=True, eq=False)
class SmallArcs:
    scores: Floats
    projective: bool
    single_root: bool

    @property
    def n(self) -> int:
        return len(self.scores) - 1

    @property
    def trees(self) -> DependencyTrees:
        return structure(self.projective, self.single_root)

    @cached_property
    def every(self) -> Enumeration:
        """All trees; the part of an arc is its place in the flat matrix."""
        width = self.n + 1
        outputs = [
            [h * width + m for m, h in enumerate(heads, 1)]
            for heads in all_trees(self.n, self.projective, self.single_root)
        ]
        return Enumeration(outputs, self.scores.ravel())

    def score(self, heads: npt.ArrayLike) -> float:
        return float(self.scores[np.asarray(heads), np.arange(1, self.n + 1)].sum())

    @property
    def is_feasible(self) -> bool:
        return self.every.best_score > -np.inf


@st.composite
def small_arcs(draw: st.DrawFn, most: int = 5) -> SmallArcs:
    """Scores with ties, with many orders of magnitude, or with holes; up to `most` words."""
    n = draw(st.integers(1, most))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    kind = draw(st.sampled_from(["normal", "ties", "tenths", "wide"]))
    shape = (n + 1, n + 1)
    if kind == "normal":
        scores = rng.normal(size=shape)
    elif kind == "ties":
        scores = rng.integers(-1, 2, size=shape).astype(float)
    elif kind == "tenths":
        scores = rng.integers(-20, 20, size=shape) / 10
    else:
        scores = rng.normal(size=shape) * 30
    holes = draw(st.sampled_from([0.0, 0.0, 0.2, 0.5, 0.7]))
    scores[rng.random(shape) < holes] = -np.inf
    if draw(st.booleans()):  # what is not looked at may be anything
        np.fill_diagonal(scores, np.nan)
        scores[:, 0] = np.inf
    else:
        np.fill_diagonal(scores, -np.inf)
        scores[:, 0] = -np.inf
    return SmallArcs(scores, draw(st.booleans()), draw(st.booleans()))

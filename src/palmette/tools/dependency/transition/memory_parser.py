"""Memory-based parsing: a configuration does what the k most similar ones of the training trees did.

The classifier of the first data-driven transition parsers (Nivre et al. 2004, after Daelemans and van den Bosch):
nothing is learned but how much each feature tells, its gain ratio; every step of the training trees is kept. It
explains itself by examples and needs no passes, and is slower and less accurate than weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from palmette._native import TransitionMemory, projectivise
from palmette.features.token_views import TokenViews
from palmette.parameters import require_choice, require_int
from palmette.structures.transitions import SYSTEMS
from palmette.tools.dependency.model import Int32, Parses

# The first three make the buckets: what two configurations must agree in to be compared.
_ATOMS = (
    "s0.t n0.t s1.t s0.x n0.x s1.x s0.w n0.w s1.w s0.l n0.l n1.t n1.x n1.l n2.t s2.t s0.r s0h.t s0h.r s0l.r s0r.r "
    "s1l.r s1r.r n0l.r s0.vl s0.vr s0.sr n0.sl s0.f n0.f d0 d1"
).split()


@dataclass(frozen=True, eq=False)
class MemoryParser:
    """A memory of configurations; k: how many neighbours vote, each as heavy as it is near.

    gains: by feature, what it tells of the next action (its gain ratio).
    """

    memory: TransitionMemory
    labels: tuple[str, ...]
    k: int = 5

    @property
    def gains(self) -> dict[str, float]:
        """The gain ratio of every feature."""
        return dict(zip(_ATOMS, self.memory.gains))

    def parse(self, views: TokenViews, *, n_jobs: int = 1) -> Parses:
        """The trees of all sentences; their scores are 0, as there are none."""
        arrays = (views.offsets, views.values, views.piece_rows, views.pieces)
        heads, labels = self.memory.parse(*arrays, self.k, n_jobs)
        return Parses(heads, labels, np.zeros(len(views)))


def train_memory(
    views: TokenViews,
    heads: Int32,
    labels: Int32,
    names: tuple[str, ...],
    *,
    system: str = "arc-eager",
    k: int = 5,
) -> MemoryParser:
    """Remember the steps of the static oracle for all trees; for all systems but swap these are lifted first."""
    require_choice("system", system, SYSTEMS)
    require_int("k", k, 1)
    heads = np.ascontiguousarray(heads, dtype=np.int32)
    if system != "swap":
        heads = projectivise(views.offsets, heads)
    arrays = (views.offsets, views.values, views.piece_rows, views.pieces)
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    return MemoryParser(TransitionMemory(system, _ATOMS, *arrays, heads, labels), names, k)

"""Models 1 and 2: every target word chooses its source word by itself. CSC 448, §14.1 to §14.3.

    P(a_j = i | j, l, m) = p0 for NULL, and for the places of the source the rest of it
        model1      in equal parts
        diagonal    in parts of e^(-λ |i/l - j/m|); λ, the tension, is fitted (Dyer, Chahuneau and Smith 2013)
        model2      as a table for every l and m says, NULL with the others

EM and VB are those of `learning/em.py`. Under EM the tension takes a Newton step for its own term of the expected
log-likelihood after every pass. O(links) a pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palmette._native import Bitext
from palmette.tools.alignment.direction import Arrays, Translations, as_floats, table_arrays, table_from
from palmette.tools.alignment.table import Floats, Ints, LexicalTable, Longs

Doubles = npt.NDArray[np.float64]
_NO_PLACES = np.zeros(0, np.float32)
STEEPEST = 40.0


@dataclass(frozen=True, eq=False)
class IndependentDirection:
    """A direction of Model 1 or 2. `places` has P(i | j) of the shapes (l, m) in `shapes`, one after another."""

    kind: str
    table: LexicalTable
    p0: float
    tension: float
    shapes: Ints
    places: Floats

    def _on(self, bitext: Bitext, n_jobs: int) -> tuple[Floats, Floats, float, float, int]:
        return self.pair_weights(bitext, n_jobs), self._places_of(bitext), self.p0, self.tension, n_jobs

    def pair_weights(self, bitext: Bitext, n_jobs: int = 1) -> Floats:
        """t(f | e) of every pair of words of a bitext."""
        return self.table.on(bitext, n_jobs=n_jobs)

    def log_places(self, n_source: int, n_target: int) -> Doubles:
        """log P(i | j) for sentences of these lengths, [NULL, source][target]."""
        if self.kind == "model2":
            shape = np.array([[n_source, n_target]], np.int32)
            known: Doubles = np.log(self._places(shape).astype(np.float64))
            return known.reshape(n_source + 1, n_target)
        i, j = np.arange(1, n_source + 1) / max(n_source, 1), np.arange(1, n_target + 1) / max(n_target, 1)
        near = np.exp(-self.tension * np.abs(i[:, None] - j))
        rest = (1 - self.p0) * near / near.sum(axis=0)
        made: Doubles = np.log(np.concatenate([np.full((1, n_target), self.p0), rest]))
        return made

    def _places_of(self, bitext: Bitext) -> Floats:
        return self._places(bitext.shape_lengths.reshape(-1, 2)) if self.kind == "model2" else _NO_PLACES

    def _places(self, wanted: Ints) -> Floats:
        known = dict(zip(map(tuple, self.shapes.tolist()), shape_offsets(self.shapes).tolist()))
        made = uniform_places(wanted, self.p0)
        at = shape_offsets(wanted)
        for (n, m), begin, end in zip(wanted.tolist(), at.tolist(), at[1:].tolist()):
            if (n, m) in known:
                made[begin:end] = self.places[known[n, m] : known[n, m] + end - begin]
        return made.astype(np.float32)

    def posteriors(self, bitext: Bitext, n_jobs: int = 1) -> tuple[Longs, Floats]:
        """Where each sentence pair begins, and the probabilities of its links, [source][target] of each."""
        return bitext.posteriors_independent(*self._on(bitext, n_jobs))

    def best(self, bitext: Bitext, n_jobs: int = 1) -> Ints:
        """For every target word its source word from 1 on, 0 for NULL, in the most probable alignment."""
        return bitext.best_independent(*self._on(bitext, n_jobs))

    def arrays(self) -> Arrays:
        """Everything, for a model file."""
        numbers = np.array([self.p0, self.tension])
        return {**table_arrays(self.table), "numbers": numbers, "shapes": self.shapes, "places": self.places}

    @classmethod
    def from_arrays(cls, kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> IndependentDirection:
        """The direction whose `arrays` these are."""
        p0, tension = arrays["numbers"].tolist()
        shapes, places = arrays["shapes"].reshape(-1, 2), arrays["places"]
        if not (0 <= p0 < 1 and 0 <= tension <= STEEPEST) or (shapes < 0).any():
            raise ValueError("The numbers of an alignment model are out of their range.")
        if len(places) != (shape_offsets(shapes)[-1] if kind == "model2" else 0):
            raise ValueError("The places of an alignment model are not those of its shapes.")
        return cls(kind, table_from(arrays), p0, tension, shapes, places)


class IndependentProblem:
    """One direction for `learning/em.py`: parameters are the pairs of words, then the places of a full table."""

    def __init__(
        self, bitext: Bitext, *, p0: float, tension: float = 0.0, full: bool = False, n_jobs: int = 1
    ) -> None:
        self.bitext, self.p0, self.tension, self.full, self.n_jobs = bitext, p0, tension, full, n_jobs
        self.words = Translations(bitext)
        self.shapes = bitext.shape_lengths.reshape(-1, 2)[: None if full else 0]
        self.groups: Ints = np.concatenate(
            [self.words.groups(), place_groups(self.shapes) + self.words.n_rows]
        )

    @property
    def memory(self) -> float:
        """The tension, which a pass changes."""
        return self.tension

    @memory.setter
    def memory(self, tension: float) -> None:
        self.tension = tension

    def __len__(self) -> int:
        return len(self.bitext)

    def expected_counts_at(self, weights: Doubles) -> tuple[float, Doubles]:
        """The log-likelihood, and the expected number of uses of every parameter."""
        return self.taken(self.sums_of(weights, 0, len(self)))

    def sums_of(self, weights: Doubles, begin: int, end: int) -> tuple[Any, ...]:
        """What some sentence pairs add."""
        t, places = as_floats(weights[: self.words.n_pairs]), weights[self.words.size :].astype(np.float32)
        some = self.bitext.part(begin, end)
        return some.expect_independent(t, places, self.p0, self.tension, self.n_jobs)

    def taken(self, sums: tuple[Any, ...]) -> tuple[float, Doubles]:
        """The counts of all sentence pairs; the tension goes on."""
        loss, (pairs, used, rest) = sums
        if self.tension:
            self.tension = next_tension(self.tension, *rest[2:].tolist())
        return loss, self.words.counted(pairs, used)

    def expected_counts(self, log_weights: Doubles) -> tuple[float, Doubles]:
        """The same of logarithms."""
        return self.expected_counts_at(np.exp(log_weights))


def next_tension(tension: float, distance: float, mean: float, variance: float) -> float:
    """A Newton step to where the model expects the distances that the links have; not beyond twice or half."""
    step = (mean - distance) / variance if variance > 0 else 0.0
    return float(np.clip(tension + step, max(tension / 2, 0.1), min(2 * tension, STEEPEST)))


def shape_offsets(shapes: npt.NDArray[np.integer]) -> Longs:
    """Where the [l + 1][m] of every shape begins."""
    sizes = (shapes[:, 0].astype(np.int64) + 1) * shapes[:, 1]
    return np.concatenate([[0], np.cumsum(sizes)])


def place_groups(shapes: npt.NDArray[np.integer]) -> Ints:
    """The target word of every shape to which a place belongs, from 0 on over all shapes."""
    first = np.concatenate([[0], np.cumsum(shapes[:, 1])])
    rows = [np.tile(np.arange(at, at + m), n + 1) for (n, m), at in zip(shapes.tolist(), first.tolist())]
    return np.concatenate([np.zeros(0, np.int64), *rows]).astype(np.int32)


def uniform_places(shapes: npt.NDArray[np.integer], p0: float) -> Doubles:
    """The places of Model 1 as a table."""
    rows = [
        np.concatenate([np.full(m, p0), np.full(n * m, (1 - p0) / max(n, 1))]) for n, m in shapes.tolist()
    ]
    return np.concatenate([np.zeros(0), *rows])

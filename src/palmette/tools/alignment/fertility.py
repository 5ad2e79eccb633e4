"""Alignments that know how many words a word becomes: the HMM with fertilities, Models 3 and 4.

    fertility   Π_i n(φ_i | e_i) · Π_j t(f_j | e_{a_j}) · S(a_j - a_{j-1}) / Σ S, the jumps of the HMM
    model3      Π_i φ_i! n(φ_i | e_i) · Π_j t(f_j | e_{a_j}) · d(j | a_j, l, m) · binomial(φ_0 of m are NULL's);
                d by the distance from the diagonal, or a table of its own around it
    model4      Π_i n(φ_i | e_i) · Π_j t(f_j | e_{a_j}) · cepts · binomial: the first word of a source word is
                relative to the words of the one before, given classes; each other word relative to its last one

CSC 448, §14.5 and §14.6. No dynamic program sums over such alignments, so they are sampled (`sampling.py`). What
one text taught, its counts, is the prior of the next: so a saved model aligns new sentences as if they had been in
its training (Mermer and Saraçlar 2011; Östling and Tiedemann 2016).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from palmette._native import N_FERTILITIES, Bitext
from palmette.learning.learner import Callback
from palmette.tools.alignment.direction import Arrays, Direction, table_arrays, table_from
from palmette.tools.alignment.independent import shape_offsets
from palmette.tools.alignment.sampling import (
    Model3Sampling,
    Model4Sampling,
    Priors,
    Sampling,
    flat_priors,
    likeliest,
    run,
    sampler_of,
    table_strength,
)
from palmette.tools.alignment.table import Floats, Ints, LexicalTable, Longs
from palmette.tools.alignment.word_classes import word_classes

LEAST_COUNT = 0.01  # expected uses of a pair of words that a model keeps
NONE = 1e-30  # the share of a pair that was never used: the sampler has priors for those
TENSION = 4.0  # of the diagonal where nothing else says where words go
REACH = 50  # of displacements, as in native/tools/alignment/sampler.hpp
_MOST_PLACES = 2**31  # of all shapes of a table
_NO_SHAPES = np.zeros((0, 2), np.int32)
_NO_PLACES = np.zeros(0, np.float32)
_WHOLE = ("sweeps", "kept", "random_state")


@dataclass(frozen=True, eq=False)
class AlignedText:
    """The text of a training, aligned: lengths of sentences on both sides; posteriors, of which 65535 is one."""

    lengths: tuple[Ints, Ints]
    packed: npt.NDArray[np.uint16]
    alignment: Ints  # of the last sweep, or what climbing found

    def part(self, begin: int, end: int) -> AlignedText:
        """Some of the sentence pairs."""
        source, target = (lengths.astype(np.int64) for lengths in self.lengths)
        ends = [int((source * target)[:k].sum()) for k in (begin, end)]
        words = [int(target[:k].sum()) for k in (begin, end)]
        lengths = self.lengths[0][begin:end], self.lengths[1][begin:end]
        return AlignedText(lengths, self.packed[slice(*ends)], self.alignment[slice(*words)])

    def posteriors(self) -> Floats:
        """The probabilities of the links, [source][target] of each pair."""
        return np.divide(self.packed, np.float32(65535), dtype=np.float32)

    def best(self, climb: bool) -> Ints:
        """For every target word its source word from 1 on, 0 for NULL."""
        return self.alignment if climb else likeliest(self, self.posteriors())


@dataclass(frozen=True, eq=False)
class FertilityDirection:
    """A direction with fertilities, by its counts.

    table: shares of the uses of a source word; totals: how many there were, NULL first. fertilities: how often
    each word had 0, 1, … target words. displacements: counts, as the order has them. classes: of source and target
    words. shapes, places: counts c(i, j, l, m) of Model 3's table, [l + 1][m] of every (l, m) one after another.
    trained: the text of the training, which need not be sampled again.
    """

    kind: str
    table: LexicalTable
    totals: Floats
    fertilities: Floats
    displacements: Floats
    classes: tuple[Ints, Ints]
    sampling: Sampling
    shapes: Ints = field(default_factory=_NO_SHAPES.copy, repr=False)
    places: Floats = field(default_factory=_NO_PLACES.copy, repr=False)
    trained: AlignedText | None = field(default=None, repr=False)

    @property
    def likens(self) -> bool:
        """Whether it wants to know which words are spelt alike."""
        return self.sampling.spelling > 0

    def posteriors(self, bitext: Bitext, n_jobs: int = 1) -> tuple[Longs, Floats]:
        """Where each sentence pair begins, and the probabilities of its links, [source][target] of each."""
        n_source, n_target = bitext.lengths
        offsets = np.concatenate([[0], np.cumsum(n_source.astype(np.int64) * n_target)])
        return offsets, self._aligned(bitext, n_jobs)[0]

    def best(self, bitext: Bitext, n_jobs: int = 1) -> Ints:
        """For every target word its source word from 1 on, 0 for NULL: the likeliest, or what climbing found."""
        posteriors, climbed = self._aligned(bitext, n_jobs)
        return climbed if self.sampling.climb else likeliest(bitext, posteriors)

    def arrays(self) -> Arrays:
        """Everything, for a model file."""
        used = np.flatnonzero(self.places)
        table: Arrays = {
            "shapes": self.shapes,
            "place_at": used.astype(np.int64),
            "place_counts": self.places[used],
        }
        return {
            **table_arrays(self.table),
            **(table if table_strength(self.sampling) else {}),
            "totals": self.totals,
            "fertilities": self.fertilities,
            "displacements": self.displacements,
            "source_classes": self.classes[0],
            "target_classes": self.classes[1],
            "numbers": np.array([float(getattr(self.sampling, name)) for name in _names(self.kind)]),
        }

    @classmethod
    def from_arrays(cls, kind: str, arrays: Mapping[str, npt.NDArray[Any]]) -> FertilityDirection:
        """The direction whose `arrays` these are."""
        table, totals, numbers = table_from(arrays), arrays["totals"], arrays["numbers"].tolist()
        counts = totals, arrays["fertilities"], arrays["displacements"]
        classes = arrays["source_classes"], arrays["target_classes"]
        rows = len(table.first_of) - 1
        names = _names(kind)[
            : max(len(numbers), len(fields(Sampling)))
        ]  # files without options that came later
        if len(totals) != rows or len(counts[1]) != rows * N_FERTILITIES or len(numbers) != len(names):
            raise ValueError("An alignment model must have the counts of all its words.")
        if not all(
            (np.isfinite(own) & (own >= 0) & (own < 1e15)).all() for own in (*counts, np.array(numbers))
        ):
            raise ValueError("The numbers of an alignment model are out of their range.")
        if max(table.weights.max(initial=0), table.unseen.max(initial=0)) > 1.01:
            raise ValueError("The shares of an alignment model must not be above one.")
        if len(classes[0]) != rows - 1 or any(
            own.min(initial=0) < 0 or own.max(initial=0) > 999 for own in classes
        ):
            raise ValueError("The word classes of an alignment model are not those of its words.")
        if len(counts[2]) != _n_displacements(kind, *(int(own.max(initial=0)) + 1 for own in classes)):
            raise ValueError("The displacements of an alignment model are not those of its word classes.")
        settings: dict[str, Any] = {
            name: int(value) if name in _WHOLE else value for name, value in zip(names, numbers)
        }
        sampling = _options_of(kind)(**{**settings, "climb": bool(settings["climb"])})
        places = _places_from(arrays) if table_strength(sampling) else (_NO_SHAPES, _NO_PLACES)
        return cls(kind, table, *counts, classes, sampling, *places)

    def _aligned(self, bitext: Bitext, n_jobs: int) -> tuple[Floats, Ints]:
        """Sample the alignments of a text, with the counts of the training as priors."""
        rows = len(bitext.first_of) - 1
        flat, totals = flat_priors(bitext, self.sampling), _fitted(self.totals, rows)
        shares = self.table.on(bitext, n_jobs) * np.repeat(totals, np.diff(bitext.first_of))
        priors = Priors(
            flat.pairs + shares,
            flat.sources + totals,
            _fitted(self.fertilities, rows * N_FERTILITIES),
            np.concatenate([self.displacements, self._places_on(bitext)]),
        )
        classes = _fitted(self.classes[0], rows - 1), _fitted(self.classes[1], bitext.n_target)
        start, plan = self._start(bitext, priors, n_jobs), self.sampling.planned(bitext, again=True)
        sampler = sampler_of(self.kind, bitext, priors, classes, start, plan)
        run(sampler, plan)
        return sampler.posteriors(), sampler.alignment

    def _places_on(self, bitext: Bitext) -> Floats:
        """The table's counts for the shapes of a text; zero for shapes that are new."""
        if not table_strength(self.sampling):
            return _NO_PLACES
        known = dict(zip(map(tuple, self.shapes.tolist()), shape_offsets(self.shapes).tolist()))
        wanted = bitext.shape_lengths.reshape(-1, 2)
        at = shape_offsets(wanted)
        made = np.zeros(int(at[-1]), np.float32)
        for shape, begin, end in zip(map(tuple, wanted.tolist()), at.tolist(), at[1:].tolist()):
            if shape in known:
                made[begin:end] = self.places[known[shape] : known[shape] + end - begin]
        return made

    def _start(self, bitext: Bitext, priors: Priors, n_jobs: int) -> Ints:
        """The best alignment without fertilities."""
        t = np.divide(priors.pairs, np.repeat(priors.sources, np.diff(bitext.first_of)), dtype=np.float32)
        if self.kind != "fertility":
            return bitext.best_independent(t, np.zeros(0, np.float32), self.sampling.null, TENSION, n_jobs)
        weights = self.displacements + np.float32(self.sampling.smoothing)
        jump, first, last = np.split(weights, [2 * REACH + 1, 3 * REACH + 2])
        return bitext.best_jumps(t, jump, first, last / last.max(), self.sampling.null, n_jobs)


def _n_displacements(kind: str, n_source: int, n_target: int) -> int:
    """How many counts an order has: jumps, first and last places; distances; heads and other words, by class."""
    rows = {"fertility": 1, "model3": 1, "model4": (n_source + 1) * n_target}[kind]
    return rows * (2 * REACH + 1) + (2 * (REACH + 1) if kind == "fertility" else 0)


def _options_of(kind: str) -> type[Sampling]:
    return Model3Sampling if kind == "model3" else Sampling


def _names(kind: str) -> list[str]:
    """The options that a model file has as numbers."""
    return [one.name for one in fields(_options_of(kind))]


def _places_from(arrays: Mapping[str, npt.NDArray[Any]]) -> tuple[Ints, Floats]:
    """The shapes and counts of Model 3's table."""
    shapes, at, counts = arrays["shapes"].reshape(-1, 2), arrays["place_at"], arrays["place_counts"]
    size = int(shape_offsets(shapes)[-1])
    if (shapes < 0).any() or size > _MOST_PLACES or len(at) != len(counts):
        raise ValueError("The places of an alignment model are not those of its shapes.")
    if len(at) and not (at.min() >= 0 and at.max() < size and (np.isfinite(counts) & (counts >= 0)).all()):
        raise ValueError("The places of an alignment model are not those of its shapes.")
    places = np.zeros(size, np.float32)
    places[at] = counts
    return shapes, places


def _fitted(values: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The first of an array, with zeros behind it for words that are new."""
    return np.concatenate([values[:size], np.zeros(max(0, size - len(values)), values.dtype)])


def _train(
    kind: str,
    bitext: Bitext,
    start: Direction | None,
    sampling: Sampling,
    classes: tuple[Ints, Ints],
    n_jobs: int,
    callback: Callback | None,
) -> FertilityDirection:
    n_words = int(bitext.lengths[1].sum())
    if not len(bitext.alike):
        sampling = replace(sampling, spelling=0.0)
    if start is None:
        t = np.repeat(1 / np.maximum(np.diff(bitext.first_of), 1), np.diff(bitext.first_of)).astype(
            np.float32
        )
        begin = bitext.best_independent(t, np.zeros(0, np.float32), sampling.null, TENSION, n_jobs)
    else:
        begin = start.best(bitext, n_jobs)
    plan = sampling.planned(bitext)
    sampler = sampler_of(kind, bitext, flat_priors(bitext, sampling), classes, begin, plan)
    run(sampler, plan, n_words, callback)
    counts, first = sampler.pair_counts().astype(np.float64), bitext.first_of
    sums = np.concatenate([[0.0], np.cumsum(counts)])
    totals = sums[first[1:]] - sums[first[:-1]]
    shares = counts / np.repeat(np.maximum(totals, 1e-30), np.diff(first))
    kept = counts >= LEAST_COUNT
    before = np.concatenate([[0], np.cumsum(kept)])
    unseen = np.full(len(first), NONE, np.float32)
    n_source, n_target = bitext.lengths  # which hold on to the bitext: hence copies
    order, n_steps = (
        sampler.order_counts(),
        _n_displacements(kind, *(int(c.max(initial=0)) + 1 for c in classes)),
    )
    shapes = bitext.shape_lengths.reshape(-1, 2).copy() if table_strength(sampling) else _NO_SHAPES
    table = LexicalTable(before[first], bitext.target_of[kept], shares[kept].astype(np.float32), unseen)
    return FertilityDirection(
        kind,
        table,
        totals.astype(np.float32),
        sampler.fertility_counts(),
        order[:n_steps],
        classes,
        sampling,
        shapes,
        order[n_steps:],
        AlignedText((n_source.copy(), n_target.copy()), sampler.packed_posteriors(), sampler.alignment),
    )


def _no_classes(bitext: Bitext) -> tuple[Ints, Ints]:
    return np.zeros(len(bitext.first_of) - 2, np.int32), np.zeros(bitext.n_target, np.int32)


def train_sampled(
    kind: str,
    bitext: Bitext,
    start: Direction | None = None,
    *,
    n_jobs: int = 1,
    callback: Callback | None = None,
    **options: Any,
) -> Direction:
    """The HMM with fertilities ("fertility") or Model 3 ("model3"), from the best alignment of another model.

    Options: those of `Sampling`, for Model 3 of `Model3Sampling`.
    """
    sampling = _options_of(kind).of(options, f"The model {kind!r}")
    return _train(kind, bitext, start, sampling, _no_classes(bitext), n_jobs, callback)


def train_model4(
    bitext: Bitext,
    start: Direction | None = None,
    *,
    n_jobs: int = 1,
    callback: Callback | None = None,
    **options: Any,
) -> Direction:
    """Model 4, from the best alignment of another model. Options: those of `Model4Sampling`."""
    own = Model4Sampling.of(options, "The model 'model4'")
    sampling = Sampling(**{name: getattr(own, name) for name in Sampling.names()})
    classes = _no_classes(bitext) if own.n_classes == 1 else word_classes(bitext, own.n_classes)
    return _train("model4", bitext, start, sampling, classes, n_jobs, callback)


train_fertility = partial(train_sampled, "fertility")
train_model3 = partial(train_sampled, "model3")

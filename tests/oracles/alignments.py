"""All alignments of small sentence pairs, one by one: the oracle of the models that have closed sums."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from palmette._native import Bitext
from palmette.tools.alignment.hmm import HmmDirection
from palmette.tools.alignment.independent import IndependentDirection

Sentences = list[list[int]]


def made_bitext(source: Sentences, target: Sentences) -> Bitext:
    """A bitext of word numbers."""
    sides = []
    for sentences in (source, target):
        offsets = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
        sides += [offsets, np.array([word for one in sentences for word in one], np.int32)]
    sizes = [
        max((word for one in sentences for word in one), default=-1) + 1 for sentences in (source, target)
    ]
    return Bitext(*sides, *sizes)


def random_sentences(rng: np.random.Generator, n: int, longest: int, words: int) -> Sentences:
    """Sentences of up to so many words, some of them empty."""
    return [rng.integers(words, size=rng.integers(longest + 1)).tolist() for _ in range(n)]


def alignments(
    direction: IndependentDirection | HmmDirection, bitext: Bitext, s: int
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every alignment of a sentence pair with P(f, a | e), by the formula of its model and nothing else."""
    n, m = (int(lengths[s]) for lengths in bitext.lengths)
    t = direction.table.on(bitext).astype(np.float64)[bitext.links(s)].reshape(n + 1, m)
    for a in itertools.product(range(n + 1), repeat=m):
        p = math.prod(t[i, j] for j, i in enumerate(a))
        if isinstance(direction, HmmDirection):
            p *= _jumps(direction, a, n)
        else:
            p *= math.prod(_place(direction, i, j, n, m) for j, i in enumerate(a))
        yield a, p


def _place(model: IndependentDirection, i: int, j: int, n: int, m: int) -> float:
    if model.kind == "model2":
        at = 0
        for length, width in model.shapes.tolist():
            if (length, width) == (n, m):
                return float(model.places[at + i * m + j])
            at += (length + 1) * width
        return model.p0 if i == 0 else (1 - model.p0) / n
    if i == 0:
        return model.p0
    near = [math.exp(-model.tension * abs(k / n - (j + 1) / m)) for k in range(1, n + 1)]
    return (1 - model.p0) * near[i - 1] / sum(near)


def _jumps(model: HmmDirection, a: tuple[int, ...], n: int) -> float:
    width, p, place = len(model.jump) // 2, 1.0, 0
    for i in a:
        if i == 0:
            p *= model.p0
            continue
        weights = [
            model.jump[width + max(-width, min(width, k - place))]
            if place
            else model.first[min(k, len(model.first) - 1)]
            for k in range(1, n + 1)
        ]
        p *= (1 - model.p0) * float(weights[i - 1]) / float(sum(weights))
        place = i
    if a and len(model.last):
        p *= float(model.last[min(n - place, len(model.last) - 1)])
    return p

"""Alignments of one direction as a `Chain`: the general structure, for the k best and as the oracle of fast loops.

Models 1 and 2 are a chain of order 0 whose labels are NULL and the source words. In the HMM every place has two
labels, being aligned there and the NULL behind it, and place 0, before the first aligned word, has a NULL only:

    aligned to 1 … l: labels 0 … l - 1          NULL behind place 0 … l: labels l … 2 l          CSC 448, §14.4

A path and an alignment are the same thing, so the k best paths are the k best alignments. O(l² m) for each pair.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from palmette._native import Bitext
from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores
from palmette.tools.alignment.hmm import HmmDirection
from palmette.tools.alignment.independent import IndependentDirection
from palmette.tools.alignment.table import Ints
from palmette.tools.ranked import Ranked

Doubles = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
ChainDirection = IndependentDirection | HmmDirection
_NO_WORDS = np.zeros(0, np.int32), 0.0


def ranked_alignments(direction: ChainDirection, bitext: Bitext, k: int) -> list[list[Ranked[Ints]]]:
    """Return the k best alignments of every sentence pair, the best first: the score is log P(f, a | e), the
    log-probability log P(a | f, e).

    An alignment has for every target word its source word from 1 on, 0 for NULL.
    """
    found = []
    for made in chains(direction, bitext):
        ranked, log_z = [_NO_WORDS], 0.0
        if made is not None:
            ranked, log_z = _kbest(*made, k), made[0].log_z(made[1])
        found.append([Ranked(places, score, min(score - log_z, 0.0)) for places, score in ranked])
    return found


def _kbest(chain: Chain, scores: ChainScores, sources: Places, k: int) -> list[tuple[Ints, float]]:
    return [(sources[one.labels].astype(np.int32), one.score) for one in chain.kbest(scores, k)]


def chains(direction: ChainDirection, bitext: Bitext) -> Iterator[tuple[Chain, ChainScores, Places] | None]:
    """Yield the chain of every pair, its scores, and the source word of every label; None without target words."""
    t = np.log(direction.pair_weights(bitext).astype(np.float64))
    for s, (n_source, n_target) in enumerate(zip(*(lengths.tolist() for lengths in bitext.lengths))):
        if not n_target:
            yield None
            continue
        scores = t[bitext.links(s)].reshape(n_source + 1, n_target).T
        if isinstance(direction, HmmDirection):
            yield hmm_chain(direction, scores)
        else:
            places = direction.log_places(n_source, n_target)
            yield Chain(n_source + 1, order=0), ChainScores(scores + places.T), np.arange(n_source + 1)


def hmm_chain(direction: HmmDirection, t: Doubles) -> tuple[Chain, ChainScores, Places]:
    """The chain of one pair, its scores, and the source word of every label. t: log t, [target][NULL, source]."""
    n = t.shape[1] - 1
    width = len(direction.jump) // 2
    to, places = np.arange(1, n + 1), np.arange(n + 1)
    weights = direction.jump.astype(np.float64)[width + np.clip(to[None] - places[:, None], -width, width)]
    weights[0] = direction.first[np.minimum(to, len(direction.first) - 1)]
    p0 = np.log(direction.p0)
    with np.errstate(divide="ignore"):
        moves = np.log1p(-direction.p0) + np.log(weights) - np.log(weights.sum(axis=1, keepdims=True))
    place = np.concatenate([to, places])
    stay = np.where(place[:, None] == places, p0, -np.inf)
    transitions = np.concatenate([moves[place], stay], axis=1)
    unary = np.concatenate([t[:, 1:], np.repeat(t[:, :1], n + 1, axis=1)], axis=1)
    if len(direction.last):
        unary[-1] += np.log(direction.last.astype(np.float64))[np.minimum(n - place, len(direction.last) - 1)]
    begin = np.concatenate([moves[0], np.where(places == 0, p0, -np.inf)])
    sources = np.concatenate([to, np.zeros(n + 1, np.int64)])
    return Chain(2 * n + 1), ChainScores(unary, transitions, [begin]), sources

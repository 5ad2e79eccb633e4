"""The chains of a tagger's sentences, one by one: decoding where some labels are known, k best, searches.

Every sentence has a chain, its scores and, where labels are known, a mask of what may be where. The best sequence,
marginals and k best are those of the sequences that agree with the mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from palmette.formats.column import Column
from palmette.learning.votes import no_single_score
from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores
from palmette.tools.ranked import Ranked
from palmette.tools.sentences import Gold, Listed, transform
from palmette.tools.sequence.tokens import offsets_of

if TYPE_CHECKING:
    from palmette.tools.sequence.model import SequenceModel

Agreeing = tuple[Chain, ChainScores, NDArray[np.bool_] | None]
Offsets = NDArray[np.int64]


def chains_of(model: SequenceModel, X: Listed, n_jobs: int) -> Iterator[tuple[Chain, ChainScores]]:
    """Yield the structure and the scores of every sentence."""
    if model.votes is not None:
        raise no_single_score("A search with known labels or of its own")
    given = model.encode(X, n_jobs)
    problem, weights = model.structure.decoder(given), model.weights_for(given)
    structure = model.structure
    chain = Chain(structure.labels, structure.order, structure.scheme, states=structure.states)
    n, order = len(structure.labels), structure.order
    for i in range(len(problem)):
        unary, begin, table = problem.scores(weights, i)
        if structure.states is None:
            yield chain, _chain_scores(unary, begin, table, n, order)
            continue
        count = structure.states.n_steps
        steps = table if len(table) == count else table.reshape(-1, count)
        yield chain, ChainScores(unary.reshape(-1, n), steps=steps)


def agreeing(model: SequenceModel, X: Listed, known: Gold | None, n_jobs: int) -> Iterator[Agreeing]:
    """Yield the chains of the sentences, each with what may be where."""
    structure = model.structure
    allowed, at = None, 0
    if known is not None:
        known.check(transform(model.features, X).offsets)
        allowed = structure.refinement.spread(known.allowed(structure.visible))
    for chain, scores in chains_of(model, X, n_jobs):
        n = len(np.asarray(scores.unary))
        yield chain, scores, None if allowed is None else allowed[at : at + n]
        at += n


def probabilities_of(model: SequenceModel, chains: Iterable[Agreeing]) -> tuple[NDArray[np.float32], Offsets]:
    """Return the probabilities of visible labels for all tokens in a row, and where sentences begin."""
    rows = [
        model.structure.refinement.probabilities(chain.marginals(scores, allowed=may))
        for chain, scores, may in chains
    ]
    none = np.zeros((0, len(model.structure.visible)))
    return np.concatenate([none, *rows]).astype(np.float32), offsets_of(rows)


def best_of(model: SequenceModel, chains: Iterable[Agreeing], minimum_risk: bool) -> tuple[Column, Offsets]:
    """Return the best labels of all tokens in a row, or those with the fewest expected errors."""
    rows = [
        (
            chain.minimum_risk(scores, legal=True, allowed=may)
            if minimum_risk
            else chain.best(scores, allowed=may)
        )
        for chain, scores, may in chains
    ]
    found = np.concatenate([np.zeros(0, np.int32), *(row.labels for row in rows)]).astype(np.int32)
    ids = model.structure.refinement.visible(found)
    return Column(ids, list(model.structure.visible)), offsets_of([row.labels for row in rows])


def kbest_of(model: SequenceModel, chains: Iterable[Agreeing], k: int) -> Iterator[list[Ranked[list[str]]]]:
    """Yield the k best label sequences of every chain, with scores and log-probabilities."""
    visible, owners = model.structure.visible, model.structure.refinement.owners
    for chain, scores, allowed in chains:
        log_z = chain.log_z(scores, allowed=allowed)
        best = chain.kbest(scores, k, allowed=allowed)
        names = [[visible[y] for y in owners[found.labels].tolist()] for found in best]
        yield [Ranked(labels, y.score, y.score - log_z) for labels, y in zip(names, best)]


def elected(model: SequenceModel, X: Listed, k: int, n_jobs: int) -> Iterator[list[Ranked[list[str]]]]:
    """Yield the k label sequences of every sentence with the most votes; a score is a share of them."""
    visible = model.structure.visible
    for tally in model.elect(transform(model.features, X), n_jobs):
        chosen = [(np.frombuffer(one.output, dtype=np.int32).tolist(), one.share) for one in tally[:k]]
        yield [Ranked([visible[y] for y in ys], share, log(share)) for ys, share in chosen]


def _chain_scores(
    unary: NDArray[np.float32], begin: NDArray[np.float32], table: NDArray[np.float32], n: int, order: int
) -> ChainScores:
    rows = unary.reshape(-1, n)
    if not order:
        return ChainScores(rows)
    shape = (n,) * (order + 1)
    transitions = table.reshape(shape if table.size == n ** (order + 1) else (-1, *shape))
    firsts: list[NDArray[np.float32] | None] = [None]
    at = 0
    for i in range(1, order):
        firsts.append(begin[at : at + n ** (i + 1)].reshape((n,) * (i + 1)))
        at += n ** (i + 1)
    return ChainScores(rows, transitions, firsts)

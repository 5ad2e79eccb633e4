"""ufal.chu-liu-edmonds on random arc scores: one call for every matrix, as it has them."""

from __future__ import annotations

from benchmarks.peers.arcs import random_arcs
from benchmarks.peers.process import Work


def spanning_trees(words: int, sentences: int) -> Work:
    from ufal.chu_liu_edmonds import chu_liu_edmonds

    matrices = []
    for matrix in random_arcs(words, sentences):
        turned = matrix.T.copy()  # it has dependents first
        turned[0] = 0.0
        matrices.append(turned)
    return Work(
        lambda: [chu_liu_edmonds(matrix) for matrix in matrices],
        lambda made: {"score": sum(score for _, score in made)},
    )

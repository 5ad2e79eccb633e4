"""Dependency trees from dense random arc scores.

Spanning trees beside ufal.chu-liu-edmonds, which is called once for every sentence as we are; projective trees
beside a textbook's Eisner in C++, both over a batch in one call.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from benchmarks.eisner.textbook import parse_all
from benchmarks.measuring.row import Row
from benchmarks.measuring.timing import shortest
from benchmarks.peers import chu_liu_edmonds
from benchmarks.peers.arcs import random_arcs
from benchmarks.peers.process import Work, measure
from palmette.structures.arborescence import DependencyTrees, ProjectiveTrees, SpanningTrees

_SIZES = ((23, 400), (100, 40))
_LEAST_SPANNING = 3.0
_LEAST_PROJECTIVE = {23: 1.0, 100: 2.0}


def rows(quick: bool = False) -> Iterator[Row]:
    times = 3 if quick else 15
    yield from projective_rows(times)
    yield from spanning_rows(times)
    yield from other_rows(times)


def projective_rows(times: int) -> Iterator[Row]:
    for words, sentences in _SIZES:
        scores = np.array(random_arcs(words, sentences), dtype=np.float32)
        flat, lengths = scores.ravel(), np.full(sentences, words)
        trees = ProjectiveTrees(single_root=False)
        same = np.array_equal(trees.best_batch(flat, lengths).heads.reshape(sentences, -1), parse_all(scores))
        ours, peer = shortest(
            lambda: trees.best_batch(flat, lengths),  # noqa: B023
            lambda: parse_all(scores),  # noqa: B023
            times=times,
        )
        yield Row(
            f"Eisner, {words} words / textbook in C++",
            ours / sentences,
            peer / sentences,
            words,
            "words",
            least_ratio=_LEAST_PROJECTIVE[words],
            quality="same trees" if same else "other trees",
            holds=same,
        )


def spanning_rows(times: int) -> Iterator[Row]:
    for words, sentences in _SIZES:
        peer = measure(chu_liu_edmonds.spanning_trees, words, sentences, times=times)
        for single_root in (False, True):
            ours = measure(
                spanning_trees, words, sentences, int(single_root), times=times, python=sys.executable
            )
            same = abs(ours.quality["score"] - peer.quality["score"]) < 1e-6
            yield Row(
                f"Chu-Liu-Edmonds{', single root' if single_root else ''}, {words} words / ufal's",
                ours.cpu_seconds / sentences,
                peer.cpu_seconds / sentences,
                words,
                "words",
                least_ratio=_LEAST_SPANNING,
                quality="one root word, the peer's has more" if single_root else "same scores",
                holds=None if single_root else same,
            )


def spanning_trees(words: int, sentences: int, single_root: int) -> Work:
    """One call for every sentence."""
    matrices, trees = random_arcs(words, sentences), SpanningTrees(bool(single_root))
    return Work(
        lambda: [trees.best(matrix) for matrix in matrices],
        lambda made: {"score": sum(tree.score for tree in made)},
    )


def other_rows(times: int) -> Iterator[Row]:
    """What has no peer here: sums and k best."""
    kinds: tuple[tuple[str, DependencyTrees], ...] = (
        ("projective", ProjectiveTrees()),
        ("spanning", SpanningTrees()),
    )
    for words, sentences in _SIZES:
        matrices = random_arcs(words, sentences)
        for name, trees in kinds:
            (sums,) = shortest(lambda: trees.marginals_batch(matrices), times=times)  # noqa: B023
            yield Row(f"marginals, {name}, {words} words", sums / sentences, None, words, "words")
            (best,) = shortest(lambda: [trees.kbest(matrix, 10) for matrix in matrices[:20]], times=times)  # noqa: B023
            yield Row(f"10 best, {name}, {words} words", best / 20, None, words, "words")

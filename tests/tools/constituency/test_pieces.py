"""Sentences in pieces over threads."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.constituency.pieces import cut, in_pieces
from samples.phrase_trees import phrase_trees


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40, 200])
def test_pieces_are_all_sentences_in_order(n: int) -> None:
    sentences = [["w"] * (1 + 7 * k % 11) for k in range(n)]
    for most in (0, 1, 2, 7, 32):
        pieces = cut(sentences, most)
        assert [words for piece in pieces for words in piece] == sentences
        assert all(pieces)
        assert len(pieces) <= max(most, 1)
    if n == 200:
        sizes = [sum(map(len, piece)) for piece in cut(sentences, 8)]
        assert len(sizes) == 8
        assert max(sizes) < 1.2 * min(sizes)


def test_several_threads_are_at_work() -> None:
    barrier = threading.Barrier(2, timeout=30)

    def work(part: Sequence[list[str]], n_jobs: int) -> list[int]:
        assert n_jobs == 1
        if len(part[0]) == 1:  # the first pieces wait for each other
            barrier.wait()
        return [len(words) for words in part]

    sentences = [["w"]] * 8 + [["w", "w"]]
    assert in_pieces(work, [["w"]] * 8, 2) == [1] * 8
    with pytest.raises(ZeroDivisionError):
        in_pieces(lambda part, n_jobs: [1 // 0 for _ in part], sentences, 2)
    assert in_pieces(lambda part, n_jobs: [n_jobs] * len(part), sentences[:3], 4) == [4, 4, 4]


@pytest.mark.native
@pytest.mark.parametrize("method", ["markov", "lexicalized"])
def test_threads_change_nothing(method: str) -> None:
    parser = ConstituencyParser(method).fit(phrase_trees(40))
    sentences = [tree.words for tree in phrase_trees(20, seed=1)] + [[], ["("]]

    def found(n_jobs: int) -> list[object]:
        parser.n_jobs = n_jobs
        parses = parser.parse(sentences)
        ranked = parser.kbest(sentences, 3)
        return [
            [None if one is None else (one.tree, one.score, one.note) for one in parses],
            [[(one.tree, one.score) for one in own] for own in ranked],
            parser.marginals(sentences),
        ]

    assert found(1) == found(2) == found(3)

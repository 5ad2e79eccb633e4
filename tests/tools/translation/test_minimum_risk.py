"""Expected BLEU against its definition, and expected n-grams against all paths of small graphs."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from palmette.tools.translation.minimum_risk import consensus, expected_ngrams, list_risk, ngrams


def bleu(guess: list[str], right: list[str]) -> float:
    """Sentence BLEU by its definition, with one added to the counts of longer n-grams."""
    if not guess:
        return float(not right)
    total = 0.0
    for n in range(1, 5):
        mine = Counter(tuple(guess[k : k + n]) for k in range(len(guess) - n + 1))
        other = Counter(tuple(right[k : k + n]) for k in range(len(right) - n + 1))
        hits, add = sum((mine & other).values()), n > 1
        total += math.log(max(hits + add, 1e-9) / max(len(guess) - n + 1 + add, 1))
    return math.exp(total / 4 + min(0.0, 1 - len(right) / len(guess)))


@pytest.mark.parametrize("seed", range(8))
def test_expected_bleu_is_the_sum_over_the_list(seed: int) -> None:
    draw = np.random.default_rng(seed)
    rows = [[str(w) for w in draw.choice(list("abcd"), n)] for n in draw.integers(0, 8, size=7)]
    p = draw.dirichlet(np.ones(7))
    want = [sum(q * bleu(row, other) for q, other in zip(p, rows)) for row in rows]
    np.testing.assert_allclose(list_risk(rows, p), want, rtol=1e-9)


def test_consensus_with_one_certain_candidate_is_bleu_against_it() -> None:
    right, rows = "a b c a b".split(), [list("abcab"), list("abc"), list("xy"), []]
    found = consensus(rows, dict(ngrams(right)), 5.0)
    np.testing.assert_allclose(found, [bleu(row, right) for row in rows])
    assert found.argmax() == 0
    assert consensus([[], ["a"]], {}, 0.0).argmax() == 0


@dataclass
class Paths:
    """A small graph."""

    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    words: list[list[str]]

    @property
    def edge_tails(self) -> list[list[int]]:
        return [[int(tail)] if tail >= 0 else [] for tail in self.tails]

    @property
    def items(self) -> list[list[str | int]]:
        return [[-1, *words] if tail >= 0 else list(words) for tail, words in zip(self.tails, self.words)]

    def all(self, scores: NDArray[np.float64], node: int, end: int) -> list[tuple[float, list[str]]]:
        if node == end:
            return [(0.0, [])]
        return [
            (float(scores[e]) + score, [*self.words[e], *rest])
            for e in range(len(self.tails))
            if self.tails[e] == node
            for score, rest in self.all(scores, int(self.heads[e]), end)
        ]


@pytest.mark.parametrize("seed", range(10))
def test_expected_ngrams_are_those_of_all_paths(seed: int) -> None:
    draw = np.random.default_rng(seed)
    edges = [(int(a), int(a + b)) for a, b in zip(draw.integers(-1, 4, 14), draw.integers(1, 3, 14))]
    edges = sorted((a, min(b, 5)) for a, b in [*edges, (3, 5), (4, 5), (-1, 0)])
    words = [[str(w) for w in draw.choice(list("ab"), n)] for n in draw.integers(0, 4, size=len(edges))]
    tails, heads = (np.array(column, dtype=np.int32) for column in zip(*edges))
    graph, scores = Paths(tails, heads, words), draw.normal(size=len(edges))
    paths = graph.all(scores, -1, 5)
    total = sum(math.exp(score) for score, _ in paths)
    want: dict[tuple[str, ...], float] = {}
    for score, line in paths:
        for gram, n in ngrams(line).items():
            want[gram] = want.get(gram, 0.0) + n * math.exp(score) / total
    found, length = expected_ngrams(graph, scores, 5)
    assert found == pytest.approx(want)
    assert length == pytest.approx(sum(len(line) * math.exp(s) / total for s, line in paths))


def test_a_graph_without_paths() -> None:
    none = np.zeros(0, np.int32)
    assert expected_ngrams(Paths(none, none, []), np.zeros(0), 0) == ({}, 0.0)

"""The k best alignments against all of them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.kbest import kbest_choices, kbest_links, least_sums
from samples.aligned_text import made_pairs

pytestmark = pytest.mark.native


@pytest.mark.parametrize("threshold", [0.5, 0.3])
@pytest.mark.parametrize("k", [1, 5, 64, 100])
def test_links_against_all_sets(k: int, threshold: float) -> None:
    mean = np.random.default_rng(4).random((2, 3)).astype(np.float32)
    cells = list(itertools.product(range(2), range(3)))
    odds, probabilities = {}, {}
    for chosen in itertools.product([False, True], repeat=6):
        links = tuple(cell for cell, taken in zip(cells, chosen) if taken)
        p = [float(mean[cell]) for cell in cells]
        probabilities[links] = math.prod(r if taken else 1 - r for r, taken in zip(p, chosen))
        odds[links] = math.prod(
            r * (1 - threshold) if taken else (1 - r) * threshold for r, taken in zip(p, chosen)
        )
    wanted = sorted(odds, key=lambda links: -odds[links])[:k]
    found = kbest_links(mean, k, threshold)
    assert [tuple(one.output) for one in found] == wanted[: len(found)]
    assert len(found) == min(k, 64)
    assert [one.probability for one in found] == pytest.approx([probabilities[one] for one in wanted])


@pytest.mark.parametrize("k", [1, 4, 27, 50])
def test_choices_against_all(k: int) -> None:
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(3), 3).T  # row 0 is for no word
    scores = {}
    for chosen in itertools.product(range(3), repeat=3):
        links = tuple(sorted((i - 1, j) for j, i in enumerate(chosen) if i))
        scores[links] = math.prod(float(p[i, j]) for j, i in enumerate(chosen))
    wanted = sorted(scores, key=lambda links: -scores[links])[:k]
    found = kbest_choices(p[1:], k)
    assert [tuple(one.output) for one in found] == wanted
    assert [one.probability for one in found] == pytest.approx([scores[one] for one in wanted])


@pytest.mark.parametrize("kind", ["model1", "model2", "diagonal", "hmm"])
@pytest.mark.parametrize("method", ["source", "target"])
def test_one_direction_is_exact(kind: str, method: str) -> None:
    """All alignments of a pair: their probabilities sum to one, and links have the model's posteriors."""
    aligner = Aligner((kind,)).fit(made_pairs(30))
    pair = ("the old house", "das Haus ist")
    (ranked,) = aligner.kbest([pair, ("", "das")], 1000, symmetrization=method)[:1]
    assert len(ranked) == 4**3
    assert sum(one.probability for one in ranked) == pytest.approx(1, abs=1e-4)
    sums = np.zeros((3, 3))
    for one in ranked:
        for link in one.output:
            sums[link] += one.probability
    posteriors = next(aligner.posteriors([pair]))
    assert sums == pytest.approx(posteriors[method == "target"], abs=1e-4)
    (best,) = aligner.align([pair], symmetrization=method)
    assert ranked[0].output == best


def test_least_sums_against_all() -> None:
    rng = np.random.default_rng(6)
    lists = sorted(
        ([0.0, *np.sort(rng.random(n)).tolist()] for n in (3, 1, 2)), key=lambda numbers: numbers[1]
    )
    every = sorted(sum(choice) for choice in itertools.product(*lists))
    found = [sum(lists[at][place] for at, place in changes) for changes in least_sums(lists, 100)]
    assert found == pytest.approx(every)
    assert list(least_sums([], 3)) == [[]]
    assert list(least_sums([[0.0]], 0)) == []


def test_empty_sentences() -> None:
    for shape in ((0, 0), (0, 3), (3, 0)):
        for found in (kbest_links(np.zeros(shape), 3), kbest_choices(np.zeros(shape), 3)):
            assert found[0].output == []
            assert found[0].probability == pytest.approx(1)

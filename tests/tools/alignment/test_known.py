"""Alignments with known and forbidden links, against all alignments of a pair."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.symmetrization import METHODS
from samples.aligned_text import made_pairs

pytestmark = pytest.mark.native
PAIR = ("the old house", "das Haus ist")
CASES = [([(0, 1)], []), ([(2, 0), (1, 0)], [(0, 1)]), ([], [(0, 0), (2, 1)]), ([(2, 2)], [(0, 0)])]


def agrees(links: set[tuple[int, int]], known: set, forbidden: set, back: bool) -> bool:
    """Whether the words of the side that chooses keep to what is known."""
    if links & forbidden:
        return False
    side = 0 if back else 1
    for word in {link[side] for link in known}:
        if not {link for link in links if link[side] == word} & known:
            return False
    return all(link in known for link in links if link[side] in {one[side] for one in known})


@pytest.mark.parametrize("kind", ["model1", "model2", "diagonal", "hmm"])
@pytest.mark.parametrize(("known", "forbidden"), CASES)
def test_chains_are_exact(kind: str, known: list, forbidden: list) -> None:
    aligner = Aligner((kind,)).fit(made_pairs(30))
    mean = np.zeros((3, 3))
    for method in ("source", "target"):
        (every,) = aligner.kbest([PAIR], 10_000, symmetrization=method)
        assert len(every) == 4**3
        back = method == "target"
        fits = [one for one in every if agrees(set(one.output), set(known), set(forbidden), back)]
        total = sum(one.probability for one in fits)
        for one in fits:
            for link in one.output:
                mean[link] += one.probability / total / 2
        (links,) = aligner.align([PAIR], symmetrization=method, known=[known], forbidden=[forbidden])
        assert set(links) == (set(fits[0].output) | set(known)) - set(forbidden)
    found = aligner.align([PAIR], known=[known], forbidden=[forbidden])
    want = ({(i, j) for i, j in np.argwhere(mean > 0.5).tolist()} | set(known)) - set(forbidden)
    assert found[0] == sorted(want)
    for link, p in zip(found[0], found.probabilities(0)):
        assert p == pytest.approx(1.0 if link in known else mean[link], abs=1e-4)


@pytest.mark.parametrize("models", [("model1",), ("hmm",), ("model1", "hmm", "model3")])
@pytest.mark.parametrize("method", METHODS)
def test_known_links_are_there_and_forbidden_ones_are_not(models: tuple[str, ...], method: str) -> None:
    aligner = Aligner(models, symmetrization=method).fit(made_pairs(30))
    pairs = [PAIR, ("", "das"), ("zebra", "Kamel"), ("the house", "das Haus")]
    known, forbidden = [[(0, 2)], None, [(0, 0)], None], [[(2, 1)], None, None, [(0, 0)]]
    found = aligner.predict(pairs, known=iter(known), forbidden=forbidden)
    assert len(found) == 4
    for links, must, must_not in zip(found, known, forbidden):
        assert set(must or ()) <= set(links)
        assert not set(must_not or ()) & set(links)
    free = aligner.predict([PAIR], known=[None])
    if models != ("model1", "hmm", "model3"):  # which is sampled: the order of the pairs matters
        assert free == aligner.predict([PAIR])


def test_links_that_cannot_be() -> None:
    aligner = Aligner(("model1",)).fit(made_pairs(10))
    for known, forbidden, message in (
        ([[(0, 9)]], None, "Pair 1 has 3 and 3 words, and no link 0-9"),
        ([[(0, 0)]], [[(0, 0)]], "Pair 1: the link 0-0 is both known and forbidden"),
        ([], None, "known links of 1 sentence pair, one list for each"),
        ([[0]], None, r"known links are pairs \(source word, target word\)"),
        ([[("a", "b")]], None, "known links are pairs"),
    ):
        with pytest.raises(ValueError, match=message):
            aligner.predict([PAIR], known=known, forbidden=forbidden)
    every = list(itertools.product(range(3), range(3)))
    assert aligner.predict([PAIR], forbidden=[every]) == [[]]
    assert aligner.predict([PAIR], known=[every]) == [every]

"""Models 1, 2 and HMM against all alignments of small sentence pairs, and against the chain structure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracles.alignments import alignments, made_bitext, random_sentences
from palmette._native import Bitext
from palmette.learning.em import EM
from palmette.structures.chain import Chain
from palmette.tools.alignment.alignment_chain import hmm_chain, ranked_alignments
from palmette.tools.alignment.hmm import HmmDirection, distance_classes
from palmette.tools.alignment.independent import IndependentDirection
from palmette.tools.alignment.stages import METHODS, from_arrays
from palmette.tools.alignment.table import LexicalTable

KINDS: list[tuple[str, dict[str, Any]]] = [
    ("model1", {}),
    ("model2", {}),
    ("diagonal", {}),
    ("hmm", {"width": 2}),
    ("hmm", {"width": 4, "end_class": False, "distance_class": True}),
    ("hmm", {"width": 3, "start_class": False, "fit_p0": True}),
]


@pytest.fixture(scope="module")
def bitext() -> Bitext:
    rng = np.random.default_rng(3)
    source = [[0, 1, 2], [3], [], [1], *random_sentences(rng, 20, 4, 6)]
    target = [[0, 1], [2, 0, 1], [1, 2], [], *random_sentences(rng, 20, 4, 5)]
    return made_bitext(source, target)


def trained(bitext: Bitext, kind: str, options: dict[str, Any]) -> Any:
    """A direction with random words, so that nothing ties, and places that were learnt."""
    found: Any = METHODS[kind].train_function(bitext, learner=EM(n_iter=2, prior=0.1), **options)
    rng = np.random.default_rng(5)
    table = LexicalTable.of(bitext, rng.random(bitext.n_pairs).astype(np.float32) + 0.01)
    if isinstance(found, HmmDirection):
        return HmmDirection(table, found.jump, found.first, found.last, found.p0)
    return IndependentDirection(kind, table, found.p0, found.tension, found.shapes, found.places)


@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_sums_and_the_best_are_those_of_all_alignments(
    bitext: Bitext, kind: str, options: dict[str, Any]
) -> None:
    direction = trained(bitext, kind, options)
    at, links = direction.posteriors(bitext)
    best = direction.best(bitext)
    ranked = [[(one.output, one.score) for one in own] for own in ranked_alignments(direction, bitext, 5)]
    word = 0
    for s, (n, m) in enumerate(zip(*bitext.lengths)):
        want = np.zeros((n + 1, m))
        every = sorted(alignments(direction, bitext, s), key=lambda one: -one[1])
        for a, p in every:
            want[list(a), np.arange(m)] += p
        total = sum(p for _, p in every)
        have = links[at[s] : at[s + 1]].reshape(n, m)
        np.testing.assert_allclose(have, want[1:] / total, atol=2e-6)
        probability = dict(every)
        assert probability[tuple(best[word : word + m].tolist())] == pytest.approx(every[0][1])
        first = [tuple(a.tolist()) for a, _ in ranked[s]]
        assert len(set(first)) == len(first) == min(5, len(every))
        scores = np.log([p for _, p in every[:5]])
        np.testing.assert_allclose([p for _, p in ranked[s]], scores, rtol=1e-5)
        np.testing.assert_allclose(np.log([probability[a] for a in first]), scores, rtol=1e-5)
        word += m


@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_the_likelihood_is_the_sum_over_all_alignments(
    bitext: Bitext, kind: str, options: dict[str, Any]
) -> None:
    direction = trained(bitext, kind, options)
    want = sum(np.log(sum(p for _, p in alignments(direction, bitext, s))) for s in range(len(bitext)))
    t = direction.table.on(bitext)
    if isinstance(direction, HmmDirection):
        have, _ = bitext.expect_jumps(t, direction.jump, direction.first, direction.last, direction.p0, 1)
    else:
        have, _ = bitext.expect_independent(t, direction.places, direction.p0, direction.tension, 1)
    assert have == pytest.approx(want, rel=1e-6)


def test_expected_jumps_are_those_of_the_chain(bitext: Bitext) -> None:
    """Forward-backward of the chain structure on the same sentence, with its pairs of labels."""
    direction = trained(bitext, "hmm", {"width": 2})
    one = made_bitext([[0, 1, 2]], [[0, 1, 2, 1]])
    t = direction.table.on(one)
    chain, scores, sources = hmm_chain(direction, np.log(t.astype(np.float64))[one.links(0)].reshape(4, 4).T)
    assert isinstance(chain, Chain)
    loss, (pairs, jump, first, last, null) = one.expect_jumps(
        t, direction.jump, direction.first, direction.last, direction.p0, 1
    )
    assert loss == pytest.approx(chain.log_z(scores), rel=1e-6)
    marginals = chain.marginals(scores)
    by_source = np.zeros((4, 4))
    np.add.at(by_source, (slice(None), sources), marginals)
    want = np.zeros(one.n_pairs)
    np.add.at(want, one.links(0).reshape(4, 4), by_source.T)
    np.testing.assert_allclose(pairs, want, atol=1e-5)
    assert null.tolist() == pytest.approx([by_source[:, 0].sum(), 4.0], abs=1e-5)
    steps = np.zeros(5)
    place = np.array([1, 2, 3, 0, 1, 2, 3])
    for table in chain.ngram_marginals(scores)[1:]:
        for x, y in np.ndindex(7, 7):
            if y < 3 and place[x]:
                steps[2 + np.clip(place[y] - place[x], -2, 2)] += table[x, y]
    np.testing.assert_allclose(jump, steps, atol=1e-5)
    starts = by_source[0, 1:] + sum(table[3, :3] for table in chain.ngram_marginals(scores)[1:])
    np.testing.assert_allclose(first, [0, starts[0], starts[1] + starts[2]], atol=1e-5)
    ends = np.zeros(4)
    np.add.at(ends, 3 - place, marginals[-1])
    np.testing.assert_allclose(last, [ends[0], ends[1], ends[2] + ends[3]], atol=1e-5)


@pytest.mark.parametrize("kind", ["model1", "model2", "diagonal", "hmm"])
def test_a_direction_goes_through_its_arrays(bitext: Bitext, kind: str) -> None:
    direction: Any = METHODS[kind].train_function(bitext)
    again = from_arrays(kind, direction.arrays())
    assert again.kind == kind
    np.testing.assert_array_equal(again.posteriors(bitext)[1], direction.posteriors(bitext)[1])
    new = made_bitext([[0, 5, 4, 3, 2, 1]], [[4, 3, 2, 1, 0, 9, 0]])
    np.testing.assert_array_equal(again.best(new), direction.best(new))


def test_distance_classes_are_symmetric_and_grow() -> None:
    assert distance_classes(6).tolist() == [0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 7, 8, 8]


def test_arrays_that_make_no_model(bitext: Bitext) -> None:
    arrays: Any = METHODS["hmm"].train_function(bitext).arrays()
    with pytest.raises(ValueError, match="out of their range"):
        from_arrays("hmm", {**arrays, "jump": arrays["jump"][1:]})
    with pytest.raises(ValueError, match="finite weights"):
        from_arrays("hmm", {**arrays, "first": -arrays["first"]})
    with pytest.raises(ValueError, match="for every pair"):
        from_arrays("hmm", {**arrays, "weights": arrays["weights"][1:]})
    with pytest.raises(ValueError, match="no alignment model 'model9'"):
        from_arrays("model9", arrays)
    places: Any = METHODS["model2"].train_function(bitext).arrays()
    with pytest.raises(ValueError, match="places"):
        from_arrays("model2", {**places, "places": places["places"][1:]})

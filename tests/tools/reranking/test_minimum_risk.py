"""Probabilities of candidates, and the choice with the fewest mistakes expected, against their definitions."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from palmette import CRF, MIRA, Perceptron, Reranker, Tree
from palmette.evaluation.candidates import expected_losses, measured
from palmette.features import SequenceTemplates
from palmette.features.kernels import TaggedSequenceKernel
from palmette.features.kernels.composition import with_log_probability
from palmette.formats import Candidates
from palmette.tools.reranking.dual_sums import items_of
from palmette.tools.reranking.probabilities import probabilities_of
from samples.random_brackets import random_tree
from samples.ranking_lists import random_lists, tree_lists

pytestmark = pytest.mark.native


def test_expected_losses_by_enumeration() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        words = [f"w{i}" for i in range(int(rng.integers(1, 7)))]
        labels = [[str(rng.choice(["O", "B-X", "I-X", "B-Y"])) for _ in words] for _ in range(5)]
        tagged = [tuple(zip(words, row)) for row in labels]
        trees = [
            random_tree(
                int(rng.integers(1 << 30)), len(words), words=words, tags=("NN",), labels=("NP", "VP")
            )
            for _ in range(5)
        ]
        p = rng.dirichlet(np.ones(5))
        for outputs, measure in ((tagged, "labels"), (tagged, "spans"), (trees, "brackets")):
            given = Candidates(outputs, np.log(p))
            expected = np.zeros(5)
            for right, weight in zip(outputs, p):
                (known,) = measured([given.with_gold(right)], measure)
                gold, guessed, same = known.counts.T
                expected += weight * (gold + guessed - 2 * same)
            np.testing.assert_allclose(expected_losses(given, p, measure), expected, atol=1e-12)


def test_brackets_twice_over_the_same_words() -> None:
    once, twice = Tree.parse("(TOP (S (NP (NN a) (NN b))))"), Tree.parse("(TOP (S (NP (NP (NN a) (NN b)))))")
    given = Candidates([once, twice], [0.0, 0.0])
    np.testing.assert_allclose(expected_losses(given, np.array([0.25, 0.75]), "brackets"), [0.75, 0.25])


def test_many_alike_outweigh_the_most_probable() -> None:
    words = ["a", "b", "c"]
    outputs = [tuple(zip(words, row)) for row in ("PPP", "QQR", "QRQ")]
    given = Candidates(outputs, np.log([0.4, 0.35, 0.25]), gold=outputs[0])
    first = Reranker(Perceptron(n_iter=1), prior=1.0).fit([given])
    assert first.choose([given], minimum_risk=False) == [0]
    assert first.choose([given]) == first.choose([given], minimum_risk=True) == [1]
    assert first.predict([given]) == [outputs[1]]
    (ranked,) = first.rank([given])
    assert ranked.outputs == (outputs[1], outputs[0], outputs[2])
    np.testing.assert_allclose(ranked.log_probabilities, [-3.4, -3.6, -3.8])
    assert first.evaluate([given]).f1 == 0.0 < first.evaluate([given], minimum_risk=False).f1
    (choice,) = first.explain(given).decisions
    assert (choice.chosen, choice.rival) == (2, 1)
    assert choice.margin == pytest.approx(np.log(0.35 / 0.4))
    assert choice.extra["mistakes"] == pytest.approx((3.4, 3.6))
    assert "3.40 mistakes expected, not 3.60" in str(choice)
    assert choice.margin < 0
    assert f"below zero: the score alone prefers candidate {choice.rival}, and the fewer mistakes" in str(
        choice
    )
    (choice,) = first.explain(given, minimum_risk=False).decisions
    assert (choice.chosen, choice.extra["mistakes"]) == (1, None)


def test_scores_that_are_no_log_probabilities(tmp_path: Path) -> None:
    outputs = [tuple(zip("abc", row)) for row in ("PPP", "QQR", "QRQ")]
    given = Candidates(outputs, [0.3, 0.2, 0.1], gold=outputs[0])
    assert not given.has_probabilities
    almost = Candidates(given.outputs[:2], np.log([0.6, 0.40003]))
    assert almost.has_probabilities
    first = Reranker(Perceptron(n_iter=1), prior=1.0).fit([given])
    first.save(tmp_path / "x.palm")
    for reranker in (first, Reranker.load(tmp_path / "x.palm")):
        assert reranker.choose([given]) == [0]
        assert reranker.choose([given], minimum_risk=True) == [1]


@pytest.mark.parametrize("voted", [False, True])
def test_who_never_errs_keeps_the_probabilities_of_the_first_model(voted: bool) -> None:
    lists = [
        Candidates(given.outputs, given.log_probabilities, given.outputs[given.baseline])
        for given in random_lists(10, 3)
    ]
    reranker = Reranker(Perceptron(voted=voted, n_iter=2), prior=2.5).fit(lists)
    assert len(reranker.model_) == 0
    for given, found in zip(lists, reranker.predict_proba(lists)):
        expected = np.exp(given.log_probabilities)
        np.testing.assert_allclose(found, expected / expected.sum())


@pytest.mark.parametrize(("beta", "prior"), [(0.01, 0.0), (0.1, 1.0), (0.0, 0.0)])
def test_votes_for_probabilities_are_those_of_every_sum(beta: float, prior: float) -> None:
    lists = random_lists(12, 5)
    kernel = TaggedSequenceKernel(decay=0.3)
    learner = Perceptron(voted=True, margin=0.5, n_iter=2)
    reranker = Reranker(learner, kernel=kernel, beta=beta, prior=prior).fit(lists)
    ranking = reranker.model_.ranking
    both = with_log_probability(kernel, beta)
    for given in random_lists(5, 6):
        expected = np.zeros(len(given))
        for m, votes in enumerate(ranking.survived):
            scores, unit = prior * given.log_probabilities, prior
            for (y, z), step in zip(ranking.updates[:m], ranking.steps):
                for place, sign in ((y, step), (z, -step)):
                    item = ranking.items[place]
                    scores = scores + sign * np.array([both(item, pair) for pair in items_of(given)])
                    unit += sign * beta * item[1]
            expected += votes * probabilities_of(scores, unit)
        (found,) = reranker.predict_proba([given])
        np.testing.assert_allclose(found, expected / ranking.survived.sum(), atol=1e-9)
        assert found.sum() == pytest.approx(1.0)


FORMS = [
    Reranker(CRF(l2=0.5), prior=2.0),
    Reranker(MIRA(), beta=0.1, prior=2.0),
    Reranker(MIRA(n_iter=1), features=SequenceTemplates(("labels",)), prior=2.0),
]


@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
def test_the_unit_is_what_a_log_probability_is_worth(form: Reranker) -> None:
    reranker = clone(form).fit(random_lists(30, 7))
    for given in random_lists(5, 8):
        least = int(np.argmin(given.log_probabilities))
        less = Candidates(given.outputs, given.log_probabilities - np.eye(len(given))[least])
        scores, lower = reranker.scores([given, less])
        unit = scores[least] - lower[least]
        assert unit > 0.1
        (found,) = reranker.predict_proba([given])
        np.testing.assert_allclose(found, probabilities_of(scores, unit), rtol=1e-4, atol=1e-9)


def test_lists_that_are_empty_or_short() -> None:
    lists = tree_lists()
    for form in (
        Reranker(),
        Reranker(Perceptron()),
        Reranker(CRF(), features=lambda trees: [["x"]] * len(trees)),
    ):
        reranker = form.fit(lists)
        one = Candidates(lists[0].outputs[:1], [-0.2])
        assert reranker.choose([Candidates([], []), one], minimum_risk=True) == [None, 0]


def test_votes_of_features_have_no_probabilities() -> None:
    reranker = Reranker(Perceptron(voted=True), features=SequenceTemplates()).fit(random_lists(10, 1))
    with pytest.raises(ValueError, match="no probabilities"):
        reranker.choose(random_lists(2, 2), minimum_risk=True)


def test_where_a_unit_is_worth_nothing_the_best_takes_all() -> None:
    scores = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [2.0, 1.0, 800.0]])
    found = probabilities_of(scores, np.array([0.0, -1.0, 1e-3]))
    np.testing.assert_allclose(found, [[0, 0, 0], [1, 1, 0], [0, 0, 1]], atol=1e-12)

"""Ranking in dual form against primal form with the kernel's features written out: the same mistakes."""

from itertools import pairwise

import numpy as np
import pytest

from palmette import CRF, HMM, MIRA, PassiveAggressive, Perceptron, StructuredSVM
from palmette.features.candidate_features import CandidateMap, ListVectors
from palmette.features.kernels import TaggedSequenceKernel
from palmette.features.kernels.composition import with_log_probability
from palmette.learning.learner import Learner
from palmette.tools.reranking.dual_ranking import DualRanking, VotedRanking, learn_ranking
from palmette.tools.reranking.dual_steps import step_of
from palmette.tools.reranking.dual_sums import KeptLists, StreamedLists, items_of
from samples.ranking_lists import random_lists

pytestmark = pytest.mark.native
KERNEL, BETA = TaggedSequenceKernel(decay=1.0, shape=None), 0.25
PAIRS = with_log_probability(KERNEL, BETA)


def written(outputs: list) -> list[dict[str, float]]:
    return [{str(name): value for name, value in KERNEL.features(y).items()} for y in outputs]


def primal(lists: list) -> tuple[CandidateMap, object]:
    vectors = [ListVectors.of(given, written) for given in lists]
    found = CandidateMap.fit(vectors, BETA, 1)
    return found, found.problem(lists, vectors)


def dual_scores(model: object, lists: list) -> list[np.ndarray]:
    return [model.scores(items_of(given)) for given in lists]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(n_iter=4, average=False),
        Perceptron(n_iter=4),
        Perceptron(n_iter=4, margin=0.5),
        MIRA(n_iter=3, c=0.01),
        MIRA(n_iter=3, c=0.01, k=3),
        PassiveAggressive(n_iter=3, c=0.01, variant="II"),
        PassiveAggressive(n_iter=3, variant="plain", loss=False),
    ],
    ids=["perceptron", "averaged", "margin", "mira", "mira-3", "pa-2", "pa"],
)
def test_primal_is_dual(learner: Learner, seed: int) -> None:
    lists, others = random_lists(20, seed), random_lists(5, 100 + seed)
    features, problem = primal(lists)
    one = learner.learn(problem)
    two = learn_ranking(learner, PAIRS, KeptLists(lists, PAIRS, learner.random_state))
    for a, b in zip(one.history, two.history, strict=True):
        for name in ("mistakes", "updates", "loss"):
            if name in a.numbers:
                assert a.numbers[name] == pytest.approx(b.numbers[name], rel=1e-3)
    for given, scores in zip(others, dual_scores(two.model, others), strict=True):
        own = features.problem([given], [ListVectors.of(given, written)]).scores(one.weights)
        # what candidates have in common was taken off in primal form, and unseen features have no weight
        np.testing.assert_allclose(own - own.max(), scores - scores.max(), atol=2e-3)


@pytest.mark.parametrize("vectors", [0, 3])
@pytest.mark.parametrize(("prior", "margin"), [(0.0, 0.0), (2.5, 0.0), (2.5, 0.3)])
def test_votes_in_both_forms(prior: float, margin: float, vectors: int) -> None:
    learner = Perceptron(n_iter=3, voted=True, margin=margin, vectors=vectors)
    lists = random_lists(20, 1)
    _, problem = primal(lists)
    start = np.zeros(problem.n_weights, np.float32)
    start[-1] = prior / np.sqrt(BETA)
    votes = learner.learn(problem, start=start).extra
    ends = np.cumsum([len(given) for given in lists])[:-1]
    won = votes.elect(lambda w: [int(part.argmax()) for part in np.split(problem.scores(w), ends)])
    two = learn_ranking(learner, PAIRS, KeptLists(lists, PAIRS, 0), prior=prior).model
    assert isinstance(two, VotedRanking)
    for tally, shares in zip(won, dual_scores(two, lists), strict=True):
        assert tally[0].share == pytest.approx(shares.max())
        for place, share in tally:
            assert shares[place] == pytest.approx(share)


@pytest.mark.parametrize("margin", [0.0, 0.3])
def test_votes_by_hand(margin: float) -> None:
    lists = random_lists(12, 5)
    learner = Perceptron(n_iter=2, voted=True, margin=margin)
    found = learn_ranking(learner, PAIRS, KeptLists(lists, PAIRS, 0)).model
    assert isinstance(found, VotedRanking)
    assert found.survived.sum() == 24
    for given, scores in zip(lists, dual_scores(found, lists)):
        votes, now = np.zeros(len(given)), np.zeros(len(given))
        votes[0] += found.survived[0]
        for (y, z), step, times in zip(found.updates.tolist(), found.steps, found.survived[1:].tolist()):
            for place, sign in ((y, step), (z, -step)):
                now = now + sign * PAIRS.gram(items_of(given), [found.items[place]])[:, 0]
            votes[int(np.argmax(now))] += times
        np.testing.assert_allclose(scores, votes / votes.sum())
    # the mean of the sums, by their votes, is the averaged perceptron
    mean = DualRanking(found.kernel, found.items, found.alphas)
    averaged = learn_ranking(Perceptron(n_iter=2, margin=margin), PAIRS, KeptLists(lists, PAIRS, 0)).model
    for a, b in zip(dual_scores(mean, lists), dual_scores(averaged, lists)):
        np.testing.assert_allclose(a, b, atol=1e-9)


def test_the_svm_reaches_the_primal_optimum() -> None:
    lists = [given for given in random_lists(10, 0) if given.right.sum() == 1]
    _, problem = primal(lists)
    learner = StructuredSVM(l2=0.5, n_iter=80, tol=1e-6)
    best = StructuredSVM(l2=0.5, method="cutting-plane", slack="n", n_iter=200, tol=1e-6).learn(problem)
    two = learn_ranking(learner, PAIRS, KeptLists(lists, PAIRS, 0))
    assert two.history[-1].numbers["dual"] == pytest.approx(best.history[-1].numbers["dual"], rel=1e-3)
    duals = [report.numbers["dual"] for report in two.history]
    assert all(b >= a - 1e-9 for a, b in pairwise(duals))


def test_log_linear_reaches_the_primal_optimum() -> None:
    lists = [given for given in random_lists(10, 1) if given.right.sum() == 1]
    features, problem = primal(lists)
    w = CRF(l2=0.5, method="lbfgs", n_iter=500, tol=1e-9, features="all").learn(problem).weights
    two = learn_ranking(CRF(l2=0.5, n_iter=60), PAIRS, KeptLists(lists, PAIRS, 0)).model
    for given, scores in zip(lists, dual_scores(two, lists)):
        own = features.problem([given], [ListVectors.of(given, written)]).scores(w)
        np.testing.assert_allclose(own - own.max(), scores - scores.max(), atol=1e-2)


def test_streamed_lists_are_read_anew_and_give_the_same() -> None:
    lists, passes = random_lists(20, 1), []

    class Stream:
        def __iter__(self):
            passes.append(1)
            return iter(lists)

    streamed = learn_ranking(Perceptron(n_iter=3), PAIRS, StreamedLists(Stream(), PAIRS)).model
    kept = KeptLists(lists, PAIRS, 0)
    kept.passes = lambda: iter([kept._lists] * 3)  # in order
    same = learn_ranking(Perceptron(n_iter=3), PAIRS, kept).model
    assert len(passes) == 3
    for a, b in zip(dual_scores(streamed, lists), dual_scores(same, lists)):
        np.testing.assert_allclose(a, b)


def test_dev_patience_and_threads() -> None:
    lists = random_lists(20, 2)
    scores = iter([0.5, 0.7, 0.6, 0.6, 0.6])
    found = learn_ranking(
        MIRA(n_iter=9, patience=2, c=0.001), PAIRS, KeptLists(lists, PAIRS, 0), dev=lambda model: next(scores)
    )
    assert [report.best for report in found.history] == [True, True, False, False]
    two = learn_ranking(MIRA(n_iter=2, c=0.001, n_jobs=2), PAIRS, KeptLists(lists, PAIRS, 0)).model
    for a, b in zip(dual_scores(found.model, lists), dual_scores(two, lists)):
        np.testing.assert_array_equal(a, b)


def test_learners_without_a_dual_form() -> None:
    with pytest.raises(ValueError, match=r"HMM needs .*, which a reranker in dual form does not offer"):
        step_of(HMM())
    with pytest.raises(ValueError, match="needs an l2 above 0"):
        step_of(CRF(l2=0.0))

"""Training of one direction and of two that agree: what rises, where it ends, and that threads change nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from oracles.alignments import alignments, made_bitext, random_sentences
from palmette._native import Bitext
from palmette.learning.em import EM, VB
from palmette.learning.learner import Report
from palmette.tools.alignment.agreement import AGREEING, Agreement, train_agreement
from palmette.tools.alignment.direction import Translations
from palmette.tools.alignment.hmm import HmmDirection, HmmProblem, hmm_problem
from palmette.tools.alignment.independent import IndependentProblem
from palmette.tools.alignment.model1 import independent_problem
from palmette.tools.alignment.stages import METHODS
from palmette.tools.alignment.table import LexicalTable

pytestmark = pytest.mark.native
KINDS = ("model1", "model2", "diagonal", "hmm")


def both(n: int = 60, longest: int = 7) -> tuple[Bitext, Bitext]:
    """Sentences and what look like their translations, some words left out, some exchanged."""
    rng = np.random.default_rng(11)
    source = random_sentences(rng, n, longest, 12)
    target = [[(word * 5) % 13 for word in one if rng.random() < 0.9] for one in source]
    for one in target:
        if len(one) > 2 and rng.random() < 0.4:
            one[0], one[1] = one[1], one[0]
    return made_bitext(source, target), made_bitext(target, source)


@pytest.mark.parametrize("kind", ["model1", "model2", "diagonal"])
def test_the_likelihood_never_falls_under_em(kind: str) -> None:
    bitext, _ = both()
    reports: list[Report] = []
    METHODS[kind].train_function(
        bitext, learner=EM(n_iter=25, tolerance=None), callback=reports.append, **_plain(kind)
    )
    values = [report.numbers["objective"] for report in reports]
    assert len(values) == 25
    assert all(b >= a - 1e-6 * abs(a) for a, b in pairwise(values))
    perplexities = [report.numbers["perplexity"] for report in reports]
    assert perplexities[-1] < perplexities[0] / 2


def test_the_likelihood_of_the_hmm_never_falls_where_its_jumps_stay() -> None:
    """New jumps are the expected ones, which is not quite their maximum; the words alone are an exact step."""
    bitext, _ = both()
    reports: list[Report] = []
    METHODS["hmm"].train_function(
        bitext, learner=EM(n_iter=15, tolerance=None), callback=reports.append, jump_prior=1e9
    )
    values = [report.numbers["log_likelihood"] for report in reports][1:]
    assert all(b >= a - 1e-6 * abs(a) for a, b in pairwise(values))


@pytest.mark.parametrize("kind", ["model1", "model2"])
def test_the_bound_of_variational_bayes_never_falls(kind: str) -> None:
    bitext, _ = both()
    reports: list[Report] = []
    METHODS[kind].train_function(
        bitext, learner=VB(n_iter=15, prior=0.05, tolerance=None), callback=reports.append
    )
    values = [report.numbers["objective"] for report in reports]
    assert all(b >= a - 1e-6 * abs(a) for a, b in pairwise(values))


def test_model_1_has_one_optimum() -> None:
    bitext, _ = both()
    found = []
    for seed in range(3):
        table = LexicalTable.of(bitext, np.random.default_rng(seed).random(bitext.n_pairs, np.float32) + 0.01)
        start: Any = METHODS["model1"].train_function(bitext, learner=EM(n_iter=1))
        start = type(start)("model1", table, start.p0, 0.0, start.shapes, start.places)
        reports: list[Report] = []
        METHODS["model1"].train_function(
            bitext, start, learner=EM(n_iter=2000, tolerance=None), callback=reports.append
        )
        found.append(reports[-1].numbers["log_likelihood"])
    assert found == pytest.approx([found[0]] * 3, rel=2e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_expected_counts_are_the_gradient(kind: str) -> None:
    """d log P / d log t of a pair is how often it is used."""
    bitext, _ = both(12, 4)
    stage: Any = hmm_problem(bitext, None) if kind == "hmm" else independent_problem(kind, bitext, None)
    problem: HmmProblem | IndependentProblem = stage.problem
    rng = np.random.default_rng(2)
    weights = stage.begin * (1 + rng.random(len(stage.begin)))
    tension = getattr(problem, "tension", 0.0)
    _, counts = problem.expected_counts(np.log(weights))
    for k in rng.choice(bitext.n_pairs, 8, replace=False):
        values = []
        for step in (0.05, -0.05):
            moved = weights.copy()
            moved[k] *= np.exp(step)
            if isinstance(problem, IndependentProblem):
                problem.tension = tension
            values.append(problem.expected_counts_at(moved)[0])
        assert (values[0] - values[1]) / 0.1 == pytest.approx(counts[k], abs=2e-3)


def test_the_tension_is_fitted_to_where_the_likelihood_is_highest() -> None:
    bitext, _ = both()
    found: Any = METHODS["diagonal"].train_function(bitext, learner=EM(n_iter=60, tolerance=None))
    t, none = found.table.on(bitext), np.zeros(0, np.float32)
    at = [bitext.expect_independent(t, none, found.p0, found.tension + d, 1)[0] for d in (-0.5, 0.0, 0.5)]
    assert at[1] > at[0]
    assert at[1] > at[2]


@pytest.mark.parametrize("kind", AGREEING)
def test_agreement_counts_products_of_posteriors(kind: str) -> None:
    forth, back = both(10, 3)
    made: list[Any] = [
        hmm_problem(b, None) if kind == "hmm" else independent_problem(kind, b, None) for b in (forth, back)
    ]
    problem = Agreement(made[0].problem, made[1].problem)
    weights = np.concatenate([one.begin for one in made]) * (
        1 + np.random.default_rng(4).random(len(problem.groups))
    )
    halves = weights[: problem.size], weights[problem.size :]
    directions: list[Any] = []
    for one, w in zip(made, halves):
        table = one.problem.words.table(one.problem.bitext, w)
        if kind == "hmm":
            directions.append(HmmDirection(table, *one.problem.moves(w)))
        else:
            base: Any = METHODS[kind].train_function(one.problem.bitext, learner=EM(n_iter=1))
            directions.append(
                type(base)(kind, table, one.problem.p0, one.problem.tension, base.shapes, base.places)
            )
    _, counts = problem.expected_counts_at(weights)
    want = np.zeros(forth.n_pairs)
    for s, (n, m) in enumerate(zip(*forth.lengths)):
        sums = [np.zeros((n + 1, m)), np.zeros((m + 1, n))]
        for matrix, direction, bitext in zip(sums, directions, (forth, back)):
            every = list(alignments(direction, bitext, s))
            total = sum(p for _, p in every)
            for a, p in every:
                matrix[list(a), np.arange(len(a))] += p / total
        links = forth.links(s).reshape(n + 1, m)
        np.add.at(want, links[0], sums[0][0])
        np.add.at(want, links[1:], sums[0][1:] * sums[1][1:].T)
    np.testing.assert_allclose(counts[: forth.n_pairs], want, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_change_nothing(kind: str) -> None:
    bitext, mirror = both(300)
    one: Any = METHODS[kind].train_function(bitext, n_jobs=1)
    three: Any = METHODS[kind].train_function(bitext, n_jobs=3)
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, three.arrays()[name])
    np.testing.assert_array_equal(one.posteriors(bitext, 1)[1], one.posteriors(bitext, 4)[1])
    np.testing.assert_array_equal(one.best(bitext, 1), one.best(bitext, 4))
    if kind in AGREEING:
        pairs = [train_agreement(kind, bitext, mirror, n_jobs=n) for n in (1, 3)]
        for alone, beside in zip(*pairs):
            np.testing.assert_array_equal(alone.table.weights, beside.table.weights)


def test_a_part_of_a_bitext_is_as_the_whole() -> None:
    bitext, _ = both()
    found: Any = METHODS["hmm"].train_function(bitext)
    at, whole = found.posteriors(bitext)
    part = bitext.part(20, 45)
    np.testing.assert_array_equal(found.posteriors(part)[1], whole[at[20] : at[45]])
    assert len(part) == 25
    assert part.part(3, 5).lengths[0].tolist() == bitext.lengths[0][23:25].tolist()
    with pytest.raises(IndexError):
        bitext.part(3, 61)


def test_words_that_never_met_are_one_parameter_of_each_row() -> None:
    bitext = made_bitext([[0], [1]], [[0, 1], [2]])
    words = Translations(bitext)
    assert words.groups().tolist() == [0, 0, 0, 1, 1, 2, 0, 1, 2]
    np.testing.assert_allclose(words.priors(0.5), [0.5] * 6 + [0.5, 0.5, 1.0])
    table = LexicalTable.of(bitext, np.full(6, 0.1, np.float32), np.array([0.1, 0.3, 0.4]))
    new = made_bitext([[1, 2]], [[0, 2, 3]])
    np.testing.assert_allclose(table.on(new), [0.1, 0.1, 0.1, 0.2, 0.1, 0.2, 4 / 3, 4 / 3, 4 / 3], rtol=1e-6)
    kept = table.pruned(0.2)
    assert kept.n_pairs == 0
    assert kept.on(new)[0] == pytest.approx(0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_long_and_odd_sentences(kind: str) -> None:
    rng = np.random.default_rng(1)
    long = rng.integers(40, size=500).tolist()
    bitext = made_bitext([long, [], [1], [2, 3]], [long[::-1], [4], [], long])
    found: Any = METHODS[kind].train_function(bitext)
    at, links = found.posteriors(bitext)
    assert np.isfinite(links).all()
    assert at[-1] == len(links) == 500 * 500 + 2 * 500
    assert len(found.best(bitext)) == 1001
    empty = made_bitext([[]], [[]])
    assert len(METHODS[kind].train_function(empty).best(empty)) == 0


def test_bad_options() -> None:
    bitext, mirror = both(3)
    with pytest.raises(ValueError, match="'p0'"):
        METHODS["hmm"].train_function(bitext, p0=1.5)
    with pytest.raises(ValueError, match="'p0'"):
        METHODS["model1"].train_function(bitext, p0=-1)
    with pytest.raises(ValueError, match="'tension'"):
        METHODS["diagonal"].train_function(bitext, tension=0)
    with pytest.raises(ValueError, match="'width'"):
        METHODS["hmm"].train_function(bitext, width=0)
    with pytest.raises(ValueError, match="cannot learn to agree"):
        train_agreement("model2", bitext, mirror)
    with pytest.raises(ValueError, match="as many sentences"):
        train_agreement("model1", bitext, mirror.part(0, 2))


def _plain(kind: str) -> dict[str, float]:
    """Without a prior on places, so that the objective is the likelihood."""
    return {"place_prior": 1e-9} if kind == "model2" else {}

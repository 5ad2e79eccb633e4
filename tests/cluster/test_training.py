"""Learners on engines: the same bytes for every engine, and the sums and means that they should be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette.cluster import Engine, Threads, fit_on
from palmette.cluster.shares import Held, MixJob, Part, SumJob, add_sums, mixture_of, sums_of
from palmette.cluster.tree import tree_sum
from palmette.errors import UsageError
from palmette.learning import AROW, CRF, MIRA, Perceptron, StructuredSVM
from palmette.learning.latent import LatentCRF
from palmette.learning.learner import Learner
from palmette.tools.sequence.memm import MEMM
from palmette.tools.sequence.tagger import Tagger
from samples.on_engines.engines import KINDS, engine_of
from samples.problem_cases import CASES

TRAIN = str(Path(__file__).parents[1] / "data" / "garden" / "train.conllu")
LEARNERS: dict[str, Learner] = {
    "lbfgs": CRF(l2=0.3, method="lbfgs", n_iter=3, warm_up=2),
    "owlqn": CRF(l2=0.3, l1=0.1, n_iter=3),
    "sgd": CRF(l2=0.3, n_iter=3),
    "memm": MEMM(n_iter=2),
    "latent": LatentCRF(n_iter=2),
    "perceptron": Perceptron(n_iter=3),
    "mira": MIRA(n_iter=2, k=2),
    "svm": StructuredSVM(method="cutting-plane", n_iter=4),
}


@pytest.fixture(scope="module", params=KINDS)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with engine_of(request.param) as made:
        yield made


def weights(tagger: Tagger) -> bytes:
    return bytes(tagger.model_.weights.tobytes())


_ALONE: dict[str, bytes] = {}


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_bytes_on_every_engine(engine: Engine, name: str) -> None:
    if name not in _ALONE:
        with Threads(1) as alone:
            _ALONE[name] = weights(fit_on(alone, Tagger(LEARNERS[name]), TRAIN, shards=3))
    if isinstance(engine, Threads) or name in ("lbfgs", "perceptron"):  # once for each way is enough
        assert weights(fit_on(engine, Tagger(LEARNERS[name]), TRAIN, shards=3)) == _ALONE[name]


def test_objectives_do_not_depend_on_the_shards() -> None:
    learner, last = CRF(l2=0.5, method="lbfgs", warm_up=0, tol=1e-6), []
    with Threads(1) as engine:
        for shards in (1, 4):
            last.append(
                fit_on(engine, Tagger(learner), TRAIN, shards=shards).history_[-1].numbers["objective"]
            )
    last.append(Tagger(learner).fit(TRAIN).history_[-1].numbers["objective"])
    np.testing.assert_allclose(last, last[0], rtol=1e-6)


@pytest.mark.parametrize("case", ["chain with everything", "arcs with siblings", "ranking 1"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_sums_over_parts_are_those_of_the_problem(case: str, n: int) -> None:
    made = CASES[case]()
    problem, w = made.problem, made.random_weights()
    held, size, g = Held(problem), len(made.problem), np.zeros_like(w)
    parts = [Part(held, size * k // n, size * (k + 1) // n, k) for k in range(n)]
    loss = problem.gradient(w, g, False, 1)
    total = tree_sum([sums_of(part, SumJob("gradient", w)) for part in parts], add_sums)
    assert total[0] == pytest.approx(loss, rel=1e-9)
    np.testing.assert_allclose(total[2], g, rtol=1e-4, atol=1e-5)
    places = np.flatnonzero(problem.observed())
    some = tree_sum([sums_of(part, SumJob("hinge", w, places=places)) for part in parts], add_sums)
    assert some[:2] == pytest.approx(problem.hinge(w, g, 1), rel=1e-9)
    np.testing.assert_allclose(some[2], g[places], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("by_mistakes", [False, True])
def test_a_mixture_is_the_weighted_mean(by_mistakes: bool) -> None:
    made = CASES["chain of order 1"]()
    held, w = Held(made.problem), made.random_weights()
    parts = [Part(held, 0, 1, 0), Part(held, 1, len(made.problem), 1), Part(held, 1, 1, 2)]
    job = MixJob(Perceptron(), w, 0, by_mistakes, False, len(made.problem))
    found: list[Any] = [mixture_of(part, job) for part in parts]
    share, last, mean, numbers = tree_sum(found, add_sums)
    assert found[2][0] == 0  # no examples
    assert share == (numbers["mistakes"] if by_mistakes else 2)
    by_hand = sum(one[1] for one in found) / share
    np.testing.assert_allclose(last / share, by_hand)
    assert not np.allclose(last / share, mean / share)


def test_one_shard_of_a_perceptron_is_a_perceptron() -> None:
    learner = Perceptron(n_iter=1)
    with Threads(1) as engine:
        mixed = fit_on(engine, Tagger(learner), TRAIN, shards=1)
    assert mixed.history_[0].numbers["mistakes"] > 0
    assert mixed.score(TRAIN) > 0.9


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (AROW(), "AROW cannot learn on a cluster: take crf"),
        (CRF(method="sag"), "CRF with the method 'sag' cannot learn on a cluster"),
        (Perceptron(voted=True), "Perceptron cannot learn on a cluster"),
        (StructuredSVM(), "StructuredSVM with the method 'frank-wolfe' cannot learn on a cluster"),
    ],
)
def test_what_cannot_be_shared_is_refused(learner: Learner, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        fit_on("local:2", Tagger(learner), TRAIN)


def test_bad_arguments() -> None:
    with pytest.raises(UsageError, match="mixing must be one of uniform, mistakes"):
        fit_on("local:1", Tagger(), TRAIN, mixing="best")
    with pytest.raises(UsageError, match="shards must be 1 or more"):
        fit_on("local:1", Tagger(), TRAIN, shards=0)

"""CRFs: the same optimum by every method, and python-crfsuite's on real sentences."""

import contextlib
import threading
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest
from scipy.optimize import minimize

from palmette._native import ChainProblem
from palmette.learning.loglinear import CRF, _first_step
from samples.corpora import real_file
from samples.random_problems import random_chains


def objective(problem: ChainProblem, w: np.ndarray, l2: float, l1: float = 0.0) -> float:
    loss = problem.gradient(w, np.empty_like(w), False, 1)
    return loss + l2 * float(np.dot(w.astype(float), w)) + l1 * float(np.abs(w).sum())


def test_lbfgs_as_scipy() -> None:
    chains = random_chains(1, order=2, lengths=(4, 3, 4, 2))

    def f(x: np.ndarray) -> tuple[float, np.ndarray]:
        loss, gradient = chains.likelihood(x)
        return loss + 0.3 * x @ x, -gradient + 0.6 * x

    want = minimize(f, np.zeros(chains.n_weights), jac=True, method="L-BFGS-B", options={"ftol": 1e-14})
    learned = CRF(method="lbfgs", features="all", l2=0.3, n_iter=200).learn(chains.problem())
    assert objective(chains.problem(), learned.weights, 0.3) == pytest.approx(want.fun, rel=1e-5)
    np.testing.assert_allclose(learned.weights, want.x, atol=2e-3)
    assert learned.history[-1].numbers["objective"] == pytest.approx(want.fun, rel=1e-5)


@pytest.mark.parametrize("method", ["sgd", "sag"])
def test_incremental_methods_come_close_to_the_optimum(method: str) -> None:
    problem = random_chains(2, lengths=(4, 3) * 40).problem()
    best = CRF(method="lbfgs", features="all", n_iter=200).learn(problem).weights
    learned = CRF(method=method, n_iter=80, tol=0).learn(problem)
    have, want = objective(problem, learned.weights, 1.0), objective(problem, best, 1.0)
    assert have == pytest.approx(want, rel=1e-3)


def test_example_weights_count_as_repetitions() -> None:
    chains = random_chains(3, lengths=(3, 2, 4))
    chains.weights = np.array([1.0, 2.0, 0.0], dtype=np.float32)
    twice = random_chains(3, lengths=(3, 2, 4))
    twice.tokens = [twice.tokens[i] for i in (0, 1, 1)]
    twice.labels = [twice.labels[i] for i in (0, 1, 1)]
    learner = CRF(method="lbfgs", features="all", n_iter=100)
    np.testing.assert_allclose(
        learner.learn(chains.problem()).weights, learner.learn(twice.problem()).weights, atol=1e-3
    )


def test_l1_makes_weights_zero() -> None:
    problem = random_chains(4, lengths=(4, 3) * 10).problem()
    dense = CRF(method="lbfgs", l2=0.1, n_iter=200).learn(problem).weights
    sparse = CRF(l1=1.0, l2=0.1, n_iter=200).learn(problem).weights
    assert np.count_nonzero(sparse) < np.count_nonzero(dense)
    assert objective(problem, sparse, 0.1, 1.0) < objective(problem, dense, 0.1, 1.0)


def test_observed_features_only() -> None:
    problem = random_chains(5, lengths=(2, 2)).problem()
    learned = CRF(method="lbfgs", n_iter=50).learn(problem).weights
    assert not learned[problem.observed() == 0].any()


# python-crfsuite


def sentences(name: str, limit: int) -> tuple[list[list[list[str]]], list[list[str]]]:
    blocks = Path(real_file(name)).read_text(encoding="utf-8").split("\n\n")[:limit]
    pairs = [[line.split("\t") for line in block.splitlines()] for block in blocks if block.strip()]
    xs = []
    for sentence in pairs:
        words = [word for word, _ in sentence]
        xs.append(
            [
                [f"w={word}", f"s={word[-2:]}", f"p={words[t - 1] if t else '<'}", f"up={word[0].isupper()}"]
                for t, word in enumerate(words)
            ]
        )
    return xs, [[tag for _, tag in sentence] for sentence in pairs]


def as_problem(xs: list[list[list[str]]], ys: list[list[str]]) -> ChainProblem:
    attributes: dict[str, int] = {}
    labels: dict[str, int] = {}
    tokens = [token for x in xs for token in x]
    ids = [attributes.setdefault(a, len(attributes)) for token in tokens for a in token]
    return ChainProblem(
        offsets=np.cumsum([0, *map(len, xs)], dtype=np.int64),
        rows=np.cumsum([0, *map(len, tokens)], dtype=np.int64),
        attributes=np.array(ids, dtype=np.int32),
        values=None,
        pair_rows=None,
        pair_attributes=None,
        pair_values=None,
        labels=np.array(
            [labels.setdefault(y, len(labels)) for sentence in ys for y in sentence], dtype=np.int32
        ),
        allowed=None,
        weights=None,
        n_attributes=len(attributes),
        n_pair_attributes=0,
        n_labels=len(labels),
        order=1,
        start_mask=None,
        end_mask=None,
        pair_mask=None,
    )


@pytest.fixture(scope="module")
def sample() -> tuple[list[list[list[str]]], list[list[str]]]:
    return sentences("pos_en_ptb/dev.tsv", 120)


@pytest.mark.parametrize(("c2", "c1"), [(1.0, 0.0), (0.1, 0.0), (0.1, 0.5)])
def test_objective_of_crfsuite(
    sample: tuple[list[list[list[str]]], list[list[str]]], c2: float, c1: float, tmp_path: Path
) -> None:
    xs, ys = sample
    trainer = pycrfsuite.Trainer(verbose=False)
    for x, y in zip(xs, ys):
        trainer.append(x, y)
    trainer.set_params({"c1": c1, "c2": c2, "max_iterations": 500, "epsilon": 1e-6, "delta": 1e-8})
    trainer.train(str(tmp_path / "model.crfsuite"))
    want = trainer.logparser.last_iteration["loss"]
    problem = as_problem(xs, ys)
    learned = CRF(method="lbfgs", l2=c2, l1=c1, n_iter=500).learn(problem)
    assert learned.history[-1].numbers["objective"] == pytest.approx(want, rel=1e-3)
    assert objective(problem, learned.weights, c2, c1) == pytest.approx(want, rel=1e-3)


def test_sgd_approaches_it(sample: tuple[list[list[list[str]]], list[list[str]]]) -> None:
    problem = as_problem(*(part[:40] for part in sample))
    best = CRF(method="lbfgs", features="all", n_iter=300, l2=1.0).learn(problem).weights
    learned = CRF(method="sgd", n_iter=50, tol=0, l2=1.0).learn(problem).weights
    assert objective(problem, learned, 1.0) == pytest.approx(objective(problem, best, 1.0), rel=0.01)


@pytest.mark.parametrize("offers", [frozenset({"parts"}), frozenset()])
def test_first_steps_share_no_problem_that_remembers(offers: frozenset[str]) -> None:
    """Steps are tried side by side only where a call to the problem leaves no trace in it."""
    inside: list[int] = []
    met: list[int] = []
    meet = threading.Barrier(2)

    class Remembering:
        def __init__(self) -> None:
            self.offers = offers

        def __len__(self) -> int:
            return 1

        def sgd_epoch(self, v: object, scale: float, t: int, *rest: object) -> tuple[float, float, int]:
            inside.append(1)
            with contextlib.suppress(threading.BrokenBarrierError):
                meet.wait(timeout=1)  # for a second caller
            met.append(len(inside))
            inside.pop()
            return 1.0, 1.0, 1

    _first_step(Remembering(), np.zeros(1, dtype=np.float32), 0.1, False, 0, 2)  # type: ignore[arg-type]
    assert max(met) == (2 if offers else 1)

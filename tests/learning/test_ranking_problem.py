"""Lists of candidates as a native learning problem, against NumPy."""

import numpy as np
import pytest

from palmette import AROW, CRF, MIRA, MinimumRisk, PassiveAggressive, Perceptron, StructuredSVM
from palmette._native import RankingProblem

pytestmark = pytest.mark.native


class Lists:
    """Dense Φ [candidates, features] of every list, and losses."""

    def __init__(self, seed: int, n: int = 7, features: int = 5, separable: bool = False) -> None:
        rng = np.random.default_rng(seed)
        sizes = rng.integers(1, 6, size=n)
        self.tables = [rng.integers(-2, 3, size=(k, features)).astype(np.float64) for k in sizes]
        self.losses = [rng.integers(0, 4, size=k).astype(np.float64) for k in sizes]
        if separable:
            self.losses = [table @ [-2.0, 1.0, 3.0, -1.0, 0.5] for table in self.tables]

    def problem(self) -> RankingProblem:
        table = np.concatenate(self.tables)
        rows, columns = np.nonzero(table)
        counts = np.bincount(rows, minlength=len(table))
        return RankingProblem(
            np.cumsum([0, *map(len, self.tables)]).astype(np.int64),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            columns.astype(np.int32),
            table[rows, columns].astype(np.float32),
            np.concatenate(self.losses).astype(np.float32),
            None,
            table.shape[1],
        )


@pytest.fixture(params=range(3))
def lists(request: pytest.FixtureRequest) -> Lists:
    return Lists(request.param)


@pytest.fixture
def w() -> np.ndarray:
    return np.random.default_rng(9).normal(size=5).astype(np.float32)


def test_scores_and_loss(lists: Lists, w: np.ndarray) -> None:
    problem = lists.problem()
    scores = [table @ w for table in lists.tables]
    np.testing.assert_allclose(problem.scores(w), np.concatenate(scores), atol=1e-5)
    wrong = sum(loss[np.argmax(s)] - loss.min() for s, loss in zip(scores, lists.losses))
    assert problem.total_loss(w, 1) == pytest.approx(wrong)


@pytest.mark.parametrize("risk", [False, True])
def test_gradient_by_finite_differences(lists: Lists, w: np.ndarray, risk: bool) -> None:
    def objective(x: np.ndarray) -> float:
        total = 0.0
        for table, loss in zip(lists.tables, lists.losses):
            s, least = table @ x, loss == loss.min()
            p = np.exp(s - np.logaddexp.reduce(s))
            total += p @ (loss - loss.min()) if risk else -np.log(p[least].sum())
        return total

    gradient = np.zeros(5, np.float32)
    assert lists.problem().gradient(w, gradient, risk, 1) == pytest.approx(objective(w), rel=1e-4)
    x = w.astype(np.float64)
    slopes = [(objective(x + h) - objective(x - h)) / 2e-5 for h in np.eye(5) * 1e-5]
    np.testing.assert_allclose(-gradient, slopes, atol=1e-3)


def test_a_step_of_the_perceptron(lists: Lists) -> None:
    w, want = np.zeros(5, np.float32), np.zeros(5)
    learned = Perceptron(n_iter=1, average=False).learn(lists.problem(), start=w)
    order = np.random.default_rng(0).permutation(len(lists.tables))
    mistakes = 0
    for i in order:
        s = lists.tables[i] @ want
        right = np.where(lists.losses[i] == lists.losses[i].min(), s, -np.inf)
        gold, guess = int(np.argmax(right)), int(np.argmax(s))
        mistakes += gold != guess
        want += lists.tables[i][gold] - lists.tables[i][guess]
    np.testing.assert_allclose(learned.weights, want, atol=1e-5)
    assert learned.history[0].numbers["mistakes"] == mistakes


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(),
        MIRA(k=3),
        PassiveAggressive(),
        AROW(),
        StructuredSVM(l2=0.1),
        StructuredSVM(l2=0.1, method="cutting-plane", slack="n"),
        CRF(l2=0.1, method="lbfgs"),
        CRF(l2=0.1, method="sgd"),
        MinimumRisk(l2=0.1),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_every_learner(learner: object) -> None:
    problem = Lists(0, n=30, separable=True).problem()
    weights = learner.learn(problem).weights
    assert problem.total_loss(weights, 1) <= 0.1 * problem.total_loss(np.zeros(5, np.float32), 1)


def test_votes(lists: Lists) -> None:
    problem = lists.problem()
    votes = Perceptron(voted=True, n_iter=3).learn(problem).extra
    assert len(votes.decode(problem)) == len(lists.tables)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({0: np.array([0, 1, 1], np.int64)}, "no candidate"),
        ({0: np.array([0, 3], np.int64)}, "do not cut"),
        ({2: np.array([5], np.int32)}, "out of range"),
        ({3: np.array([np.nan], np.float32)}, "finite"),
        ({4: np.array([np.inf], np.float32)}, "finite"),
        ({4: np.array([], np.float32)}, "one loss per candidate"),
    ],
)
def test_bad_arrays(change: dict[int, np.ndarray], message: str) -> None:
    arguments = [
        np.array([0, 1], np.int64),
        np.array([0, 1], np.int64),
        np.array([0], np.int32),
        np.array([1], np.float32),
        np.array([0], np.float32),
    ]
    for place, array in change.items():
        arguments[place] = array
    with pytest.raises(ValueError, match=message):
        RankingProblem(*arguments, None, 5)

"""Lists of candidates as a learning problem: what only they have. `test_problems.py` has the rest."""

import numpy as np
import pytest

from palmette import Perceptron
from palmette._native import RankingProblem
from samples.problem_cases import RankingCase

pytestmark = pytest.mark.native


@pytest.fixture(params=range(3))
def lists(request: pytest.FixtureRequest) -> RankingCase:
    return RankingCase(request.param)


@pytest.fixture
def w() -> np.ndarray:
    return np.random.default_rng(9).normal(size=5).astype(np.float32)


def test_scores(lists: RankingCase, w: np.ndarray) -> None:
    scores = [table @ w for table in lists.candidates]
    np.testing.assert_allclose(lists.make().scores(w), np.concatenate(scores), atol=1e-5)


def test_a_step_of_the_perceptron(lists: RankingCase) -> None:
    w, want = np.zeros(5, np.float32), np.zeros(5)
    learned = Perceptron(n_iter=1, average=False).learn(lists.make(), start=w)
    order = np.random.default_rng(0).permutation(len(lists.candidates))
    mistakes = 0
    for i in order:
        s = lists.candidates[i] @ want
        right = np.where(lists.losses(i) == lists.losses(i).min(), s, -np.inf)
        gold, guess = int(np.argmax(right)), int(np.argmax(s))
        mistakes += gold != guess
        want += lists.candidates[i][gold] - lists.candidates[i][guess]
    np.testing.assert_allclose(learned.weights, want, atol=1e-5)
    assert learned.history[0].numbers["mistakes"] == mistakes


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

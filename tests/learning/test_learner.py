"""What all learners share: dev sets, early stopping, callbacks, Ctrl-C, warm starts."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from palmette.learning.learner import Epoch, Learner, Report, Shuffled
from palmette.learning.loglinear import CRF
from palmette.learning.path import regularisation_path
from palmette.learning.problem import Problem, Weights
from samples.random_problems import random_chains


@dataclass(frozen=True, kw_only=True)
class Counting(Learner):
    """Weights that are the number of the pass."""

    def epochs(self, problem: Problem, start: Weights) -> Iterator[Epoch]:
        for number in range(1, 1000):
            start[:] = number
            yield Epoch({"loss": -float(number)}, start.copy)


@pytest.fixture
def problem() -> Problem:
    return random_chains(1, lengths=(4, 3) * 10).problem()


def test_the_last_weights_without_a_dev_set(problem: Problem) -> None:
    learned = Counting(n_iter=7).learn(problem)
    assert set(learned.weights.tolist()) == {7.0}
    assert [report.epoch for report in learned.history] == list(range(1, 8))
    assert not learned.interrupted


def test_the_best_weights_with_a_dev_set(problem: Problem) -> None:
    learned = Counting(n_iter=7).learn(problem, dev=lambda w: -abs(float(w[0]) - 3))
    assert set(learned.weights.tolist()) == {3.0}
    assert [report.numbers["dev"] for report in learned.history] == [-2, -1, 0, -1, -2, -3, -4]
    assert [report.best for report in learned.history] == [True, True, True, False, False, False, False]


def test_early_stopping(problem: Problem) -> None:
    learned = Counting(n_iter=50, patience=2).learn(problem, dev=lambda w: -abs(float(w[0]) - 3))
    assert len(learned.history) == 5
    assert set(learned.weights.tolist()) == {3.0}


def test_a_dev_problem_counts_wrong_labels(problem: Problem) -> None:
    dev = random_chains(2, lengths=(4, 3)).problem()
    learned = CRF(n_iter=3).learn(problem, dev=dev)
    best = max(report.numbers["dev"] for report in learned.history)
    assert -dev.total_loss(learned.weights, 1) == best


def test_callbacks_get_numbers(problem: Problem) -> None:
    reports: list[Report] = []
    learned = CRF(method="lbfgs", n_iter=4).learn(problem, callback=reports.append)
    assert tuple(reports) == learned.history
    assert all(set(report.numbers) == {"loss", "objective", "gradient"} for report in reports)
    seconds = [report.seconds for report in reports]
    assert seconds == sorted(seconds)


@pytest.mark.parametrize("method", ["sgd", "sag", "lbfgs"])
@pytest.mark.parametrize("with_dev", [False, True])
def test_ctrl_c_keeps_the_best_so_far(problem: Problem, method: str, with_dev: bool) -> None:
    def interrupt(report: Report) -> None:
        if report.epoch == 3:
            raise KeyboardInterrupt

    dev = problem if with_dev else None
    whole = CRF(method=method, n_iter=3, tol=0).learn(problem, dev=dev)
    learned = CRF(method=method, n_iter=9, tol=0).learn(problem, dev=dev, callback=interrupt)
    assert learned.interrupted
    assert len(learned.history) == 3
    np.testing.assert_array_equal(learned.weights, whole.weights)


def test_ctrl_c_in_the_middle_of_a_pass_leaves_weights_that_fit_together() -> None:
    native = random_chains(1, lengths=(3, 2) * 2000).problem()  # a pass is two slices

    class Interrupted:
        calls = 0

        def __getattr__(self, name: str) -> object:
            return getattr(native, name)

        def __len__(self) -> int:
            return len(native)

        def sgd_epoch(self, *arguments: object) -> object:
            self.calls += 1
            if self.calls == 4:  # half of the second pass is done
                raise KeyboardInterrupt
            return native.sgd_epoch(*arguments)  # type: ignore[arg-type]

    learner = CRF(method="sgd", eta0=0.1, l2=50.0, n_iter=3, tol=0)
    learned = learner.learn(Interrupted())  # type: ignore[arg-type]
    assert learned.interrupted

    v, scale, t = np.zeros(native.n_weights, dtype=np.float32), 1.0, 0
    shuffled = Shuffled(len(native), 0)
    for order in [*shuffled.slices(), next(shuffled.slices())]:
        _, scale, t = native.sgd_epoch(v, scale, t, order, 0.1, 2 * 50.0 / len(native), False)
    np.testing.assert_array_equal(learned.weights, v * np.float32(scale))


def test_ctrl_c_before_the_first_pass_keeps_the_start(problem: Problem) -> None:
    class Stopped(Counting):
        def epochs(self, problem: Problem, start: Weights) -> Iterator[Epoch]:
            raise KeyboardInterrupt
            yield

    start = np.full(problem.n_weights, 0.5, dtype=np.float32)
    learned = Stopped().learn(problem, start=start)
    assert learned.interrupted
    np.testing.assert_array_equal(learned.weights, start)


def test_warm_start_goes_on_where_it_ended(problem: Problem) -> None:
    learner = CRF(method="lbfgs", n_iter=300)
    first = learner.learn(problem)
    kept = first.weights.copy()
    again = learner.learn(problem, start=first.weights)
    assert len(again.history) < len(first.history) / 3
    np.testing.assert_array_equal(first.weights, kept)  # the caller's array is not touched
    np.testing.assert_allclose(again.weights, first.weights, atol=1e-2)


def test_the_same_seed_gives_the_same_weights(problem: Problem) -> None:
    for method in ("sgd", "sag"):
        one, two = (CRF(method=method, n_iter=3, random_state=5).learn(problem).weights for _ in range(2))
        np.testing.assert_array_equal(one, two)
    other = CRF(method="sgd", n_iter=3, random_state=6).learn(problem).weights
    assert (other != CRF(method="sgd", n_iter=3, random_state=5).learn(problem).weights).any()


def test_bad_starts_and_empty_problems(problem: Problem) -> None:
    with pytest.raises(ValueError, match="A warm start needs"):
        CRF().learn(problem, start=np.zeros(3, dtype=np.float32))
    with pytest.raises(ValueError, match="finite"):
        CRF().learn(problem, start=np.full(problem.n_weights, np.nan, dtype=np.float32))
    with pytest.raises(ValueError, match="no examples"):
        CRF().learn(random_chains(1, lengths=()).problem())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_iter": 0}, "'n_iter' parameter must be an int in the range"),
        ({"l2": -1.0}, "'l2' parameter"),
        ({"l2": float("nan")}, "'l2' parameter"),
        ({"method": "newton"}, "'method' parameter must be one of"),
        ({"method": "sgd", "l1": 1.0}, "l1 term needs"),
        ({"method": "sgd", "features": "observed"}, "observed features"),
        ({"eta0": 0.0}, "'eta0' parameter"),
    ],
)
def test_bad_parameters(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CRF(**parameters)  # type: ignore[arg-type]


def test_parameters_as_scikit_learn_wants_them() -> None:
    learner = CRF(l2=0.5)
    assert CRF(**learner.get_params()) == learner
    assert learner.set_params(l2=2.0).get_params()["l2"] == 2.0
    with pytest.raises(ValueError, match="no parameter 'depth'"):
        learner.set_params(depth=3)


# The regularisation path


def test_path_by_warm_starts(problem: Problem) -> None:
    learner = CRF(method="lbfgs", features="all", n_iter=300)
    points = regularisation_path(learner, problem, [0.1, 10.0, 1.0], dev=problem)
    assert [point.l2 for point in points] == [10.0, 1.0, 0.1]
    norms = [float(np.linalg.norm(point.weights)) for point in points]
    assert norms == sorted(norms)
    for point in points:
        assert point.dev == -problem.total_loss(point.weights, 1)
    cold = CRF(method="lbfgs", features="all", n_iter=300, l2=0.1).learn(problem)
    warm = regularisation_path(learner, problem, [0.2, 0.1])[-1]
    np.testing.assert_allclose(warm.weights, cold.weights, atol=5e-3)
    assert len(warm.learned.history) < len(cold.history)


def test_path_after_ctrl_c(problem: Problem) -> None:
    calls = 0

    def interrupt(report: Report) -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt

    points = regularisation_path(CRF(n_iter=3, tol=0), problem, [3.0, 2.0, 1.0], callback=interrupt)
    assert [point.learned.interrupted for point in points] == [False, True]


def test_path_needs_strengths(problem: Problem) -> None:
    with pytest.raises(ValueError, match="at least one l2"):
        regularisation_path(CRF(), problem, [])
    with pytest.raises(ValueError, match="'l2' parameter"):
        regularisation_path(CRF(), problem, [1.0, -1.0])

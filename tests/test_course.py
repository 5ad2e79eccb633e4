"""Trainings that are stopped: what goes on ends with the same numbers, whatever the learner and the pass."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from palmette.course import Course, follow
from palmette.learning import AROW, CRF, EM, MIRA, VB, Perceptron, StructuredSVM
from palmette.learning.exponentiated import ExponentiatedGradient
from palmette.learning.latent import LatentCRF
from palmette.learning.learner import Learned, Learner
from palmette.learning.loop import Pass, run_passes
from palmette.learning.mira import PassiveAggressive
from palmette.learning.risk import MinimumRisk
from samples.problem_cases import CASES

LEARNERS: dict[str, Learner] = {
    "sgd": CRF(l2=0.3, n_iter=4),
    "sgd last": CRF(l2=0.3, n_iter=4, average=False, eta0=0.1),
    "sag": CRF(l2=0.3, n_iter=4, method="sag"),
    "lbfgs": CRF(l2=0.3, n_iter=4, method="lbfgs"),
    "owlqn": CRF(l2=0.3, l1=0.2, n_iter=4),
    "perceptron": Perceptron(n_iter=4, margin=1.0),
    "voted": Perceptron(n_iter=4, voted=True, margin=1.0, vectors=5),
    "mira": MIRA(n_iter=4, k=2),
    "pa": PassiveAggressive(n_iter=4, variant="II"),
    "arow": AROW(n_iter=4),
    "subgradient": StructuredSVM(n_iter=4, method="subgradient", projection=True),
    "frank-wolfe": StructuredSVM(n_iter=4, tol=0),
    "one slack": StructuredSVM(n_iter=4, method="cutting-plane", tol=0),
    "n slacks": StructuredSVM(n_iter=4, method="cutting-plane", slack="n", tol=0),
    "eg": ExponentiatedGradient(n_iter=4, tol=0),
    "eg hinge": ExponentiatedGradient(n_iter=4, tol=0, loss="hinge"),
    "risk": MinimumRisk(n_iter=4, warm_up=2),
    "risk lbfgs": MinimumRisk(n_iter=4, warm_up=2, method="lbfgs"),
    "latent": LatentCRF(n_iter=4, hidden=1),
}


class Stopped:
    """Writes the course down when a stage has done some passes, as a file would have it."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def course(self, number: int | None = None) -> Course:
        if number is None:
            return Course(keep=self.keep, due=lambda: True)
        finished, running = pickle.loads(self.written[number])
        return Course(finished, running)

    def keep(self, course: Course) -> None:
        self.written.append(pickle.dumps((course.finished, course.running)))


def learned(learner: Learner, case: str, course: Course | None) -> tuple[Learned, list[int]]:
    """What the learner makes of a fresh problem, with another one as a dev set, and the passes that it reports."""
    passes: list[int] = []
    problem = CASES[case]().problem
    with follow(course):
        found = learner.learn(
            problem, dev=CASES[case]().judge(), callback=lambda one: passes.append(one.epoch)
        )
    return found, passes


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    "case",
    [
        "chain with everything",
        "arcs with siblings",
        "transitions, arc-eager, dynamic oracle",
        "transitions, beam",
    ],
)
def test_every_learner_goes_on(name: str, case: str) -> None:
    learner = LEARNERS[name]
    if not learner.needs <= CASES[case]().problem.offers:
        return
    want, passes = learned(learner, case, None)
    stopped = Stopped()
    with np.errstate(all="raise"):
        learned(learner, case, stopped.course())
    assert stopped.written
    for number in range(len(stopped.written)):
        found, again = learned(learner, case, stopped.course(number))
        assert found.weights.tobytes() == want.weights.tobytes(), number
        assert again == passes
        assert [one.numbers for one in found.history] == [one.numbers for one in want.history]
        assert votes(found.extra) == votes(want.extra)


class Workers:
    """Workers that may be lost."""

    def problem(self, key: Any, learner: Any, problem: Any) -> Any:
        return problem


def losing(log: list[int], at: int) -> Any:
    """Passes that change their state in place, and of which one is lost in its middle."""

    def passes(state: Any = None) -> Any:
        made = state or []
        while len(made) < 5:
            made.append(len(made))
            if len(made) == at and not log:
                log.append(at)
                raise ConnectionError("the scheduler is gone")
            yield Pass({}, lambda: list(made), state=made)

    return passes


@pytest.mark.parametrize("at", range(2, 6))
def test_what_is_lost_goes_on(at: int) -> None:
    stopped, log = Stopped(), []  # type: ignore[var-annotated]
    course = stopped.course()
    course.due, course.spread = (lambda: False), Workers()
    with follow(course), pytest.raises(ConnectionError):
        run_passes(losing(log, at))
    assert len(stopped.written) == 1
    again = stopped.course(0)
    assert len(again.running[0,].state) == at - 1
    with follow(again):
        assert run_passes(losing(log, at)).result == [0, 1, 2, 3, 4]


def test_what_is_lost_in_a_stage_of_a_stage_goes_on() -> None:
    log: list[int] = []

    def outer(state: Any = None) -> Any:
        made = state or ()
        while len(made) < 3:
            inner = losing(log, 2) if len(made) == 1 else losing([0], 9)
            made = (*made, sum(run_passes(inner).result or ()))
            yield Pass({}, lambda made=made: made, state=made)

    stopped = Stopped()
    course = stopped.course()
    course.due, course.spread = (lambda: False), Workers()
    with follow(course), pytest.raises(ConnectionError):
        run_passes(outer)
    again = stopped.course(-1)
    assert again.running[0,].state == (10,)
    assert again.running[0, 1].state == [0]
    with follow(again):
        assert run_passes(outer).result == (10, 10, 10)


def test_an_error_without_workers_is_as_it_was() -> None:
    stopped = Stopped()
    course = stopped.course()
    course.due = lambda: False
    with follow(course), pytest.raises(ConnectionError):
        run_passes(losing([], 3))
    assert not stopped.written
    with follow(Course(spread=Workers())), pytest.raises(ConnectionError):  # nobody writes anything down
        run_passes(losing([], 3))


def votes(extra: Any) -> list[Any]:
    return [] if extra is None else [(w.tobytes(), share) for w, share in extra.vectors()]


class Coins:
    """Throws of two coins, of which nobody saw which one was thrown: weights of heads and tails of each."""

    groups = np.array([0, 0, 1, 1, 2, 2])

    def expected_counts(self, log_weights: np.ndarray) -> tuple[float, np.ndarray]:
        throws = np.array([[9, 1], [2, 8], [8, 2], [5, 5], [1, 9]])
        logs = log_weights[:2] + throws @ log_weights[2:].reshape(2, 2).T
        sums = np.logaddexp.reduce(logs, axis=1)
        shares = np.exp(logs - sums[:, None])
        return float(sums.sum()), np.concatenate([shares.sum(0), (shares.T @ throws).ravel()])


@pytest.mark.parametrize(
    "learner",
    [EM(n_iter=6, noise=0.2), VB(n_iter=6), VB(n_iter=6, bound=False)],
    ids=["em", "vb", "vb, no bound"],
)
def test_expectations_go_on(learner: EM) -> None:
    start = np.array([0.5, 0.5, 0.6, 0.4, 0.3, 0.7])
    want = learner.learn(Coins(), start)
    stopped = Stopped()
    with follow(stopped.course()):
        learner.learn(Coins(), start)
    assert len(stopped.written) == 6
    for number in range(6):
        with follow(stopped.course(number)):
            found = learner.learn(Coins(), start)
        assert (found.weights.tobytes(), found.counts.tobytes()) == (
            want.weights.tobytes(),
            want.counts.tobytes(),
        )


def nested(log: list[str]) -> int:
    """Two stages, the first of which has stages of its own and cannot go on in the middle."""

    def inner(name: str, state: Any = None) -> Any:
        for k in range(0 if state is None else state, 3):
            log.append(f"{name}{k}")
            yield Pass({"k": k}, lambda k=k: k + 1, state=k + 1)

    def outer() -> Any:
        for number in range(2):
            found = run_passes(lambda state: inner(f"inner{number} ", state))  # noqa: B023
            assert found.result is not None
            yield Pass({}, lambda found=found, number=number: found.result * 10 + number)

    first = run_passes(outer())
    second = run_passes(lambda state: inner("second ", state))
    assert first.result is not None
    assert second.result is not None
    return first.result + second.result


def test_stages_in_stages() -> None:
    stopped, log = Stopped(), []  # type: ignore[var-annotated]
    with follow(stopped.course()):
        want = nested(log)
    all_done = ["inner0 ", "inner1 ", "second "]
    assert log == [f"{name}{k}" for name in all_done for k in range(3)]
    for number, written in enumerate(stopped.written):
        log.clear()
        with follow(stopped.course(number)):
            assert nested(log) == want
        assert len(log) <= 9 - number * 9 // len(stopped.written)
        finished, running = pickle.loads(written)
        assert len(finished) + len(running) <= 3


@pytest.mark.parametrize("case", CASES)
def test_ranges_of_examples_sum_to_the_whole(case: str) -> None:
    made = CASES[case]()
    problem, w = made.problem, made.random_weights()

    def of(begin: int, end: int | None) -> list[Any]:
        found: list[Any] = []
        g = np.empty_like(w)
        if "marginals" in problem.offers:
            found += [problem.gradient(w, g, False, 1, begin, end), g.astype(np.float64)]
            problem.curvature(w, g, 1, begin, end)
            found.append(g.astype(np.float64))
        return [*found, *problem.hinge(w, g, 1, begin, end), g.astype(np.float64)]

    n = len(problem)
    whole, middle = of(0, None), n // 3
    for total, a, b, c in zip(whole, of(0, middle), of(middle, middle + 1), of(middle + 1, n), strict=True):
        np.testing.assert_allclose(a + b + c, total, rtol=1e-5, atol=1e-5)
    for begin, end in ((2, 1), (0, n + 1)):
        with pytest.raises(ValueError, match="examples that are not there"):
            problem.hinge(w, None, 1, begin, end)


def test_a_state_of_something_else_is_refused() -> None:
    from palmette._native import MiraMemory, PerceptronMemory

    memory = pickle.loads(pickle.dumps(PerceptronMemory(3, False)))
    assert memory.mean(np.ones(3, np.float32)).tolist() == [1, 1, 1]
    state = PerceptronMemory(3, False).__getstate__()
    for wrong in (state[:-1], state + b"x", b"\xff" * 40):
        with pytest.raises(ValueError, match="was it written by another version"):
            MiraMemory.__new__(MiraMemory).__setstate__(wrong)

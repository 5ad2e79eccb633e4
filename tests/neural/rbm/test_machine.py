"""Restricted Boltzmann machines: the energy by enumeration, log Z, training, and scikit-learn's machine."""

from __future__ import annotations

import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from palmette.learning.divergence import DivergenceError
from palmette.neural.rbm.machine import RBM, _gradient
from palmette.neural.rbm.partition import annealed_log_z, exact_log_z
from palmette.neural.rbm.units import Machine

Floats = np.ndarray[Any, np.dtype[np.float64]]


def random_machine(hidden: int, visible: int, gaussian: bool = False, seed: int = 0) -> Machine:
    random = np.random.default_rng(seed)
    sigma = random.uniform(0.5, 2.0, visible) if gaussian else None
    return Machine(
        random.normal(size=(hidden, visible)) * 0.7,
        random.normal(size=hidden),
        random.normal(size=visible),
        sigma,
    )


def energy(m: Machine, v: Floats, h: Floats) -> float:
    """CSC 448, eqs. 51 and 57."""
    if m.sigma is None:
        return -float(h @ m.W @ v + m.a @ h + m.b @ v)
    return float((((v - m.b) / m.sigma) ** 2).sum() / 2 - m.a @ h - h @ m.W @ (v / m.sigma))


def states(n: int) -> Floats:
    return np.array(list(product([0.0, 1.0], repeat=n))).reshape(-1, n)


@pytest.mark.parametrize("gaussian", [False, True])
def test_free_energy_is_a_sum_over_hidden_states(gaussian: bool) -> None:
    machine = random_machine(4, 3, gaussian)
    v = np.random.default_rng(1).random((5, 3))
    want = [-np.log(sum(np.exp(-energy(machine, row, h)) for h in states(4))) for row in v]
    np.testing.assert_allclose(machine.free_energy(v), want)


@pytest.mark.parametrize("gaussian", [False, True])
def test_conditionals_follow_from_the_energy(gaussian: bool) -> None:
    machine = random_machine(3, 2, gaussian)
    v = np.array([[0.3, 1.0]])
    weights = np.array([np.exp(-energy(machine, v[0], h)) for h in states(3)])
    np.testing.assert_allclose(machine.hidden(v)[0], weights @ states(3) / weights.sum())
    h = np.array([1.0, 0.0, 1.0])
    if gaussian:
        grid = np.linspace(-20, 20, 4001)
        density = np.exp([-energy(machine, np.array([x, 0.0]), h) for x in grid])
        want = float(grid @ density / density.sum())
    else:
        p = [np.exp(-energy(machine, np.array([x, 0.0]), h)) for x in (0.0, 1.0)]
        want = float(p[1] / sum(p))
    assert machine.visible(h[None])[0, 0] == pytest.approx(want)


@pytest.mark.parametrize(("hidden", "visible"), [(3, 4), (5, 2), (16, 3), (1, 1)])
def test_log_z_is_a_sum_over_all_states(hidden: int, visible: int) -> None:
    machine = random_machine(hidden, visible)
    want = np.logaddexp.reduce(-machine.free_energy(states(visible)))
    assert exact_log_z(machine) == pytest.approx(want)


def test_log_z_of_gaussian_units_is_an_integral() -> None:
    machine = random_machine(3, 1, gaussian=True)
    grid = np.linspace(-60, 60, 400_001)[:, None]
    want = np.log(np.exp(-machine.free_energy(grid)).sum() * (grid[1, 0] - grid[0, 0]))
    assert exact_log_z(machine) == pytest.approx(want, abs=1e-6)


@pytest.mark.parametrize("gaussian", [False, True])
def test_annealing_finds_log_z(gaussian: bool) -> None:
    machine = random_machine(10, 12, gaussian)
    found, error = annealed_log_z(machine, chains=200, steps=1000)
    assert error < 0.2
    assert found == pytest.approx(exact_log_z(machine), abs=max(5 * error, 0.05))
    assert annealed_log_z(machine, chains=20, steps=50) == annealed_log_z(machine, chains=20, steps=50)


@pytest.mark.parametrize("gaussian", [False, True])
def test_the_gradient_is_that_of_the_likelihood(gaussian: bool) -> None:
    """With rows of the model's own distribution in the place of samples, eq. 54 is exact."""
    hidden, visible = 3, 2
    machine = random_machine(hidden, visible, gaussian, seed=2)
    v = np.random.default_rng(3).random((4, visible))
    if gaussian:
        # E[h v] over hidden states, where the mean of v is known
        logs = machine.log_weight_of_hidden(states(hidden))
        p = np.exp(logs - np.logaddexp.reduce(logs))
        made = machine.visible(states(hidden))
        free, q = made * p[:, None] * len(p), states(hidden)
        # p times h times v, and the means
        seen = machine.scaled(v)
        want = [
            machine.hidden(v).T @ seen / len(v) - (p[:, None] * q).T @ machine.scaled(made),
            machine.hidden(v).mean(0) - p @ q,
            (seen.mean(0) - p @ machine.scaled(made)) / machine.sigma,
        ]
        assert free.shape == made.shape
    else:
        rows = states(visible)
        p = np.exp(-machine.free_energy(rows) - exact_log_z(machine))
        copies = np.repeat(rows, np.round(p * 1_000_000).astype(int), axis=0)
        want = _gradient(machine, v, machine.hidden(v), copies, machine.hidden(copies))

    def likelihood(m: Machine) -> float:
        return float(-m.free_energy(v).mean() - exact_log_z(m))

    for part, name in zip(want, ("W", "a", "b")):
        own = getattr(machine, name)
        for at in np.ndindex(own.shape):
            values = []
            for step in (1e-5, -1e-5):
                moved = own.copy()
                moved[at] += step
                fields = {"W": machine.W, "a": machine.a, "b": machine.b, "sigma": machine.sigma, name: moved}
                values.append(likelihood(Machine(**fields)))
            assert part[at] == pytest.approx((values[0] - values[1]) / 2e-5, abs=1e-5)


def patterns(n: int = 300, seed: int = 0) -> Floats:
    """Rows of two bars, each of three units, with some noise."""
    random = np.random.default_rng(seed)
    bars = np.repeat(random.integers(0, 2, (n, 2)), 3, axis=1)
    return np.abs(bars - (random.random(bars.shape) < 0.02)).astype(float)


@pytest.mark.parametrize("options", [{"k": 1}, {"k": 3}, {"persistent": True}, {"weight_decay": 0.001}])
def test_training_raises_the_likelihood(options: dict[str, Any]) -> None:
    X = patterns()
    before = RBM(n_components=4, n_iter=1, learning_rate=1e-9).fit(X).score(X)
    machine = RBM(n_components=4, n_iter=60, learning_rate=0.3, **options).fit(X)
    # four patterns of equal probability, and noise of 2 % in six places: −log 4 − 6 · 0.098
    assert machine.score(X) > -2.6 > before
    assert len(machine.history_) == 60


def test_gaussian_units_learn_two_clouds() -> None:
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(-3, 0.5, (200, 2)), random.normal(3, 0.5, (200, 2))]) * [1.0, 100.0]
    machine = RBM(n_components=2, units="gaussian", n_iter=80, learning_rate=0.05).fit(X)
    one = RBM(n_components=2, units="gaussian", n_iter=1, learning_rate=1e-9).fit(X)
    assert machine.score(X) > one.score(X) + 0.2
    samples = machine.gibbs(X, steps=3)
    assert samples.shape == X.shape


def test_as_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.neural_network")
    X = patterns()
    theirs = sklearn.BernoulliRBM(n_components=5, n_iter=5, random_state=0).fit(X)
    machine = RBM(n_components=5, n_iter=1).fit(X)
    machine._set(
        (
            Machine(theirs.components_, theirs.intercept_hidden_, theirs.intercept_visible_),
            np.zeros(X.shape[1]),
        )
    )
    np.testing.assert_allclose(machine.transform(X), theirs.transform(X))
    np.testing.assert_allclose(machine.free_energy(X), theirs._free_energy(X))
    # Theirs flips one unit of every row; over all units that is ours.
    estimates = []
    for seed in range(400):
        theirs.random_state = seed
        estimates.append(theirs.score_samples(X[:20]))
    error = np.std(estimates, axis=0) / np.sqrt(len(estimates))
    assert (np.abs(np.mean(estimates, axis=0) - machine.pseudo_likelihood(X[:20])) < 5 * error + 1e-9).all()


def test_reaches_what_scikit_learn_reaches() -> None:
    sklearn = pytest.importorskip("sklearn.neural_network")
    X, other = patterns(), patterns(seed=1)
    theirs = sklearn.BernoulliRBM(n_components=4, n_iter=60, learning_rate=0.3, random_state=0).fit(X)
    ours = RBM(n_components=4, n_iter=60, learning_rate=0.3, persistent=True).fit(X)
    same = RBM(n_components=4, n_iter=1).fit(X)
    same._set((Machine(theirs.components_, theirs.intercept_hidden_, theirs.intercept_visible_), np.zeros(6)))
    assert ours.pseudo_likelihood(other).mean() > same.pseudo_likelihood(other).mean() - 0.1


def test_manners_of_scikit_learn() -> None:
    base = pytest.importorskip("sklearn.base")
    pipeline = pytest.importorskip("sklearn.pipeline")
    linear = pytest.importorskip("sklearn.linear_model")
    X = patterns(80)
    machine = RBM(n_components=3, n_iter=3, random_state=2)
    copy = base.clone(machine)
    assert copy.get_params() == machine.get_params()
    assert np.array_equal(copy.fit(X).components_, machine.fit(X).components_)
    assert np.array_equal(pickle.loads(pickle.dumps(machine)).transform(X), machine.transform(X))
    model = pipeline.make_pipeline(
        RBM(n_components=3, n_iter=30, learning_rate=0.2), linear.LogisticRegression()
    )
    assert model.fit(X, X[:, 0]).score(X, X[:, 0]) > 0.8


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RBM(n_components=0), "'n_components' parameter must be an int in the range"),
        (lambda: RBM(units="poisson"), "units"),
        (
            lambda: RBM().fit([[0.0, 2.0]]),
            "between 0 and 1; X has 0 to 2: scale them, or take units='gaussian'",
        ),
        (lambda: RBM().fit([[0.0, np.nan]]), "X must be finite: row 1, column 2 is nan"),
        (lambda: RBM().fit([["a"]]), "X must be a matrix of numbers"),
        (lambda: RBM().fit([1.0]), "X must be a matrix, one row for every example"),
        (lambda: RBM().fit(np.zeros((0, 2))), "X has no rows"),
        (lambda: RBM().transform([[0.0]]), "not trained yet; call fit first"),
        (
            lambda: RBM(n_iter=1).fit([[0.0, 1.0]]).transform([[0.0]]),
            "and the machine was trained on 2",
        ),
        (
            lambda: RBM(n_iter=1, units="gaussian").fit([[0.0], [1.0]]).pseudo_likelihood([[0.0]]),
            "for Bernoulli",
        ),
        (lambda: exact_log_z(random_machine(21, 30)), "at most 20 units .* take method='ais'"),
        (lambda: RBM(n_iter=1).fit([[0.0]]).log_z("guess"), "method must be 'auto', 'exact' or 'ais'"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_step_size_that_diverges() -> None:
    X = np.random.default_rng(0).normal(size=(60, 5)) * 1e3
    with pytest.raises(DivergenceError, match=r"learning_rate=1e\+06. Take a smaller one, such as 100000"):
        RBM(units="gaussian", learning_rate=1e6, n_iter=50).fit(X)

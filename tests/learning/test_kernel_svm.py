"""Kernel SVMs against scikit-learn's on the same Gram matrix, and against the conditions of the optimum."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from palmette.features.kernels import (
    FunctionKernel,
    GaussianKernel,
    LinearKernel,
    PolynomialKernel,
    TreeKernel,
)
from palmette.learning.kernel_examples import KernelExamples
from palmette.learning.kernel_svm import KernelSVM

pytestmark = pytest.mark.native


def noisy(n: int = 120, classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.digitize(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n), np.linspace(-0.8, 0.8, classes + 1)[1:-1])
    return X, y.astype(np.int32)


def examples(X: np.ndarray, y: np.ndarray, kernel=None, **options) -> KernelExamples:
    return KernelExamples.of(kernel or GaussianKernel(0.3), X, y, int(y.max()) + 1, **options)


def objective(gram: np.ndarray, beta: np.ndarray, signs: np.ndarray) -> float:
    return float(0.5 * beta @ gram @ beta - signs @ beta)


@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
@pytest.mark.parametrize("kernel", [GaussianKernel(0.3), LinearKernel(), PolynomialKernel(2)], ids=str)
@pytest.mark.parametrize("shrinking", [True, False])
def test_the_objective_is_that_of_scikit_learn(C, kernel, shrinking) -> None:
    svm = pytest.importorskip("sklearn.svm")
    X, y = noisy()
    gram, signs = kernel.gram(X), np.where(y == 0, 1.0, -1.0)
    peer = svm.SVC(kernel="precomputed", C=C, tol=1e-7).fit(gram, signs)
    theirs = np.zeros(len(y))
    theirs[peer.support_] = peer.dual_coef_[0]
    made = KernelSVM(C=C, tol=1e-7, shrinking=shrinking).learn(examples(X, y, kernel))
    found = made.solutions[0]
    want = objective(gram, theirs, signs)
    assert found.objective == pytest.approx(want, rel=1e-6)
    assert found.objective == pytest.approx(objective(gram, found.beta, signs), rel=1e-9)
    values = made.sums.values(X)[:, 0]
    np.testing.assert_allclose(values, peer.decision_function(gram), atol=1e-3 * max(1, np.abs(values).max()))


def test_the_conditions_of_the_optimum_hold() -> None:
    X, y = noisy(seed=3)
    made = KernelSVM(C=2.0, tol=1e-6).learn(examples(X, y))
    beta, f = made.solutions[0].beta, made.sums.values(X)[:, 0]
    margins, alpha = f * np.where(y == 0, 1.0, -1.0), np.abs(beta)
    assert abs(beta.sum()) < 1e-9
    assert ((alpha >= 0) & (alpha <= 2.0)).all()
    assert (margins[alpha == 0] >= 1 - 1e-5).all()
    assert (margins[alpha == 2.0] <= 1 + 1e-5).all()
    np.testing.assert_allclose(margins[(alpha > 0) & (alpha < 2.0)], 1, atol=1e-5)


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_several_classes(multiclass) -> None:
    svm = pytest.importorskip("sklearn.svm")
    X, y = noisy(150, 4)
    made = KernelSVM(C=3.0, tol=1e-6, multiclass=multiclass).learn(examples(X, y))
    gram = GaussianKernel(0.3).gram(X)
    values = made.sums.values(X)
    if multiclass == "ovo":
        peer = svm.SVC(kernel="precomputed", C=3.0, tol=1e-6, decision_function_shape="ovo").fit(gram, y)
        np.testing.assert_allclose(values, peer.decision_function(gram), atol=1e-3)
        peer.decision_function_shape = "ovr"
        np.testing.assert_allclose(made.scores(values), peer.decision_function(gram), atol=1e-3)
    else:
        for c in range(4):
            one = svm.SVC(kernel="precomputed", C=3.0, tol=1e-6).fit(gram, y == c)
            np.testing.assert_allclose(values[:, c], one.decision_function(gram), atol=1e-3)


def test_rows_on_demand_and_threads_change_nothing() -> None:
    X, y = noisy(150, 3)
    learner = KernelSVM(C=1.0, tol=1e-8)
    whole = learner.learn(examples(X, y)).sums
    small = examples(X, y, cache_mb=0.01)  # eight rows
    assert not small.is_whole
    by_row = learner.learn(small).sums
    assert small.rows.made > len(y)
    np.testing.assert_allclose(by_row.values(X), whole.values(X), atol=1e-6)
    threads = KernelSVM(C=1.0, tol=1e-8, n_jobs=3).learn(examples(X, y)).sums
    assert np.array_equal(threads.coefficients, whole.coefficients)


def test_weights_of_examples_are_bounds() -> None:
    X, y = noisy(80)
    weights = np.random.default_rng(1).random(80) * (np.arange(80) % 5 > 0)
    found = KernelSVM(C=4.0).learn(examples(X, y), weights).solutions[0]
    assert (np.abs(found.beta) <= 4 * weights + 1e-12).all()


def test_trees() -> None:
    trees = ["(S (A a) (B b))", "(S (A a) (C c))", "(T (A a) (B b))", "(T (A a) (C c))"] * 3
    y = np.array([0, 0, 1, 1] * 3, dtype=np.int32)
    made = KernelSVM(C=10.0).learn(KernelExamples.of(TreeKernel().normalized, trees, y, 2))
    assert ((made.sums.values(trees)[:, 0] > 0) == (y == 0)).all()


def test_a_function_that_is_no_kernel_is_refused() -> None:
    rng = np.random.default_rng(0)
    X, y = list(rng.normal(size=(30, 3))), (np.arange(30) % 2).astype(np.int32)
    distance = FunctionKernel(lambda a, b: float(np.linalg.norm(a - b)))
    with pytest.raises(ValueError, match=r"not positive semi-definite.*check=False"):
        KernelSVM().learn(KernelExamples.of(distance, X, y, 2))
    solution = KernelSVM(check=False).learn(KernelExamples.of(distance, X, y, 2)).solutions[0]
    assert solution.indefinite
    assert np.isfinite(solution.beta).all()


def test_errors_of_rows_come_through() -> None:
    def fails(a, b):
        if b is X[7]:
            raise RuntimeError("no row")
        return float(a @ b)

    X, y = list(np.random.default_rng(0).normal(size=(40, 2))), (np.arange(40) % 2).astype(np.int32)
    given = KernelExamples.of(FunctionKernel(fails), X, y, 2, cache_mb=0.001)
    given.__dict__["diagonal"] = np.ones(40)
    with pytest.raises(RuntimeError, match="no row"):
        KernelSVM(check=False).learn(given)


@pytest.mark.parametrize(
    "options", [{"C": 0}, {"tol": 0.0}, {"multiclass": "all"}, {"shrinking": 1.5}, {"n_jobs": 0}]
)
def test_bad_options(options) -> None:
    with pytest.raises(ValueError, match="parameter must be"):
        KernelSVM(**options)


@pytest.mark.parametrize("cache_mb", [1000.0, 0.0], ids=["whole", "rows"])
def test_interruption(cache_mb: float) -> None:
    """A signal ends a training that would take minutes: labels at random, and no gap is small enough."""
    code = (
        "import signal\nimport numpy as np\nfrom palmette.features.kernels import LinearKernel\n"
        "from palmette.learning.kernel_examples import KernelExamples\n"
        "from palmette.learning.kernel_svm import KernelSVM\n"
        "rng = np.random.default_rng(0)\n"
        "X, y = rng.normal(size=(3000, 20)), rng.integers(2, size=3000).astype(np.int32)\n"
        f"examples = KernelExamples.of(LinearKernel(), X, y, 2, cache_mb={cache_mb})\n"
        "learner = KernelSVM(C=1e9, tol=1e-12, shrinking=False)\n"
        "signal.signal(signal.SIGALRM, signal.default_int_handler)\nsignal.setitimer(signal.ITIMER_REAL, 0.5)\n"
        "try:\n    learner.learn(examples)\nexcept KeyboardInterrupt:\n    print('interrupted')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.stderr) == ("interrupted\n", "")

"""Kernels of vectors, dense and sparse, against NumPy and against written-out features."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from palmette.features.kernels import GaussianKernel, LinearKernel, PolynomialKernel, check_positive
from palmette.features.kernels.kernel import inner_product

pytestmark = pytest.mark.native


def some_matrix(seed: int = 0, n: int = 7, d: int = 5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    made = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    return made.astype(np.float32).astype(np.float64)  # so that both precisions hold the same numbers


def forms(x: np.ndarray) -> list[object]:
    return [
        x,
        x.astype(np.float32),
        x.tolist(),
        list(x),
        sparse.csr_matrix(x),
        sparse.coo_matrix(x),
        [{j: v for j, v in enumerate(row) if v} for row in x.tolist()],
        list(sparse.csr_matrix(x)),
    ]


@pytest.mark.parametrize("kernel", [LinearKernel(), PolynomialKernel(3, 0.5), GaussianKernel(0.3)], ids=str)
def test_all_forms_give_the_same(kernel) -> None:
    x, y = some_matrix(1), some_matrix(2, 4)
    square = ((x[:, None] - y[None]) ** 2).sum(-1)
    want = {
        LinearKernel: x @ y.T,
        PolynomialKernel: (0.5 + x @ y.T) ** 3,
        GaussianKernel: np.exp(-0.3 * square),
    }[type(kernel)]
    for a in forms(x):
        for b in forms(y):
            np.testing.assert_allclose(kernel.gram(a, b), want, rtol=1e-9, atol=1e-12)
        gram = kernel.gram(a)
        np.testing.assert_allclose(kernel.diagonal(a), np.diag(gram), rtol=1e-12)
        np.testing.assert_allclose(gram, kernel.gram(a, a, n_jobs=2))
        check_positive(gram)


def test_named_features_and_sets() -> None:
    k = LinearKernel()
    assert k({"a": 2.0, "b": 1.0}, {"a": 3.0, "c": 5.0}) == 6.0
    assert k({"a", "b"}, {"b", "c"}) == 1.0
    assert k.gram([{"a", 3}, {3: 2.0}]).tolist() == [[2.0, 2.0], [2.0, 4.0]]
    assert k(2.0, 3.0) == 6.0
    assert k.gram([1.0, 2.0]).tolist() == [[1.0, 2.0], [2.0, 4.0]]


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("constant", [0.0, 1.0, 2.5])
def test_polynomials_are_inner_products_of_monomials(degree: int, constant: float) -> None:
    kernel = PolynomialKernel(degree, constant)
    x = some_matrix(3)
    maps = [kernel.features(row) for row in x]
    np.testing.assert_allclose(
        kernel.gram(x), [[inner_product(a, b) for b in maps] for a in maps], rtol=1e-9, atol=1e-12
    )


def test_a_gaussian_has_no_finite_features() -> None:
    with pytest.raises(ValueError, match="no feature map that is finite and small"):
        GaussianKernel().features([1.0])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: PolynomialKernel(0), ValueError, "The 'degree' must be an int"),
        (
            lambda: PolynomialKernel(2, -1.0),
            ValueError,
            "The 'constant' must be a number that is not negative",
        ),
        (lambda: GaussianKernel(0.0), ValueError, "The 'gamma' must be a number above 0"),
        (lambda: LinearKernel().gram([[1.0], [1.0, 2.0]]), ValueError, "must be equally long; got 1 and 2"),
        (lambda: LinearKernel()([1.0], [1.0, 2.0]), ValueError, "must be equally long; got 1 and 2"),
        (lambda: GaussianKernel()([1.0], [1.0, 2.0]), ValueError, "must be equally long; got 1 and 2"),
        (lambda: GaussianKernel()([1.0, 2.0], [1.0]), ValueError, "must be equally long; got 2 and 1"),
        (lambda: LinearKernel().gram([{"a": np.nan}]), ValueError, "must have finite numbers"),
        (lambda: LinearKernel().gram([[np.inf]]), ValueError, "must have finite numbers"),
        (lambda: LinearKernel().gram([{(1, 2): 1.0}]), TypeError, "must be strings or whole numbers"),
        (lambda: LinearKernel().gram([{2**70}]), TypeError, "must be strings or whole numbers"),
        (lambda: LinearKernel().gram([None]), TypeError, "Vector 0 must be a mapping"),
        (lambda: PolynomialKernel(1000).gram([[3.0]]), ValueError, "too large for a double"),
        (lambda: PolynomialKernel(9).features(range(60)), ValueError, "are written down"),
    ],
)
def test_bad_input(make, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("named", [False, True])
def test_gaussians_of_numbers_far_from_zero(named: bool) -> None:
    """Squares of 1.7e9 have no digits left for differences of a half."""
    rows = np.array([[1.7e9, 0.0], [1.7e9 + 0.5, 1.0], [1.7e9 + 3.0, 0.0], [0.0, 0.5], [0.0, 0.25]])
    want = np.exp(-0.5 * np.square(rows[:, None] - rows).sum(axis=2))
    items = [{"t": t, "u": u} for t, u in rows.tolist()] if named else rows.tolist()
    kernel = GaussianKernel(0.5)
    np.testing.assert_allclose(kernel.gram(items), want, rtol=1e-9)
    np.testing.assert_allclose(kernel.gram(items[:2], items), want[:2], rtol=1e-9)
    assert np.array_equal(kernel.gram(items), kernel.gram(items, n_jobs=2))
    check_positive(kernel.gram(items))


@pytest.mark.parametrize("kernel", [GaussianKernel(), LinearKernel().normalized], ids=str)
@pytest.mark.parametrize("named", [False, True])
def test_squares_beyond_a_double(kernel, named: bool) -> None:
    items = [{"a": 1e160}, {"a": 2e160}] if named else [[1e160], [2e160]]
    for use in (kernel.gram, lambda some: kernel.gram(some, some[:1]), lambda some: scored(kernel, some)):
        with pytest.raises(ValueError, match="too large for a double"):
            use(items)


def scored(kernel, items) -> object:
    supports = kernel.supports()
    supports.add([[1.0] if isinstance(items[0], list) else {"a": 1.0}], [1.0])
    return supports.score(items)

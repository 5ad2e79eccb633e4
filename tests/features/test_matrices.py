"""Matrices as sentences: NumPy and SciPy give the same instances."""

import numpy as np
import pytest

from palmette.features import MatrixMap
from palmette.features.matrices import is_matrices


def test_sparse_and_dense_agree():
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    dense = [rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.4) for n in (3, 0, 5)]
    _, want = MatrixMap.fit(dense)
    for make in (sparse.csr_matrix, sparse.coo_array, sparse.csc_matrix):
        _, have = MatrixMap.fit([make(matrix) for matrix in dense])
        for name in ("offsets", "rows", "attributes", "values"):
            np.testing.assert_array_equal(getattr(have, name), getattr(want, name))
    rebuilt = np.zeros((8, 6), np.float32)
    rebuilt[np.repeat(np.arange(8), np.diff(want.rows)), want.attributes] = want.values
    np.testing.assert_array_equal(rebuilt, np.concatenate(dense).astype(np.float32))


def test_ones_need_no_values():
    assert MatrixMap.fit([np.eye(3, dtype=bool)])[1].values is None


def test_what_are_matrices():
    assert is_matrices([np.zeros((2, 3))])
    assert not is_matrices([[["a"]]])
    assert not is_matrices([])


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([np.zeros((2, 3)), np.zeros((2, 4))], "Sentence 2 has 4 columns instead of 3"),
        ([np.array([[1.0], [np.nan]])], "Sentence 1, token 2: attribute 0 must have a finite value"),
        ([np.array([[1e300]])], "finite"),
        ([np.zeros(3)], "two dimensions"),
        ([], "at least one sentence"),
    ],
)
def test_wrong_matrices(sentences, message):
    with pytest.raises(ValueError, match=message):
        MatrixMap.fit(sentences)

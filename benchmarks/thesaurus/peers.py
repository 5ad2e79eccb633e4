"""Vectors of words by others: PPMI-SVD, written out, and word2vec of gensim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from benchmarks.measuring.row import UnavailableError

MIN_COUNT, WINDOW, DIMENSIONS = 3, 5, 150


def ppmi_svd(sentences: Sequence[Sequence[str]]) -> tuple[list[str], Any]:
    """Positive pointwise mutual information of words nearby, and its largest singular values."""
    from scipy.sparse import coo_matrix, csr_matrix
    from scipy.sparse.linalg import svds

    counts = Counter(chain.from_iterable(sentences))
    words = [word for word, n in counts.most_common() if n >= MIN_COUNT]
    index = {word: i for i, word in enumerate(words)}
    between = [-1] * WINDOW
    flat = np.array([i for row in sentences for i in chain((index.get(word, -1) for word in row), between)])
    left, right = [], []
    for distance in range(1, WINDOW + 1):
        a, b = flat[:-distance], flat[distance:]
        good = (a >= 0) & (b >= 0)
        left += [a[good], b[good]]
        right += [b[good], a[good]]
    i, j = np.concatenate(left), np.concatenate(right)
    matrix = coo_matrix((np.ones(len(i)), (i, j)), shape=(len(words), len(words))).tocsr().tocoo()
    rows, columns = (np.asarray(matrix.sum(axis=axis)).ravel() for axis in (1, 0))
    value = np.log(matrix.data * rows.sum() / (rows[matrix.row] * columns[matrix.col]))
    good = value > 0
    positive = csr_matrix((value[good], (matrix.row[good], matrix.col[good])), shape=matrix.shape)
    start = np.ones(len(words))
    u, s, _ = svds(
        positive, k=min(DIMENSIONS, len(words) - 2), v0=start, tol=1e-2, return_singular_vectors="u"
    )
    return words, u * np.sqrt(s)


def word2vec(sentences: Sequence[Sequence[str]]) -> tuple[list[str], Any]:
    """Skip-grams with negative samples, by gensim."""
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise UnavailableError("gensim is not installed") from error
    model = Word2Vec(
        sentences,
        vector_size=DIMENSIONS,
        window=WINDOW,
        min_count=MIN_COUNT,
        sg=1,
        negative=5,
        epochs=10,
        workers=1,
        seed=1,
    )
    return list(model.wv.index_to_key), model.wv.vectors

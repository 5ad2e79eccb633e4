"""Sums and gradients over a batch in NumPy: spanning trees by the matrix-tree theorem, charts by products."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[Any]


def spanning_trees(arcs: Floats) -> tuple[Floats, Floats]:
    """log Z and P(arc) of trees with one root word (Koo et al. 2007): the first row of the matrix has the root."""
    weights = np.exp(arcs)
    inner, root = weights[:, 1:, 1:].copy(), weights[:, 0, 1:]
    n = inner.shape[1]
    inner[:, np.arange(n), np.arange(n)] = 0
    matrix = -inner
    matrix[:, np.arange(n), np.arange(n)] = inner.sum(1)
    matrix[:, 0] = root
    _, log_z = np.linalg.slogdet(matrix)
    inverse = np.linalg.inv(matrix)
    diagonal = np.einsum("bii->bi", inverse).copy()
    diagonal[:, 0] = 0  # the first row is the root's
    marginals = np.zeros_like(weights)
    off = inverse.transpose(0, 2, 1).copy()
    off[:, 0] = 0
    marginals[:, 1:, 1:] = inner * (diagonal[:, None, :] - off)
    marginals[:, 0, 1:] = root * inverse[:, :, 0]
    return log_z, marginals


def charts(terms: Floats, rules: Floats, root: Floats) -> tuple[Floats, Floats, Floats]:
    """log Z, and its gradients by the scores of words and of rules [parent, left, right]."""
    n_sentences, n, symbols = terms.shape
    weights = np.exp(rules).reshape(symbols, -1)
    inside = np.zeros((n + 1, n + 1, n_sentences, symbols))
    for i in range(n):
        inside[i, i + 1] = np.exp(terms[:, i])
    pairs: dict[tuple[int, int], Floats] = {}
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            k = i + length
            lefts = inside[i, i + 1 : k].transpose(1, 2, 0)
            rights = inside[i + 1 : k, k].transpose(1, 0, 2)
            pairs[i, k] = (lefts @ rights).reshape(n_sentences, -1)
            inside[i, k] = pairs[i, k] @ weights.T
    z = inside[0, n] @ np.exp(root)
    outside = np.zeros_like(inside)
    outside[0, n] = np.exp(root) / z[:, None]
    counts = np.zeros_like(weights)
    for length in range(n, 1, -1):
        for i in range(n - length + 1):
            k = i + length
            above = outside[i, k]
            counts += above.T @ pairs[i, k]
            back = (above @ weights).reshape(n_sentences, symbols, symbols)
            lefts = inside[i, i + 1 : k].transpose(1, 2, 0)
            rights = inside[i + 1 : k, k].transpose(1, 2, 0)
            outside[i, i + 1 : k] += (back @ rights).transpose(2, 0, 1)
            outside[i + 1 : k, k] += (back.transpose(0, 2, 1) @ lefts).transpose(2, 0, 1)
    at = np.arange(n)
    words = (outside[at, at + 1] * inside[at, at + 1]).transpose(1, 0, 2)
    return np.log(z), words, (counts * weights).reshape(rules.shape)

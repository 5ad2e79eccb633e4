"""Forward and backward over a batch of chains in NumPy, in two ways; `benchmarks.peers.batches` says of what.

Both ways go through the words once: the backward sums are forward sums of the reversed sentence with the
transposed transitions, so that they make one array with the forward sums.

    log space:  a_i[y] = e_i[y] + log Σ_y' exp(a_{i-1}[y'] + t[y', y])
    scaled:     x_i = (x_{i-1} T) ∘ E_i, a matrix product, divided by its sum before it can leave the range
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[Any]


def log_space(emissions: Floats, transitions: Floats) -> tuple[Floats, Floats]:
    """log Z and marginals with a logsumexp for each word."""
    by_word = emissions.transpose(1, 0, 2)
    both = np.stack([by_word, by_word[::-1]], axis=1)  # [word, direction, sentence, label]
    tables = np.stack([transitions, transitions.T])[:, None]
    before = np.zeros_like(both)
    for i in range(1, len(both)):
        terms = (before[i - 1] + both[i - 1])[..., None] + tables
        peak = terms.max(axis=-2)
        before[i] = peak + np.log(np.exp(terms - peak[..., None, :]).sum(axis=-2))
    forward, backward = before[:, 0] + by_word, before[::-1, 1]
    last = forward[-1]
    peak = last.max(axis=-1)
    log_z = peak + np.log(np.exp(last - peak[:, None]).sum(axis=-1))
    return log_z, np.exp(forward + backward - log_z[:, None]).transpose(1, 0, 2)


class Scaled:
    """log Z and marginals with a matrix product for each word, in arrays that are kept for the next batch.

    No factor is above one, and none is below exp(-step); so the sums stay in the range of the type for some words,
    and are scaled only then.
    """

    def __init__(self, shape: tuple[int, ...], dtype: str) -> None:
        """The shape of the emissions."""
        n_sentences, n_words, n_labels = shape
        self._both = np.empty(
            (n_words, 2, n_sentences, n_labels), dtype
        )  # [word, direction, sentence, label]
        self._before = np.ones_like(self._both)
        self._tables = np.empty((2, n_labels, n_labels), dtype)
        self._ones = np.ones((n_labels, 1), dtype)

    def __call__(self, emissions: Floats, transitions: Floats) -> tuple[Floats, Floats]:
        """The marginals are a view that the next batch overwrites."""
        both, before, tables, ones = self._both, self._before, self._tables, self._ones
        n_words, n_labels = len(both), len(transitions)
        top, peak = transitions.max(), emissions.max()
        # Two sums are multiplied in the end, so each has half of the range.
        step = max(float(top - transitions.min() + peak - emissions.min()), float(np.log(n_labels)))
        every = max(1, int(float(np.log(np.finfo(both.dtype).max)) / 2 / step))

        np.subtract(emissions.transpose(1, 0, 2), peak, out=both[:, 0])
        np.exp(both[:, 0], out=both[:, 0])
        both[:, 1] = both[::-1, 0]
        np.exp(transitions - top, out=tables[0])
        tables[1] = tables[0].T

        scales = []
        x = both[0]
        for i in range(1, n_words):
            np.matmul(x, tables, out=before[i])
            x = np.multiply(before[i], both[i], out=both[i])
            if i % every == 0:
                sums = x @ ones
                x /= sums
                scales.append(sums[0, :, 0])
        scales.append((x[0] @ ones)[:, 0])
        log_z = np.log(scales).sum(axis=0) + (n_words * peak + (n_words - 1) * top)
        marginals = np.multiply(both[:, 0], before[::-1, 1], out=both[:, 0])
        marginals /= marginals @ ones
        return log_z, marginals.transpose(1, 0, 2)

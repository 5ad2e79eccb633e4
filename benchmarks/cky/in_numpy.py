"""The sums in NumPy: one span at a time, all its splits and rules at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.cky.problem import Floats, Ints, Problem


def log_space(problem: Problem) -> tuple[Floats, Floats]:
    """Inside and outside as sums of exponentials below their greatest, as one writes them for safety.

    `ends` has the charts as [i, A, k] and `starts` as [k, A, i], so that what varies with the split is contiguous.
    """
    n = problem.n_words
    head, left, right = problem.rules.T
    groups = [_Groups(column, problem.n_labels) for column in (head, left, right)]
    shape = (n + 1, problem.n_labels, n + 1)
    in_ends, in_starts, out_ends, out_starts = (np.full(shape, -np.inf) for _ in range(4))
    for i in range(n):
        in_ends[i, :, i + 1] = in_starts[i + 1, :, i] = problem.word_scores[i]
    with np.errstate(divide="ignore"):
        for i, k in _spans(n, range(2, n + 1)):
            lefts, rights = in_ends[i, :, i + 1 : k], in_starts[k, :, i + 1 : k]
            sums = _log_sum(lefts[left] + rights[right]) + problem.rule_scores
            in_ends[i, :, k] = in_starts[k, :, i] = groups[0].log_sum(sums)
        out_ends[0, 0, n] = out_starts[n, 0, 0] = 0.0
        for i, k in _spans(n, range(n - 1, 0, -1)):
            total = np.full(problem.n_labels, -np.inf)
            if k < n:  # as a left part
                above, beside = out_ends[i, :, k + 1 :], in_ends[k, :, k + 1 :]
                sums = _log_sum(above[head] + beside[right]) + problem.rule_scores
                total = groups[1].log_sum(sums)
            if i > 0:  # as a right part
                above, beside = out_starts[k, :, :i], in_starts[i, :, :i]
                sums = _log_sum(above[head] + beside[left]) + problem.rule_scores
                total = np.logaddexp(total, groups[2].log_sum(sums))
            out_ends[i, :, k] = out_starts[k, :, i] = total
    return in_ends.transpose(0, 2, 1), out_ends.transpose(0, 2, 1)


def matrix_products(problem: Problem) -> tuple[Floats, Floats]:
    """The same, with one product of rescaled matrices for all pairs of labels of a span.

    Summing over the splits before the rules makes it O(n³ labels² + n² rules) in the fastest code that there
    is, where the number of labels is small. What lies 700 below the best label of its span is lost.
    """
    n, labels = problem.n_words, problem.n_labels
    head, left, right = problem.rules.T
    weight = np.exp(problem.rule_scores)
    shape = (n + 1, n + 1, labels)
    by_start, by_end, out = (
        np.zeros(shape),
        np.zeros(shape),
        np.zeros(shape),
    )  # inside as [i, k] and as [k, i]
    log_in, log_out = np.full(shape[:2], -np.inf), np.full(shape[:2], -np.inf)  # the scale of each span

    def sums(column: Ints, scales: Floats, scale: float, a: Floats, b: Floats, x: Ints, y: Ints) -> Floats:
        pairs = (a * np.exp(scales - scale)[:, None]).T @ b
        return np.bincount(column, weight * pairs[x, y], labels).astype(np.float64, copy=False)

    for i in range(n):
        log_in[i, i + 1] = problem.word_scores[i].max()
        by_start[i, i + 1] = by_end[i + 1, i] = np.exp(problem.word_scores[i] - log_in[i, i + 1])
    for i, k in _spans(n, range(2, n + 1)):
        scales = log_in[i, i + 1 : k] + log_in[i + 1 : k, k]
        scale = scales.max()
        values = sums(head, scales, scale, by_start[i, i + 1 : k], by_end[k, i + 1 : k], left, right)
        if (top := values.max()) > 0:
            by_start[i, k] = by_end[k, i] = values / top
            log_in[i, k] = scale + np.log(top)
    out[0, n, 0], log_out[0, n] = 1.0, 0.0
    for i, k in _spans(n, range(n - 1, 0, -1)):
        as_left, as_right = log_out[i, k + 1 :] + log_in[k, k + 1 :], log_out[:i, k] + log_in[:i, i]
        scale = max(as_left.max(initial=-np.inf), as_right.max(initial=-np.inf))
        if scale == -np.inf:
            continue
        values = sums(left, as_left, scale, out[i, k + 1 :], by_start[k, k + 1 :], head, right)
        values += sums(right, as_right, scale, out[:i, k], by_end[i, :i], head, left)
        if (top := values.max()) > 0:
            out[i, k], log_out[i, k] = values / top, scale + np.log(top)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(by_start) + log_in[..., None], np.log(out) + log_out[..., None]


class _Groups:
    """Log-sums of the rules that share a label."""

    def __init__(self, column: Ints, n_labels: int) -> None:
        self._n_labels = n_labels
        self._order = np.argsort(column, kind="stable")
        self._present, self._first, self._sizes = np.unique(
            column[self._order], return_index=True, return_counts=True
        )

    def log_sum(self, scores: Floats) -> Floats:
        scores = scores[self._order]
        top = _finite(np.maximum.reduceat(scores, self._first))
        sums = np.add.reduceat(np.exp(scores - np.repeat(top, self._sizes)), self._first)
        result = np.full(self._n_labels, -np.inf)
        result[self._present] = np.log(sums) + top
        return result


def _log_sum(scores: Floats) -> Floats:
    """log Σ exp of each row; uses its argument up."""
    top = _finite(scores.max(axis=1))
    scores -= top[:, None]
    return np.asarray(np.log(np.exp(scores, out=scores).sum(axis=1)) + top)


def _finite(top: Floats) -> Floats:
    return np.where(top == -np.inf, 0.0, top)


def _spans(n: int, widths: range) -> Iterator[tuple[int, int]]:
    for width in widths:
        for i in range(n - width + 1):
            yield i, i + width

"""Tuning of translations: minimum error rate training beside the same line searches in NumPy.

The n-best lists are those that Moses tests its own tuning with: 100 candidates of each of 100 sentences, 15
features. Both sides search along all coordinates in turn, from the same 21 starts, until no search gains. The peer
walks along the envelopes of all sentences at once, so that NumPy works on whole tables.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import corpus
from benchmarks.measuring.row import Row
from benchmarks.measuring.timing import shortest
from palmette.tools.translation.tuning import NBestLists, metric_curve, tune
from palmette.tools.translation.tuning.mert import random_starts
from palmette.tools.translation.tuning.methods import METHODS

_LEAST_RATIO = 5.0
_LEAST_BLEU = 0.0983  # what Moses reaches on these lists
_RESTARTS = 20
Floats = NDArray[np.float64]


def rows(quick: bool = False) -> Iterator[Row]:
    nbest, references = corpus("nbest_mt_moses/nbest.txt.gz", "nbest_mt_moses/reference.txt")
    lists = NBestLists.from_moses(nbest, [references])
    yield mert_row(lists, quick)
    for method in METHODS:
        yield method_row(lists, method, times=1 if quick else 3)


def mert_row(lists: NBestLists, quick: bool) -> Row:
    start = np.ones(len(lists.names))
    restarts = 3 if quick else _RESTARTS
    starts = random_starts(start, np.ones(len(start), dtype=bool), lists.spread, restarts, 0)
    peer = InNumpy(lists)
    check_same_curve(lists, peer, start)
    options = {"restarts": restarts, "directions": 0}
    ours, theirs = shortest(
        lambda: tune(lists, start, options=options),
        lambda: [peer.ascend(one) for one in starts],
        times=1 if quick else 3,
        clock=time.process_time,
    )
    bleu = tune(lists, start, options=options).after
    best = max(peer.ascend(one)[1] for one in starts)
    return Row(
        f"MERT, {lists.n_candidates:,} candidates, {len(start)} features, {restarts} restarts / in NumPy",
        ours,
        theirs,
        least_ratio=_LEAST_RATIO,
        quality=f"BLEU {bleu:.4f}, in NumPy {best:.4f}",
        holds=bleu >= _LEAST_BLEU,
    )


def method_row(lists: NBestLists, method: str, times: int) -> Row:
    """The method with its defaults, from equal weights."""
    (seconds,) = shortest(lambda: tune(lists, None, method), times=times, clock=time.process_time)
    found = tune(lists, None, method)
    return Row(
        f"tune by {method}",
        seconds,
        amount=lists.n_candidates,
        unit="candidates",
        quality=f"BLEU {found.before:.4f} before, {found.after:.4f} after",
        holds=found.after >= _LEAST_BLEU if method == "mert" else None,
    )


def check_same_curve(lists: NBestLists, peer: InNumpy, w: Floats) -> None:
    """Both sides compute the same metric along the same lines."""
    for k in range(len(w)):
        x, scores = peer.curve(w, k)
        inside = np.concatenate([[x[0] - 1], (x[1:] + x[:-1]) / 2, [x[-1] + 1]])
        wide = np.concatenate([[True], np.diff(x) > 1e-9, [True]])
        direction = np.zeros(len(w))
        direction[k] = 1.0
        np.testing.assert_allclose(metric_curve(lists, lists.names, w, direction)(inside)[wide], scores[wide])


@dataclass
class InNumpy:
    """Line searches over lists, padded to tables [sentences, candidates] by their first candidates."""

    lists: NBestLists
    features: Floats = field(init=False)
    counts: Floats = field(init=False)

    def __post_init__(self) -> None:
        sizes = np.diff(self.lists.lists)
        places = np.minimum(np.arange(sizes.max()), sizes[:, None] - 1) + self.lists.lists[:-1, None]
        self.features = self.lists.features[places]
        self.counts = self.lists.counts[places].astype(np.float64)

    def curve(self, w: Floats, k: int) -> tuple[Floats, Floats]:
        """The corners of the metric along coordinate k, and its values between them."""
        slopes, intercepts = self.features[:, :, k], self.features @ w
        sentences = np.arange(len(slopes))
        # Far on the left the least slope wins, and among equal slopes the highest line.
        now = np.lexsort((-intercepts, slopes), axis=1)[:, 0]
        sums = self.counts[sentences, now].sum(axis=0)
        corners, changes = [], []
        while len(sentences):
            a, b = slopes[sentences], intercepts[sentences]
            own = np.arange(len(sentences))
            rise = a - a[own, now][:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                x = np.where(rise > 0, (b[own, now][:, None] - b) / rise, np.inf)
            first = x.min(axis=1)
            # At a corner of several lines the steepest goes on.
            after = np.where(x == first[:, None], a, -np.inf).argmax(axis=1)
            more = np.isfinite(first)
            changes.append(self.counts[sentences, after][more] - self.counts[sentences, now][more])
            corners.append(first[more])
            sentences, now = sentences[more], after[more]
        x, deltas = np.concatenate(corners), np.concatenate(changes)
        order = np.argsort(x, kind="stable")
        table = np.concatenate([sums[None], sums + np.cumsum(deltas[order], axis=0)])
        return x[order], bleu(table)

    def ascend(self, start: Floats) -> tuple[Floats, float]:
        """Weights that no search along a coordinate makes better, and their metric."""
        w, score, since = start.copy(), -1.0, 0
        while since < len(w):
            for k in range(len(w)):
                x, scores = self.curve(w, k)
                edges = np.concatenate([[2 * x[0] - x[-1]], x, [2 * x[-1] - x[0]]])
                scores = np.where(np.diff(edges) > 1e-7 * np.abs(edges[:-1]), scores, -1.0)
                best = int(np.argmax(scores))
                since += 1
                if scores[best] > score + 1e-9:
                    w[k] += (edges[best] + edges[best + 1]) / 2
                    score, since = float(scores[best]), 0
        return w, score


def bleu(sums: Floats) -> Floats:
    """BLEU of each row of sums, smoothed as sacrebleu does by default where a count is zero."""
    length, wanted, right, total = sums[:, 0], sums[:, 1], sums[:, 2:6], sums[:, 6:]
    halved = 2.0 ** np.cumsum(right == 0, axis=1)
    precision = np.where(right == 0, 1 / halved, right) / total
    return np.exp(np.log(precision).mean(axis=1) + np.minimum(0, 1 - wanted / length))

"""The k best alignments under the posteriors of links, each link or word chosen on its own.

Symmetrized: every link is taken with odds r (1 − t) to (1 − r) t, for its mean posterior r and the threshold t, so
that the first alignment is that of "posterior". One direction, if it is not a chain (`alignment_chain.py`): every
word chooses a word of the other side, or none, by its posterior. Either way the choices are independent, and the
k best are the k least sums of one cost from each of many sorted lists: lists in the order of their second cost, a
heap of changes, O(k log k) after sorting.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.formats.pharaoh import Link
from palmette.tools.ranked import Ranked

_LEAST = 1e-12  # probabilities below are as good as this


def kbest_links(mean: NDArray[np.floating], k: int, threshold: float = 0.5) -> list[Ranked[list[Link]]]:
    """Return the k best sets of links; `mean` has the mean posterior of every link, [source][target].

    A log-probability is the sum over all choices; a score is that with the logit of the threshold taken off for
    every link, so that the best is the set of links above the threshold.
    """
    r = np.clip(mean.astype(np.float64), _LEAST, 1 - _LEAST)
    level = math.log(min(max(threshold, _LEAST), 1 - _LEAST) / (1 - min(max(threshold, _LEAST), 1 - _LEAST)))
    logit = np.log(r) - np.log1p(-r)
    taken = mean > threshold
    costs = np.abs(logit - level).ravel()
    likeliest = np.argsort(costs, kind="stable")[:k].tolist()
    base = float(np.where(taken, np.log(r), np.log1p(-r)).sum())
    found = []
    for changes in least_sums([[0.0, float(costs[cell])] for cell in likeliest], k):
        flipped = taken.copy().ravel()
        log_p = base
        for site, _ in changes:
            cell = likeliest[site]
            log_p += float(logit.flat[cell]) * (-1 if flipped[cell] else 1)
            flipped[cell] = not flipped[cell]
        links = [(i, j) for i, j in np.argwhere(flipped.reshape(taken.shape)).tolist()]
        found.append(Ranked(links, log_p - level * len(links), log_p))
    return found


def kbest_choices(posterior: NDArray[np.floating], k: int, back: bool = False) -> list[Ranked[list[Link]]]:
    """The k best alignments of one direction: word j chooses a row of its column, or none; back: a source word."""
    p = posterior.astype(np.float64)
    p = np.concatenate([np.clip(1 - p.sum(axis=0), 0, 1)[None], p])  # row 0: no word
    order = np.argsort(-p, axis=0, kind="stable")[: k + 1]
    costs = -np.log(np.maximum(np.take_along_axis(p, order, axis=0), _LEAST))
    gaps = costs - costs[:1]
    words = [
        j for j in np.argsort(gaps[1] if len(gaps) > 1 else gaps[0], kind="stable").tolist() if len(gaps) > 1
    ][:k]
    base = -float(costs[0].sum())
    found = []
    for changes in least_sums([gaps[:, j].tolist() for j in words], k):
        chosen = order[0].copy()
        log_p = base
        for site, option in changes:
            chosen[words[site]] = order[option, words[site]]
            log_p -= float(gaps[option, words[site]])
        found.append(Ranked(chosen_links(chosen.tolist(), back), log_p, log_p))
    return found


def chosen_links(chosen: Sequence[int], back: bool) -> list[Link]:
    """The links of words that chose one of the other side, from 1 on, or none, 0; back: source words chose."""
    links = ((i - 1, j) for j, i in enumerate(chosen) if i)
    return sorted((j, i) for i, j in links) if back else sorted(links)


def least_sums(lists: Sequence[Sequence[float]], k: int) -> Iterator[list[tuple[int, int]]]:
    """The k least sums of one number from each list, the least first, as changes (list, place) from all firsts.

    The lists rise from 0, and are in the order of their second numbers.

    >>> list(least_sums([[0, 1, 5], [0, 2]], 4))
    [[], [(0, 1)], [(1, 1)], [(0, 1), (1, 1)]]
    """
    if k < 1:
        return
    yield []
    lists = [numbers for numbers in lists if len(numbers) > 1]
    if not lists:
        return
    # (sum, tie, list, place, changes before this list)
    heap: list[tuple[float, int, int, int, list[tuple[int, int]]]] = [(lists[0][1], 0, 0, 1, [])]
    tie = 0
    for _ in range(k - 1):
        if not heap:
            return
        total, _, at, place, before = heapq.heappop(heap)
        changes = [*before, (at, place)]
        yield changes
        following = []
        if place + 1 < len(lists[at]):
            following.append((total + lists[at][place + 1] - lists[at][place], at, place + 1, before))
        if at + 1 < len(lists):
            following.append((total + lists[at + 1][1], at + 1, 1, changes))
            if place == 1:
                following.append((total - lists[at][1] + lists[at + 1][1], at + 1, 1, before))
        for value, list_at, option, earlier in following:
            tie += 1
            heapq.heappush(heap, (value, tie, list_at, option, earlier))

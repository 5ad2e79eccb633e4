"""Sentence pairs of the training text that are put aside to tune weights on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText, TextSide

FEWEST = 200  # pairs of which a part can be put aside


def default_size(n: int) -> int:
    """Return how many of n pairs are put aside: a twentieth, from 50 to 1,000; none of a small text.

    >>> [default_size(n) for n in (100, 500, 10_000, 1_000_000)]
    [0, 50, 500, 1000]
    """
    return 0 if n < FEWEST else min(max(n // 20, 50), 1000)


def split(text: ParallelText, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of the pairs to learn from, and of `size` others, evenly spread, to tune on.

    Pairs without words on one side are not tuned on. A source sentence that is tuned on is not learned from: its
    whole translation would be one phrase.
    """
    full = np.flatnonzero(np.diff(text.source.offsets) * np.diff(text.target.offsets))
    keys = [text.source.ids[a:b].tobytes() for a, b in zip(text.source.offsets, text.source.offsets[1:])]
    chosen: list[int] = []
    seen: set[bytes] = set()
    places = np.linspace(0, len(full), num=min(size, len(full)), endpoint=False).astype(np.int64)
    for number in full[places].tolist():
        if keys[number] not in seen:
            seen.add(keys[number])
            chosen.append(number)
    rest = [number for number, key in enumerate(keys) if key not in seen]
    return np.array(rest, dtype=np.int64), np.array(chosen, dtype=np.int64)


def chosen_pairs(text: ParallelText, numbers: NDArray[np.int64]) -> ParallelText:
    """Return some pairs of a text."""
    return ParallelText(_chosen_side(text.source, numbers), _chosen_side(text.target, numbers))


def chosen_links(links: Alignments, numbers: NDArray[np.int64]) -> Alignments:
    """Return the alignments of some pairs."""
    offsets, order = _rows(links.offsets, numbers)
    known = links.probability[order] if len(links.probability) else links.probability
    return Alignments(offsets, links.source[order], links.target[order], known)


def _chosen_side(side: TextSide, numbers: NDArray[np.int64]) -> TextSide:
    offsets, order = _rows(side.offsets, numbers)
    return TextSide(side.ids[order], side.strings, offsets)


def _rows(
    offsets: NDArray[np.int64], numbers: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where chosen rows begin when they come one after another, and the places of their items."""
    sizes = np.diff(offsets)[numbers]
    begins = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return begins, np.arange(begins[-1]) + np.repeat(offsets[numbers] - begins[:-1], sizes)

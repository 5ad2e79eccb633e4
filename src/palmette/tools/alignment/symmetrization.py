"""Two alignments, one from each side, made into one. CSC 448, §15.1; Och and Ney 2003; Koehn 2005.

An alignment is a set of links (source word, target word). From the source's side every target word has at most one
link, from the target's every source word.

    posterior                      links whose probability, the mean of both directions, is above a threshold
    intersection, union            links of both; of either
    grow-diag                      from the intersection, neighbours (also across corners) that are in the union
                                   and have a word that is not linked yet, again and again
    grow-diag-final                then links of either side with a word that is not linked yet
    grow-diag-final-and            then those of which neither word is linked yet
    source, target                 one direction alone

Many sentence pairs at once are made natively (`native/tools/alignment/symmetrization.cpp`); the functions here
say it in sets.
"""

from __future__ import annotations

from collections.abc import Callable, Set

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.formats.pharaoh import Link
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def _grown(forth: Set[Link], back: Set[Link]) -> set[Link]:
    union = forth | back
    found = set(forth & back)
    sources, targets = {i for i, _ in found}, {j for _, j in found}
    grew = True
    while grew:
        grew = False
        for i, j in sorted(found):
            for di, dj in _NEIGHBOURS:
                link = i + di, j + dj
                if link in union and link not in found and (link[0] not in sources or link[1] not in targets):
                    found.add(link)
                    sources.add(link[0])
                    targets.add(link[1])
                    grew = True
    return found


def _final(forth: Set[Link], back: Set[Link], both: bool) -> set[Link]:
    found = _grown(forth, back)
    sources, targets = {i for i, _ in found}, {j for _, j in found}
    for side in (forth, back):
        for i, j in sorted(side):
            new = i not in sources, j not in targets
            if all(new) if both else any(new):
                found.add((i, j))
                sources.add(i)
                targets.add(j)
    return found


SYMMETRIZATIONS: dict[str, Callable[[Set[Link], Set[Link]], Set[Link]]] = {
    "intersection": lambda forth, back: forth & back,
    "union": lambda forth, back: forth | back,
    "grow-diag": _grown,
    "grow-diag-final": lambda forth, back: _final(forth, back, both=False),
    "grow-diag-final-and": lambda forth, back: _final(forth, back, both=True),
    "source": lambda forth, back: forth,
    "target": lambda forth, back: back,
}
METHODS = ("posterior", *SYMMETRIZATIONS)  # in the order of their native numbers


def symmetrize(forth: Set[Link], back: Set[Link], method: str = "grow-diag-final-and") -> list[Link]:
    """The links of both directions as one alignment, in order.

    >>> symmetrize({(0, 0), (1, 1)}, {(0, 0), (1, 2)}, "grow-diag")
    [(0, 0), (1, 1), (1, 2)]
    """
    if method not in SYMMETRIZATIONS:
        raise ValueError(f"There is no symmetrization {method!r}: there are {', '.join(SYMMETRIZATIONS)}.")
    return sorted(SYMMETRIZATIONS[method](forth, back))


def symmetrize_all(
    text: ParallelText,
    method: str,
    *,
    best: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None,
    posteriors: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
    threshold: float = 0.5,
    n_jobs: int = 1,
) -> Alignments:
    """The alignments of all sentence pairs.

    best: of both directions, for every word its place on the other side from 1 on, 0 for none; not needed for
    "posterior". posteriors: [source][target] of every pair, and [target][source]; without them the links have no
    probabilities.
    """
    if method not in METHODS:
        raise ValueError(f"There is no symmetrization {method!r}: there are {', '.join(METHODS)}.")
    none, nothing = np.zeros(0, np.int32), np.zeros(0, np.float32)
    forth, back = best or (none, none)
    p, q = posteriors or (nothing, nothing)
    offsets = text.source.offsets, text.target.offsets
    found = _native.symmetrize_links(*offsets, forth, back, p, q, METHODS.index(method), threshold, n_jobs)
    return Alignments(*found)

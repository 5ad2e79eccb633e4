"""Two alignments, one from each side, made into one. Seeds 004, §15.1; Och and Ney 2003; Koehn 2005.

An alignment is a set of links (source word, target word). From the source's side every target word has at most one
link, from the target's every source word.

    intersection, union            links of both; of either
    grow-diag                      from the intersection, neighbours (also across corners) that are in the union and
                                   have a word that is not linked yet, again and again
    grow-diag-final                then links of either side with a word that is not linked yet
    grow-diag-final-and            then those of which neither word is linked yet
"""

from __future__ import annotations

from collections.abc import Callable, Set

from palmette.evaluation.alignments import Link

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


def symmetrize(forth: Set[Link], back: Set[Link], method: str = "grow-diag-final-and") -> list[Link]:
    """The links of both directions as one alignment, in order.

    >>> symmetrize({(0, 0), (1, 1)}, {(0, 0), (1, 2)}, "grow-diag")
    [(0, 0), (1, 1), (1, 2)]
    """
    if method not in SYMMETRIZATIONS:
        raise ValueError(f"There is no symmetrization {method!r}: there are {', '.join(SYMMETRIZATIONS)}.")
    return sorted(SYMMETRIZATIONS[method](forth, back))

"""How often n-grams occur in a text: by rank (Zipf's law), and how many occur once, twice, …"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from palmette.drawing.curves import Plot, Point
from palmette.drawing.panels import Panels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST = 150  # points of a curve


def ngrams(source: str, order: int, n_jobs: int = 1) -> Panels:
    """Return the counts of the n-grams of a text by rank, and the counts of the counts, for n = 1 … order."""
    from palmette.tools.lm.estimation import Estimation, count

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a text of short lines has fewer orders
        counts = count(source, Estimation(order=order), n_jobs=n_jobs).counts
    by_rank: dict[str, list[Point]] = {}
    by_count: dict[str, list[Point]] = {}
    for n, (_, _, level) in enumerate(counts.arrays(), start=1):
        found = level[level > 0]
        name = f"{n}-grams ({len(found):,})"
        by_rank[name] = _ranked(found)
        by_count[name] = _counted(found)
    return Panels(
        (
            Plot(by_rank, "rank", "count", "Counts by rank", logarithmic="xy"),
            Plot(by_count, "count", "n-grams with this count", "Counts of counts", logarithmic="xy"),
        ),
        "n-grams",
    )


def _ranked(counts: NDArray[np.uint32]) -> list[Point]:
    import numpy as np

    ordered = np.sort(counts)[::-1]
    ranks = np.unique(np.geomspace(1, len(ordered), _MOST).round().astype(int))
    return [(int(rank), int(ordered[rank - 1])) for rank in ranks]


def _counted(counts: NDArray[np.uint32]) -> list[Point]:
    import numpy as np

    sizes = np.bincount(np.minimum(counts, 10_000).astype(np.int64))
    return [(int(c), int(sizes[c])) for c in np.flatnonzero(sizes)[:_MOST] if 0 < c < 10_000]

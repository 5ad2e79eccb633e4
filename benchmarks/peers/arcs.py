"""Random dense arc scores, the same for us and for the peers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def random_arcs(words: int, sentences: int) -> list[npt.NDArray[np.float64]]:
    """scores[h, m] with the root at 0."""
    rng = np.random.default_rng(words)
    return [rng.normal(size=(words + 1, words + 1)) for _ in range(sentences)]

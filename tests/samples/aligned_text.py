"""Sentence pairs whose alignment is known."""

from __future__ import annotations

import numpy as np

WORDS = {"the": "das", "a": "ein", "house": "Haus", "book": "Buch", "old": "alte", "is": "ist", "new": "neu"}


def made_pairs(n: int = 60, seed: int = 0) -> list[tuple[list[str], list[str]]]:
    """Word-by-word translations."""
    rng = np.random.default_rng(seed)
    sources = [rng.choice(list(WORDS), rng.integers(1, 6)).tolist() for _ in range(n)]
    return [(words, [WORDS[word] for word in words]) for words in sources]

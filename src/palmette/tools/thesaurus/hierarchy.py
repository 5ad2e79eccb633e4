"""A hierarchy of words: the two most similar clusters are joined, again and again (average link).

The similarity of two clusters is the mean over their pairs of words. O(n²) time and memory for n words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Words, and the joins of clusters, the most similar first.

    joins: two clusters and the similarity at which they were joined; clusters below n are single words, cluster
    n + i is what join i made.
    """

    words: tuple[str, ...]
    joins: tuple[tuple[int, int, float], ...]

    @classmethod
    def average_link(cls, words: Sequence[str], similarity: NDArray[np.float64]) -> Hierarchy:
        """Return the hierarchy of words with a symmetric matrix of similarities.

        >>> similarity = np.array([[1, 0.1, 0.8], [0.1, 1, 0.3], [0.8, 0.3, 1]])
        >>> print(Hierarchy.average_link(["cat", "oak", "dog"], similarity).draw())
        0.20 ─┬─ oak
              └─ 0.80 ─┬─ cat
                       └─ dog
        """
        if len(words) < 2:
            return cls(tuple(words), ())
        from scipy.cluster.hierarchy import linkage

        upper = np.triu_indices(len(words), 1)
        distance = np.maximum(1.0 - similarity[upper], 0.0)
        found = linkage(distance, method="average")
        return cls(tuple(words), tuple((int(a), int(b), float(1.0 - d)) for a, b, d, _ in found.tolist()))

    def clusters(self, *, n: int | None = None, similarity: float | None = None) -> list[list[str]]:
        """Return n clusters, or those joined at this similarity at least; the largest first."""
        if (n is None) == (similarity is None):
            raise ValueError("Clusters need either a number n of them or a least similarity.")
        if n is not None and n < 1:
            raise ValueError(f"The 'n' parameter must be an int in the range [1, inf). Got {n!r} instead.")
        many = len(self.words)
        kept = (
            self.joins[: max(many - n, 0)]
            if n is not None
            else tuple(join for join in self.joins if join[2] >= (similarity or 0.0))
        )
        parts: dict[int, list[int]] = {i: [i] for i in range(many)}
        for i, (a, b, _) in enumerate(kept):
            parts[many + i] = parts.pop(a) + parts.pop(b)
        groups = sorted((sorted(part) for part in parts.values()), key=lambda part: (-len(part), part))
        return [[self.words[i] for i in part] for part in groups]

    def draw(self) -> str:
        """Draw the hierarchy as text, with the similarity of every join."""
        blocks: dict[int, list[str]] = {i: [word] for i, word in enumerate(self.words)}
        for i, (a, b, value) in enumerate(self.joins):
            label = f"{value:.2f}"
            space = " " * (len(label) + 2)
            top, bottom = blocks.pop(a), blocks.pop(b)
            blocks[len(self.words) + i] = [
                f"{label} ─┬─ {top[0]}",
                *(f"{space}│  {line}" for line in top[1:]),
                f"{space}└─ {bottom[0]}",
                *(f"{space}   {line}" for line in bottom[1:]),
            ]
        return "\n".join(line for _, block in sorted(blocks.items()) for line in block)

"""Small lists of candidates with random features, for tests of ranking."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from palmette.formats.candidates import Candidates
from palmette.trees.tree import Tree

LABELS = "NVAD"


def random_lists(n: int, seed: int, k: int = 6, length: int = 4) -> list[Candidates]:
    """Tagged sequences: the right one has N after A and V after D more often than not."""
    rng = np.random.default_rng(seed)
    lists = []
    for _ in range(n):
        words = [f"w{w}" for w in rng.integers(8, size=length)]
        rows = {tuple(rng.choice(list(LABELS), size=length)) for _ in range(k)}
        outputs = [tuple(zip(words, row)) for row in sorted(rows)]
        best = max(outputs, key=lambda y: _liked(y) + 0.01 * rng.random())
        counts = np.array(
            [(length, length, sum(a == b for a, b in zip(y, best))) for y in outputs], dtype=np.int64
        )
        lists.append(Candidates(outputs, -rng.exponential(2.0, size=len(outputs)), best, counts))
    return lists


def _liked(y: tuple[tuple[str, str], ...]) -> float:
    labels = [label for _, label in y]
    return sum(1.0 for a, b in pairwise(labels) if a + b in ("AN", "DV", "NV"))


def tree_lists() -> list[Candidates]:
    """Two sentences, each with a high and a low attachment; low is right."""
    lists = []
    for verb, noun in (("see", "eyes"), ("eat", "tails")):
        high = f"(TOP (S (NP (NNS cats)) (VP (VBP {verb}) (NP (NNS mice)) (PP (IN with) (NP (NNS {noun}))))))"
        low = f"(TOP (S (NP (NNS cats)) (VP (VBP {verb}) (NP (NP (NNS mice)) (PP (IN with) (NP (NNS {noun})))))))"
        trees = [Tree.parse(high), Tree.parse(low)]
        lists.append(Candidates(trees, [-0.2, -1.7], gold=trees[1]))
    return lists

"""Random phrase structure trees, with unary chains, words right below phrases if asked for, and gaps."""

from __future__ import annotations

import random

from palmette.trees.tree import Child, Leaf, Tree

LABELS = ("S", "NP", "VP", "PP", "ADVP", "PRT")
TAGS = ("NN", "VB", "IN", ",", ".", "''")
WORDS = ("time", "flies", "like", "an", "arrow", ",", ".")


def random_tree(
    seed: int,
    n: int = 8,
    *,
    labels: tuple[str, ...] = LABELS,
    tags: tuple[str, ...] = TAGS,
    words: list[str] | None = None,
    chains: float = 0.3,
    gaps: bool = False,
    root: str = "TOP",
) -> Tree:
    """A tree over n words. chains: how often a node gets another one above it alone; gaps: it may have some."""
    rng = random.Random(seed)
    chosen = [rng.choice(WORDS) for _ in range(n)] if words is None else words
    parts: list[Child] = [Tree(rng.choice(tags), [Leaf(word, i)]) for i, word in enumerate(chosen)]
    while len(parts) > 1 or rng.random() < chains:
        if len(parts) == 1 or rng.random() < chains / 2:
            at = rng.randrange(len(parts))
            parts[at] = Tree(rng.choice(labels), [parts[at]])
            continue
        k = rng.randint(2, min(4, len(parts)))
        at = rng.randint(0, len(parts) - k)
        taken = rng.sample(range(len(parts)), k) if gaps else range(at, at + k)
        made = Tree(rng.choice(labels), [parts[i] for i in taken])
        parts = [part for i, part in enumerate(parts) if i not in taken] + [made]
        parts.sort(key=lambda part: part.first if isinstance(part, Tree) else part.position)
    return Tree(root, parts)

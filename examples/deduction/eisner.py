"""Eisner's parser (Eisner 1996): the best projective dependency tree in O(n³), from half-trees.

`right[i, k]` is word i with all its dependents up to k, `left[i, k]` is word k with all its dependents down to i;
`arc_right` and `arc_left` are the same with the arc between the ends just drawn. Word 0 is the root.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palmette.inference import Columns, Deduction, Forest, Proof

RULES = Deduction("""
    right[i, i]     <- ?word(i)
    left[i, i]      <- ?word(i)
    arc_right[i, k] <- arc(i, k) * right[i, j] * left[j+1, k]
    arc_left[i, k]  <- arc(k, i) * right[i, j] * left[j+1, k]
    right[i, k]     <- arc_right[i, j] * right[j, k]
    left[i, k]      <- left[i, j] * arc_left[j, k]
    goal right[0, n] <- ?length(n)
""")


def parse(scores: npt.NDArray[np.float64]) -> Forest:
    """All projective trees over words 1 .. n; scores[h, m] is the log-score of the arc from h to m, root 0."""
    n = len(scores) - 1
    heads, dependents = np.nonzero(~np.eye(n + 1, dtype=bool) & (np.arange(n + 1) > 0))
    facts = {
        "arc": Columns(heads, dependents, weights=scores[heads, dependents]),
        "word": range(n + 1),
        "length": [n],
    }
    return RULES.run(facts, log=True)


def heads_of(proof: Proof) -> list[int]:
    """The head of every word, from the arcs of a derivation."""
    found: dict[int, int] = {}
    stack = [proof]
    while stack:
        step = stack.pop()
        if step.label is not None and step.label.name == "arc":
            head, dependent = map(int, step.label.arguments)
            found[dependent] = head
        stack.extend(step.children)
    return [found[m] for m in sorted(found)]


def main() -> None:
    words = ["time", "flies", "like", "an", "arrow"]
    scores = np.random.default_rng(0).normal(size=(6, 6))
    for head, dependent in [(0, 2), (2, 1), (2, 3), (3, 5), (5, 4)]:
        scores[head, dependent] += 3
    forest = parse(scores)
    best = forest.best()
    assert best is not None
    for m, h in enumerate(heads_of(best), 1):
        print(f"{words[m - 1]:6} <- {'ROOT' if h == 0 else words[h - 1]}")
    print(
        f"{forest.count()} projective trees; the best has probability {np.exp(best.score - forest.log_z()):.2f}"
    )


if __name__ == "__main__":
    main()

"""Earley's algorithm: rules of any length, and only items that the words so far predict (CSC 448, §11).

[r, d, i, j] is rule r with the dot after d symbols, over the words from i to j. `wanted` is a condition of the
items that it predicts, not a premise: otherwise every way to predict an item would count as another tree.
"""

from __future__ import annotations

import math

from palmette.inference import Deduction, Forest

RULES = Deduction("""
    wanted(S, 0)     <- start(S)
    wanted(X, j)     <- ?[r, d, i, j] * ?symbol(r, d, X)
    [r, 0, i, i]     <- rule(r, A) * ?wanted(A, i)                     # predict
    [r, d+1, i, j+1] <- [r, d, i, j] * ?symbol(r, d, w) * word(w, j)   # scan
    [r, d+1, i, k]   <- [r, d, i, j] * ?symbol(r, d, A) * [A, j, k]    # complete
    [A, i, k]        <- [r, d, i, k] * ?rule(r, A) * ?length(r, d)
    goal [S, 0, n]   <- ?start(S) * ?words(n)
""")

Grammar = dict[tuple[str, tuple[str, ...]], float]

GRAMMAR: Grammar = {
    ("S", ("NP", "VP")): 1.0,
    ("NP", ("the", "N")): 0.6,
    ("NP", ("NP", "PP")): 0.4,
    ("VP", ("saw", "NP")): 0.5,
    ("VP", ("saw", "NP", "PP")): 0.5,
    ("PP", ("with", "NP")): 1.0,
    ("N", ("man",)): 0.5,
    ("N", ("telescope",)): 0.5,
}


def parse(words: list[str], grammar: Grammar = GRAMMAR, start: str = "S") -> Forest:
    """The forest of all trees with root `start`; symbols without a rule are words."""
    numbered = list(enumerate(grammar))
    facts = {
        "start": [start],
        "rule": {(r, left): grammar[left, right] for r, (left, right) in numbered},
        "symbol": [(r, d, X) for r, (_, right) in numbered for d, X in enumerate(right)],
        "length": [(r, len(right)) for r, (_, right) in numbered],
        "word": [(w, i) for i, w in enumerate(words)],
        "words": [len(words)],
    }
    return RULES.run(facts)


def main() -> None:
    words = "the man saw the man with the telescope".split()
    forest = parse(words)
    print(" ".join(words))
    print(f"{forest.count()} trees, probability {math.exp(forest.log_z()):.3g}; the best of them:")
    print(forest.best())


if __name__ == "__main__":
    main()

"""Question classification with a perceptron in dual form over parse trees.

The perceptron learns a number α for every question with a mistake, not weights of features. The score of a class
is Σ α K(question, ·); `supports` merges the sum.
"""

from __future__ import annotations

import numpy as np

from palmette import Tree
from palmette.features.kernels import SpectrumKernel, TreeKernel

TRAIN = [
    ("person", "(SBARQ (WHNP (WP Who)) (SQ (VBD wrote) (NP (NNP Hamlet))))"),
    (
        "person",
        "(SBARQ (WHNP (WP Who)) (SQ (VBZ is) (NP (NP (DT the) (NN king)) (PP (IN of) (NP (NNP Spain))))))",
    ),
    ("person", "(SBARQ (WHNP (WDT Which) (NN actor)) (SQ (VBD played) (NP (NNP Zorro))))"),
    ("place", "(SBARQ (WHADVP (WRB Where)) (SQ (VBZ is) (NP (NNP Elba))))"),
    ("place", "(SBARQ (WHNP (WDT Which) (NN city)) (SQ (VBZ has) (NP (DT the) (NNP Prado))))"),
    ("place", "(SBARQ (WHADVP (WRB Where)) (SQ (VBD was) (NP (NNP Napoleon)) (VP (VBN born))))"),
    ("number", "(SBARQ (WHADJP (WRB How) (JJ many)) (SQ (NP (NNS legs)) (VBZ has) (NP (DT a) (NN spider))))"),
    (
        "number",
        "(SBARQ (WHADVP (WRB How) (RB far)) (SQ (VBZ is) (NP (PRP it)) (PP (TO to) (NP (NNP Mars)))))",
    ),
    ("number", "(SBARQ (WHADVP (WRB When)) (SQ (VBD was) (NP (NNP Hamlet)) (VP (VBN written))))"),
]
TEST = [
    ("person", "(SBARQ (WHNP (WDT Which) (NN actor)) (SQ (VBZ has) (NP (DT the) (NN part))))"),
    ("place", "(SBARQ (WHADVP (WRB Where)) (SQ (VBZ is) (NP (DT the) (NN spider))))"),
    ("number", "(SBARQ (WHADJP (WRB How) (JJ many)) (SQ (NP (NNS kings)) (VBZ has) (NP (NNP Spain))))"),
]


def main(n_iter: int = 5) -> None:
    # Trees and words together: a sum of kernels is a kernel.
    kernel = TreeKernel(decay=0.4).normalized + SpectrumKernel(1).on(words).normalized
    train = kernel.prepare([Tree.parse(text) for _, text in TRAIN])
    labels = [label for label, _ in TRAIN]
    scores = {label: kernel.supports() for label in dict.fromkeys(labels)}
    for _ in range(n_iter):
        mistakes = 0
        for i, gold in enumerate(labels):
            found = {label: supports.score(train)[i] for label, supports in scores.items()}
            guess = max(found, key=lambda label: found[label])
            if guess != gold:
                scores[gold].add(train, [1.0], which=[i])
                scores[guess].add(train, [-1.0], which=[i])
                mistakes += 1
        print(f"{mistakes} mistakes")
    trees = [Tree.parse(text) for _, text in TEST]
    table = np.stack([supports.score(trees) for supports in scores.values()])
    for (gold, _), tree, best in zip(TEST, trees, table.argmax(axis=0)):
        print(f"{' '.join(tree.words)}? {list(scores)[best]} (right: {gold})")


def words(tree: Tree) -> tuple[str, ...]:
    return tuple(tree.words)


if __name__ == "__main__":
    main()

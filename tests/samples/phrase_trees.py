"""A few trees of phrases for tests of parsers, made by a tiny grammar of English."""

from __future__ import annotations

import numpy as np

from palmette.trees.tree import Tree


def phrase_trees(n: int, seed: int = 0) -> list[Tree]:
    """Sentences such as "the dog saw a cat with the telescope", with attachment told by the preposition."""
    rng = np.random.default_rng(seed)

    def pick(*words: str) -> str:
        return str(rng.choice(words))

    def np_(deep: bool = True) -> str:
        kind = rng.random()
        if kind < 0.2:
            return f"(NP (NNP {pick('Kim', 'Sandy', 'Lee')}))"
        noun = f"(NN {pick('dog', 'cat', 'telescope', 'garden', 'man')})"
        adjective = f"(JJ {pick('old', 'small', 'red')}) " if kind > 0.7 else ""
        base = f"(NP (DT {pick('the', 'a')}) {adjective}{noun})"
        return f"(NP {base} (PP (IN of) {np_(False)}))" if deep and rng.random() < 0.3 else base

    trees = []
    for _ in range(n):
        if rng.random() < 0.3:
            verb = f"(VP (VBD {pick('slept', 'barked')}))"
        else:
            phrase = f" (PP (IN {pick('with', 'in')}) {np_()})" if rng.random() < 0.5 else ""
            verb = f"(VP (VBD {pick('saw', 'liked')}) {np_()}{phrase})"
        trees.append(Tree.parse(f"(TOP (S {np_()} {verb} (. .)))"))
    return trees

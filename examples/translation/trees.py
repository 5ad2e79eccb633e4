"""Tree-to-string: fragments of parsed source sentences become target text (CSC 448, §20).

python examples/translation/trees.py
"""

from __future__ import annotations

import warnings

from palmette import Translator
from palmette.grammars.synchronous import SynchronousGrammar

# Sentences, their trees and their translations come from a small synchronous grammar. German verbs are last.
GRAMMAR = SynchronousGrammar(
    """
    S  -> NP1 VP2 , NP1 VP2
    NP -> D1 N2 , D1 N2
    VP -> M1 V2 NP3 , M1 NP3 V2
    VP -> M1 R2 V3 NP4 , M1 NP4 R2 V3
    D  -> the , das
    N  -> child , Kind
    N  -> house , Haus
    N  -> book , Buch
    M  -> will , wird
    M  -> must , muss
    R  -> not , nicht
    V  -> see , sehen
    V  -> find , finden
    V  -> buy , kaufen
    """,
    weighted=True,
)


def main(n: int = 200) -> None:
    drawn = GRAMMAR.samples(n, random_state=1)
    source, target = [one.source_words for one in drawn], [one.target_words for one in drawn]
    trees = [one.trees()[0] for one in drawn]
    translator = Translator("tree-to-string", options={"order": 3, "models": "fast"}, tuning="none")
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # of counts that are too few to estimate the discounts of a language model
        translator.fit(source, target, trees=trees)
    new = GRAMMAR.parse("the child must not find the book".split()).best()
    if new is None:
        return
    tree = new.trees()[0]
    (best,) = translator.with_trees([tree]).kbest([tree.words], 1)[0]
    print(best.output)
    print(best.derivation.derivation.draw(tree.words))


if __name__ == "__main__":
    main()

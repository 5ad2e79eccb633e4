"""The part of `palmette demo` about trees of phrases: a grammar is read off some trees, parses, and says why."""

from __future__ import annotations

import time
from pathlib import Path

from palmette.cli.report import shows
from palmette.messages import counted

SENTENCE = "The old cook leaves the light on in the kitchen ."


def learn_a_grammar(where: Path) -> None:
    """Train a constituency parser on the trees of the examples, and use it."""
    from palmette.drawing.trees import draw
    from palmette.tools.constituency.parser import ConstituencyParser

    began = time.perf_counter()
    parser = ConstituencyParser("markov").fit(where / "train.mrg")
    seconds = time.perf_counter() - began
    scores = parser.evaluate(where / "test.mrg")
    words = SENTENCE.split()
    (best, *_), (likely,) = parser.kbest([words], 1)[0], parser.marginals([words])
    n = parser.training_["sentences"]
    print(
        f"\nA grammar read off {counted(n, 'tree')} of phrases in {seconds:.2f} s: F1 of the brackets of "
        f"{scores.sentences} other sentences is {100 * scores.f1:.1f}.\n"
    )
    print("\n".join(f"  {line}" for line in draw(best.tree, ascii=not shows("┌─┴─┐")).split("\n")))
    sure = sorted(likely.items(), key=lambda pair: (pair[0].start, -pair[0].end))
    shown = [f"{b.label} {b.start + 1}-{b.end} {p:.2f}" for b, p in sure if p >= 0.05]
    print(f"\nThe probabilities of its brackets:\n\n  {'  '.join(shown)}")

"""A tour of one grammar (CSC 448, §9): consistency, derivations, next words.

python examples/grammars/tour.py time flies like an arrow
"""

from __future__ import annotations

import sys
from pathlib import Path

from palmette import Grammar
from palmette.drawing import draw

HERE = Path(__file__).parent


def main(words: list[str]) -> None:
    grammar = Grammar.from_file(HERE / "time_flies.cfg")
    print(grammar.consistency())
    print(f"{grammar.expected_length():.3g} words on average, such as")
    for sample in grammar.samples(3, random_state=1):
        print("   ", " ".join(sample.words))

    forest = grammar.parse(words)
    print(f"\n{' '.join(words)}: {forest.count()} trees, probability {forest.probability:.4g}")
    for derivation in forest.kbest(1):
        print(draw(derivation.tree()))

    print(f"\nafter {words[0]!r}:")
    for word, p in sorted(grammar.next_words(words[:1]).items(), key=lambda pair: -pair[1])[:4]:
        print(f"    {p:.3f} {'the end' if word is None else word}")

    form = grammar.cnf()
    best = form.best.parse(words).best()
    if best is not None:
        print(f"\nin Chomsky normal form, {len(form.grammar)} rules: {best.tree()}")
        print(f"which stands for {form.original(best).tree()}")


if __name__ == "__main__":
    main(sys.argv[1:] or "time flies like an arrow".split())

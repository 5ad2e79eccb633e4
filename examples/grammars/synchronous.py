"""A synchronous grammar: both languages, pairs, translations, and rules of smaller rank (CSC 448, §16 to §19).

python examples/grammars/synchronous.py
"""

from __future__ import annotations

from pathlib import Path

from palmette.grammars.synchronous import SynchronousGrammar, best_order, smallest_rank

HERE = Path(__file__).parent


def main() -> None:
    grammar = SynchronousGrammar.from_file(HERE / "negation.scfg")
    print(grammar.source.prefix_probability(["ils", "ne"]))
    for derivation in grammar.parse("elles les voient".split()).kbest(3):
        print(f"{derivation.probability:.4f}  {' '.join(derivation.target_words)}")
    pair = grammar.parse("ils ne partent pas".split(), "they do not leave".split())
    best = pair.best()
    if best is not None:
        print(*best.trees(), sep="\n")
    swapped = SynchronousGrammar("S -> C1 B2 A3 , A3 B2 C1")
    print(swapped.factored(), end="")
    whole = SynchronousGrammar("S -> A1 B2 C3 D4 , C3 A1 D4 B2").rules[0]
    order, cost = best_order(whole.permutation)
    names = " ".join(whole.nonterminals[number] for number in order)
    print(f"rank {smallest_rank(whole)}: it cannot be binarized; collecting {names} costs {cost}")


if __name__ == "__main__":
    main()

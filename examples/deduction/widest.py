"""Widest paths: a rule whose F_R is the minimum (CSC 448, §11), and best-first search (Knuth 1977).

The same in the shell: palmette deduce widest.rules roads.tsv --search best-first
"""

from __future__ import annotations

import math
from pathlib import Path

from palmette.formats import read_facts
from palmette.inference import Deduction, Forest, Proof
from palmette.inference.search import BestFirst, Search

HERE = Path(__file__).parent


def ways(search: Search | None = None) -> Forest:
    """All ways to the goal, packed."""
    return Deduction.from_file(HERE / "widest.rules").run(read_facts(HERE / "roads.tsv"), search=search)


def places(proof: Proof) -> list[str]:
    """The places on a way, from its last item back to its first."""
    found = [str(proof.item.arguments[0])]
    while proof.children:
        proof = proof.children[0]
        found.append(str(proof.item.arguments[0]))
    return found[::-1]


def main() -> None:
    for proof in ways().kbest(3):
        print(f"{math.exp(proof.score):.2g}: {', '.join(places(proof))}")
    print(f"best-first search pops {ways(BestFirst()).statistics.items_popped} items")


if __name__ == "__main__":
    main()

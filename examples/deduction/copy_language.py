"""The copy language ww, which is not context-free, as an LCFRS of fan-out 2 (CSC 448, §12)."""

from __future__ import annotations

import sys

from palmette.inference import LCFRS

GRAMMAR = LCFRS("""
    S -> A_1[1] A_2[1]
    A -> A_1[1] a, A_2[1] a
    A -> A_1[1] b, A_2[1] b
    A -> ε, ε
""")


def main(strings: list[str]) -> None:
    for string in strings:
        proof = GRAMMAR.parse(string).best()
        print(f"{string}: {'not a copy' if proof is None else 'a copy'}")
        if proof is not None:
            print(proof)


if __name__ == "__main__":
    main(sys.argv[1:] or ["abaaba", "abba"])

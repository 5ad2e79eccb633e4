"""A synchronous grammar: each nonterminal has one span in each language (CSC 448, §12).

The rule for S swaps verb and object. As a deduction rule it has six position variables, so O(n⁶) instances:

    [S, i, k, l, n] <- rule(S, V, NP) * [V, i, j, m, n] * [NP, j, k, l, m]
"""

from __future__ import annotations

from palmette.inference import LCFRS

GRAMMAR = LCFRS("""
    1.0: S -> V_1[1] NP_1[2], NP_2[2] V_2[1]
    0.5: V -> sees, miru
    0.5: V -> reads, yomu
    0.4: NP -> books, hon o
    0.6: NP -> a N_1[1], N_2[1] o
    0.5: N -> book, hon
    0.5: N -> letter, tegami
""")


def main() -> None:
    print(GRAMMAR.deduction.text, end="\n\n")
    for english, japanese in [("reads a letter", "tegami o yomu"), ("reads a letter", "yomu tegami o")]:
        forest = GRAMMAR.parse(english.split(), japanese.split())
        print(f"{english} / {japanese}: {forest.count()} derivation(s)")
        if (best := forest.best()) is not None:
            print(best)


if __name__ == "__main__":
    main()

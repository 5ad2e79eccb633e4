"""CKY (CSC 448, §10 and §11): the trees of a sentence under a weighted grammar, best first.

    python examples/deduction/cky.py time flies like an arrow

O(|rules| n³) edges. The same from the command line:

    cd examples/deduction && palmette deduce cky.rules time_flies.tsv --words "time flies like an arrow"
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from palmette.drawing import draw
from palmette.formats import Facts, read_facts
from palmette.inference import Deduction, Forest

HERE = Path(__file__).parent


def parse(words: list[str], grammar: Facts) -> Forest:
    """The forest of all trees with root S."""
    rules = Deduction.from_file(HERE / "cky.rules")
    return rules.run({**grammar, "word": [(w, i) for i, w in enumerate(words)], "length": [len(words)]})


def main(words: list[str]) -> None:
    forest = parse(words, read_facts(HERE / "time_flies.tsv"))
    for proof in forest.kbest(2):
        print(f"{math.exp(proof.score - forest.log_z()):.0%} of the total weight\n{draw(proof.tree())}\n")


if __name__ == "__main__":
    main(sys.argv[1:] or "time flies like an arrow".split())

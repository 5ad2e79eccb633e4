"""Small treebanks for tests of parsers: the sentences of the examples, and text with something wrong in it."""

from __future__ import annotations

from pathlib import Path

from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus

EXAMPLES = Path(__file__).parents[2] / "examples" / "parsing"
TRAIN, TEST = EXAMPLES / "train.conllu", EXAMPLES / "test.conllu"
COOK = [
    ("The", "DET"),
    ("cook", "NOUN"),
    ("leaves", "VERB"),
    ("the", "DET"),
    ("light", "NOUN"),
    (".", "PUNCT"),
]

GOOD = "1\tDogs\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def garden_trees(part: str = "train") -> Corpus:
    """Fifty English trees, or ten for tests."""
    return read_conllu(EXAMPLES / f"{part}.conllu")


def conllu(*heads: object, relation: str = "dep", before: str = "# a comment\n") -> str:
    """A sentence of words a, b, … with these heads; "_" is none."""
    rows = [
        f"{i}\t{chr(96 + i)}\t_\tX\t_\t_\t{head}\t{'_' if head == '_' else relation}\t_\t_\n"
        for i, head in enumerate(heads, 1)
    ]
    return before + "".join(rows) + "\n"


# What is wrong with the second sentence of a file whose first has four lines: its text, the line, the message.
BAD_TREES = {
    "circle": (conllu(2, 1, 0), 5, "the heads go round in a circle, 1 → 2 → 1, and never reach the root"),
    "long circle": (conllu(0, 3, 4, 2), 6, "2 → 3 → 4 → 2"),
    "two roots": (conllu(0, 1, 0), 7, "a second root, word 3 after word 1; a tree has one"),
    "no head": (conllu(2, 0, "_"), 7, "a word without a head, where whole trees are needed"),
    "no relation": (conllu(2, 0, relation="_"), 5, "a word with a head but no relation"),
}

"""Small tagged data for tests of taggers: the sentences of the examples, and random chains of labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus

EXAMPLES = Path(__file__).parents[2] / "examples" / "tagging"

NER = (
    "Jack\tB-PER\nLondon\tI-PER\nwent\tO\nto\tO\nParis\tB-LOC\n\n"
    "Paris\tB-PER\nHilton\tI-PER\nwent\tO\nto\tO\nLondon\tB-LOC\n\n"
    "Anna\tB-PER\nsaw\tO\nJack\tB-PER\nin\tO\nNew\tB-LOC\nYork\tI-LOC\nCity\tI-LOC\n\n"
)


def garden(part: str = "train") -> Corpus:
    """Fifty English sentences with parts of speech, or ten for tests."""
    return read_conllu(EXAMPLES / f"{part}.conllu")


def words_and_tags(corpus: Corpus) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences as lists."""
    return [list(s["form"]) for s in corpus], [list(s["upos"]) for s in corpus]


def random_sentences(n: int, seed: int = 0, labels: str = "ABC") -> tuple[list[list[str]], list[list[str]]]:
    """Sentences whose words say something of their labels, and these."""
    rng = np.random.default_rng(seed)
    y = [[labels[k] for k in rng.integers(0, len(labels), rng.integers(1, 6))] for _ in range(n)]
    X = [
        [f"{label.lower()}{rng.integers(0, 4)}" if rng.random() < 0.7 else "x" for label in row] for row in y
    ]
    return X, y

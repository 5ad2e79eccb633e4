"""A small treebank of a made-up language, in which endings say part of speech, number and case."""

from __future__ import annotations

import random

import pytest

from palmette.formats.corpus import Corpus

NOUNS = "kala mori tavu senka lipo dorim bezat falu gorin hasta".split()
VERBS = "rakt simb polt verk nast dulm gask torb".split()
CASES = {"Nom": "", "Acc": "n", "Dat": "ke"}
NUMBERS = {"Sing": "", "Plur": "ti"}


def made_treebank(seed: int = 1, n: int = 120) -> Corpus:
    rng = random.Random(seed)
    columns: dict[str, list[list[str]]] = {name: [] for name in ("form", "lemma", "upos", "xpos", "feats")}
    for _ in range(n):
        rows = []
        number = rng.choice(list(NUMBERS))
        for case in ("Nom", rng.choice(["Acc", "Dat"])):
            noun, own = rng.choice(NOUNS), number if case == "Nom" else rng.choice(list(NUMBERS))
            form = noun + NUMBERS[own] + CASES[case]
            rows.append((form, noun, "NOUN", "N", f"Case={case}|Number={own}"))
        verb = rng.choice(VERBS)
        ending = {"Sing": "as", "Plur": "anti"}[number]
        rows.append((verb + ending, verb + "em", "VERB", "V", f"Number={number}|Person=3"))
        rows.append((".", ".", "PUNCT", "P", "_"))
        rows[0] = (rows[0][0].capitalize(), *rows[0][1:])
        for name, values in zip(columns, zip(*rows)):
            columns[name].append(list(values))
    return Corpus.from_columns(columns)


@pytest.fixture(scope="session")
def treebank() -> Corpus:
    return made_treebank()


@pytest.fixture(scope="session")
def held_out() -> Corpus:
    return made_treebank(2, 30)

"""How often the columns of two files agree, word by word: tags, features and lemmas. O(words).

For CoNLL-U the names and the counts are those of the CoNLL 2018 shared task on given words: `upos` and `xpos` are
compared whole, `ufeats` has the universal features in any order, and a lemma that gold does not have is right.
`feats` compares the whole column.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from palmette.evaluation.tree_pairs import universal
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus


def check_same_words(gold: Corpus, guess: Corpus) -> None:
    """Raise ValueError unless both have the same words in the same sentences."""
    if len(gold) != len(guess):
        raise ValueError(
            f"there are {len(gold):,} gold sentences and {len(guess):,} guessed ones: "
            "they must be of the same sentences"
        )
    lengths = np.diff(gold.offsets), np.diff(guess.offsets)
    for i in np.flatnonzero(lengths[0] != lengths[1])[:1].tolist():
        raise ValueError(
            f"sentence {i + 1} has {lengths[0][i]:,} words in gold and {lengths[1][i]:,} in the guess: "
            "both files must have the same words"
        )
    right = agreement(gold.column(0), guess.column(0))
    for row in np.flatnonzero(~right)[:1].tolist():
        i = int(np.searchsorted(gold.offsets, row, side="right")) - 1
        words = [corpus.column(0).strings[corpus.column(0).ids[row]] for corpus in (gold, guess)]
        raise ValueError(
            f"word {row - int(gold.offsets[i]) + 1} of sentence {i + 1} is {words[0]!r} in gold and {words[1]!r} "
            "in the guess: both files must have the same words"
        )


def agreement(
    gold: Column, guess: Column, key: Callable[[str], str] = str
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """The rows in which what `key` makes of both values is the same."""
    index: dict[str, int] = {}
    ids = [
        np.array([index.setdefault(key(text), len(index)) for text in column.strings], dtype=np.int64)
        for column in (gold, guess)
    ]
    return np.equal(ids[0][gold.ids], ids[1][guess.ids])


def conllu_accuracies(gold: Corpus, guess: Corpus) -> dict[str, float]:
    """The accuracy of every column that gold has filled: upos, xpos, ufeats, feats, lemmas."""
    found = {}
    for name, column, key in (
        ("upos", "upos", str),
        ("xpos", "xpos", str),
        ("ufeats", "feats", universal),
        ("feats", "feats", str),
        ("lemmas", "lemma", str),
    ):
        values = gold.column(column)
        absent = np.array([text == "_" for text in values.strings], dtype=bool)[values.ids]
        if absent.all():
            continue
        right = agreement(values, guess.column(column), key)
        found[name] = float((right | absent if column == "lemma" else right).mean())
    return found


def holds_spans(column: Column) -> bool:
    """Whether the labels are those of spans: O, and B-X, I-X and their kin."""
    used = {column.strings[i] for i in np.unique(column.ids).tolist()}
    return bool(used - {"O"}) and all(
        label == "O" or (label[0] in "BIESLU" and label[1:2] == "-" and len(label) > 2) for label in used
    )

"""Files of columns in plain Python, as users of the peers read them, and scores of what was guessed."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

Sentence = list[list[str]]  # the columns, each a list over the words


def sentences(path: str) -> Iterator[Sentence]:
    """Columns by spaces or tabs, an empty line after a sentence; comments and the extra lines of CoNLL-U go."""
    conllu = ".conllu" in path
    words: list[list[str]] = []
    with _open(path) as lines:
        for line in lines:
            if line == "\n":
                if words:
                    yield list(map(list, zip(*words)))
                words = []
            elif conllu:
                columns = line.rstrip("\n").split("\t")
                if columns[0].isdigit():
                    words.append(columns)
            else:
                words.append(line.split())
    if words:
        yield list(map(list, zip(*words)))


def _open(path: str) -> TextIO:
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8")
    return Path(path).open(encoding="utf-8")


def words_and_upos(path: str) -> tuple[list[list[str]], list[list[str]]]:
    """Words and universal tags of a CoNLL-U file."""
    read = list(sentences(path))
    return [sentence[1] for sentence in read], [sentence[3] for sentence in read]


def accuracy(gold: Iterable[list[str]], guess: Iterable[list[str]]) -> float:
    """Percent of equal labels."""
    equal = [g == h for one, other in zip(gold, guess, strict=True) for g, h in zip(one, other, strict=True)]
    return 100 * sum(equal) / len(equal)


def span_f1(gold: Iterable[list[str]], guess: Iterable[list[str]]) -> float:
    """Percent, by conlleval's rules: an I- after another type or none begins a span.

    >>> span_f1([["B-NP", "I-NP", "O", "B-NP"]], [["I-NP", "I-NP", "O", "O"]])
    66.66666666666667
    """
    n_gold = n_guess = n_equal = 0
    for one, other in zip(gold, guess, strict=True):
        spans, guessed = set(_spans(one)), set(_spans(other))
        n_gold, n_guess = n_gold + len(spans), n_guess + len(guessed)
        n_equal += len(spans & guessed)
    return 200 * n_equal / (n_gold + n_guess)


def _spans(labels: list[str]) -> Iterator[tuple[int, int, str]]:
    start, kind = 0, ""
    for i, label in enumerate([*labels, "O"]):
        prefix, _, type_ = label.partition("-")
        if kind and (prefix != "I" or type_ != kind):
            yield start, i, kind
            kind = ""
        if type_ and not kind:
            start, kind = i, type_

"""Dependency trees in plain Python, and the attachment scores of CoNLL-18 where the tokens are the gold ones."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.peers.columns import Sentence

Tree = tuple[list[int], list[str]]  # the head of each word, 0 for the root, and its relation


def tree(sentence: Sentence) -> Tree:
    """That of the columns of CoNLL-U."""
    return [int(head) for head in sentence[6]], sentence[7]


def attachment(gold: Iterable[Tree], guess: Iterable[Tree]) -> dict[str, float]:
    """Percent of all words, punctuation included, whose head is right (`uas`), and whose relation too.

    `las` compares the universal part of the relations, as CoNLL-18 does; `las_full` compares their subtypes too.

    >>> attachment([([2, 0, 2], ["nsubj:pass", "root", "obj"])], [([2, 0, 1], ["nsubj", "root", "obj"])])
    {'tokens': 3, 'uas': 66.66666666666667, 'las': 66.66666666666667, 'las_full': 33.333333333333336}
    """
    n = uas = las = full = 0
    for (heads, relations), (guessed_heads, guessed) in zip(gold, guess, strict=True):
        for h, r, h_guess, r_guess in zip(heads, relations, guessed_heads, guessed, strict=True):
            n += 1
            if h == h_guess:
                uas += 1
                las += universal(r) == universal(r_guess)
                full += r == r_guess
    return {"tokens": n, "uas": 100 * uas / n, "las": 100 * las / n, "las_full": 100 * full / n}


def universal(relation: str) -> str:
    """
    >>> universal("acl:relcl"), universal("obj")
    ('acl', 'obj')
    """
    return relation.partition(":")[0]

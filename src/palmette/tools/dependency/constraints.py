"""What is known of a tree before it is searched for: heads that words have, and arcs that must not be there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette.formats.tree_faults import reaches_root
from palmette.tools.dependency.model import Int32

KnownHeads: TypeAlias = Sequence[
    Sequence[int | None]
]  # for every word its head, None or -1 where any will do
Forbidden: TypeAlias = Sequence[Sequence[tuple[int, int]]]  # for every sentence pairs (word, head)

UNKNOWN = -1


def known_heads(known: KnownHeads | Int32, offsets: NDArray[np.int64], *, single_root: bool = True) -> Int32:
    """The known heads of all words in a row; ValueError if no tree can have them."""
    lengths = np.diff(offsets)
    heads = known if isinstance(known, np.ndarray) else _flat(known, lengths.tolist())
    if heads.dtype.kind != "i" or heads.shape != (int(lengths.sum()),):
        raise ValueError(
            f"There must be a whole number for each of {lengths.sum()} words as its known head, or -1."
        )
    word = np.arange(1, len(heads) + 1) - np.repeat(offsets[:-1], lengths)
    impossible = (heads < UNKNOWN) | (heads > np.repeat(lengths, lengths)) | (heads == word)
    _refuse(impossible, offsets, lambda i, t: f"no word can have the head {heads[offsets[i] + t - 1]} there")
    _refuse(~reaches_root(heads, offsets), offsets, lambda i, t: "the known heads go round in a circle")
    if single_root:
        of = np.repeat(np.arange(len(lengths)), lengths)
        roots = np.bincount(of[heads == 0], minlength=len(lengths))
        crowded = (heads == 0) & (roots[of] > 1)
        _refuse(crowded, offsets, lambda i, t: f"{roots[i]} words are known to be roots, and a tree has one")
    return heads.astype(np.int32)


def forbidden_arcs(forbidden: Forbidden, offsets: NDArray[np.int64]) -> Int32:
    """The arcs as rows (word of all sentences, from 0; head), without doubles, in order."""
    lengths = np.diff(offsets).tolist()
    _check_count(forbidden, lengths, "forbidden arcs")
    found = set()
    for i, (pairs, n) in enumerate(zip(forbidden, lengths)):
        for pair in pairs:
            word, head = _pair(i, pair)
            if not 1 <= word <= n or not 0 <= head <= n or word == head:
                raise ValueError(f"Sentence {i + 1} has {n} words, and no arc of word {word} to head {head}.")
            found.add((int(offsets[i]) + word - 1, head))
    return np.array(sorted(found), dtype=np.int32).reshape(-1, 2)


def _flat(known: KnownHeads, lengths: list[int]) -> Int32:
    _check_count(known, lengths, "known heads")
    flat: list[int] = []
    for i, (heads, n) in enumerate(zip(known, lengths)):
        if not isinstance(heads, (Sequence, np.ndarray)) or isinstance(heads, str):
            raise TypeError(f"Sentence {i + 1}: known heads are a list, None for any head. Got {heads!r}.")
        if len(heads) != n:
            raise ValueError(
                f"Sentence {i + 1} has {n} words and {len(heads)} known heads; None stands for any head."
            )
        for word, head in enumerate(heads, 1):
            if head is not None and not _is_int(head):
                raise ValueError(f"Sentence {i + 1}, word {word}: a head is a number or None. Got {head!r}.")
            flat.append(UNKNOWN if head is None else max(UNKNOWN - 1, min(int(head), 1 << 30)))
    return np.array(flat, dtype=np.int32)


def _refuse(bad: NDArray[np.bool_], offsets: NDArray[np.int64], message: Callable[[int, int], str]) -> None:
    """ValueError for the first bad word."""
    if bad.any():
        at = int(bad.argmax())
        i = int(np.searchsorted(offsets, at, side="right")) - 1
        word = at - int(offsets[i]) + 1
        raise ValueError(f"Sentence {i + 1}, word {word}: {message(i, word)}.")


def _pair(i: int, pair: Any) -> tuple[int, int]:
    if isinstance(pair, (tuple, list)) and len(pair) == 2 and all(map(_is_int, pair)):
        return int(pair[0]), int(pair[1])
    raise ValueError(f"Sentence {i + 1}: a forbidden arc is a pair (word, head). Got {pair!r}.")


def _is_int(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _check_count(rows: Sequence[Any], lengths: list[int], what: str) -> None:
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise TypeError(f"The {what} must be a list with one entry per sentence. Got {type(rows).__name__}.")
    if len(rows) != len(lengths):
        raise ValueError(f"There are {len(lengths)} sentences and {what} for {len(rows)}.")

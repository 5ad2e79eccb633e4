"""Words with a table of arc scores, as people type them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palmette.trace.inputs import lines_of, number_of, words_of

ROOT = "root"


def read_arcs(input: str, scores: str, most: int) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Words with the root before them, and scores[head, dependent]; arcs that no line names have the score 0."""
    words = [ROOT, *words_of(input, most)]
    table = np.zeros((len(words), len(words)))
    for at, line in enumerate(lines_of(scores, "scores"), 1):
        parts, where = line.split(), f"scores, line {at}"
        if len(parts) != 3:
            raise ValueError(f"{where}: expected HEAD DEPENDENT SCORE, got {line[:40]!r}")
        head, dependent = (_word(name, words, where) for name in parts[:2])
        if dependent == 0 or head == dependent:
            raise ValueError(f"{where}: an arc goes from a word or the root to another word")
        table[head, dependent] = number_of(parts[2], where, -1e6, 1e6)
    return words, table


def _word(name: str, words: list[str], where: str) -> int:
    """A word by its text or its number; 0 and "root" are the root."""
    if name.isdecimal() and name not in words:
        if int(name) < len(words):
            return int(name)
        raise ValueError(f"{where}: there is no word {name}; the sentence has {len(words) - 1}")
    found = [i for i, word in enumerate(words) if word == name]
    if not found:
        raise ValueError(f"{where}: {name[:40]!r} is not in the sentence")
    if len(found) > 1:
        numbers = " or ".join(map(str, found))
        raise ValueError(f"{where}: {name!r} comes twice; write its number, {numbers}")
    return found[0]

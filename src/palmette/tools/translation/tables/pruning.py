"""Smaller phrase tables: without rare pairs, without unlikely translations, without pairs that may meet by chance.

The significance of a pair is −ln p of Fisher's exact test over the sentence pairs of a text
(Johnson et al. 2007; native/tools/translation/significance.hpp). A pair of phrases that occur once each,
together, has α = ln (number of sentence pairs): the thresholds α + ε and α − ε drop these pairs or keep them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from palmette._native import sentence_counts, surprises
from palmette.formats.model.strings import StringTable
from palmette.parameters import Rule, check_value, require_int
from palmette.tools.alignment.text import ParallelText, TextSide
from palmette.tools.translation.tables.assembling import select
from palmette.tools.translation.tables.phrase_table import PhraseTable

THRESHOLDS = ("alpha+epsilon", "alpha-epsilon")
_EPSILON = 0.01


def prune(
    table: PhraseTable,
    *,
    min_count: int = 1,
    limit: int | None = None,
    significance: float | str | None = None,
    text: ParallelText | None = None,
    n_jobs: int = 1,
) -> PhraseTable:
    """Return the table with fewer pairs; scores stay as they are.

    min_count: how often a pair must occur; needs a table with counts. limit: pairs of a source phrase, the best of
    those that are left. significance: the least −ln p of a pair, or one of THRESHOLDS; needs the text.
    """
    require_int("min_count", min_count, 1)
    check_value("limit", limit, (int, type(None)), Rule("", low=1))
    check_significance(significance, "significance")
    kept = np.ones(len(table), bool)
    if min_count > 1:
        if not len(table.counts) and len(table):
            raise ValueError("A phrase table without counts cannot be pruned by count.")
        kept &= table.counts[:, 2] >= min_count if len(table) else True
    if significance is not None:
        if text is None:
            raise ValueError("Pruning by significance needs the text that the phrases come from.")
        # Rounding must not decide about the many pairs that occur once.
        kept &= surprise(table, text, n_jobs) >= threshold(significance, len(text)) - 1e-9
    if limit is not None:
        kept &= kept_before(table.pair_begin, kept) < limit
    return select(table, kept)


def surprise(table: PhraseTable, text: ParallelText, n_jobs: int = 1) -> NDArray[np.float64]:
    """Return −ln p of Fisher's exact test for every pair of a table, counted in a text."""
    sides = [_numbered(text.source, table.source_strings), _numbered(text.target, table.target_strings)]
    counts = sentence_counts(
        table.native, text.source.offsets, sides[0], text.target.offsets, sides[1], n_jobs
    )
    return surprises(counts, len(text))


def threshold(significance: float | str, n: int) -> float:
    """Return the least −ln p that is kept, among n sentence pairs."""
    if isinstance(significance, str):
        return math.log(max(n, 1)) + (_EPSILON if significance == "alpha+epsilon" else -_EPSILON)
    return float(significance)


def check_significance(value: object, name: str) -> None:
    """Raise ValueError unless a value is None, a threshold by name, or a number of at least 0."""
    if isinstance(value, str):
        if value not in THRESHOLDS:
            names = ", ".join(map(repr, THRESHOLDS))
            raise ValueError(
                f"The {name!r} parameter must be {names}, a number or None. Got {value!r} instead."
            )
        return
    check_value(name, value, (float, type(None)), Rule("", low=0))


def _numbered(side: TextSide, strings: StringTable) -> NDArray[np.int32]:
    number = {word: k for k, word in enumerate(strings)}
    numbers = np.array([number.get(word, -1) for word in side.strings], np.int32)
    found: NDArray[np.int32] = numbers[side.ids] if len(numbers) else np.zeros(0, np.int32)
    return found


def kept_before(begins: NDArray[np.uint32], kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each item how many of the items before it, in the same row, are kept. begins: of the rows."""
    before: NDArray[np.int64] = np.cumsum(kept) - kept
    at = begins.astype(np.int64)
    base = before[np.minimum(at[:-1], max(len(kept) - 1, 0))] if len(kept) else at[:-1]
    return before - np.repeat(base, np.diff(at))

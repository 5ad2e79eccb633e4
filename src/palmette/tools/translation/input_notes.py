"""What looks wrong about a training text, though a model can be made of it: a sentence each."""

from __future__ import annotations

from typing import Any

import numpy as np

from palmette.tools.alignment.text import ParallelText, TextSide
from palmette.tools.text.spaces import lacks_spaces
from palmette.tools.translation.raw.text import RawText

_LEAST_KNOWN = 0.5  # of the words of a text, by the table that was given


def input_notes(raw: RawText | None, text: ParallelText | None, table: Any) -> list[str]:
    """Return notes for the user; table: a phrase table that was given, or None."""
    notes = []
    if raw is None and text is not None:
        sides = (("source", text.source), ("target", text.target))
        notes += [
            f"The {name} sentences have no spaces between words, so each is a word: train with raw text "
            "(raw=True, --raw), or put spaces between words."
            for name, side in sides
            if lacks_spaces((side.strings[word] for word in np.unique(side.ids)), len(side.ids), len(side))
        ]
    if raw is not None and text is None:
        notes.append(
            "There is no training text to learn spellings and spaces from: raw lines are cut by the rules of the "
            "tokenizer, words keep their case, and the phrase table must have its words cut in the same way."
        )
    elif text is not None and table is not None and len(table):
        share = _known(text.source, table)
        if share < _LEAST_KNOWN:
            notes.append(
                f"The phrase table knows only {share:.0%} of the words of the source sentences: it may have been "
                "made with other rules for words or case."
            )
    return notes


def _known(side: TextSide, table: Any) -> float:
    """The share of words that are in source phrases of the table."""
    words = set(table.source_strings)
    found = np.array([word in words for word in side.strings], dtype=bool)
    return float(found[side.ids].mean()) if len(side.ids) else 1.0

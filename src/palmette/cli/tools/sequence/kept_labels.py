"""Labels that the input has already: `--keep-labels` keeps them and finds the best labels for the other tokens."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette.cli.tools.sequence.input import InputFormat, TokenBatch
from palmette.cli.tools.sequence.output import MISC, Target
from palmette.errors import UsageError
from palmette.formats.column import Column
from palmette.tools.sequence.tagger import Tagger
from palmette.tools.sequence.tokens import cut

Kept: TypeAlias = list[list[str | None]]
_NONE = ("_", "")


def kept_labels(batch: TokenBatch, target: Target) -> Kept:
    """The label of every token of the column that would be filled; None where there is none, or only "_"."""
    if batch.format is InputFormat.text:
        raise UsageError("--keep-labels needs CoNLL-U or columns; text has no labels to keep")
    corpus = batch.corpus
    name = target.conllu_column() if batch.format is InputFormat.conllu else target.column_of(corpus)
    if name not in corpus.names:
        return [[None] * len(sentence) for sentence in corpus]
    values = corpus.column(name).values()
    if batch.format is InputFormat.conllu and name == MISC:
        values = [_noted(value, target.key) for value in values]
    return list(cut([None if value in _NONE else value for value in values], corpus.offsets))


def confidence_given(tagger: Tagger, batch: TokenBatch, labels: Column, known: Kept) -> NDArray[np.float32]:
    """The probability of each label, given those that were kept."""
    place = {label: k for k, label in enumerate(tagger.classes_)}
    rows = tagger.predict_proba(batch.corpus, known=known)
    p = np.concatenate([np.zeros((0, len(place)), np.float32), *rows])
    return p[np.arange(len(p)), labels.ids_in(place)]


def _noted(misc: str, key: str) -> str:
    """The value that MISC has for a key."""
    found = (note for note in misc.split("|") if note.startswith(f"{key}="))
    return next(found, "").removeprefix(f"{key}=")

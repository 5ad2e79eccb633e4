"""Where predicted labels go in a file: into a column, or into MISC; and the file written again around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.cli.tools.sequence.input import InputFormat, TokenBatch
from palmette.formats.column import Column
from palmette.formats.columns import format_columns
from palmette.formats.conllu import NAMES, format_conllu
from palmette.formats.corpus import Corpus
from palmette.messages import counted

MISC = "misc"
_NEW = "predicted"  # the names of columns that are added
_PROBABILITY = "probability"


@dataclass(frozen=True)
class Target:
    """Where labels go. column: asked for, or None; trained: the label's column of the training data and all of its
    columns; key: the key of a label in MISC, where CoNLL-U has no column for it."""

    column: str | int | None
    trained: str | None
    columns: Sequence[str]
    key: str
    append: bool = False

    def fill(self, batch: TokenBatch, labels: Column, probabilities: NDArray[np.floating] | None) -> Corpus:
        """The sentences with the labels, and with their probabilities if there are any."""
        if batch.format is InputFormat.columns:
            corpus = batch.corpus.with_column(self.column_of(batch.corpus), labels)
            return (
                corpus if probabilities is None else corpus.with_column(_PROBABILITY, decimals(probabilities))
            )
        name = self.conllu_column()
        corpus = batch.corpus
        corpus = with_note(corpus, self.key, labels) if name == MISC else corpus.with_column(name, labels)
        return corpus if probabilities is None else with_note(corpus, "Prob", decimals(probabilities))

    def column_of(self, corpus: Corpus) -> str:
        """The column of a column file that is filled."""
        names = corpus.names
        if self.append:
            return _NEW
        if self.column is not None:
            return _asked(self.column, names)
        if self.trained is not None and self.trained in names:
            return self.trained
        known = {name: place for place, name in enumerate(self.columns)}
        place = -1 if self.trained is None else known.get(self.trained, -1)
        if place > len(names) or (0 <= place < len(names)):
            raise ValueError(
                f"The labels were column {place + 1} of {len(self.columns)} in training, but this file has "
                f"{counted(len(names), 'column')}: specify the one to fill with --column, or add one with "
                "--append."
            )
        return _NEW

    def conllu_column(self) -> str:
        """The column of CoNLL-U that is filled."""
        if self.column is not None:
            return _asked(self.column, NAMES)
        return self.trained if self.trained in NAMES else MISC


def written(corpus: Corpus, batch: TokenBatch, separator: str | None = None) -> bytes:
    """The sentences in the format of the batch; text becomes CoNLL-U."""
    if batch.format is InputFormat.columns:
        return format_columns(corpus, separator=separator or batch.separator)
    return format_conllu(corpus)


def with_note(corpus: Corpus, key: str, values: Column) -> Corpus:
    """The corpus with `key=value` put into MISC, in the place of what had this key."""
    misc = corpus.column(MISC) if MISC in corpus.names else Column(np.zeros(len(values), np.int32), ["_"])
    n = max(len(values.strings), 1)
    used, ids = np.unique(misc.ids.astype(np.int64) * n + values.ids, return_inverse=True)
    strings = [_noted(misc.strings[code // n], key, values.strings[code % n]) for code in used.tolist()]
    return corpus.with_column(MISC, Column(ids.reshape(-1).astype(np.int32), strings))


def _noted(misc: str, key: str, value: str) -> str:
    kept = [note for note in misc.split("|") if note != "_" and not note.startswith(f"{key}=")]
    return "|".join([*kept, f"{key}={value}"])


def decimals(probabilities: NDArray[np.floating]) -> Column:
    """Probabilities as strings."""
    used, ids = np.unique(np.round(probabilities.astype(np.float64), 4), return_inverse=True)
    return Column(ids.reshape(-1).astype(np.int32), [f"{p:.4f}" for p in used.tolist()])


def _asked(column: str | int, names: Sequence[str]) -> str:
    if isinstance(column, str) and column in names:
        return column
    if isinstance(column, int) and -len(names) <= column < len(names):
        return names[column]
    raise ValueError(f"Unknown column {column!r} to fill: expected one of {', '.join(names)}.")
